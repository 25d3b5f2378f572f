// Reads the grid and interpolates in it. No drawing, no document: numbers in, numbers out.
// A value is interpolated by Lagrange's polynomial through six places an axis; its error is how far
// shorter polynomials through some of the same places differ, largest an axis, summed over the axes,
// times CAUTION.
const STENCIL = 6;
// A difference between polynomials is no bound, since both may miss the same bend. On the 500 settings of
// seed 0 (benchmarks/explorer_errors.py) twice the difference kept volumes that are not marked within 5e-4.
const CAUTION = 2;
// The share of the difference between four places and two that counts as error: it sees bends that fall between.
const BEND = 0.1;

async function inflate(text) {
  const packed = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function chebyshev(count) {
  return Array.from({ length: count }, (_, k) => Math.sin(0.5 * Math.PI * ((2 * k) / (count - 1) - 1)));
}

function roundsOf(header, alpha, batch) {
  return Math.floor(Math.min(alpha, header.learningMost) / batch + 1e-9);
}

function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [length, count] = [view.getUint32(0, true), view.getUint32(4, true)];
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const planes = bytes.subarray(8 + length), mixed = new Uint8Array(4 * count);
  for (let k = 0; k < 4; k++) {
    for (let i = 0, from = k * count; i < count; i++) mixed[4 * i + k] = planes[from + i];
  }
  const values = new Float32Array(mixed.buffer);
  let used = 0;
  const take = (size) => values.subarray(used, (used += size));
  const W = header.places.length;
  for (const channel of header.channels) {
    const noises = Math.max(1, channel.noises.length), R = channel.random.length, S = channel.shares;
    channel.lnNoises = channel.noises.map(Math.log);
    channel.lnAlphas = channel.alphas.map(Math.log);
    channel.lnRandom = channel.random.map(Math.log);
    channel.shareAt = chebyshev(S);
    channel.chance = [];
    channel.cells = [];
    for (let i = 0; i < noises; i++) {
      channel.chance.push({ volume: take(R), accuracy: take(R) });
      channel.cells.push(channel.alphas.map((alpha) => {
        const cell = { volume: take(S * W), accuracy: take(S * W), ratio: take(S * W), ends: take(2 * S) };
        cell.error = take(S);
        cell.status = take(2 * S);
        cell.curves = header.batches.map((batch) => header.rules.map(() => {
          const rounds = roundsOf(header, alpha, batch);
          return { volume: take(rounds), accuracy: take(rounds), error: take(rounds) };
        }));
        return cell;
      }));
    }
  }
  if (used !== values.length) throw new Error("the grid has another length than its header says");
  return header;
}

// Weights of the polynomial through places first..last of a stencil, zero elsewhere.
function lagrange(places, x, first, last) {
  const weights = new Float64Array(places.length);
  for (let k = first; k <= last; k++) {
    let weight = 1;
    for (let l = first; l <= last; l++) if (l !== k) weight *= (x - places[l]) / (places[k] - places[l]);
    weights[k] = weight;
  }
  return weights;
}

// Where x stands on an axis: the first place of its stencil, the weights, shorter ones, and the two neighbours.
function along(axis, x) {
  if (axis.length < 2) return { low: 0, size: 1, full: [1], shorter: [], pair: [[0, 1]] };
  let at = 0;
  while (at < axis.length - 2 && axis[at + 1] < x) at++;
  const size = Math.min(STENCIL, axis.length), low = Math.min(Math.max(at - 2, 0), axis.length - size);
  const places = axis.slice(low, low + size), here = at - low, last = size - 1;
  const share = (x - places[here]) / (places[here + 1] - places[here]);
  const around = (count) => {
    const first = Math.min(Math.max(here + 1 - count / 2, 0), size - count);
    return lagrange(places, x, first, first + count - 1);
  };
  const shorter = [];
  if (size > 2) shorter.push({ weights: lagrange(places, x, 0, last - 1) }, { weights: lagrange(places, x, 1, last) });
  if (size > 4) shorter.push({ weights: around(4) }, { weights: around(2), against: around(4), factor: BEND });
  return { low, size, full: lagrange(places, x, 0, last), shorter, pair: [[here, 1 - share], [here + 1, share]] };
}

const toAccuracy = (s) => 1 - (2 / Math.PI) * Math.atan(Math.exp(-s));

