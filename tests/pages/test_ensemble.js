// SPDX-License-Identifier: GPL-3.0-or-later
// The page of an ensemble, and pictures of correlation matrices.
"use strict";
const assert = require("node:assert");
const {test} = require("node:test");
const {read, scripts} = require("./page_reader.js");
const samples = require("./samples.js");

const shown = (change = () => {}) => {
  const data = structuredClone(samples.ensemble);
  change(data);
  return read("ensemble", JSON.stringify(data));
};
const has = (page, ...texts) =>
    texts.forEach((text) => assert.ok(page.text.includes(text), `no "${text}" in:\n${page.text}`));
const hasNot = (page, ...texts) =>
    texts.forEach((text) => assert.ok(!page.text.includes(text), `"${text}" in the page`));

test("an ensemble has its figures, charts and definitions", () => {
  const page = shown();
  has(page, "3 realisations, among them 1 pair", "4,096 particles in a box of 64.0 Mpc/h", "3 of 4", "1 failed",
      "3 min 00 s", "1 min 00 s for each of 3 realisations", "6.00 kJ", "0.1500 USD", "0.0500 USD for each",
      "box.toml --set time.eta=0.05", "the disk is <full>", "Hartlap et al. 2007");
  assert.deepEqual(page.headings, ["Clustering by scale", "Halos", "Realisations", "Definitions"]);
  const spectra = page.chart("Mean power spectrum");
  assert.deepEqual(spectra.names, ["z = 1.00", "z = 0.00", "linear theory", "shot noise"]);
  const scatter = page.chart("Scatter of the power over that of a Gaussian field");
  assert.ok(scatter.columns[0].every((value) => Math.abs(value - 1.25) < 1e-12));
  assert.deepEqual(scatter.names, ["z = 1.00", "z = 0.00", "Gaussian field"]);
  assert.ok(page.chart("What pairs gain").columns[0].every((value) => value === 0.5));
  for (const title of ["Correlation of power, z = 0.00", "Correlation of power, pair averages, z = 0.00"]) {
    assert.ok(page.chart(title), title);
  }
  assert.equal(page.chart("Correlation of power, z = 1.00"), undefined);
});

test("failed realisations come first in the table", () => {
  const rows = shown().body.all("tr").map((row) => row.children.map((cell) => cell.textContent));
  assert.deepEqual(rows[1].slice(0, 3), ["2", "partner", "failed"]);
  assert.deepEqual(rows[2].slice(0, 4), ["1", "", "finished", "1 min 00 s"]);
});

test("without pairs, prices and GPUs nothing is said of them", () => {
  const page = shown((data) => {
    data.pairs = 0;
    data.realisations.forEach((row) => Object.assign(row, {cost: null, joules: null}));
    for (const {power, fof} of data.outputs) {
      power.pair_matrix = null;
      [...power.bins, ...fof.bins].forEach((bin) => (bin.variance_ratio = null));
    }
  });
  hasNot(page, "What pairs gain", "among them", "Energy of the GPUs", "USD", "pair averages, z");
});

test("an ensemble of which nothing is finished lists its realisations", () => {
  const page = shown((data) => Object.assign(data, {outputs: [], collected: 0, pairs: 0}));
  assert.deepEqual(page.headings, ["Realisations", "Definitions"]);
});

test("matrices have edges between their bins, and bins under the cursor", () => {
  const {matrixModel, binAt} = scripts();
  const model = matrixModel({x: [1, 4, 16], rows: [[1, 0.5, null], [0.5, 1, 0], [0, 0, 1]]});
  assert.deepEqual(model.edges, [0.5, 2, 8, 32]);
  assert.ok(Number.isNaN(model.rows[0][2]));
  assert.deepEqual([0.4, 0.5, 3, 31, 32].map((value) => binAt(model.edges, value)), [-1, 0, 1, 2, -1]);
  for (const spoiled of [null, {}, {x: [1], rows: [[1]]}, {x: [2, 1], rows: []}, {x: [0, 1], rows: []}, {x: "a"}]) {
    assert.equal(matrixModel(spoiled), null);
  }
  assert.equal(matrixModel({x: [1, 2], rows: 7}).rows.length, 2);
});
