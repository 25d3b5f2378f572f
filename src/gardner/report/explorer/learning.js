// What rules and random choice reach: the grid's learning curves. No drawing, no document: numbers in, numbers out.
// As CAUTION, for learning curves, which bend more sharply; and a round is no surer than the two beside it. On the
// 500 settings of seed 0 both together kept points that are not marked within 5e-4.
const RULE_CAUTION = 3;

// Random choice, which does not depend on the pool.
function random(channel, noise, budget) {
  const inNoise = along(channel.lnNoises, Math.log(noise)), inBudget = along(channel.lnRandom, Math.log(budget));
  const of = (name, decode) => crossed(inNoise, inBudget, (i, k) => channel.chance[i][name][k], decode);
  const [volume, volumeError] = of("volume", (g) => -budget * Math.exp(g));
  const [accuracy, accuracyError] = of("accuracy", toAccuracy);
  return { budget, volume, volumeError: CAUTION * volumeError, accuracy, accuracyError: CAUTION * accuracyError };
}

// A learning curve of the grid as places and values; a pool that is labelled to the end is a place behind its last round.
function ended(header, channel, i, j, batchIndex, ruleIndex) {
  const curve = channel.cells[i][j].curves[batchIndex][ruleIndex], alpha = channel.alphas[j], batch = header.batches[batchIndex];
  if (curve.ended) return curve.ended;
  const rounds = curve.volume.length, more = alpha <= header.learningMost && alpha - rounds * batch > 0.02 * batch;
  const places = Float64Array.from({ length: rounds + more }, (_, k) => (k < rounds ? (k + 1) * batch : alpha));
  const values = (name) => Float64Array.from(places, (_, k) => (k < rounds ? curve[name][k] : whole(channel, i, name, alpha)));
  curve.ended = { places, volume: values("volume"), accuracy: values("accuracy"), error: curve.error.reduce((a, b) => Math.max(a, b), 0) };
  return curve.ended;
}

// What a pool tells that is labelled to the end: what random choice of so many rows tells.
function whole(channel, i, name, alpha) {
  const { low, full } = along(channel.lnRandom, Math.log(alpha));
  return full.reduce((total, weight, k) => total + weight * channel.chance[i][name][low + k], 0);
}

// Stencils along a learning curve: how many places, shifted by how many, and the share of the difference that is error.
const INNER = [[4, 0, 1], [4, -1, 1], [4, 1, 1], [3, 0, 1], [3, -1, 1], [2, 0, BEND]];

// The value of a curve between its rounds, by one of these stencils.
function between(places, values, x, count, shift) {
  let at = 0;
  while (at < places.length - 2 && places[at + 1] < x) at++;
  const size = Math.min(count, places.length), low = Math.min(Math.max(at + 1 - (size >> 1) + shift, 0), places.length - size);
  let total = 0;
  for (let k = low; k < low + size; k++) {
    let weight = values[k];
    for (let l = low; l < low + size; l++) if (l !== k) weight *= (x - places[l]) / (places[k] - places[l]);
    total += weight;
  }
  return total;
}

// A rule's learning curve: one point a whole round. Every curve bends where its pool has little more to tell, at a
// budget of about −ln v(pool)/ln 2. Curves of other pools are read at budgets stretched so that these bends meet.
function learned(header, channel, noise, alpha, batchIndex, ruleIndex) {
  const batch = header.batches[batchIndex], inNoise = along(channel.lnNoises, Math.log(noise)), last = channel.alphas.length - 1;
  const told = (i, a) => a * Math.exp(whole(channel, i, "volume", a));
  const rows = Array.from(inNoise.full, (_, k) => {
    const i = inNoise.low + k, own = told(i, alpha);
    return channel.alphas.map((a, j) => {
      return { stretch: told(i, a) / own, ...ended(header, channel, i, j, batchIndex, ruleIndex) };
    });
  });
  const known = (j, budget) => rows.every((row) => {
    const { places, stretch } = row[j], x = budget * stretch;
    return places.length > 1 && x <= places.at(-1) * (1 + 1e-9) && x >= 0.5 * batch;
  });
  const points = [];
  for (let round = 1; round <= roundsOf(header, alpha, batch); round++) {
    const budget = round * batch, point = { budget, volume: NaN, volumeError: Infinity, accuracy: NaN, accuracyError: Infinity };
    const pools = Array.from({ length: last + 1 }, (_, j) => j).filter((j) => known(j, budget));
    const inside = pools.length > 2 && channel.alphas[pools[0]] <= alpha && alpha <= channel.alphas[pools.at(-1)];
    if (round === 1) points.push(random(channel, noise, budget)); // before the first label no rule knows anything
    else points.push(inside ? { budget, ...fromPools(channel, rows, pools, alpha, budget, inNoise) } : point);
  }
  for (const name of ["volumeError", "accuracyError"]) {
    const own = points.map((point) => point[name]);
    points.forEach((point, k) => { point[name] = Math.max(...own.slice(Math.max(k - 1, 0), k + 2)); });
  }
  return points;
}

// One point of a learning curve, from those of pools around it.
function fromPools(channel, rows, pools, alpha, budget, inNoise) {
  const inPool = along(pools.map((j) => channel.lnAlphas[j]), Math.log(alpha)), point = {};
  const decode = { volume: (g) => -budget * Math.exp(g), accuracy: toAccuracy };
  const grid = Math.max(...rows.map((row) => Math.max(...Array.from({ length: inPool.size }, (_, k) => row[pools[inPool.low + k]].error))));
  for (const name of ["volume", "accuracy"]) {
    const tables = INNER.map(([count, shift]) => rows.map((row) => Float64Array.from({ length: inPool.size }, (_, k) => {
      const curve = row[pools[inPool.low + k]];
      return between(curve.places, curve[name], budget * curve.stretch, count, shift);
    })));
    const of = (table) => crossed({ ...inNoise, low: 0 }, { ...inPool, low: 0 }, (i, k) => table[i][k], decode[name]);
    const [full, error] = of(tables[0]);
    const within = Math.max(...tables.slice(1).map((table, k) => {
      const other = plain(inNoise.full, inPool.full, table, decode[name]);
      return INNER[k + 1][2] * Math.abs(full - other);
    }));
    point[name] = full;
    point[`${name}Error`] = RULE_CAUTION * (error + within) + grid;
  }
  return point;
}

function plain(wNoise, wPool, table, decode) {
  let total = 0;
  for (let i = 0; i < wNoise.length; i++) for (let k = 0; k < wPool.length; k++) total += wNoise[i] * wPool[k] * table[i][k];
  return decode(total);
}

// Where accuracy first reaches a goal, from points in order of budget; the error is the accuracy's over the slope.
function reached(points, goal) {
  for (let k = 0; k < points.length; k++) {
    if (!(points[k].accuracy >= goal)) continue;
    if (k === 0) return { below: points[0].budget };
    const [a, b] = [points[k - 1], points[k]], slope = (b.accuracy - a.accuracy) / (b.budget - a.budget);
    const budget = a.budget + (goal - a.accuracy) / slope;
    return { budget, error: Math.max(a.accuracyError, b.accuracyError) / slope, whole: b.budget };
  }
  return {};
}
