// SPDX-License-Identifier: GPL-3.0-or-later
// The page of an ensemble: means, scatter and correlations of its runs, and what each of them took.

const realisationsListed = 200;

/** {name, value} of the outputs that have this kind of function, of many those that can be drawn. */
function functionsOf(data, kind) {
  const having = list(data.outputs).map(object).filter((output) => Array.isArray(object(output[kind]).bins));
  return drawnPlaces(having.length)
      .map((i) => ({name: `z = ${fixed(Math.max(0, num(having[i].redshift)), 2)}`, value: having[i][kind]}));
}

/** Those of all outputs whose correlations are there. */
function matricesOf(data, kind, matrix) {
  return list(data.outputs).map(object).filter((output) => matrixModel(object(output[kind])[matrix]) !== null);
}

function ensembleHead(data) {
  const pairs = num(data.pairs) > 0 ? `, among them ${plural(num(data.pairs), "pair")} with opposite densities` : "";
  const box = num(data.box_size) > 0 ? ` in a box of ${scientific(num(data.box_size))} Mpc/h` : "";
  const settings = list(data.settings).map(words).map((setting) => ` --set ${setting}`).join("");
  return pageHead(
      words(data.title), "ensemble",
      `${plural(num(data.collected), "realisation")}${pairs}, each of ${withCommas(num(data.particles))} particles${
          box}.`,
      `${words(data.parameter_file)}${settings}`, `Version ${words(data.version)}`);
}

/** Sum of the known values, and how many there are. */
function sumOf(rows, key) {
  const known = rows.map((row) => num(row[key])).filter(Number.isFinite);
  return {sum: known.reduce((all, value) => all + value, 0), count: known.length};
}

function meanNote({sum, count}, show) {
  return count > 0 ? `${show(sum / count)} for each of ${plural(count, "realisation")}` : "not known";
}

function money(value, data) {
  return `${fixed(value, value < 0.995 ? 4 : 2)} ${words(data.currency)}`;
}

function ensembleTiles(data) {
  const rows = list(data.realisations).map(object), finished = rows.filter((row) => row.state === "finished");
  const seconds = sumOf(rows, "wall_seconds"), joules = sumOf(rows, "joules"), cost = sumOf(rows, "cost");
  const failed = rows.filter((row) => row.state === "failed").length;
  return tiles(
      tile(
          "Finished", `${withCommas(finished.length)} of ${withCommas(rows.length)}`,
          failed > 0 ? `${withCommas(failed)} failed` : "realisations"),
      tile("Wall time", seconds.count > 0 ? duration(seconds.sum) : "–", meanNote(seconds, duration)),
      joules.count > 0 ?
          tile("Energy of the GPUs", withPrefix(joules.sum, "J"), meanNote(joules, (value) => withPrefix(value, "J"))) :
          null,
      cost.count > 0 ? tile("Cost", money(cost.sum, data), meanNote(cost, (value) => money(value, data))) : null);
}

/** Mean power with the scatter of single runs as bars. */
function meanPowerChart(spectra, count) {
  return {
    ...powerChart(spectra.map(({name, value}) => ({name, power: value}))),
    title: "Mean power spectrum",
    about: "Mean power spectrum of all realisations against wavenumber",
    how: rich`Means of ${plural(count, "realisation")}; the bars are the scatter of single runs (square root of the
      variance). Lines are linear theory; the dashed line is the shot noise of randomly placed particles.`,
  };
}

/** The mean over linear theory, with the error of the mean. */
function meanOverLinearChart(spectra) {
  const shownSpectra = spectra.map(
      ({name, value}) => ({
        name,
        power: {...value, bins: list(value.bins).map(object).map((bin) => ({...bin, sigma: bin.error_of_mean}))}
      }));
  return {
    ...powerOverLinearChart(shownSpectra),
    title: "Mean power over linear theory",
    about: "Ratio of the mean power to linear theory",
    how: rich`Bars are errors of the mean, from the scatter of independent realisations (of pair averages where there
      are pairs). At small *k* the ratio is 1 within them. Drawn up to the Nyquist wavenumber of the particles.`,
  };
}