// All budgets of one noise and pool ratio: noise and pool ratio are summed out once, also by every shorter stencil.
function slice(header, channel, noise, alpha) {
  const inNoise = along(channel.lnNoises, Math.log(noise)), inAlpha = along(channel.lnAlphas, Math.log(alpha));
  const size = channel.shares * header.places.length;
  const summed = (wNoise, wAlpha, names) => {
    const sums = Object.fromEntries(names.map((name) => [name, new Float64Array(size)]));
    for (let i = 0; i < wNoise.length; i++) {
      for (let j = 0; j < wAlpha.length; j++) {
        const weight = wNoise[i] * wAlpha[j];
        if (weight === 0) continue;
        const cell = channel.cells[inNoise.low + i][inAlpha.low + j];
        for (const name of names) {
          const from = cell[name], to = sums[name];
          for (let k = 0; k < size; k++) to[k] += weight * from[k];
        }
      }
    }
    return sums;
  };
  const both = ["volume", "accuracy"];
  const variants = (axis, other, sum) => axis.shorter.map((one) => ({
    short: sum(one.weights), against: one.against && sum(one.against), factor: one.factor ?? 1,
  }));
  const two = (axis) => { const w = new Float64Array(axis.size); for (const [k, share] of axis.pair) w[k] = share; return w; };
  return {
    header, channel, noise, alpha, inNoise, inAlpha,
    full: summed(inNoise.full, inAlpha.full, both),
    byNoise: variants(inNoise, inAlpha, (w) => summed(w, inAlpha.full, both)),
    byAlpha: variants(inAlpha, inNoise, (w) => summed(inNoise.full, w, both)),
    ratio: summed(two(inNoise), two(inAlpha), ["ratio"]).ratio,
  };
}

function shareOf(header, alpha, budget) {
  const low = Math.log(header.leastBudget / (alpha - header.leastBudget));
  const high = Math.log(header.mostShare / (1 - header.mostShare));
  return (2 * (Math.log(budget / (alpha - budget)) - low)) / (high - low) - 1;
}

function budgetOf(header, alpha, share) {
  const low = Math.log(header.leastBudget / (alpha - header.leastBudget));
  const high = Math.log(header.mostShare / (1 - header.mostShare));
  return alpha / (1 + Math.exp(-(low + 0.5 * (share + 1) * (high - low))));
}

// What the grid itself says of the cell around a place: its largest numerical error, and ends that are not resolved.
function quality(part, inShare) {
  const { header, channel, inNoise, inAlpha } = part, unresolved = [false, false];
  const lost = header.statuses.indexOf("unresolved");
  let error = 0;
  for (const [i] of inNoise.pair) for (const [j] of inAlpha.pair) for (const [k] of inShare.pair) {
    const cell = channel.cells[inNoise.low + i][inAlpha.low + j], at = inShare.low + k;
    error = Math.max(error, cell.error[at]);
    for (const side of [0, 1]) if (cell.status[2 * at + side] === lost) unresolved[side] = true;
  }
  return { error, unresolved };
}

// Volumes and accuracies at all places w of the complexity curve of one budget; errorOf(name, w) has their errors.
function at(part, budget) {
  const { header, channel, alpha } = part, W = header.places.length;
  const inShare = along(channel.shareAt, shareOf(header, alpha, budget));
  const known = quality(part, inShare);
  const sum = (values, weights, w) => {
    let total = 0;
    for (let k = 0; k < weights.length; k++) total += weights[k] * values[(inShare.low + k) * W + w];
    return total;
  };
  const pair = new Float64Array(inShare.size);
  for (const [k, share] of inShare.pair) pair[k] = share;
  const decode = { volume: (g) => -budget * Math.exp(g), accuracy: toAccuracy };
  const value = (name, values, weights, w) => decode[name](sum(values[name], weights, w));
  const all = (of) => Array.from({ length: W }, (_, w) => of(w));
  const found = { budget, alpha, unresolved: known.unresolved, ratio: all((w) => sum(part.ratio, pair, w)) };
  for (const name of ["volume", "accuracy"]) found[name] = all((w) => value(name, part.full, inShare.full, w));
  found.errorOf = (name, w) => {
    const full = found[name][w];
    const worst = (variants, of) => variants.reduce((most, one) => {
      const other = one.against ? of(one.against) : full;
      return Math.max(most, (one.factor ?? 1) * Math.abs(of(one.short ?? one.weights) - other));
    }, 0);
    const ofOther = (values) => value(name, values, inShare.full, w), ofShare = (weights) => value(name, part.full, weights, w);
    return known.error + CAUTION * (worst(part.byNoise, ofOther) + worst(part.byAlpha, ofOther) + worst(inShare.shorter, ofShare));
  };
  return found;
}

// A value on noise × one other axis, with its error; get(i, k) has noise place i and place k of the other axis.
function crossed(inNoise, other, get, decode) {
  const value = (wNoise, wOther) => {
    let total = 0;
    for (let i = 0; i < wNoise.length; i++) {
      for (let k = 0; k < wOther.length; k++) {
        if (wNoise[i] * wOther[k] !== 0) total += wNoise[i] * wOther[k] * get(inNoise.low + i, other.low + k);
      }
    }
    return decode(total);
  };
  const full = value(inNoise.full, other.full);
  const worst = (axis, of) => axis.shorter.reduce((most, one) => {
    const against = one.against ? of(one.against) : full;
    return Math.max(most, (one.factor ?? 1) * Math.abs(of(one.weights) - against));
  }, 0);
  const error = worst(inNoise, (w) => value(w, other.full)) + worst(other, (w) => value(inNoise.full, w));
  return [full, error];
}
