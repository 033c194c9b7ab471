// SPDX-License-Identifier: GPL-3.0-or-later
// The page of `multiwalk sky`.

const lAxis = () => ({label: "multipole *l*", log: true, hover: (l) => `l = ${scientific(l)}`});

/** Bands with their values of C_l and the scatter of a Gaussian sky, |C_l| sqrt(2 / modes). */
function skyBands(map, seen) {
  return list(object(map).bands).map(object).map((band) => {
    const modes = seen * ((num(band.last) + 1) ** 2 - num(band.first) ** 2);
    return {...band, sigma: Math.abs(num(band.measured)) * Math.sqrt(2 / modes)};
  });
}

/** Spectra are [{name, bands}]. */
function skySpectrumChart(title, spectra, how) {
  const scaled = (band, value) => num(band.l) * (num(band.l) + 1) * num(value) / (2 * Math.PI);
  const series = spectra.flatMap(({name, bands}, s) => {
    const l = bands.map((band) => num(band.l)), of = (key) => bands.map((band) => scaled(band, band[key]));
    const colour = spectrumColours[s % spectrumColours.length], last = s === spectra.length - 1;
    return [
      {name: name || "measured", colour, x: l, y: of("measured"), ...bars(of("measured"), of("sigma")), mark: "points"},
      {name: last ? "Limber, power of the run" : "", inBox: `${name} Limber`, colour, x: l, y: of("limber")},
      {name: last ? "Limber, linear theory" : "", inBox: `${name} linear`, colour, x: l, y: of("linear"), dashed: true}
    ];
  });
  return {
    title,
    about: `${title}: angular power against multipole`,
    x: lAxis(),
    y: {label: "*l* (*l* + 1) *C*_{l} / 2π", log: true},
    series,
    how,
  };
}

function skyRatioChart(bands) {
  const ratio = bands.map((band) => num(band.measured) / num(band.limber));
  return {
    title: "Convergence over Limber",
    about: "Ratio of the measured angular power of the convergence to the Limber prediction",
    x: lAxis(),
    y: {label: "*C*_{l} / *C*_{l} Limber"},
    series: [{
      name: "",
      colour: "blue",
      x: bands.map((band) => num(band.l)),
      y: ratio,
      ...bars(ratio, bands.map((band) => num(band.sigma) / num(band.limber))),
      mark: "points"
    }],
    how: rich`The prediction uses the power spectra that the run measured at its outputs, with the shot noise and the
      pixel window. At small *l* the scatter is that of few modes, and repeated copies of the box increase it.`,
  };
}

/** The map as an embedded picture; null without one. */
function skyPicture(bytes) {
  if (typeof bytes !== "string" || !/^[A-Za-z0-9+/]+=*$/.test(bytes)) return null;
  return panel(
      "Convergence",
      el("img", {alt: "The convergence in the Mollweide projection", src: `data:image/png;base64,${bytes}`}),
      note("Mollweide projection of the whole sky; the mass in front of the sources bends their light (Born)."));
}

function shellTable(shells) {
  return panel(
      "Shells",
      table(
          [
            ["shell", "n"], ["*z* from", "n"], ["to", "n"], ["distance (Mpc/*h*)", "n"], ["particles", "n"],
            ["of the mean", "n"]
          ],
          shells.map(
              (shell) =>
                  [words(shell.shell), fixed(num(shell.z_near), 3), fixed(num(shell.z_far), 3),
                   `${fixed(num(shell.near), 0)} to ${fixed(num(shell.far), 0)}`, withCommas(num(shell.particles)),
                   fixed(num(shell.particles) / num(shell.expected), 4)])));
}

function skyPage(data) {
  const shells = list(data.shells).map(object), seen = num(data.seen_fraction), z = fixed(num(data.source_redshift), 2);
  const kappa = skyBands(data.kappa, seen);
  const drawn = drawnPlaces(shells.length)
                    .map((i) => ({
                           name: `z = ${fixed(num(shells[i].z_near), 2)} to ${fixed(num(shells[i].z_far), 2)}`,
                           bands: skyBands(shells[i], seen)
                         }));
  const shown = shells.length > 0 ?
      skySpectrumChart("Overdensity of shells", drawn, "The counts of particles relative to their mean.") :
      null;
  return [
    pageHead(
        "The sky", "light cone", words(data.title),
        `${plural(shells.length, "shell")}, maps of Nside ${words(data.nside)}, sources at z = ${z}`),
    el("main", {},
       tiles(
           tile(
               "Shells", words(shells.length),
               `${withCommas(shells.reduce((all, s) => all + num(s.particles), 0))} particles`),
           tile("Sky in view", percent(seen), "of the sphere")),
       skyPicture(data.picture),
       panels(
           skySpectrumChart(
               "Convergence", [{name: "", bands: kappa}], rich`The power of the lensing convergence of sources at
      *z* = ${z}. Bars are the scatter of a Gaussian sky.`),
           skyRatioChart(kappa), shown),
       shellTable(shells))
  ];
}
