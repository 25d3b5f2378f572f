document.documentElement.dataset.scripted = "yes"; // still pictures give way to live ones
const { specs, themes, width: paperWidth } = JSON.parse(document.getElementById("specs").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 640px)");
const views = new Map();
const BESIDE = 14; // entries of a legend that fit beside a chart; more would be cut at its lower edge
const MANY = 12; // rows of a table, or names in a list, above which one wants to search
const PANEL = 172; // pixels from one small panel to the next
const STORE = "shown_store"; // Vega-Lite keeps the choice of the selection "shown" here

function toggleOf(spec) {
  const param = (spec.params ?? []).find(({ name }) => name === "shown");
  if (!param) return null;
  const field = param.select.fields[0];
  const colours = spec.usermeta?.series ?? {};
  const front = param.value.map(choice => choice[field]); // of many, those that are not faint at first
  const rest = Object.keys(colours).filter(name => !front.includes(name)).sort((a, b) => a.localeCompare(b, "en"));
  const values = [...front, ...rest];
  return { field, front, values, colours };
}

function legendBelow(toggle, room) {
  const longest = Math.max(4, ...(toggle?.front ?? []).map(value => String(value).length));
  return { orient: "bottom", direction: "horizontal", columns: Math.max(1, Math.floor((room - 50) / (6.2 * longest + 42))), columnPadding: 12, gridAlign: "each", layout: { bottom: { direction: "vertical", anchor: "start" } } };
}

function themed(isDark, extra) {
  const base = isDark ? themes.dark : themes.light;
  return { ...base, ...extra, legend: { ...base.legend, ...extra.legend } };
}

function chosen(view, field) {
  return new Set(view.data(STORE).map(tuple => tuple.values[tuple.fields.findIndex(entry => entry.field === field)]));
}

function listToggles(figure, view, toggle) {
  const box = figure.querySelector(".toggles");
  const labels = toggle.values.map(value => {
    const input = Object.assign(document.createElement("input"), { type: "checkbox" });
    input.addEventListener("change", () => {
      const inputs = [...box.querySelectorAll("input")];
      const kept = toggle.values.filter((_, index) => inputs[index].checked);
      const fields = [{ type: "E", field: toggle.field }];
      view.data(STORE, kept.map(item => ({ unit: "", fields, values: [item] }))).runAsync();
    });
    const label = document.createElement("label");
    const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
    if (toggle.colours[value]) swatch.style.background = toggle.colours[value];
    label.append(input, ...(toggle.colours[value] ? [swatch] : []), String(value));
    return label;
  });
  box.replaceChildren(...labels);
  if (toggle.values.length > MANY && !box.dataset.searched) {
    box.dataset.searched = "yes";
    box.before(searchBox("Find strategies in the list", text => {
      for (const label of box.children) label.hidden = !label.textContent.toLowerCase().includes(text);
    }));
    figure.querySelector(".curves").open = true; // it is the legend of those that the chart's own does not list
  }
  const follow = () => {
    const now = chosen(view, toggle.field);
    labels.forEach((label, index) => { label.firstChild.checked = now.size === 0 || now.has(toggle.values[index]); });
  };
  view.addDataListener(STORE, follow);
  follow();
  figure.querySelector(".curves").hidden = false;
}

async function draw(id, spec) {
  const chart = document.getElementById(id);
  const figure = chart.closest("figure");
  const controls = figure.querySelector(".controls");
  const toggle = toggleOf(spec);
  const before = views.get(id)?.view.getState();
  views.get(id)?.finalize();
  controls.replaceChildren();
  const legend = narrow.matches || (toggle?.front.length ?? 0) > BESIDE ? legendBelow(toggle, chart.clientWidth) : {};
  const drawn = spec.facet // panels have a width of their own, and as many stand beside each other as there is room for
    ? { ...spec, columns: Math.max(1, Math.floor((chart.clientWidth - 40) / PANEL)) }
    : { ...spec, width: "container", autosize: { type: "fit-x", contains: "padding" } };
  const result = await vegaEmbed(chart, drawn, {
    renderer: "svg", actions: false, bind: controls, tooltip: { theme: "gardner" },
    config: themed(dark.matches, { background: "transparent", legend }),
  });
  chart.setAttribute("role", "img"); // Vega would list every mark to a screen reader; the words say it better
  if (before) await carry(before, result.view, toggle).runAsync();
  if (toggle) listToggles(figure, result.view, toggle);
  views.set(id, result);
}

// What the reader has switched, taken over into another view of the same chart.
function carry(state, view, toggle) {
  if ("quantity" in state.signals) view.signal("quantity", state.signals.quantity);
  if (toggle && state.data[STORE]) view.data(STORE, state.data[STORE]);
  return view;
}

