// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as lists of numbers: what is drawn where, what is left out, what hovering shows.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const {test} = require("node:test");
const {scripts, folder} = require("./page_reader.js");
const {chartModel, valuesAt, waveGrowth, clipped, rich, drawnPlaces} = scripts();

const chart = (series, more = {}) => ({title: "t", x: {}, y: {}, series, ...more});
const line = (name, x, y, more = {}) => ({name, colour: "blue", x, y, ...more});

test("series share the sorted places of all", () => {
  const model = chartModel(chart([line("a", [0, 2], [1, 3]), line("b", [1, 2], [5, 6])]));
  assert.deepEqual(model.x, [0, 1, 2]);
  assert.deepEqual(model.series.map((series) => series.y), [[1, null, 3], [null, 5, 6]]);
});

test("values that cannot be drawn are left out, and so are empty series", () => {
  const model = chartModel(chart(
      [line("known", [0, 1, 2, 3, NaN], [1, 0, NaN, 2, 3]), line("unknown", [0, 1], [NaN, 0])], {y: {log: true}}));
  assert.deepEqual(model.x, [0, 3]);
  assert.deepEqual(model.series.map((series) => series.name), ["known"]);
  assert.equal(chartModel(chart([])), null);
  assert.equal(chartModel(chart([line("a", [], [])])), null);
  assert.equal(chartModel(chart([line("a", [1], [-5])], {y: {log: true}})), null);
});

test("one point is enough", () => {
  const model = chartModel(chart([line("one", [1], [5], {mark: "points"})]));
  assert.deepEqual([model.x, model.series[0].y], [[1], [5]]);
  assert.ok(model.xRange[0] < 1 && model.xRange[1] > 1 && model.yRange[0] < 5 && model.yRange[1] > 5);
});

test("series of any lengths are taken", () => {
  const all = [line("long x", [1, 2, 3, 4], [1, 2]), line("long y", [1], [1, 2, 3], {low: [0, 0, 0], high: [9, 9, 9]})];
  assert.deepEqual(chartModel(chart(all)).x, [1, 2]);
  assert.deepEqual(chartModel(chart(all, {stacked: true})).x, [1]);
});

test("stacked series are on top of each other and keep their own values", () => {
  const model = chartModel(chart([line("low", [0, 1], [1, 1]), line("high", [0, 1], [2, 3])], {stacked: true}));
  assert.deepEqual(model.series.map(({name, y}) => [name, y]), [["high", [3, 4]], ["low", [1, 1]]]);
  assert.equal(model.yRange[0], 0);
  assert.deepEqual(valuesAt(model, 1).map(({name, value}) => [name, value]), [["high", 3], ["low", 1], ["sum", 4]]);
});

test("lines beside stacked series are not stacked, and the scale has room for them", () => {
  const model = chartModel(chart(
      [line("low", [0, 1], [1, 1]), line("high", [0, 1], [2, 3])],
      {stacked: true, beside: [line("then", [0, 1], [8, 8])]}));
  assert.deepEqual(model.series[2].y, [8, 8]);
  assert.ok(model.yRange[1] > 8);
});

test("bars may be longer on one side and widen the scale", () => {
  const model = chartModel(chart(
      [line("s", [0, 1, 2], [10, 10, 10], {low: [1, NaN, 10], high: [1000, NaN, 10], mark: "points"})],
      {y: {log: true}}));
  assert.deepEqual(model.series[0].bars, [[1, 1000], null, null]);
  assert.ok(model.yRange[0] < 1 && model.yRange[1] > 1000);
  assert.deepEqual(
      chartModel(chart([line("s", [0], [10], {low: [-5], high: [25]})], {y: {log: true}})).series[0].bars, [null]);
});

test("limits of an axis: below nothing is drawn, above points stay", () => {
  const model = chartModel(chart([line("s", [0, 1, 2], [1, 10, 1000], {mark: "points"})], {y: {bottom: 2, top: 50}}));
  assert.deepEqual(model.x, [1, 2]);
  assert.equal(model.yRange[1], 50);
  assert.deepEqual(model.series[0].y, [10, 1000]);
});

test("a few large values do not flatten the others", () => {
  const usual = Array.from({length: 100}, (_, i) => 1 + i / 100);
  assert.equal(clipped(usual), 1.99);
  assert.ok(clipped([...usual, 50]) < 4);
  assert.ok(Number.isNaN(clipped([NaN])));
});

test("growth is that of the largest modes", () => {
  const {spectrum} = require("./samples.js");
  const growth = waveGrowth([spectrum(2, 1), spectrum(8, 5), spectrum(32, 15)]);
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12 * b, `${a} ${b}`);
  near(growth[1].measured, 4);
  near(growth[2].measured, 16);
  near(growth[2].linear, 15);
});

