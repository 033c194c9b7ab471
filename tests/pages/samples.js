// SPDX-License-Identifier: GPL-3.0-or-later
// Data of pages: reports of real runs (those that the fuzz target begins with), changed where a test needs it, and
// results of benches in the shape of what these write.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const report = (name) =>
    JSON.parse(fs.readFileSync(path.join(__dirname, `../fuzz/corpus/report/${name}.json`), "utf8"));

/** Data of a report's page. */
const page = (changed, pictures = {}) => JSON.stringify({report: changed, pictures});

/** Bins at 0.03, 0.06, ... h/Mpc of power `level`, linear `linear`, but 1e6 times that beyond 0.1 h/Mpc. */
function spectrum(level, linear) {
  const bins = [1, 2, 3, 4, 5, 6].map((i) => {
    const k = 0.03 * i, factor = k > 0.1 ? 1e6 * level : 1;
    return {k, power: factor * level * i, sigma: 0.1, modes: 6 * i, fold: 0, linear: factor * linear * i};
  });
  return {
    snapshot: "a<b.hdf5",
    bins,
    particles: 4096,
    box_size: 200,
    shot_noise: 3,
    shot_noise_subtracted: false,
    cosmology: {},
    redshift: 1,
    mesh: 16,
    nyquist: 0.25,
    folds: 0,
    assignment: "pcs",
    interlacing: true
  };
}

const massFunction = (fit) => ({
  fit,
  bins: [
    {low: 1e11, high: 2e11, mass: 1.5e11, count: 9, density: 1e-3, error: 3e-4, fitted: 1.1e-3},
    {low: 2e11, high: 4e11, mass: 3e11, count: 0, density: 0, error: 0, fitted: null}
  ]
});

const halos = {
  snapshot: "a<b.hdf5",
  linking: 0.2,
  min_particles: 32,
  particles: 64000,
  halos: 1234,
  members: 16000,
  mass_functions: {fof: massFunction("fit A"), mean200: massFunction("fit B")},
  first: [{
    particles: 284,
    mass: 4.7893e13,
    mass_200c: 2.4e13,
    radius_200c: 0.4709,
    v_max: 504.6,
    concentration: 5.32,
    spin: 0.035,
    centre: [4.2, 29.1, 19.8]
  }]
};

const profile = {
  snapshot: "a<b.hdf5",
  halo: 3,
  id: 17,
  centre: [1, 2, 3],
  bins: [1, 2, 3].map(
      (r) => ({r_low: r, r_high: r + 1, count: 100, mass: 1e12, density: 1e12 / r, enclosed: 1e12 * r, v_circ: 200}))
};

const matrix = {
  x: [0.1, 0.2, 0.4, 0.8],
  rows: [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => (i === j ? 1 : -0.25)))
};
const ensembleOutput = (redshift, matrices) => {
  const figures = (mean) =>
      ({scatter: mean / 8, error_of_mean: mean / 16, variance_ratio: 0.5, expected_scatter: mean / 10});
  const power = spectrum(4, 2);
  power.bins.forEach((bin) => Object.assign(bin, figures(bin.power)));
  const massed = (mass) => ({mass, density: 1e-3, error: 1e-4, fitted: 1.1e-3, count: 9, ...figures(1e-3)});
  const halos = {fit: "fit A", bins: [1e11, 1e12, 1e13].map(massed), matrix: null, pair_matrix: null};
  Object.assign(power, {matrix: matrices ? matrix : null, pair_matrix: matrices ? matrix : null});
  return {time: 1 / (1 + redshift), redshift, power, fof: halos, mean200: halos};
};
const realisation = (seed, paired, state, more = {}) => ({
  seed,
  paired,
  directory: `seed_${seed}`,
  state,
  wall_seconds: state === "finished" ? 60 : null,
  joules: state === "finished" ? 2000 : null,
  cost: state === "finished" ? 0.05 : null,
  error: null,
  ...more
});
const ensemble = {
  version: "0.2.0",
  title: "Many <boxes>",
  parameter_file: "box.toml",
  settings: ["time.eta=0.05"],
  currency: "USD",
  comoving: true,
  particles: 4096,
  box_size: 64,
  collected: 3,
  pairs: 1,
  realisations: [
    realisation(1, false, "finished"), realisation(1, true, "finished"), realisation(2, false, "finished"),
    realisation(2, true, "failed", {error: "the disk is <full>"})
  ],
  outputs: [ensembleOutput(1, false), ensembleOutput(0, true)]
};

const skyMap = (level) => [100, 115, 132].map((first) => ({
                                                first,
                                                last: first + 14,
                                                l: first + 7,
                                                measured: 1.1 * level / first,
                                                limber: level / first,
                                                linear: 0.9 * level / first
                                              }));

const sky = {
  title: "a<b",
  nside: 64,
  lmax: 128,
  source_redshift: 1,
  seen_fraction: 0.5,
  picture: "aGVsbG8=",
  shells: [0, 1].map((shell) => ({
                       shell,
                       near: 100 * shell,
                       far: 100 * shell + 100,
                       z_near: 0.03 * shell,
                       z_far: 0.03 * shell + 0.03,
                       particles: 1000 + shell,
                       expected: 990,
                       bands: skyMap(1e-3)
                     })),
  kappa: {bands: skyMap(1e-6)}
};

const grown = (from, to) => Array.from({length: to - from}, (_, i) => ({a: 0.1 * (from + i), mass: 1e12 * (1 + i)}));

const trees = {
  title: "a<b/trees.hdf5",
  trees: 7,
  subhalos: 60,
  outputs: 10,
  halos: [{nodes: grown(1, 11)}, {nodes: grown(4, 11)}],
  tree: {branches: [{id: 3, into: -1, nodes: grown(1, 11)}, {id: 5, into: 3, nodes: grown(2, 6)}]}
};

module.exports = {
  sky,
  trees,
  ensemble,
  report,
  page,
  spectrum,
  halos,
  profile,
  all : () =>
          [...["box", "direct", "tree"].map((name) => ["report", page(report(name))]),
           ["power", JSON.stringify(spectrum(2, 1))], ["halos", JSON.stringify(halos)],
           ["profile", JSON.stringify(profile)], ["ensemble", JSON.stringify(ensemble)], ["sky", JSON.stringify(sky)],
           ["trees", JSON.stringify(trees)]]
};
