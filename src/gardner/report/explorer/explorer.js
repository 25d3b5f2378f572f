// The page: what is asked (kept in the address), what the grid answers, and how it is shown.
const LIMIT = 1e-3; // an error in ln v above this is drawn as unsure
const STEPS = 1000; // stops of a slider
const POINTS = 72; // budgets of a chart
const NAMES = { agnostic: "least certain first", "posterior-committee": "committee", random: "random" };
const NOISES = {
  probit: "noise (variance added to the field)", flip: "chance that a label is flipped", logistic: "scale of the odds (large is little noise)",
};
const find = (id) => document.getElementById(id);
let header, state, kept = {};

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const round3 = (value) => Number(value.toPrecision(3));
const channelOf = () => header.channels.find((channel) => channel.name === state.channel);
const fixed = (value, digits = 4) => (Number.isFinite(value) ? minus(value.toFixed(digits)) : "–");
const power = (error) => (Number.isFinite(error) ? minus(error.toExponential(0)) : "not known");

// Whatever the address says, the state afterwards is one that the grid can answer.
function tidy(wanted) {
  const channel = header.channels.find((one) => one.name === wanted.channel) ?? header.channels[0];
  const number = (text, otherwise) => (text !== undefined && text !== null && text !== "" && Number.isFinite(Number(text)) ? Number(text) : otherwise);
  const alpha = clamp(number(wanted.alpha, 3), channel.alphas[0], channel.alphas.at(-1));
  const noises = channel.noises, middle = noises.length ? round3(noises[Math.floor(noises.length / 2)]) : NaN;
  const noise = noises.length ? clamp(number(wanted.noise, middle), noises[0], noises.at(-1)) : NaN;
  const n = clamp(number(wanted.n, 1), header.leastBudget, header.mostShare * alpha);
  const k = header.batches.includes(number(wanted.k)) ? Number(wanted.k) : header.batches[2];
  const goal = clamp(number(wanted.goal, 0.8), 0.55, 0.99);
  return { channel: channel.name, noise, alpha, n, k, goal };
}

function address() {
  const { channel, noise, alpha, n, k, goal } = state;
  const parts = { channel, ...(Number.isFinite(noise) ? { noise } : {}), alpha, n, k, goal };
  return `#${new URLSearchParams(parts)}`;
}

const fromLog = (position, low, high) => round3(low * (high / low) ** (position / STEPS));
const toLog = (value, low, high) => Math.round((STEPS * Math.log(value / low)) / Math.log(high / low));

function controls(moved) {
  const channel = channelOf(), { alphas, noises } = channel;
  const set = (id, position, text) => {
    if (id !== moved) find(id).value = position;
    find(id).setAttribute("aria-valuetext", text);
    find(`${id}-value`).textContent = text;
  };
  find("channel").value = state.channel;
  find("noise-row").hidden = !noises.length;
  if (noises.length) {
    find("noise-name").textContent = NOISES[state.channel] ?? "noise";
    set("noise", toLog(state.noise, noises[0], noises.at(-1)), String(state.noise));
  }
  set("alpha", toLog(state.alpha, alphas[0], alphas.at(-1)), String(state.alpha));
  set("n", Math.round(0.5 * STEPS * (shareOf(header, state.alpha, state.n) + 1)), String(state.n));
  set("k", header.batches.indexOf(state.k), String(state.k));
  set("goal", Math.round(1000 * state.goal), String(state.goal));
}

function moved(id) {
  const position = Number(find(id).value), { alphas, noises } = channelOf();
  const next = { ...state };
  if (id === "channel") { next.channel = find("channel").value; next.noise = undefined; }
  if (id === "noise") next.noise = fromLog(position, noises[0], noises.at(-1));
  if (id === "alpha") next.alpha = fromLog(position, alphas[0], alphas.at(-1));
  if (id === "n") next.n = round3(budgetOf(header, state.alpha, (2 * position) / STEPS - 1));
  if (id === "k") next.k = header.batches[position];
  if (id === "goal") next.goal = position / 1000;
  state = tidy(next);
  show(id);
}

// Parts that a slider did not change are not computed again.
function remembered(name, key, compute) {
  if (kept[name]?.key !== key) kept[name] = { key, value: compute() };
  return kept[name].value;
}

