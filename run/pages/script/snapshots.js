// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of `multiwalk power`, `halos` and `profile`.

function powerTable(power) {
  let next = 0;
  const bins = list(power.bins).map(object).filter((bin) => {
    if (!(num(bin.k) >= next)) return false;
    next = 1.15 * bin.k;
    return true;
  });
  return panel(
      "The spectrum in numbers",
      table(
          [
            ["*k* (*h*/Mpc)", "n"], ["*P* (Mpc/*h*)^{3}", "n"], ["scatter", "n"], ["linear *P*", "n"], ["modes", "n"],
            ["fold", "n"]
          ],
          bins.map(
              (bin) =>
                  [scientific(num(bin.k)), scientific(num(bin.power)), scientific(num(bin.sigma)),
                   scientific(num(bin.linear)), withCommas(num(bin.modes)), words(bin.fold)])),
      note("The files of --json and --csv have every bin."));
}

function powerPage(power) {
  const epochOf = Number.isFinite(num(power.redshift)) ? ` at z = ${fixed(Math.max(0, num(power.redshift)), 2)}` : "";
  const mesh = `mesh of ${withCommas(num(power.mesh))}³ cells, ${words(power.assignment)}${
      power.interlacing === true ? ", interlaced" : ""}`;
  return [
    pageHead(
        "Clustering by scale", "power spectrum", words(power.snapshot),
        [`${withCommas(num(power.particles))} particles${epochOf}, box of ${words(power.box_size)} Mpc/h; ${mesh}, ${
            plural(num(power.folds), "fold")}`]),
    el("main", {},
       tiles(
           tile(
               "Shot noise", [scientific(num(power.shot_noise)), el("small", {}, " (Mpc/h)³")],
               power.shot_noise_subtracted === true ? "subtracted" : "not subtracted"),
           tile(
               "Nyquist wavenumber", [scientific(num(power.nyquist)), el("small", {}, " h/Mpc")],
               "of the unfolded mesh")),
       panels(...spectrumCharts([{name: "measured", power}])), powerTable(power))
  ];
}

function haloTable(rows, fromCentre) {
  const found = list(rows).map(object);
  if (found.length === 0) return null;
  const columns = [
    ["halo", "n"], ["particles", "n"], ["mass (*M*_{☉}/*h*)", "n"], ["*M*_{200c}", "n"], ["*r*_{200c} (Mpc/*h*)", "n"],
    ["*v*_{max} (km/s)", "n"], ["*c*_{200}", "n"], ["spin", "n"],
    [`*x*, *y*, *z* ${fromCentre ? "from the centre " : ""}(Mpc/*h*)`, "n"]
  ];
  return panel(
      "The most massive halos",
      table(
          columns,
          found.map(
              (halo, i) =>
                  [String(i), withCommas(num(halo.particles)), scientific(num(halo.mass)),
                   scientific(num(halo.mass_200c)), fixed(num(halo.radius_200c), 3), fixed(num(halo.v_max), 1),
                   fixed(num(halo.concentration), 2), fixed(num(halo.spin), 3),
                   list(halo.centre).map((x) => fixed(num(x), 3)).join(", ")])));
}

function halosPage(data) {
  const share = num(data.members) / num(data.particles);
  return [
    pageHead(
        "Halos", "halos", words(data.snapshot),
        `Friends-of-friends groups of at least ${plural(num(data.min_particles), "particle")}, linked by
      ${words(data.linking)} of the mean spacing`),
    el("main", {},
       tiles(
           tile("Halos", withCommas(num(data.halos)), "friends-of-friends groups"),
           tile(
               "Particles in halos", percent(share),
               `${withCommas(num(data.members))} of ${withCommas(num(data.particles))}`)),
       haloTable(data.first, data.from_centre === true), massFunctionPanels(data.mass_functions))
  ];
}

function profileCharts(data) {
  const rows = list(data.bins).map(object), of = (key) => rows.map((row) => num(row[key]));
  const middle = rows.map((row) => Math.sqrt(num(row.r_low) * num(row.r_high))), density = of("density");
  const error = rows.map((row, i) => density[i] / Math.sqrt(Math.max(num(row.count), 1)));
  const radius = {label: "*r* (comoving Mpc/*h*)", log: true, hover: (r) => `r = ${scientific(r)} Mpc/h`};
  return [
    {
      title: "Density",
      about: "Density by radius",
      x: radius,
      y: {label: "density in *M*_{☉}/*h* / (Mpc/*h*)^{3}", log: true},
      series: [{name: "", colour: "blue", x: middle, y: density, ...bars(density, error), mark: "both"}],
      how: rich`Mean comoving density of spherical shells, all particles counted; bars are Poisson errors.`,
    },
    {
      title: "Circular velocity",
      about: "Circular velocity by radius",
      x: radius,
      y: {label: "km/s", fromZero: true},
      series: [{name: "", colour: "red", x: of("r_high"), y: of("v_circ"), mark: "both"}],
      how: rich`The square root of *G* *M* / *r*, where *M* is all the mass within *r*.`,
    }
  ];
}

function profileTable(data) {
  return panel(
      "The profile in numbers",
      table(
          [
            ["*r* from", "n"], ["to (Mpc/*h*)", "n"], ["particles", "n"], ["density", "n"],
            ["mass within (*M*_{☉}/*h*)", "n"], ["*v*_{circ} (km/s)", "n"]
          ],
          list(data.bins).map(object).map(
              (row) =>
                  [scientific(num(row.r_low)), scientific(num(row.r_high)), withCommas(num(row.count)),
                   scientific(num(row.density)), scientific(num(row.enclosed)), fixed(num(row.v_circ), 1)])));
}

function profilePage(data) {
  const centre = list(data.centre).map((x) => fixed(num(x), 3)).join(", ");
  return [
    pageHead(`Halo ${words(data.halo)}`, "profile", words(data.snapshot), `centre at ${centre} Mpc/h`),
    el("main", {}, panels(...profileCharts(data)), profileTable(data))
  ];
}