/** A value of each bin against its place, for all outputs. */
function binChart(functions, place, valueOf, chart) {
  const series = functions.map(({name, value}, s) => {
    const bins = list(value.bins).map(object);
    return {
      name: functions.length > 1 ? name : "",
      inBox: name,
      colour: spectrumColours[s % spectrumColours.length],
      x: bins.map((bin) => num(bin[place])),
      y: bins.map(valueOf),
      mark: "both"
    };
  });
  return {...chart, series: [...series, ...(chart.more ? chart.more(series) : [])]};
}

/** A dashed line at 1. */
function lineAtOne(name) {
  return (series) => {
    const x = [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b);
    return [{name, colour: "grey", x, y: x.map(() => 1), dashed: true}];
  };
}

const scatterRatio = (bin) => num(bin.scatter) / num(bin.expected_scatter);

function powerScatterChart(spectra) {
  return binChart(spectra, "k", scatterRatio, {
    title: "Scatter of the power over that of a Gaussian field",
    about: "Scatter of the power over P times the square root of 2 over the number of modes",
    x: kAxis(),
    y: {label: "scatter / (*P* √(2/modes))", log: true},
    more: lineAtOne("Gaussian field"),
    how: rich`The scatter of single runs over *P* √(2/modes), that of a Gaussian field: near 1 at small *k*, above it
      where nonlinear growth couples modes. With *n* realisations each point is uncertain by 1/√(2*n*) of its value.
      With fixed amplitudes (*ic.fixed_amplitude*) it lies far below 1.`,
  });
}

const ratioLabel = "2 Var(pair average) / Var(run)";

function varianceRatioChart(functions, place, axisOf) {
  if (!functions.some(({value}) => list(value.bins).some((bin) => Number.isFinite(num(object(bin).variance_ratio))))) {
    return null;
  }
  return binChart(functions, place, (bin) => num(bin.variance_ratio), {
    title: "What pairs gain",
    about: "Twice the variance of pair averages over the variance of single runs",
    x: axisOf,
    y: {label: ratioLabel, log: true},
    more: lineAtOne("two independent runs"),
    how: rich`1: a run and its partner are as good as two independent runs; 2: the partner adds nothing new; below 1:
      their deviations cancel in part (Angulo & Pontzen 2016, MNRAS 462, L1).`,
  });
}

const matrixHow = `The covariance of two bins over the product of their scatters: 0 for bins that vary independently, 1
    on the diagonal. For n realisations, correlations of independent bins scatter about 0 by 1/√n. If there are many
    bins, only as many are shown as a picture can resolve; ensemble.hdf5 holds all.`;

/** Correlations of a function: of single runs at some outputs, of pair averages at the last. */
function matrixPanels(data, kind, what, axisOf) {
  const all = matricesOf(data, kind, "matrix"), last = matricesOf(data, kind, "pair_matrix").slice(-1);
  const chart = (output, matrix, of) => ({
    title: `Correlation of ${what}${of}, z = ${fixed(Math.max(0, num(output.redshift)), 2)}`,
    about: `Correlation matrix of the bins of ${what}${of}`,
    x: axisOf,
    matrix: object(output[kind])[matrix],
    how: null
  });
  const charts = [
    ...all.map((output) => chart(output, "matrix", "")),
    ...last.map((output) => chart(output, "pair_matrix", ", pair averages"))
  ];
  if (charts.length === 0) return null;
  charts[0].how = matrixHow;
  return el("div", {class: "charts matrices"}, charts.map(matrixPanel));
}

function ensemblePowerSection(data) {
  const spectra = functionsOf(data, "power");
  if (spectra.length === 0) return null;
  const several = num(data.collected) > 1;
  return section(
      "Clustering by scale", "Power spectra of all realisations together.",
      panels(
          meanPowerChart(spectra, num(data.collected)), meanOverLinearChart(spectra),
          several ? powerScatterChart(spectra) : null, varianceRatioChart(spectra, "k", kAxis())),
      matrixPanels(data, "power", "power", kAxis()));
}

const massAxis = () => ({label: "mass (*M*_{☉}/*h*)", log: true, hover: (m) => `${scientific(m)} M☉/h`});