test("five places at most, the first and the last among them", () => {
  assert.deepEqual(drawnPlaces(1), [0]);
  assert.deepEqual(drawnPlaces(3), [0, 1, 2]);
  assert.deepEqual(drawnPlaces(101), [0, 25, 50, 75, 100]);
});

test("marks of texts are those of their fixed parts alone", () => {
  const nodes = rich`*P* in (Mpc/*h*)^{3}, ${"*not* ^{this}"}`;
  assert.deepEqual(
      nodes.map((node) => (typeof node === "string" ? node : `${node.tag}:${node.textContent}`)),
      ["i:P", " in (Mpc/", "i:h", ")", "sup:3", ", ", "*not* ^{this}"]);
});

// Colours: sRGB to OKLab, and as people without red or green cones see it (Machado, Oliveira & Fernandes 2009).
const linear = (channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
const rgb = (hex) => [1, 3, 5].map(
    (i) => linear(
        parseInt((hex.length < 7 ? `#${[...hex.slice(1)].map((c) => c + c).join("")}` : hex).slice(i, i + 2), 16) /
        255));
const times = (matrix, v) => matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * v[i], 0));
const oklab = (v) => times(
    [
      [0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766]
    ],
    times(
        [
          [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
          [0.0883024619, 0.2817188376, 0.6299787005]
        ],
        v)
        .map((x) => Math.cbrt(Math.max(x, 0))));
const sight = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};
const distance = (a, b, eyes) =>
    Math.hypot(...oklab(times(sight[eyes], rgb(a))).map((x, i) => x - oklab(times(sight[eyes], rgb(b)))[i]));
const luminance = (hex) => times([[0.2126, 0.7152, 0.0722]], rgb(hex))[0];
const contrast = (a, b) =>
    (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

const css = fs.readFileSync(`${folder}/style.css`, "utf8");
const schemes = Object.fromEntries(
    [["light", css.slice(0, css.indexOf("@media"))], ["dark", css.slice(css.indexOf("@media"), css.indexOf("* {"))]]
        .map(([name, text]) => [name, Object.fromEntries([
               ...text.matchAll(/--([\w-]+): (#[0-9a-f]+)/g)
             ].map(([, key, hex]) => [key, hex]))]));

test("every phase has a colour of its own, apart from its neighbours for all eyes", () => {
  const header = fs.readFileSync(`${folder}/../../host/base/phase_timer.hpp`, "utf8");
  const named = [...header.match(/phase_names\{([^}]*)\}/)[1].matchAll(/"(\w+)"/g)].map(([, name]) => name);
  const phases = [
    ...fs.readFileSync(`${folder}/script/history.js`, "utf8")
        .match(/const phases =\s*\[([^\]]*)\]/)[1]
        .matchAll(/"(\w+)"/g)
  ].map(([, name]) => name);
  assert.deepEqual([...phases].sort(), [...named].sort());
  for (const [scheme, colours] of Object.entries(schemes)) {
    const of = phases.map((phase) => colours[`phase-${phase}`]);
    assert.ok(of.every(Boolean), scheme);
    const apart = (i, j, eyes, least) => {
      const found = distance(of[i], of[j], eyes);
      assert.ok(found > least, `${scheme}, eyes with ${eyes}: ${phases[i]} and ${phases[j]} ${found}`);
    };
    for (let i = 0; i < of.length; ++i) {
      assert.ok(contrast(of[i], colours.card) > 1.7, `${scheme}: ${phases[i]} on the page`);
      for (let j = 0; j < i; ++j) {
        apart(i, j, "all", 0.12);
        for (const eyes of ["no red", "no green"]) apart(i, j, eyes, j === i - 1 ? 0.17 : 0.05);
      }
    }
  }
});

test("colours of lines and texts stand out from the page", () => {
  for (const [scheme, colours] of Object.entries(schemes)) {
    for (const name of ["blue", "red", "teal", "gold", "purple", "olive", "sky", "brown", "grey", "ink"]) {
      assert.ok(
          contrast(colours[name], colours.card) >= 3, `${scheme}: ${name} ${contrast(colours[name], colours.card)}`);
    }
    assert.ok(contrast(colours.soft, colours.card) >= 4.5 && contrast(colours.soft, colours.page) >= 4.5, scheme);
  }
});

test("every colour that scripts name is in both schemes", () => {
  const names =
      fs.readdirSync(`${folder}/script`)
          .flatMap(
              (file) => [...fs.readFileSync(`${folder}/script/${file}`, "utf8").matchAll(/colour: "([\w-]+)"/g)].map(
                  ([, name]) => name));
  for (const scheme of ["light", "dark"])
    names.forEach((name) => assert.ok(schemes[scheme][name], `${scheme}: ${name}`));
});
