// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges and round ticks of axes. A tick is {value, label}.

/** Whether an axis can show a value. */
function shown(value, log) {
  return Number.isFinite(value) && (!log || value > 0);
}

/** [lowest, highest] of the values that an axis can show; null if there are none. */
function extent(values, log) {
  let lo = Infinity, hi = -Infinity;
  for (const value of values) {
    if (!shown(value, log)) continue;
    lo = Math.min(lo, value);
    hi = Math.max(hi, value);
  }
  return lo <= hi ? [lo, hi] : null;
}

/** The extent with room beyond, and with some range where there is one value only. */
function widened([lo, hi], {log = false, fromZero = false, margin = 0} = {}) {
  if (log) {
    if (hi < lo * 1.5) [lo, hi] = [lo / 1.5, hi * 1.5];
    const factor = (hi / lo) ** margin;
    return [lo / factor, hi * factor];
  }
  if (fromZero) [lo, hi] = [Math.min(lo, 0), Math.max(hi, 0)];
  if (hi - lo <= 1e-12 * Math.max(Math.abs(lo), Math.abs(hi))) {
    const half = hi === 0 ? 0.5 : 0.1 * Math.abs(hi);
    [lo, hi] = [lo - half, hi + half];
  }
  const extra = margin * (hi - lo);
  return [fromZero && lo === 0 ? 0 : lo - extra, hi + extra];
}

/** All labels of an axis have one power of ten, by the largest value. */
function tickLabel(value, step, largest) {
  if (largest >= 1e6 || largest < 1e-3) {
    if (value === 0) return "0";
    const power = Math.floor(Math.log10(largest) + 1e-9);
    const digits = Math.min(20, Math.max(0, power - Math.floor(Math.log10(step) + 1e-9)));
    const mantissa = (value / 10 ** power).toFixed(digits);
    return mantissa === "1" ? powerOfTen(power) : `${mantissa}×${powerOfTen(power)}`.replace("-", "−");
  }
  const digits = Math.min(20, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return step >= 1 ? withCommas(value) : value.toFixed(digits).replace("-", "−");
}

function linearTicks(lo, hi, count) {
  const raw = (hi - lo) / count, decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((digit) => digit * decade).find((candidate) => candidate >= raw * (1 - 1e-9));
  const largest = Math.max(Math.abs(lo), Math.abs(hi)), ticks = [];
  const first = Math.ceil(lo / step - 1e-6);
  for (let k = 0; k <= 10 * count && (first + k) * step <= hi + 1e-6 * step; ++k) {
    const value = first + k === 0 ? 0 : (first + k) * step;
    ticks.push({value, label: tickLabel(value, step, largest)});
  }
  return ticks;
}

/** "0.02", "500", "5×10⁸"; a power of ten where `far`. */
function shortLabel(digit, power, far) {
  if (far) return digit === 1 ? powerOfTen(power) : `${digit}×${powerOfTen(power)}`;
  return power >= 0 ? withCommas(digit * 10 ** power) : String(Number((digit * 10 ** power).toPrecision(3)));
}

/** Decades, or where these are few their parts as well: three ticks at least, if the range has room for them. */
function logTicks(lo, hi, count) {
  const inside = (value) => value >= lo * (1 - 1e-9) && value <= hi * (1 + 1e-9);
  const first = Math.floor(Math.log10(lo)), last = Math.ceil(Math.log10(hi));
  const far = hi >= 2e5 || lo < 1e-4;
  const of = (digits, every) => {
    const ticks = [];
    for (let power = Math.ceil(first / every) * every; power <= last; power += every) {
      for (const digit of digits) {
        const value = digit * 10 ** power;
        if (inside(value)) ticks.push({value, label: shortLabel(digit, power, far)});
      }
    }
    return ticks;
  };
  const decades = of([1], 1);
  if (decades.length > 2) {
    const every = Math.ceil(decades.length / Math.max(count, 2));
    return every === 1 ? decades : of([1], every);
  }
  for (const digits of [[1, 3], [1, 2, 5], [1, 2, 3, 5, 7]]) {
    const ticks = of(digits, 1);
    if (ticks.length > 2) return ticks;
  }
  return linearTicks(lo, hi, count);
}

/** About `count` ticks at round values within [lo, hi]; none if that is no range. */
function roundTicks(lo, hi, log, count) {
  if (!(hi > lo) || !Number.isFinite(hi - lo) || (log && lo <= 0)) return [];
  return log ? logTicks(lo, hi, count) : linearTicks(lo, hi, count);
}

/** The ticks (in order of their places, in pixels) whose labels do not touch each other and end at or before `last`. */
function clearTicks(ticks, place, widthOfLabel, last = Infinity) {
  const kept = [];
  let end = -Infinity;
  for (const tick of ticks) {
    const half = widthOfLabel(tick.label) / 2, at = place(tick.value);
    if (at - half < end || at + half > last) continue;
    kept.push(tick);
    end = at + half + 8;
  }
  return kept;
}