let drawing = Promise.resolve();
function drawAll() {
  delete document.documentElement.dataset.ready;
  drawing = drawing.then(async () => {
    for (const [id, spec] of Object.entries(specs)) await draw(id, spec);
    document.documentElement.dataset.ready = "yes";
  });
}

function hand(text, type, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// The file is for paper: light, of the figure's own size, showing what the reader left on.
async function downloadFigure(figure) {
  const { id } = figure.querySelector(".chart");
  const drawn = specs[id].facet ? specs[id] : { ...specs[id], width: paperWidth };
  const result = await vegaEmbed(document.createElement("div"), drawn, { renderer: "svg", actions: false, config: themes.light });
  const view = carry(views.get(id).view.getState(), result.view, toggleOf(drawn));
  await view.runAsync();
  hand(await view.toSVG(), "image/svg+xml", figure.dataset.file);
  result.finalize();
}

function sortKey(cell) {
  const text = cell.dataset.key;
  if (text === "") return null;
  return cell.classList.contains("number") && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const ascending = heads[column].getAttribute("aria-sort") !== "ascending";
  heads.forEach(head => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const keyed = [...table.tBodies[0].rows].map(row => [sortKey(row.cells[column]), row]);
  const missing = keyed.filter(([key]) => key === null);
  const known = keyed.filter(([key]) => key !== null).sort(([a], [b]) => (ascending ? 1 : -1) * compare(a, b));
  table.tBodies[0].append(...[...known, ...missing].map(([, row]) => row));
  const name = heads[column].textContent.trim();
  document.getElementById("status").textContent = `Sorted by ${name}, ${ascending ? "ascending" : "descending"}`;
}

function searchBox(words, found) {
  const label = Object.assign(document.createElement("label"), { className: "search" });
  const input = Object.assign(document.createElement("input"), { type: "search", placeholder: "part of a name" });
  input.addEventListener("input", () => found(input.value.trim().toLowerCase()));
  label.append(words, input);
  return label;
}

function filterRows(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length <= MANY) return;
  const label = searchBox("Show rows with", text => {
    for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(text);
    const left = rows.filter(row => !row.hidden).length;
    document.getElementById("status").textContent = count.textContent = `${left} of ${rows.length}`;
  });
  const count = Object.assign(document.createElement("span"), { className: "count", textContent: `${rows.length} rows` });
  label.append(count);
  table.closest(".scroll").before(label);
}

// Two strategies that the reader picks, on the seeds that both have: the difference with its interval.
function comparePair(box) {
  const { measures, runs, quantiles } = JSON.parse(box.querySelector("script").textContent);
  const [first, second] = box.querySelectorAll("select");
  const show = () => {
    const [one, two] = [runs[first.value], runs[second.value]];
    const seeds = Object.keys(one).filter(seed => seed in two);
    box.querySelector("tbody").replaceChildren(...measures.map((measure, index) => {
      const gaps = seeds.map(seed => one[seed][index] - two[seed][index]).filter(Number.isFinite);
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      const spread = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (gaps.length - 1));
      const half = quantiles[Math.min(gaps.length - 1, quantiles.length) - 1] * spread / Math.sqrt(gaps.length);
      const text = value => value.toFixed(4).replace("-", "−");
      const told = !gaps.length ? ["no seed in common", ""] : [`${mean < 0 ? "" : "+"}${text(mean)}`, gaps.length < 2 ? "one seed has none" : `${text(mean - half)} to ${text(mean + half)}`];
      const row = document.createElement("tr");
      row.append(...[measure, ...told, String(gaps.length)].map(value => Object.assign(document.createElement("td"), { textContent: value })));
      return row;
    }));
  };
  for (const select of [first, second]) {
    select.replaceChildren(...Object.keys(runs).map(name => new Option(name, name)));
    select.addEventListener("change", show);
  }
  [first.value, second.value] = ["query", "random"].map((name, index) => name in runs ? name : Object.keys(runs)[index]);
  show();
}

document.querySelectorAll(".pairs").forEach(comparePair);
for (const table of document.querySelectorAll("table.sortable")) {
  filterRows(table);
  table.querySelectorAll("thead button").forEach((button, column) => button.addEventListener("click", () => sortBy(table, column)));
}
for (const figure of document.querySelectorAll("figure")) {
  figure.querySelector("button.svg").addEventListener("click", () => downloadFigure(figure));
  figure.querySelector("form").addEventListener("submit", event => event.preventDefault());
}
dark.addEventListener("change", drawAll);
narrow.addEventListener("change", drawAll);
window.gardner = { views };
drawAll();
