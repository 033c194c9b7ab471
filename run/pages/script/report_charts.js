// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of a run: accuracy, speed, cost by step.

const stepAxis = () => ({label: "step", hover: (step) => `step ${withCommas(step)}`});

/** The mean of a published run as a line beside others. */
function publishedLine(report, x, figure, unit, what, colour) {
  const comparison = object(report.comparison), value = unit * num(object(comparison.figures)[figure]);
  if (!Number.isFinite(value) || x.length === 0) return [];
  return [{name: `${words(comparison.title)}, ${what}`, colour, x, y: x.map(() => value), dashed: true}];
}

/** An axis on which these series and the lines beside them can both be read: logarithmic where they are far apart. */
function axisForBoth(label, series, beside) {
  const largest = (all) => Math.max(...all.flatMap((one) => one.y).filter((value) => value > 0));
  const ratio = largest(beside) / largest(series);
  return beside.length > 0 && (ratio > 5 || ratio < 0.2) ? {label, log: true} : {label, fromZero: true};
}

/** Points of the steps that also wrote or measured something; they stay out of the scale. */
function measuredPoints(rows, value) {
  return {
    name: "steps with an output or a measurement",
    colour: "ink",
    x: rows.map((row) => num(row.step)),
    y: rows.map(value),
    mark: "points",
    hollow: true
  };
}

const perStep = (value) => (row) => value(row) / stepsCovered(row);

/** "; triangles: beyond the scale" where something is. */
function beyond(rows, value, top) {
  return rows.some((row) => value(row) > top) ? " Triangles at the upper edge lie beyond the scale: point at them." :
                                                "";
}

function phaseChart(report) {
  const {plain, measured} = splitSteps(report);
  const x = plain.map((row) => num(row.step)), whole = perStep(phaseTotal);
  const top = 1.08 * clipped(plain.map(whole));
  const series = phases.map((phase) => ({
                              name: phase,
                              colour: `phase-${phase}`,
                              x,
                              y: plain.map(perStep((row) => secondsOf(row, phase))),
                              mark: x.length > 1 ? "line" : "both"
                            }));
  return {
    title: "Wall time per step, by phase",
    about: "Seconds of each step, stacked by phase",
    x: stepAxis(),
    y: {label: "seconds per step", fromZero: true, top, hover: duration},
    series,
    stacked: true,
    beside: [measuredPoints(measured, whole)],
    how: [
      ...rich`The height is the wall time of a step; each band is the share of one phase, and the bands do not
      overlap. *sort* and *tree* build the octree, *walk* finds which cells and particles act on each group, *pack*
      and *transfer* prepare and move data, *device* evaluates the forces (on the CPU too), *integration* moves the
      particles, *io* writes files; on several ranks *decompose* divides space and moves particles to their ranks,
      *let* waits for and makes essential trees; in a periodic box *mesh* is the long range of the
      forces. In a good run most of the time is *device*.`,
      beyond([...plain, ...measured], whole, top)
    ],
  };
}

function breakdownChart(report) {
  const {plain, measured} = splitSteps(report);
  const x = plain.map((row) => num(row.step)), whole = perStep(phaseTotal);
  const part = (name, colour, key) => ({name, colour, x, y: plain.map(perStep((row) => breakdown(row)[key]))});
  const own = clipped(plain.map(whole)),
        published = publishedLine(report, x, "seconds_per_step", 1, "mean of all", "red");
  const drawn = published.filter((line) => line.y[0] < 3 * own),
        missing = published.filter((line) => !drawn.includes(line));
  const top = 1.08 * Math.max(own, ...drawn.map((line) => line.y[0]));
  return {
    title: "Exchange, tree walk, and the rest",
    about: "Seconds of each step in three parts",
    x: stepAxis(),
    y: {label: "seconds per step", fromZero: true, top, hover: duration},
    stacked: true,
    series: [part("tree walk", "blue", "walk"), part("MPI", "gold", "mpi"), part("miscellaneous", "grey", "rest")],
    beside: [measuredPoints(measured, whole), ...drawn],
    how: [
      ...rich`The parts of Hamada et al. (2009), Fig. 11, mean over ranks. *MPI*: dividing space again, moving
      particles to their ranks, waiting for and making essential trees. *Tree walk*: walks, transfers to and from the
      devices, and the forces themselves. *Miscellaneous*: all else, waiting for slower ranks included.`,
      beyond([...plain, ...measured], whole, top),
      ...missing.map((line) => ` ${line.name}: ${duration(line.y[0])}, beyond the scale.`)
    ],
  };
}

