// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers, ranges and ticks as people read them.
"use strict";
const assert = require("node:assert");
const {test} = require("node:test");
const {scripts} = require("./page_reader.js");
const {
  withCommas,
  scientific,
  withError,
  withPrefix,
  duration,
  percent,
  plural,
  roundTicks,
  clearTicks,
  widened,
  extent,
  num,
  words
} = scripts();

test("numbers read well", () => {
  assert.equal(withCommas(1234567.4), "1,234,567");
  assert.equal(withCommas(-999), "−999");
  assert.equal(scientific(2.583082e15), "2.58 × 10¹⁵");
  assert.equal(scientific(9.999e-5), "1.00 × 10⁻⁴");
  assert.equal(scientific(-2.5e-7), "−2.50 × 10⁻⁷");
  assert.equal(scientific(0.0123), "0.0123");
  assert.equal(scientific(12345), "12,345");
  assert.equal(scientific(0), "0");
  assert.equal(withError(6.78e6, 2620), "6.78 × 10⁶ ± 2,620");
  assert.equal(withError(6.78e6, 0), "6.78 × 10⁶");
  assert.equal(withPrefix(2.4e6, "B"), "2.40 MB");
  assert.equal(withPrefix(999.9e3, "flops"), "1.00 Mflops");
  assert.equal(withPrefix(59648000, "B"), "59.6 MB");
  assert.equal(duration(0.05), "50.0 ms");
  assert.equal(duration(0.000449), "449 µs");
  assert.equal(duration(59.99), "1 min 00 s");
  assert.equal(duration(7500), "2 h 05 min");
  assert.equal(percent(0.1234), "12.3%");
  assert.equal(percent(0.0001), "<0.1%");
  assert.equal(plural(1, "rank"), "1 rank");
  assert.equal(plural(1200, "GPU"), "1,200 GPUs");
});

test("anything but a number becomes a dash", () => {
  for (const bad of [NaN, Infinity, -Infinity]) {
    for (const text of [withCommas(bad), scientific(bad), withPrefix(bad, "B"), duration(bad), percent(bad)])
      assert.equal(text, "–");
  }
  for (const bad of [null, undefined, "7", [], {}]) assert.ok(Number.isNaN(num(bad)));
  assert.equal(words(null), "");
  assert.equal(words([1, 2]), "[1,2]");
});

const labels = (...given) => roundTicks(...given).map(({label}) => label);

test("linear ticks are round and inside", () => {
  assert.deepEqual(labels(-0.013, 0.94, false, 5), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
  assert.deepEqual(labels(0, 120000, false, 3), ["0", "50,000", "100,000"]);
  assert.deepEqual(labels(0, 2.1e6, false, 5), ["0", "0.5×10⁶", "1.0×10⁶", "1.5×10⁶", "2.0×10⁶"]);
});

test("logarithmic ticks are decades, or their parts where these are few", () => {
  assert.deepEqual(labels(3e-6, 2e-2, true, 5), ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]);
  assert.deepEqual(labels(1e-12, 1, true, 5), ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"]);
  assert.deepEqual(labels(1000, 17000, true, 8), ["1,000", "3,000", "10,000"]);
  assert.deepEqual(labels(1.5e8, 9e8, true, 5), ["2×10⁸", "3×10⁸", "5×10⁸", "7×10⁸"]);
});

test("every range has two ticks at least", () => {
  for (const log of [false, true]) {
    for (let lo = 1e-9; lo < 1e9; lo *= 3.7) {
      for (const factor of [1.2, 2, 9, 15, 120, 1e5, 1e20]) {
        const ticks = roundTicks(lo, lo * factor, log, 5), slack = 1e-6 * lo * factor;
        assert.ok(ticks.length >= 2 && ticks.length < 16, `${lo} ${factor} ${log}: ${ticks.length}`);
        ticks.forEach(({value}) => assert.ok(value >= lo - slack && value <= lo * factor + slack));
      }
    }
  }
});

test("no range, no ticks", () => {
  for (const [lo, hi] of [[1, 1], [2, 1], [0, NaN], [1, Infinity]]) assert.deepEqual(roundTicks(lo, hi, false, 5), []);
  assert.deepEqual(roundTicks(0, 1, true, 5), []);
});

test("ticks of impossible ranges end", () => {
  assert.deepEqual(roundTicks(-1e308, 1.5e308, false, 5), []);
  for (const [lo, hi] of [[1e308, 1e308 * (1 + 2 ** -52)], [1e16, 1e16 + 2]])
    assert.ok(roundTicks(lo, hi, false, 5).length < 100, `${lo} to ${hi}`);
});

test("labels keep clear of each other", () => {
  const ticks = [0, 10, 20, 30, 100].map((value) => ({value, label: "1,000"}));
  const kept = (...last) => clearTicks(ticks, (value) => 2 * value, () => 34, ...last).map(({value}) => value);
  assert.deepEqual(kept(), [0, 30, 100]);
  assert.deepEqual(kept(217), [0, 30, 100]);
  assert.deepEqual(kept(216), [0, 30]);
});

test("ranges hold what can be shown, with room", () => {
  assert.deepEqual(extent([3, NaN, -1, null, 0], true), [3, 3]);
  assert.equal(extent([NaN, -1], true), null);
  assert.deepEqual(widened([4, 4], {log: true}), [4 / 1.5, 6]);
  assert.deepEqual(widened([5, 5], {}), [4.5, 5.5]);
  assert.deepEqual(widened([2, 10], {fromZero: true, margin: 0.1}), [0, 11]);
});
