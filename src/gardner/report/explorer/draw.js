// Small charts of our own in SVG: lines, a band, a marker. Sizes are in pixels of the screen.
const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { left: 52, right: 12, top: 10, bottom: 40 };

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function ticksOf(low, high, log) {
  const found = [];
  if (log) {
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      for (const digit of [1, 2, 5]) {
        const tick = Number((digit * 10 ** power).toPrecision(1));
        if (tick >= low * 0.999 && tick <= high * 1.001) found.push(tick);
      }
    }
    return found;
  }
  const raw = (high - low) / 5, base = 10 ** Math.floor(Math.log10(raw));
  const step = base * [1, 2, 5, 10].find((factor) => factor * base >= raw * 0.999);
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(6)));
  return found;
}

// A line in pieces of one look each: "sure", "broken" (replica symmetry), "unsure" (error above the limit).
function pieces(points) {
  const found = [];
  for (let k = 1; k < points.length; k++) {
    const [a, b] = [points[k - 1], points[k]];
    if (![a.x, a.y, b.x, b.y].every(Number.isFinite)) continue;
    const look = [a.look, b.look].includes("unsure") ? "unsure" : [a.look, b.look].includes("broken") ? "broken" : "sure";
    const last = found.at(-1);
    if (last && last.look === look && last.end === k - 1) { last.points.push(b); last.end = k; }
    else found.push({ look, points: [a, b], end: k });
  }
  return found;
}

function chart(place, { x, y, lines, band, marker, dots = [], levels = [] }) {
  const width = Math.max(260, place.clientWidth), height = Math.round(Math.min(320, 0.36 * width + 130));
  const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const finite = (values) => values.filter(Number.isFinite);
  const ys = finite([...lines.flatMap((line) => line.points.map((p) => p.y)), ...dots.map((p) => p.y), ...levels.map((l) => l.y)]);
  const xs = finite([...lines.flatMap((line) => line.points.map((p) => p.x)), ...dots.map((p) => p.x)]);
  let [low, high] = y.range ?? [Math.min(...ys), Math.max(...ys)];
  if (!(high > low)) [low, high] = [low - 0.5, low + 0.5];
  if (!y.range) { const room = 0.04 * (high - low); low -= room; high += room; }
  const [left, right] = x.range ?? [Math.min(...xs), Math.max(...xs)];
  const scale = x.log ? Math.log : (value) => value;
  const [inner, deep] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  const px = (value) => MARGIN.left + (inner * (scale(value) - scale(left))) / (scale(right) - scale(left) || 1);
  const py = (value) => MARGIN.top + (deep * (high - value)) / (high - low);
  const path = (points) => points.map((p, k) => `${k ? "L" : "M"}${px(p.x).toFixed(1)},${py(p.y).toFixed(1)}`).join("");
  for (const tick of ticksOf(low, high)) {
    svg.append(element("line", { class: "rule", x1: MARGIN.left, x2: width - MARGIN.right, y1: py(tick), y2: py(tick) }));
    svg.append(element("text", { x: MARGIN.left - 6, y: py(tick) + 4, "text-anchor": "end" }, minus(tick)));
  }
  let free = -Infinity;
  for (const tick of ticksOf(left, right, x.log)) {
    if (px(tick) < free) continue;
    svg.append(element("text", { x: px(tick), y: height - MARGIN.bottom + 16, "text-anchor": "middle" }, minus(tick)));
    free = px(tick) + 34;
  }
  svg.append(element("text", { class: "title", x: MARGIN.left + inner / 2, y: height - 6, "text-anchor": "middle" }, x.title));
  svg.append(element("text", {
    class: "title", x: 12, y: MARGIN.top + deep / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${MARGIN.top + deep / 2})`,
  }, y.title));
  if (band) {
    const points = band.low.map((p, k) => [p, band.high[k]]).filter(([a, b]) => Number.isFinite(a.y) && Number.isFinite(b.y));
    const ring = [...points.map(([a]) => a), ...points.map(([, b]) => b).reverse()];
    svg.append(element("path", { class: "band", d: `${path(ring)}Z` }));
  }
  for (const level of levels) {
    svg.append(element("line", { class: `level ${level.name}`, x1: MARGIN.left, x2: width - MARGIN.right, y1: py(level.y), y2: py(level.y) }));
  }
  for (const line of lines) {
    for (const piece of pieces(line.points)) {
      svg.append(element("path", { class: `line ${line.name} ${piece.look}`, d: path(piece.points) }));
    }
  }
  if (marker !== undefined && marker >= left && marker <= right) {
    svg.append(element("line", { class: "marker", x1: px(marker), x2: px(marker), y1: MARGIN.top, y2: height - MARGIN.bottom }));
  }
  for (const dot of dots) {
    if (Number.isFinite(dot.x) && Number.isFinite(dot.y)) {
      svg.append(element("circle", { class: `dot ${dot.name}`, cx: px(dot.x), cy: py(dot.y), r: 4.5 }));
    }
  }
  place.replaceChildren(svg);
}

const minus = (number) => String(number).replace("-", "−");
