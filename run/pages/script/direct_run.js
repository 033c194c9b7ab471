// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run by direct summation.

const timeAxis = () => ({label: "time (model units)", hover: (t) => `t = ${scientific(t)}`});

function numbersOf(diagnostics, key) {
  return list(diagnostics[key]).map(num);
}

function radiiChart(diagnostics) {
  const time = numbersOf(diagnostics, "time");
  const series = numbersOf(diagnostics, "lagrangian_fractions")
                     .map((fraction, i) => ({
                            name: `${Number((100 * fraction).toPrecision(3))}%`,
                            colour: rungColour(i + 1),
                            x: time,
                            y: list(diagnostics.lagrangian_radii).map((row) => num(list(row)[i]))
                          }));
  series.push({name: "core", colour: "red", x: time, y: numbersOf(diagnostics, "core_radius"), dashed: true});
  return {
    title: "Lagrangian radii",
    about: "Radii that hold fixed fractions of the mass",
    x: timeAxis(),
    y: {label: "radius", log: true},
    series,
    how: rich`Each line is the distance from the centre of density within which that part of the mass lies; *core* is
      the core radius (McMillan, Hut & Makino 1990). In equilibrium the lines are level; two-body encounters make
      the inner ones sink and the outer ones rise.`,
  };
}

/** Null where too few bodies have a density. */
function coreChart(diagnostics) {
  const density = numbersOf(diagnostics, "core_density");
  if (!density.some((value) => value > 0)) return null;
  return {
    title: "Density of the core",
    about: "Core density against time",
    x: timeAxis(),
    y: {label: "core density", log: true},
    series: [{name: "", colour: "red", x: numbersOf(diagnostics, "time"), y: density}],
    how: rich`The density about each body, from its six nearest neighbours, averaged with the density as weight
      (Casertano & Hut 1985). In core collapse it grows without bound until binaries stop it.`,
  };
}

function angularMomentumChart(diagnostics) {
  const momenta = list(diagnostics.angular_momentum).map((row) => [0, 1, 2].map((i) => num(list(row)[i])));
  return {
    title: "Angular momentum",
    about: "Change of the angular momentum",
    x: timeAxis(),
    y: {label: "|*L* − *L*_{0}|", log: true},
    series: [{
      name: "",
      colour: "purple",
      x: numbersOf(diagnostics, "time"),
      y: momenta.map((row) => Math.hypot(...row.map((value, i) => value - momenta[0][i])))
    }],
    how: rich`The total angular momentum about the origin should not change; the curve shows how far it
        has moved, in the model's units.`,
  };
}

/**
 * {x, y: value(row, length of its span of time)} of every row but the first; with `plain`, without those at whose end
 * something was written.
 */
function perSpan(report, value, plain = false) {
  const rows = list(report.steps).map(object);
  const spans = rows.slice(1).map((row, i) => ({row, span: num(row.time) - num(rows[i].time)}));
  const kept = plain ? spans.filter(({row}) => row.measured !== true) : spans;
  return {x: kept.map(({row}) => num(row.time)), y: kept.map(({row, span}) => value(row, span))};
}

function effortChart(report) {
  const block = (row) => object(row.block);
  return {
    title: "Steps per unit of time",
    about: "Steps of the system and of a body per unit of time",
    x: timeAxis(),
    y: {label: "steps per unit of time", log: true},
    series: [
      {name: "of the system", colour: "blue", ...perSpan(report, (row, span) => num(block(row).substeps) / span)}, {
        name: "of a body, mean",
        colour: "red",
        ...perSpan(report, (row, span) => num(block(row).evaluations) / num(report.particles) / span)
      }
    ],
    how: rich`With block steps the system advances by its shortest steps, but each time only those bodies move
      whose steps end: the distance between the lines shows how much that saves.`,
  };
}

function pairSpeedChart(report) {
  return {
    title: "Sustained speed",
    about: "Gflops between diagnostics",
    x: timeAxis(),
    y: {label: "Gflops", log: true},
    series: [{name: "", colour: "blue", ...perSpan(report, speedOf(report, "raw_pairs"), true)}],
    how: rich`Pairs per second times 38 operations, or 57 with the jerk, by convention, over the whole wall time.
      Small blocks of steps leave a processor idle. Spans that end with an output are left out.`,
  };
}

function secondsChart(report) {
  return {
    title: "Wall time per unit of time",
    about: "Seconds per unit of time",
    x: timeAxis(),
    y: {label: "seconds", log: true, hover: duration},
    series:
        [{name: "", colour: "gold", ...perSpan(report, (row, span) => num(object(row.seconds).total) / span, true)}],
    how: rich`The seconds that the run took for one unit of the model's time. Spans that end with an output are
      left out.`,
  };
}

function bodyRungChart(report) {
  const rows = list(report.steps).map(object).slice(1);
  const series = rungSeries(report, rows, rows.map((row) => num(row.time)));
  if (series === null) return null;
  return {
    title: "Bodies by time step",
    about: "Share of the bodies on each rung",
    x: timeAxis(),
    y: {label: "share of the bodies", fromZero: true, top: 1, hover: percent},
    series,
    stacked: true,
    how: rich`A body on rung *k* steps by a block / 2^{k}; a block reaches from one row of diagnostics to the next.`,
  };
}

function directSpeedTiles(report) {
  const totals = object(report.totals), pairs = num(totals.raw_pairs), joules = num(totals.device_joules);
  return tiles(
      tile(
          "Speed", speedText(num(totals.tflops_raw)),
          `${scientific(pairs)} pairs at ${withCommas(num(report.operations_per_pair))} operations`),
      tile("Steps", withCommas(num(totals.substeps)), `${scientific(num(totals.evaluations))} steps of single bodies`),
      Number.isFinite(joules) ?
          tile("Energy per pair", `${scientific(joules / pairs)} J`, `${withPrefix(joules, "J")} in all, GPUs only`) :
          null,
      memoryTile(report), checkpointTile(report));
}

function directReport(report, pictures) {
  const diagnostics = object(report.diagnostics);
  return [
    tiles(tile("Bodies", withCommas(num(report.particles)), machineNote(report)), energyTile(report), wallTile(report)),
    picturesSection(report, pictures),
    section(
        "The system", rich`Measured from all bodies during the run; *diagnostics.hdf5* has the numbers.`,
        panels(radiiChart(diagnostics), coreChart(diagnostics))),
    section(
        "Accuracy", "Measured during the run, not assumed.",
        panels(energyChart(report), angularMomentumChart(diagnostics))),
    section(
        "Speed and cost", ["Time, speed and the work done.", ...resolution(report)], directSpeedTiles(report),
        panels(effortChart(report), pairSpeedChart(report), secondsChart(report), bodyRungChart(report)),
        phaseTable(report), rankTable(report)),
    outputSection(report), parameterSection(report), reportFoot(report)
  ];
}