const look = (found, w, side) => (found.unresolved[side] || !(found.errorOf("volume", w) <= LIMIT) ? "unsure" : found.ratio[w] > 1 ? "broken" : "sure");

// The most accurate place of a curve: the smallest volume without noise, as `gardner budget` takes it.
function best(found, noisy) {
  if (!noisy) return 0;
  return found.accuracy.reduce((top, accuracy, w) => (accuracy > found.accuracy[top] ? w : top), 0);
}

function answer() {
  const { channel: name, noise, alpha, n, k } = state, channel = channelOf(), noisy = channel.noises.length > 0;
  const last = header.places.length - 1, middle = last / 2;
  const part = remembered("slice", `${name} ${noise} ${alpha}`, () => slice(header, channel, noise, alpha));
  const sweep = remembered("sweep", `${name} ${noise} ${alpha}`, () =>
    Array.from({ length: POINTS }, (_, p) => at(part, budgetOf(header, alpha, (2 * p) / (POINTS - 1) - 1))));
  const chance = remembered("chance", `${name} ${noise} ${alpha}`, () => {
    const most = Math.min(alpha, header.learningMost);
    return Array.from({ length: 48 }, (_, p) => random(channel, noise, 0.05 * (most / 0.05) ** (p / 47)));
  });
  const curves = remembered("curves", `${name} ${noise} ${alpha} ${k}`, () =>
    header.rules.map((_, rule) => learned(header, channel, noise, alpha, header.batches.indexOf(k), rule)));
  return { channel, noisy, last, middle, part, sweep, chance, curves, here: at(part, n), pool: random(channel, noise, alpha) };
}

function bands(found) {
  const { sweep, last, middle, noisy } = found, { n } = state;
  const line = (name, w, side, quantity) => ({
    name, points: sweep.map((one) => ({ x: one.budget, y: one[quantity][w], look: look(one, w, side) })),
  });
  const ends = (quantity) => [line("minimum", 0, 0, quantity), line("typical", middle, 0, quantity), line("maximum", last, 1, quantity)];
  const dots = (quantity) => [["minimum", 0], ["typical", middle], ["maximum", last]].map(([name, w]) => ({ name, x: n, y: found.here[quantity][w] }));
  const x = { title: "budget n (labels per weight)", log: true };
  const volumes = ends("volume");
  const halving = { name: "halving", points: sweep.map((one) => ({ x: one.budget, y: Math.max(-one.budget * Math.LN2, found.pool.volume * 1.15), look: "sure" })) };
  const inside = halving.points.filter((p) => p.y > found.pool.volume * 1.15);
  chart(find("volumes"), {
    x, y: { title: "ln v" }, lines: [...volumes, { ...halving, points: inside }], band: { low: volumes[0].points, high: volumes[2].points },
    marker: n, dots: dots("volume"), levels: [{ name: "pool", y: found.pool.volume }],
  });
  const accuracies = ends("accuracy");
  if (noisy) {
    accuracies.unshift({ name: "accurate", points: sweep.map((one) => { const w = best(one, true); return { x: one.budget, y: one.accuracy[w], look: look(one, w, 0) }; }) });
  }
  chart(find("accuracies"), {
    x, y: { title: "accuracy" }, lines: accuracies, band: { low: accuracies[0].points, high: accuracies.at(-1).points },
    marker: n, dots: dots("accuracy"), levels: [{ name: "pool", y: found.pool.accuracy }],
  });
}

function complexity(found) {
  const { here, middle } = found, { alpha, n } = state;
  const top = alpha * Math.log(alpha) - n * Math.log(n) - (alpha - n) * Math.log(alpha - n), points = [];
  const order = [...header.places.keys()];
  for (const k of order.slice(0, -1)) {
    for (let part = 0; part < 4 + (k === order.length - 2 ? 1 : 0); part++) {
      const [a, b] = [header.places[k], header.places[k + 1]], w = a + ((b - a) * part) / 4;
      const first = clamp(k - 1, 0, order.length - 4), weights = lagrange(header.places.slice(first, first + 4), w, 0, 3);
      const x = weights.reduce((total, weight, l) => total + weight * here.volume[first + l], 0);
      const looks = [look(here, k, k < middle ? 0 : 1), look(here, k + 1, k < middle ? 0 : 1)];
      points.push({ x, y: top * (1 - w * w), look: looks.includes("unsure") ? "unsure" : looks.includes("broken") ? "broken" : "sure" });
    }
  }
  chart(find("complexity"), {
    x: { title: "ln v" }, y: { title: "complexity Σ" }, lines: [{ name: "typical", points }], dots: [{ name: "typical", x: here.volume[middle], y: top }],
  });
}