/** Gflops of a row's pairs under `key`. */
function speedOf(report, key) {
  return (row) => {
    const seconds = num(object(row.seconds).total);
    return seconds > 0 ? 1e-9 * num(report.operations_per_pair) * num(row[key]) / seconds : NaN;
  };
}

function speedChart(report) {
  const {plain} = splitSteps(report), x = plain.map((row) => num(row.step));
  const series = [
    {name: "raw", colour: "blue", x, y: plain.map(speedOf(report, "raw_pairs"))},
    {name: "effective", colour: "red", x, y: plain.map(speedOf(report, "effective_pairs"))}
  ];
  const beside = [
    ...publishedLine(report, x, "tflops_raw", 1000, "raw", "blue"),
    ...publishedLine(report, x, "tflops_effective", 1000, "effective", "red")
  ];
  return {
    title: "Sustained speed per step",
    about: "Raw and effective speed of each step",
    x: stepAxis(),
    y: axisForBoth("Gflops", series, beside),
    series,
    beside,
    how: rich`Interactions per second times 38 operations, the convention of Warren et al. (1997), over the whole wall
      time of each step; steps with an output or a measurement are left out. *Raw* counts every interaction that was
      evaluated. *Effective* counts only those that the original Barnes-Hut tree code would have needed, so a longer
      list cannot make a code look fast.`,
  };
}

function rateChart(report) {
  const {plain} = splitSteps(report), x = plain.map((row) => num(row.step));
  const series = [{name: "", colour: "teal", x, y: plain.map((row) => num(row.particles_per_second))}];
  const beside = publishedLine(report, x, "particles_per_second", 1, "mean", "teal");
  return {
    title: "Particles per second",
    about: "Particles advanced per second in each step",
    x: stepAxis(),
    y: axisForBoth("particles per second", series, beside),
    series,
    beside,
    how: rich`Particles times steps over wall time: the figure to compare between codes at the same force error. It
      changes as matter clusters and lists grow or shrink; a dip means that the machine was busy. Steps with an output
      or a measurement are left out.`,
  };
}

function countChart(report) {
  const rows = list(report.steps).map(object), census = list(report.census).map(object);
  const x = rows.map((row) => epoch(report, row)), counted = census.map((row) => num(row.effective_pairs));
  const series = [
    {name: "raw", colour: "blue", x, y: rows.map(perStep((row) => num(row.raw_pairs)))},
    {name: "effective, interpolated", colour: "red", x, y: rows.map(perStep((row) => num(row.effective_pairs)))}
  ];
  if (report.comoving) {
    series.push({
      name: "effective, counted",
      colour: "red",
      x: census.map((row) => epoch(report, row)),
      y: counted,
      ...bars(counted, census.map((row) => num(row.effective_error))),
      mark: "points",
      hollow: true
    });
  }
  return {
    title: "Interactions per step, raw and effective",
    about: "Raw and effective interactions against time",
    x: epochAxis(report),
    y: {label: "interactions", log: true},
    series,
    how: rich`*Raw* is the exact count of targets times lists in each step. The points are effective counts: at a few
      epochs the original Barnes-Hut walk (one list per particle, same opening angle) is repeated for a random sample
      of particles; bars are its standard error. Between the points the ratio is interpolated.`,
  };
}

function ratioChart(report) {
  const census = list(report.census).map(object), ratio = census.map((row) => num(row.ratio));
  const error = census.map((row, i) => ratio[i] * num(row.effective_error) / num(row.effective_pairs));
  return {
    title: "Raw over effective",
    about: "Ratio of raw to effective interactions at each census",
    x: report.comoving ? epochAxis(report) : stepAxis(),
    y: {label: "raw / effective", fromZero: true},
    series: [{
      name: "",
      colour: "purple",
      x: census.map((row) => (report.comoving ? epoch(report, row) : num(row.step))),
      y: ratio,
      ...bars(ratio, error),
      mark: "both"
    }],
    how: rich`The number of interactions evaluated for each one that the original algorithm needs at the same opening
      angle. It is the price of one list for a whole group, which lets a GPU run at full speed. Hamada et al. (2009)
      report 2.37. Larger groups, nearly uniform matter, and acceptance criteria more accurate than the opening angle
      alone raise it.`,
  };
}