function massScatterChart(functions) {
  return binChart(functions, "mass", scatterRatio, {
    title: "Scatter of halo numbers over Poisson's",
    about: "Scatter of the number of halos over the square root of their mean number",
    x: massAxis(),
    y: {label: "scatter / Poisson scatter", log: true},
    more: lineAtOne("Poisson"),
    how: rich`Friends-of-friends groups. The ratio is above 1 where realisations differ by more than chance, because
      denser regions hold more halos, and below 1 in small boxes, whose mass is the same in all.`,
  });
}

function ensembleHaloSection(data) {
  const [fof, mean200] = ["fof", "mean200"].map((kind) => functionsOf(data, kind));
  if (fof.length + mean200.length === 0) return null;
  const mean = (functions, title) => {
    if (functions.length === 0) return null;
    const {name, value} = functions[functions.length - 1];
    return massFunctionChart(value, `${title}, ${name}`, rich`Mean of all realisations, with the scatter of single runs
      as bars (none that would reach below zero); the fit is for the linear power of these parameters.`);
  };
  return section(
      "Halos", "Mass functions of all realisations together.",
      panels(
          mean(fof, "Mean mass function, friends of friends"),
          mean(mean200, "Mean mass function, spheres of 200 times the mean density"),
          fof.length > 0 && num(data.collected) > 1 ? massScatterChart(fof) : null,
          varianceRatioChart(fof, "mass", massAxis())),
      matrixPanels(data, "fof", "halo numbers (friends of friends)", massAxis()));
}

function realisationTable(data) {
  const rows = list(data.realisations).map(object);
  const first = (row) => (row.state === "failed" ? 0 : row.state === "finished" ? 2 : 1);
  const ordered = [...rows].sort((a, b) => first(a) - first(b)).slice(0, realisationsListed);
  const columns =
      [["seed", "n"], ["", ""], ["state", ""], ["wall time", "n"], ["energy", "n"], ["cost", "n"], ["", "wide"]];
  const cells = (row) => {
    const cost = num(row.cost);
    return [
      words(row.seed), row.paired === true ? "partner" : "", words(row.state), duration(num(row.wall_seconds)),
      withPrefix(num(row.joules), "J"), Number.isFinite(cost) ? money(cost, data) : "–", words(row.error)
    ];
  };
  return section(
      "Realisations", "What each run took; energies are those of the GPUs.",
      table(columns, ordered.map(cells)) === null ? null :
                                                    panel("Each realisation", table(columns, ordered.map(cells))),
      rows.length > ordered.length ? note(`${withCommas(rows.length)} in all: ensemble.json lists the others.`) : null);
}

function definitions() {
  const entries = [
    [
      "Covariance",
      rich`*C*_{ij} = Σ (*x*_{i} − mean_{i}) (*x*_{j} − mean_{j}) / (*n* − 1) over *n* realisations. If there are
        pairs, runs and partners are each taken about their own mean, and the sums are divided by (*n* − 1) of both.`
    ],
    ["Correlation", rich`*C*_{ij} / √(*C*_{ii} *C*_{jj}).`],
    [
      "Pair",
      rich`A run and its partner, with the same seed and all phases shifted by π, so that the initial density contrast
        has the opposite sign. The covariance of pair averages is that of (*x* + *x* partner) / 2 over the seeds.`
    ],
    [
      "Inverse",
      rich`The inverse of a covariance matrix of *p* bins from *n* realisations is too large on average; multiply it by
        (*n* − *p* − 2) / (*n* − 1) (Hartlap et al. 2007). It exists only for *n* > *p* + 2.`
    ]
  ];
  return section(
      "Definitions", null,
      el("div", {class: "panel"},
         el("dl", {}, entries.map(([name, text]) => [el("dt", {}, marked(name)), el("dd", {}, text)]))));
}

function ensemblePage(data) {
  const parts = [
    ensembleTiles(data), ensemblePowerSection(data), ensembleHaloSection(data), realisationTable(data), definitions(),
    el("footer", {},
       `Multiwalk ${words(data.version)}. ensemble.hdf5 and ensemble.json have all numbers for other programs.`)
  ];
  return [ensembleHead(data), el("main", {}, parts.filter((part) => part !== null))];
}