function learning(found) {
  const { chance, curves, sweep, noisy } = found, most = Math.min(state.alpha, header.learningMost);
  const line = (name, points) => ({
    name, points: points.map((p) => ({ x: p.budget, y: p.accuracy, look: p.volumeError <= LIMIT ? "sure" : "unsure" })),
  });
  const bound = sweep.filter((one) => one.budget <= most).map((one) => { const w = best(one, noisy); return { x: one.budget, y: one.accuracy[w], look: look(one, w, 0) }; });
  const lines = [{ name: noisy ? "accurate" : "minimum", points: bound }, line("random", chance), ...header.rules.map((rule, r) => line(rule, curves[r]))];
  const dots = header.rules.flatMap((rule, r) => (curves[r].length <= 20 ? curves[r].map((p) => ({ name: rule, x: p.budget, y: p.accuracy })) : []));
  chart(find("learning"), { x: { title: "budget n (labels per weight)", range: [0, most] }, y: { title: "accuracy" }, lines, dots, marker: state.n });
}

const model = () => (state.channel === "sign" ? "" : ` --channel ${state.channel}${Number.isFinite(state.noise) ? `:${state.noise}` : ""}`);

function commands() {
  const { alpha, n, k, goal, channel } = state, spent = Math.floor(Math.min(alpha, header.learningMost) / k + 1e-9) * k;
  const set = (id, text) => { find(id).textContent = text; };
  set("bounds-command", `gardner bounds --alpha ${alpha} --budget ${n}${model()}`);
  set("curve-command", `gardner curve --alpha ${alpha} --budget ${n}${model()}`);
  const rules = `gardner learning-curve ${header.rules.join(" ")} random --alpha ${alpha}`;
  set("learning-command", `${rules} --budget ${Number(spent.toFixed(4))} --batch-ratio ${k}${model()}`);
  find("learning-command").parentElement.hidden = !spent; // no whole round fits into this pool
  set("goal-command", channel === "sign" ? `gardner budget --alpha ${alpha} --accuracy ${goal} --batch-ratio ${k}` : `gardner curve --alpha ${alpha} --budget ${n}${model()}`);
  find("goal-note").hidden = channel === "sign";
}

