// SPDX-License-Identifier: GPL-3.0-or-later
// Power spectra and mass functions, for reports and for the pages of `multiwalk power` and `halos`.

const spectraDrawn = 5;
const spectrumColours = ["blue", "teal", "gold", "red", "purple"];
const largestWaves = 0.1;  // h/Mpc

/** The bins, or of many those that a logarithmic axis can keep apart. */
function drawnBins(power) {
  let next = 0;
  return list(object(power).bins).map(object).filter((bin) => {
    if (!(num(bin.k) >= next)) return false;
    next = 1.03 * bin.k;
    return true;
  });
}

/** The Nyquist wavenumber of the particles, beyond which they hold no linear modes. */
function particleNyquist(power) {
  return Math.PI * Math.cbrt(num(power.particles)) / num(power.box_size);
}

/** At most spectraDrawn places among `things` of them, spread evenly, including the first and the last. */
function drawnPlaces(things) {
  const drawn = Math.min(things, spectraDrawn);
  return Array.from({length: drawn}, (_, i) => (drawn > 1 ? Math.floor(i * (things - 1) / (drawn - 1)) : 0));
}

const kAxis = () => ({label: "*k* (*h*/Mpc)", log: true, hover: (k) => `k = ${scientific(k)} h/Mpc`});

/** Half a decade below the shot noise of the spectra; lower points say little. */
function floorOfSpectra(powers) {
  return Math.min(...powers.map((power) => num(power.shot_noise)).filter((noise) => noise > 0)) / Math.sqrt(10);
}

function bars(values, errors) {
  return {low: values.map((value, i) => value - errors[i]), high: values.map((value, i) => value + errors[i])};
}

/** Spectra are [{name, power}], power as power_json makes it. */
function powerChart(spectra) {
  const theory = spectra.some(({power}) => power.cosmology !== null);
  const series = spectra.flatMap(({name, power}, s) => {
    const bins = drawnBins(power), k = bins.map((bin) => num(bin.k)), p = bins.map((bin) => num(bin.power));
    const colour = spectrumColours[s % spectrumColours.length];
    const measured = {name, colour, x: k, y: p, ...bars(p, bins.map((bin) => num(bin.sigma))), mark: "points"};
    const linear = {
      name: s === spectra.length - 1 ? "linear theory" : "",
      inBox: spectra.length > 1 ? `${name}, linear theory` : "linear theory",
      colour: spectra.length > 1 ? colour : "red",
      x: k,
      y: bins.map((bin) => num(bin.linear))
    };
    return power.cosmology === null ? [measured] : [measured, linear];
  });
  const powers = spectra.map(({power}) => power), last = powers[powers.length - 1];
  const k = drawnBins(last).map((bin) => num(bin.k));
  series.push({name: "shot noise", colour: "grey", x: k, y: k.map(() => num(last.shot_noise)), dashed: true});
  return {
    title: "Power spectrum",
    about: "Power spectrum of matter against wavenumber",
    x: kAxis(),
    y: {label: "*P*(*k*) in (Mpc/*h*)^{3}", log: true, bottom: floorOfSpectra(powers)},
    series,
    how: [
      ...rich`How strongly matter clusters on the scale 2π/*k*. The bars are *P* √(2/modes), the scatter of a Gaussian
        field: few modes fit into the box at small *k*. `,
      ...(theory ? rich`The line is linear theory for the run's cosmology, transfer function (cosmology.transfer)
        and epoch; nonlinear growth lifts the points above it at large *k*. ` :
                   []),
      last.shot_noise_subtracted === true ?
          "The shot noise of the particles (dashed) is subtracted." :
          "The shot noise of randomly placed particles (dashed) is not subtracted; points far below it are left out.",
    ],
  };
}

function powerOverLinearChart(spectra) {
  const series = spectra.map(({name, power}, s) => {
    const last = particleNyquist(power);
    const bins = drawnBins(power).filter((bin) => bin.k <= last);
    const ratio = bins.map((bin) => num(bin.power) / num(bin.linear));
    return {
      name: spectra.length > 1 ? name : "",
      colour: spectrumColours[s % spectrumColours.length],
      x: bins.map((bin) => num(bin.k)),
      y: ratio,
      ...bars(ratio, bins.map((bin) => num(bin.sigma) / num(bin.linear))),
      mark: "points"
    };
  });
  return {
    title: "Power over linear theory",
    about: "Ratio of the measured power to linear theory",
    x: kAxis(),
    y: {label: "*P* / *P* linear", log: true},
    series,
    how: rich`At small *k* the points scatter about 1, because this realisation has few modes there; a trend there means
      that growth is wrong, or that the particles were made from another linear spectrum. Drawn up to the Nyquist
      wavenumber of the particles, π over their mean spacing.`,
  };
}

