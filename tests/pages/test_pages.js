// SPDX-License-Identifier: GPL-3.0-or-later
// What pages of every kind show: headings, figures, words for this kind of run, charts.
"use strict";
const assert = require("node:assert");
const {test} = require("node:test");
const {read, readHtml} = require("./page_reader.js");
const samples = require("./samples.js");

const shown = (report, pictures) => read("report", samples.page(report, pictures));
const changed = (name, change) => {
  const report = samples.report(name);
  change(report);
  return shown(report);
};
const has = (page, ...texts) =>
    texts.forEach((text) => assert.ok(page.text.includes(text), `no "${text}" in:\n${page.text}`));
const hasNot = (page, ...texts) =>
    texts.forEach((text) => assert.ok(!page.text.includes(text), `"${text}" in the page`));

/** A tree report with this many steps: the seconds of step i are of(i), all in one phase. */
function withSteps(count, of, more = () => ({})) {
  const report = samples.report("tree"), [first] = report.steps;
  report.steps = Array.from({length: count + 1}, (_, i) => ({
                                                   ...first,
                                                   step: i,
                                                   time: i,
                                                   seconds: {total: of(i), device: of(i)},
                                                   raw_pairs: 1000,
                                                   particles_per_second: 50,
                                                   ...more(i)
                                                 }));
  report.energy.steps = report.steps.map(() => 1e-6);
  return report;
}

