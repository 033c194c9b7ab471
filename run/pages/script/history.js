// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of numbers from a report's rows of steps, outputs and errors.

const phases =
    ["device", "walk", "tree", "sort", "mesh", "pack", "transfer", "let", "decompose", "integration", "io", "other"];

/** The place of a row on the axis of time: ln a of comoving runs, else time. */
function epoch(report, row) {
  return report.comoving ? -Math.log1p(num(object(row).z)) : num(object(row).time);
}

function epochText(report, row) {
  return report.comoving ? `z = ${fixed(num(object(row).z), 2)}` : `t = ${scientific(num(object(row).time))}`;
}

/** The axis of time, with round redshifts. */
function epochAxis(report) {
  if (!report.comoving) return {label: "time (model units)", hover: (t) => `t = ${scientific(t)}`};
  const place = (z) => -Math.log1p(z);
  const axis = {label: "redshift *z*", hover: (x) => `z = ${scientific(Math.max(0, Math.expm1(-x)))}`};
  axis.ticks = (lo, hi, count) => {
    const inside = (z) => place(z) >= lo - 1e-9 && place(z) <= hi + 1e-9;
    const usual = [99, 49, 24, 15, 10, 7, 5, 4, 3, 2, 1.5, 1, 0.5, 0.2, 0].filter(inside);
    if (usual.length >= 4) return usual.map((z) => ({value: place(z), label: String(z)}));
    // A short run, such as z = 24 to 20.5, needs its own.
    return roundTicks(Math.expm1(-hi), Math.expm1(-lo), false, count)
        .map(({value, label}) => ({value: place(value), label}))
        .reverse();
  };
  return axis;
}

/** Steps that a row sums up. */
function stepsCovered(row) {
  const covered = num(row.steps_covered);
  return covered >= 1 ? covered : 1;
}

/** Rows that are steps: the first row is about the forces before them and the measurements made there. */
function stepsOf(report) {
  const rows = list(report.steps).map(object);
  return rows.length > 1 && rows[0].step === 0 ? rows.slice(1) : rows;
}

function secondsOf(row, phase) {
  const seconds = num(object(row.seconds)[phase]);
  return seconds > 0 ? seconds : 0;
}

function phaseTotal(row) {
  return phases.reduce((sum, phase) => sum + secondsOf(row, phase), 0);
}

/** The three parts of Hamada et al. (2009), Fig. 11. */
function breakdown(row) {
  const sum = (names) => names.reduce((all, name) => all + secondsOf(row, name), 0);
  const mpi = sum(["let", "decompose"]), walk = sum(["walk", "pack", "transfer", "device"]);
  return {mpi, walk, rest: phaseTotal(row) - mpi - walk};
}

/** Rows that are steps and nothing else, and those at whose end something was written or measured. */
function splitSteps(report) {
  const rows = stepsOf(report);
  const plain = rows.filter((row) => row.measured !== true);
  return plain.length > 0 ? {plain, measured: rows.filter((row) => row.measured === true)} :
                            {plain: rows, measured: []};
}

/** The end of a scale that holds the values, but not the few that are far above the others. */
function clipped(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return NaN;
  const usual = sorted[Math.floor(0.95 * (sorted.length - 1))], highest = sorted[sorted.length - 1];
  return usual > 0 && highest > 3 * usual ? 1.5 * usual : highest;
}

/** [low, high] of an interval under `key`; NaN where it is not known. */
function interval(row, key) {
  const ends = list(object(row)[key]);
  return ends.length === 2 ? ends.map(num) : [NaN, NaN];
}

/** Whether the peculiar force differs from the whole: it does in spheres, not in periodic boxes. */
function hasPeculiar(report) {
  return report.comoving === true &&
      list(report.force_error)
          .map(object)
          .some(
              (row) => Number.isFinite(num(object(row.peculiar).median)) &&
                  num(object(row.peculiar).median) !== num(row.median));
}

/** Whether some 99% error comes from a sample that is large enough for it. */
function knowsTail(errors) {
  return errors.some((row) => Number.isFinite(num(row.p99)));
}

/** The row with the largest value of `key`; undefined if there is none. */
function worst(rows, key) {
  return rows.reduce((most, row) => (most === undefined || num(row[key]) > num(most[key]) ? row : most), undefined);
}

/** The error that monopole walks of equal error share with this run. */
function levelOfCensus(report) {
  return list(report.census).some((row) => object(row).equal_error_of === "median") ? "median" : "99%";
}