function errorChart(report) {
  const errors = list(report.force_error).map(object), tail = knowsTail(errors);
  const x = errors.map((row) => epoch(report, row));
  const series =
      (ofPeculiar) => [["median", "median", "teal"], ["99%", "p99", "gold"], ["largest", "max", "purple"]].map(
          ([name, field, colour]) => {
            const rows = errors.map((row) => (ofPeculiar ? object(row.peculiar) : row)),
                  ends = rows.map((row) => interval(row, `${field}_interval`));
            return {
              name: name + (ofPeculiar ? ", peculiar" : ""),
              colour,
              x,
              y: rows.map((row) => num(row[field])),
              low: ends.map(([low]) => low),
              high: ends.map(([, high]) => high),
              mark: "both",
              dashed: ofPeculiar,
              hollow: ofPeculiar
            };
          });
  const peculiar = hasPeculiar(report);
  return {
    title: "Force error",
    about: "Relative force error at each output",
    x: epochAxis(report),
    y: {label: "relative force error", log: true},
    series: [...series(false), ...(peculiar ? series(true) : [])],
    how: [
      ...rich`At each output the forces on a random sample of particles are compared with direct summation in double
      precision. Half of the particles are below the *median* line`,
      ...(tail ? rich`, all but one percent below *99%*. ` : [". "]), "Bars are intervals of 95% confidence. ",
      ...(peculiar ?
              rich`Dashed: the same differences relative to the *peculiar* force, which drives structure formation. It
      lacks the smooth pull of the mean density, which is much larger at early times.` :
              [])
    ],
  };
}

function energyChart(report) {
  const rows = list(report.steps).map(object),
        errors = list(object(report.energy).steps).map((value) => Math.abs(num(value)));
  const n = Math.min(rows.length, errors.length);
  return {
    title: report.comoving ? "Layzer-Irvine energy check" : "Energy conservation",
    about: "Relative violation of energy conservation",
    x: epochAxis(report),
    y: {label: "relative violation", log: true},
    series: [{
      name: "",
      colour: "purple",
      x: rows.slice(rows.length - n).map((row) => epoch(report, row)),
      y: errors.slice(errors.length - n)
    }],
    how: report.comoving ?
        rich`In an expanding universe energy is not constant, but *a*(*T* + *U*) + ∫ *T* d*a* is (Layzer 1963; Irvine
        1961). The curve shows how far that sum has moved, relative to the energy of the structure formed. Well below 1%
        is good; a kink shows where the time step or the force was too coarse.` :
        rich`Total energy should not change. The curve is |*E* − *E*_{0}| / |*E*_{0}|. A bounded oscillation comes
        from the integrator; a steady rise means that the time step is too long.`,
  };
}

function timeStepChart(report) {
  const rows = list(report.steps).map(object), x = rows.map((row) => epoch(report, row));
  return {
    title: "Time steps",
    about: "Length of each step",
    x: epochAxis(report),
    y: {label: report.comoving ? "step in ln *a*" : "step (model units)", log: true},
    series: [{
      name: "",
      colour: "olive",
      x: x.slice(1),
      y: rows.slice(1).map((row, i) => (x[i + 1] - x[i]) / stepsCovered(row))
    }],
    how: [
      ...rich`The length of each step or, with block steps, of each block. `,
      ...(report.comoving ?
              rich`The step of all particles together is set by the largest acceleration and the softening (Power et al.
        2003) and shrinks when dense halos form. ` :
              rich`The step of all particles together is set by the largest acceleration, unless it was fixed. `),
      ...rich`Single short steps end exactly at a requested output.`
    ],
  };
}

/** The colour of a rung, from slow to fast; more rungs than colours are spread over all of them. */
function rungColour(rung, rungs = 10) {
  return `rung-${rungs > 10 ? Math.round(9 * rung / (rungs - 1)) : rung}`;
}

/** Shares of the particles on each rung; null without block steps. */
function rungSeries(report, rows, x) {
  const rungs = Math.max(0, ...rows.map((row) => list(object(row.block).rungs).length));
  if (rungs === 0) return null;
  return Array.from({length: rungs}, (_, rung) => ({
                                       name: `rung ${rung}`,
                                       colour: rungColour(rung, rungs),
                                       x,
                                       y: rows.map((row) => {
                                         const counts = list(object(row.block).rungs);
                                         if (counts.length === 0) return rung === 0 ? 1 : 0;
                                         return rung < counts.length ? num(counts[rung]) / num(report.particles) : 0;
                                       })
                                     }));
}

function rungChart(report) {
  const rows = stepsOf(report), series = rungSeries(report, rows, rows.map((row) => epoch(report, row)));
  if (series === null) return null;
  return {
    title: "Particles by time step",
    about: "Share of the particles on each rung at the beginning of each block",
    x: epochAxis(report),
    y: {label: "share of the particles", fromZero: true, top: 1, hover: percent},
    series,
    stacked: true,
    how: rich`A step of the record is a block, at whose ends all particles are at the same time. Within it a particle
      of rung *k* takes 2^{k} steps, which its own acceleration and the softening decide (Power et al. 2003).`,
  };
}