function row(name, cells, note) {
  const made = document.createElement("tr"), head = document.createElement("th");
  head.scope = "row";
  head.append(name);
  if (note) head.append(Object.assign(document.createElement("small"), { textContent: note }));
  made.append(head, ...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
  return made;
}

function values(found) {
  const { here, last, middle, noisy } = found;
  const words = { sure: "", broken: "replica symmetry broken: an approximation", unsure: "not resolved here: ask gardner" };
  const kinds = [["smallest volume", 0, 0], ["typical (random choice)", middle, 0], ["largest volume", last, 1]];
  if (noisy) kinds.push(["most accurate", best(here, true), 0]);
  find("values").replaceChildren(...kinds.map(([name, w, side]) => row(
    name, [fixed(here.volume[w]), fixed(here.accuracy[w]), power(here.errorOf("volume", w)), fixed(here.ratio[w], 2)],
    words[look(here, w, side)],
  )));
  const text = `Pool ratio ${state.alpha}, budget ${state.n}: ln v from ${fixed(here.volume[0])} to ${fixed(here.volume[last])}, typical ${fixed(here.volume[middle])}.`;
  find("volumes").setAttribute("aria-label", text);
}

// The budget at which the best subset reaches the accuracy: first by the budgets of the chart, then between two of them.
function bestReached(found) {
  const { part, sweep, noisy } = found;
  const accuracies = (ones) => ones.map((one) => {
    const w = best(one, noisy);
    return { budget: one.budget, accuracy: one.accuracy[w], accuracyError: one.errorOf("accuracy", w) };
  });
  const points = accuracies(sweep), rough = reached(points, state.goal);
  if (rough.budget === undefined) return [rough, points];
  const k = points.findIndex((p) => p.accuracy >= state.goal), [low, high] = [points[k - 1].budget, points[k].budget];
  return [reached(accuracies(Array.from({ length: 17 }, (_, p) => at(part, low + ((high - low) * p) / 16))), state.goal), points];
}

function needed(found) {
  const { noisy, curves, chance } = found, { goal, k } = state;
  const told = ([answer, points]) => {
    if (answer.below !== undefined) return [`less than ${round3(answer.below)}`, "–"];
    if (answer.budget === undefined) return [points.length ? `more than ${round3(points.at(-1).budget)}` : "no whole round", "–"];
    return [fixed(answer.budget), power(answer.error)];
  };
  const rows = [row("best subset, all labels known", told(bestReached(found)))];
  header.rules.forEach((rule, r) => {
    const answer = reached(curves[r], goal), [text, error] = told([answer, curves[r]]), name = `${NAMES[rule]}, whole rounds of ${k}`;
    rows.push(answer.whole === undefined ? row(name, [text, "–"]) : row(name, [String(round3(answer.whole)), error]));
  });
  if (!noisy) {
    const overlap = Math.cos(Math.PI * (1 - goal)) ** 2;
    rows.push(row("no strategy that does not know labels needs less than", [fixed(-Math.log(1 - overlap) / Math.log(4)), "exact"]));
  }
  rows.push(row("random choice", told([reached(chance, goal), chance])));
  find("needed").replaceChildren(...rows);
  find("goal-said").textContent = goal;
}

let later;
const drawn = {};
function show(id) {
  controls(id);
  const found = answer(), { channel, noise, alpha, n, k, goal } = state, place = `${channel} ${noise} ${alpha} ${innerWidth}`;
  const parts = [[bands, n], [complexity, n], [learning, `${n} ${k}`], [values, n], [needed, `${k} ${goal}`]];
  for (const [draw, rest] of parts) {
    const key = `${place} ${rest}`;
    if (drawn[draw.name] !== key) draw(found); // what a slider did not change stands
    drawn[draw.name] = key;
  }
  for (const one of document.querySelectorAll("[data-noisy]")) one.hidden = (one.dataset.noisy === "yes") !== found.noisy;
  commands();
  clearTimeout(later);
  later = setTimeout(() => {
    history.replaceState(null, "", address());
    find("spoken").textContent = find("volumes").getAttribute("aria-label");
  }, 300);
}

function copy(event) {
  const text = find(event.target.dataset.of).textContent;
  const said = (word) => { event.target.textContent = word; setTimeout(() => { event.target.textContent = "Copy"; }, 1500); };
  navigator.clipboard?.writeText(text).then(() => said("Copied"), () => said("Select it"));
}

async function start() {
  header = unpack(await inflate(find("grid").textContent));
  for (const channel of header.channels) find("channel").append(new Option(channel.name, channel.name));
  find("k").max = header.batches.length - 1;
  state = tidy(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
  for (const id of ["channel", "noise", "alpha", "n", "k", "goal"]) find(id).addEventListener("input", () => moved(id));
  for (const button of document.querySelectorAll("button.copy")) button.addEventListener("click", copy);
  addEventListener("hashchange", () => { state = tidy(Object.fromEntries(new URLSearchParams(location.hash.slice(1)))); show(); });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; show(); } });
  show();
  document.documentElement.dataset.ready = "yes";
  document.documentElement.dataset.readyAt = performance.now().toFixed(0);
}

// For scripts that hold the page against gardner: the same functions that draw it.
globalThis.explorer = {
  at: (name, noise, alpha, n) => {
    const channel = header.channels.find((one) => one.name === name), found = at(slice(header, channel, noise ?? NaN, alpha), n), last = header.places.length - 1;
    const of = (w, side) => ({ volume: found.volume[w], accuracy: found.accuracy[w], error: found.errorOf("volume", w), accuracyError: found.errorOf("accuracy", w), look: look(found, w, side) });
    return { minimum: of(0, 0), typical: of(last / 2, 0), maximum: of(last, 1) };
  },
  learned: (name, noise, alpha, k, rule) => learned(
    header, header.channels.find((one) => one.name === name), noise ?? NaN, alpha, header.batches.indexOf(k), header.rules.indexOf(rule)),
};

start().catch((error) => { find("trouble").hidden = false; find("trouble").textContent = `This page cannot read its data: ${error.message}`; });