test("pages show nothing but texts and numbers", () => {
  for (const [kind, json] of samples.all()) {
    const page = read(kind, json);
    assert.ok(page.text.length > 200 && page.charts.length > 0, kind);
    assert.doesNotMatch(page.text, /NaN|undefined|\[object|Infinity|null/, kind);
    assert.match(page.title, / – Multiwalk$/);
    page.charts.forEach(({title, labels, about}) => {
      assert.ok(about.length > 5, title);
      assert.ok(
          labels.every((axis) => axis.filter((label) => label !== "").length >= 2),
          `${kind}, ${title}: ${JSON.stringify(labels)}`);
    });
  }
});

test("data are never markup", () => {
  const evil = "<img src=x onerror=alert(1)> & <b>bold</b>";
  const page = changed("box", (report) => Object.assign(report, {title: evil, machine: evil, backend: evil}));
  assert.equal(page.body.all("h1")[0].textContent, evil);
  assert.equal(page.body.all("img").length, 0);
  const html = `<script type="application/json" id="data" data-kind="halos">${JSON.stringify(samples.halos)}</script>`;
  has(readHtml(html), "a<b.hdf5");
});

test("a report opens with science, then accuracy, speed and cost", () => {
  const report = samples.report("box");
  report.outputs[0].image = "image_000.png";
  const page = shown(report, {"image_000.png": "aGVsbG8="});
  const wanted =
      ["What formed", "Clustering by scale", "Halos", "Accuracy", "Speed", "Cost", "Files", "Parameters", "Glossary"];
  assert.deepEqual(page.headings, wanted);
});

test("pictures are those that were embedded", () => {
  const report = samples.report("box");
  Object.assign(report.outputs[0], {image: "image_000.png"});
  report.outputs[0].halos =
      {file: "f", halos: 1, members: 2, mass_functions: samples.halos.mass_functions, images: ["h0.png", "h1.png"]};
  const page = shown(report, {"image_000.png": "aGVsbG8=", "h1.png": "aGVsbG8="});
  assert.deepEqual(
      page.body.all("img").map((image) => image.attributes.src), Array(2).fill("data:image/png;base64,aGVsbG8="));
  has(page, "The image file is missing.", "halo 0 · h0.png", "halo 1 · h1.png", "a slab a quarter of the box thick",
      "cubes of 5 r200", "Lengths are comoving");
});

test("words are those of this kind of run", () => {
  const output = [{time: 0, z: 0, image: "i.png", snapshots: [], halos: null, power: null}];
  const cluster = changed("direct", (report) => (report.outputs = output));
  has(cluster, "What it looks like", "Lengths are in model units", "Forces by direct summation");
  hasNot(cluster, "comoving", "r200", "slab");
  const sphere = changed("box", (report) => {
    report.outputs = output;
    report.parameters.model.kind = "sphere";
    report.totals.seconds.mesh = 1e-4 * report.totals.seconds.device;
  });
  has(sphere, "a third of the sphere's radius thick", "Lengths are comoving", "Forces by the multiple-walk tree on");
  hasNot(sphere, "cubes of 5 r200", "quarter");
  has(shown(samples.report("box")), "Forces by the multiple-walk tree and a mesh on");
  has(changed("tree", (report) => (report.backend = "direct (double precision)")),
      "Forces by direct summation in double precision.");
});

test("bytes have human units, and a particle's share only where it means something", () => {
  const memory = {host: 119296000, device: 0, host_per_particle: 59648000, device_per_particle: 0};
  const few = changed("tree", (report) => Object.assign(report, {memory, particles: 2}));
  has(few, "119 MB");
  hasNot(few, "bytes per particle", "59648000", "B per particle");
  has(changed(
          "tree",
          (report) => Object.assign(
              report, {particles: 1e6, memory: {...memory, host_per_particle: 119.3, device_per_particle: 80}})),
      "119 B per particle, and 80.0 B on the GPUs");
});

test("halos and spectra of the outputs", () => {
  const page = changed("box", (report) => {
    const [first] = report.outputs;
    report.outputs = [
      {...first, z: 3, power: samples.spectrum(2, 1)}, {...first, z: 0.5, power: null},
      {...first, z: 0, power: samples.spectrum(20, 8)}
    ];
    report.outputs[1]
        .halos = {file: "fof_1.hdf5", halos: 1234, members: 56789, mass_functions: samples.halos.mass_functions};
    report.outputs[2].halos = null;
  });
  has(page, "At z = 0.50, 1,234 friends-of-friends groups hold 56,789 particles.", "fit A", "fit B", "fof_1.hdf5",
      "1.250 of linear theory");
  const spectra = page.chart("Power spectrum");
  assert.deepEqual(spectra.names, ["z = 3.00", "z = 0.00", "linear theory", "shot noise"]);
  assert.match(spectra.values(0), /z = 3\.00.*z = 3\.00, linear theory.*z = 0\.00, linear theory.*shot noise/);
  assert.ok(page.chart("Growth of the largest modes") && page.chart("Power over linear theory"));
  const alone = changed(
      "box", (report) => (report.outputs = [{...report.outputs[0], power: samples.spectrum(2, 1), halos: null}]));
  assert.equal(alone.chart("Growth of the largest modes"), undefined);
  assert.ok(!alone.headings.includes("Halos"));
});

test("spectra end half a decade below the shot noise", () => {
  const power = {
    ...samples.spectrum(2, 1),
    shot_noise: 30,
    bins: [1, 2, 3].map((i) => ({k: i, power: 10 ** (3 - 2 * i), sigma: 0.01, modes: 9, fold: 0, linear: 1}))
  };
  const chart = read("power", JSON.stringify(power)).chart("Power spectrum");
  assert.equal(chart.columns[0][0], 10);
  assert.ok(chart.columns[0].slice(1).every((value) => value === null));
  assert.ok(chart.yRange[0] > 5);
});

test("systems that are not comoving have no linear theory", () => {
  const page = read("power", JSON.stringify({...samples.spectrum(2, null), cosmology: null, redshift: null}));
  hasNot(page, "linear theory", "at z");
  assert.equal(page.charts.length, 1);
});

test("charts of steps leave out the first forces", () => {
  const chart = shown(withSteps(20, (i) => (i === 0 ? 5000 : 0.25))).chart("Wall time per step, by phase");
  assert.equal(chart.x[0], 1);
  assert.ok(chart.yRange[1] < 0.3);
});

test("steps with outputs are points of their own and do not flatten the scale", () => {
  const report = withSteps(40, (i) => (i === 20 ? 90 : 0.25), (i) => (i === 20 ? {measured: true} : {}));
  const page = shown(report), chart = page.chart("Wall time per step, by phase");
  assert.ok(chart.yRange[1] < 0.3, chart.yRange[1]);
  assert.ok(chart.names.includes("steps with an output or a measurement"));
  assert.equal(chart.columns[1][chart.x.indexOf(20)], 90);
  const shownPoints = (row) => chart.series[2].points.filter(null, 2, true).includes(chart.x.indexOf(row));
  assert.ok(!shownPoints(20), "a point above the scale besides its triangle");
  assert.equal(chart.columns[0][chart.x.indexOf(20)], null);
  has(page, "Triangles at the upper edge lie beyond the scale");
  for (const title of ["Sustained speed per step", "Particles per second"])
    assert.ok(!page.chart(title).x.includes(20), title);
  report.steps[20].seconds = report.steps[1].seconds;
  hasNot(shown(report), "Triangles");
});

test("rows of many steps show means per step", () => {
  const page =
      shown(withSteps(10, (i) => (i === 5 ? 1 : 0.25), (i) => (i === 5 ? {steps_covered: 4, raw_pairs: 4000} : {})));
  assert.deepEqual(page.chart("Wall time per step, by phase").columns[0], Array(10).fill(0.25));
  assert.deepEqual(page.chart("Interactions per step, raw and effective").columns[0], Array(11).fill(1000));
  assert.equal(page.chart("Time steps").columns[0][4], 0.25);
  has(page, "the mean of up to 4 rows of steps.csv; for the energy error it is the largest");
  hasNot(shown(withSteps(3, () => 1)), "the mean of up to");
});

test("reports without a phase are still drawn", () => {
  const page = changed("tree", (report) => {
    report.steps.forEach((step) => delete step.seconds.decompose);
    delete report.totals.seconds.decompose;
  });
  has(page, "Where the time went");
});

/** A report whose errors come from a sample of this size. */
function ofSample(sample) {
  const report = samples.report("tree"), known = sample >= 1000;
  const error = {
    time: 1,
    z: 0,
    median: 1e-4,
    median_interval: [7.5e-5, 1.5e-4],
    p90: 2e-4,
    p99: known ? 5e-4 : null,
    max: 1e-3,
    sample
  };
  if (known) error.p99_interval = [2.5e-4, 1e-3];
  report.force_error = [{...error, peculiar: {...error}}];
  return report;
}

test("the 99% error comes with its interval", () => {
  const page = shown(ofSample(1000));
  has(page, "99% of particles below 5.00 × 10⁻⁴ (2.50 × 10⁻⁴ to 0.00100, 95% interval)", "all but one percent");
  assert.deepEqual(page.chart("Force error").names, ["median", "99%", "largest"]);
});

test("small samples have a median with its interval and the largest error", () => {
  for (const sample of [111, 999]) {
    const page = shown(ofSample(sample));
    has(page, `all ${sample} sampled particles below 0.00100`, "median (7.50 × 10⁻⁵ to 1.50 × 10⁻⁴, 95% interval)");
    hasNot(page, "all but one percent", "99% of particles");
    assert.deepEqual(page.chart("Force error").names, ["median", "largest"]);
  }
});

test("the worst output is the one that is shown", () => {
  const report = ofSample(1000), [error] = report.force_error;
  report.force_error = [error, {...error, time: 2, median: 3e-4, p99: 4e-4}];
  has(shown(report), "3.00 × 10⁻⁴", "worst output, t = 2.00",
      "below 5.00 × 10⁻⁴ (2.50 × 10⁻⁴ to 0.00100, 95% interval) at t = 1.00");
});

test("the peculiar force is distinguished from the whole where they differ", () => {
  const report = samples.report("box");
  hasNot(shown(report), "peculiar force");
  report.force_error[0].peculiar.median *= 2;
  has(shown(report), "relative to the peculiar force", "median, peculiar");
});

test("the time spent on measuring, and the error that monopoles share", () => {
  hasNot(shown(samples.report("tree")), "measuring took");
  has(changed("tree", (report) => (report.totals.measuring = {seconds: 4, share: 0.02})), "; measuring took 2% of it");
  for (const [level, name] of [["median", "median"], ["99%", "99%"], [undefined, "99%"]]) {
    const page = changed("tree", (report) => {
      report.census.forEach((row) => Object.assign(row, {equal_error_pairs: 10, equal_error_of: level}));
      report.totals.equal_error_monopole_pairs = 10;
    });
    has(page, `monopoles of equal ${name} error`, `the same ${name} error`);
  }
});

test("a census of systems without redshifts has no epochs", () => {
  const heads = (page) => page.panels.find((panel) => panel.textContent.startsWith("Interaction census"))
                              .all("th")
                              .map((head) => head.textContent);
  assert.ok(heads(shown(samples.report("box"))).includes("epoch"));
  const ofCluster = heads(shown(samples.report("tree")));
  assert.ok(!ofCluster.includes("epoch") && ofCluster.includes("ratio"));
});

test("long names of parameters may break behind their underscores", () => {
  const cell = shown(samples.report("tree")).body.all("td").find((td) => td.textContent === "max_memory_imbalance");
  assert.equal(cell.all("wbr").length, 3);
});

test("initial conditions, checkpoint and ranks", () => {
  const spread = {min: 0.1, mean: 0.2, max: 0.4};
  const page = changed("tree", (report) => {
    report.initial_conditions = {seconds: {total: 3.5}};
    report.checkpoint = {bytes: 43000000000, seconds: 2.5};
    report.totals.over_ranks = {
      ranks: 4,
      seconds: {tree: spread},
      busy: spread,
      waiting: spread,
      imbalance: {work: 1.5, particles: 1},
      hidden_communication: 0.75,
      essential_trees: {particles: {mean: 3000}, nodes: {mean: 1e5}, bytes: {mean: 2e6}}
    };
  });
  has(page, "3.5 s", "43.0 GB", "written in 2.5 s", "Load balance", "2.00", "75.0% of their time", "uneven by 50.0%");
  hasNot(shown(samples.report("tree")), "Load balance");
});

test("a published run is a line beside the steps", () => {
  const alone = shown(withSteps(9, () => 0.25));
  hasNot(alone, "Compared with ");
  assert.equal(alone.chart("Particles per second").yRange[0], 0);
  const report = withSteps(9, () => 0.25);
  report.comparison = {
    title: "Someone (2009)",
    machine: "128 GPUs",
    currency: "USD",
    figures:
        {seconds_per_step: 0.3, tflops_raw: 20, tflops_effective: 8, particles_per_second: 60, joules_per_step: null}
  };
  report.sustained = {seconds_per_step: 0.15, tflops_raw: 10, particles_per_second: 50};
  const page = shown(report);
  has(page, "Compared with Someone (2009)", "128 GPUs", "0.500", "Someone (2009), mean of all");
  assert.ok(page.chart("Sustained speed per step").names.includes("Someone (2009), raw"));
  assert.ok(page.chart("Particles per second").names.includes("Someone (2009), mean"));
  report.comparison.figures.seconds_per_step = 12;
  const far = shown(report);
  assert.ok(far.chart("Exchange, tree walk, and the rest").yRange[1] < 0.3);
  has(far, "Someone (2009), mean of all: 12.0 s, beyond the scale.");
});

test("redshifts are round, those of a short run too", () => {
  const between = (from, to) =>
      changed("box", (report) => {
        report.steps = [from, (from + to) / 2, to].map((z, i) => ({...report.steps[0], step: i, z}));
        report.energy.steps = [1e-6, 1e-6, 1e-6];
      }).chart("Layzer-Irvine energy check").labels[0].filter((label) => label !== "");
  assert.deepEqual(between(49, 0).slice(-3), ["0.5", "0.2", "0"]);
  const few = between(24, 20.5);
  assert.ok(few.length >= 3 && few.every((label) => label >= 20.5 && label <= 24), few);
});

test("hovering shows values of all series at a place", () => {
  const text = shown(withSteps(9, () => 0.25)).chart("Wall time per step, by phase").values(3);
  assert.match(text, /step 4.*device.*250 ms/);
  const errors = shown(ofSample(1000)).chart("Force error").values(0);
  assert.match(errors, /t = 1\.00.*median.*1\.00 × 10⁻⁴ \(7\.50 × 10⁻⁵ to 1\.50 × 10⁻⁴\).*99%.*largest/);
});

test("direct runs: radii, core, rungs", () => {
  const page = changed("direct", (report) => {
    const n = report.diagnostics.time.length;
    report.diagnostics.core_density = Array.from({length: n}, (_, i) => 1 + i);
    report.diagnostics.core_radius = Array(n).fill(0.5);
  });
  assert.ok(page.chart("Density of the core") && page.chart("Bodies by time step") && page.chart("Angular momentum"));
  assert.ok(page.chart("Lagrangian radii").names.includes("core"));
  assert.equal(
      changed("direct", (report) => (report.diagnostics.core_density = [0, 0])).chart("Density of the core"),
      undefined);
});

test("pages of snapshots have their numbers", () => {
  has(read("halos", JSON.stringify(samples.halos)), "1,234", "25.0%", "The most massive halos", "4.79 × 10¹³", "504.6");
  has(read("profile", JSON.stringify(samples.profile)), "Halo 3", "centre at 1.000, 2.000, 3.000 Mpc/h",
      "The profile in numbers");
  has(read("power", JSON.stringify(samples.spectrum(2, 1))), "4,096 particles at z = 1.00", "not subtracted",
      "linear theory", "a<b.hdf5");
});