/** Spectra of one box, as for powerChart. */
function spectrumCharts(spectra) {
  const charts = [powerChart(spectra)];
  if (spectra[0].power.cosmology !== null) charts.push(powerOverLinearChart(spectra));
  return charts;
}

/**
 * Power of the largest modes over that of the first spectrum, measured and in linear theory: means over the modes with
 * k up to 0.1 h/Mpc, but of at least the two longest bins.
 */
function waveGrowth(powers) {
  const sums = powers.map((power) => {
    const bins = list(power.bins).map(object).filter((bin, i) => i < 2 || bin.k <= largestWaves);
    const sum = (key) => bins.reduce((all, bin) => all + num(bin.modes) * num(bin[key]), 0);
    return {measured: sum("power"), linear: sum("linear")};
  });
  return sums.map((sum) => ({measured: sum.measured / sums[0].measured, linear: sum.linear / sums[0].linear}));
}

function growthChart(report, epochs, powers) {
  const growth = waveGrowth(powers), last = growth[growth.length - 1], largest = String(largestWaves);
  const ratio = fixed(last.measured / last.linear, 3);
  return {
    title: "Growth of the largest modes",
    about: "Power of the largest modes over that of the first output",
    x: epochAxis(report),
    y: {label: "*P* / *P* at the first output", log: true},
    series: [
      {name: "measured", colour: "blue", x: epochs, y: growth.map((g) => g.measured), mark: "points"},
      {name: "linear theory, D²", colour: "red", x: epochs, y: growth.map((g) => g.linear)}
    ],
    how:
        rich`The power of the largest modes of the box (*k* up to ${largest} *h*/Mpc, at least two bins) at each output,
      relative to the first: while they are linear it grows as *D*^{2}, and the scatter of this realisation cancels. At
      the last output it is ${ratio} of linear theory. In a box of less than some 200 Mpc/*h* even the largest modes do
      not stay linear.`,
  };
}

/** The spectra of a run's outputs. */
function powerSection(report) {
  const outputs = list(report.outputs).map(object).filter((output) => Array.isArray(object(output.power).bins));
  if (outputs.length === 0) return null;
  const spectra =
      drawnPlaces(outputs.length).map((i) => ({name: epochText(report, outputs[i]), power: outputs[i].power}));
  const charts = spectrumCharts(spectra);
  if (outputs.length > 1 && report.comoving) {
    charts.push(
        growthChart(report, outputs.map((output) => epoch(report, output)), outputs.map((output) => output.power)));
  }
  return section(
      "Clustering by scale", rich`Power spectra of the outputs; all their bins are in report.json and in the
    tables power_NNN.csv.`,
      panels(...charts));
}

function massFunctionChart(given, title, how) {
  const rows = list(object(given).bins).map(object), mass = rows.map((row) => num(row.mass));
  const density = rows.map((row) => num(row.density)), error = rows.map((row) => num(row.error));
  return {
    title,
    about: `${title}: number density of halos against mass`,
    x: {label: "mass (*M*_{☉}/*h*)", log: true, hover: (m) => `${scientific(m)} M☉/h`},
    y: {label: "d*n*/dln*M* in (*h*/Mpc)^{3}", log: true},
    series: [
      {name: "halos", colour: "blue", x: mass, y: density, ...bars(density, error), mark: "points"},
      {name: words(object(given).fit), colour: "red", x: mass, y: rows.map((row) => num(row.fitted)), dashed: true}
    ],
    how,
  };
}

function massFunctionPanels(functions) {
  return panels(
      massFunctionChart(
          object(functions).fof, "Mass function, friends of friends", rich`Numbers of groups by the mass of their
      members. Bars are Poisson errors of the counts; fit and simulations agree within 10 to 15% above some 200
      particles.`),
      massFunctionChart(
          object(functions).mean200, "Mass function, spheres of 200 times the mean density", rich`Numbers of halos
      by all the mass within the sphere about their centre.`),
  );
}

/** The halos of the last output that has some. */
function haloSection(report) {
  const output =
      list(report.outputs).map(object).filter((row) => row.halos !== null && typeof row.halos === "object").pop();
  if (output === undefined) return null;
  const {halos} = output;
  return section(
      "Halos",
      [
        `At ${epochText(report, output)}, ${withCommas(num(halos.halos))} friends-of-friends groups hold `,
        `${withCommas(num(halos.members))} particles.`
      ],
      massFunctionPanels(halos.mass_functions));
}
