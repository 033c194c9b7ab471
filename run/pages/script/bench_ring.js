// SPDX-License-Identifier: GPL-3.0-or-later
// The page of `multiwalk bench ring`.

/** Measured points and a dashed prediction for each number of ranks. */
function ringSeries(result, figure) {
  const rows = list(result.rows).map(object), counts = [...new Set(rows.map((row) => num(row.ranks)))];
  return counts.flatMap((ranks, i) => {
    const own = rows.filter((row) => num(row.ranks) === ranks), x = own.map((row) => num(row.particles));
    const colour = seriesColours[i % seriesColours.length],
          y = (kind) => own.map((row) => num(object(row[figure])[kind]));
    return [
      {name: plural(ranks, "rank"), colour, x, y: y("measured"), mark: "points"},
      {name: `${plural(ranks, "rank")}, predicted`, colour, x, y: y("predicted"), dashed: true}
    ];
  });
}

function ringCharts(result) {
  const bodies = list(result.rows).map((row) => num(object(row).particles)),
        sums = list(object(result.model).sums).map(object);
  return [
    {
      title: "Time of a step",
      about: "Seconds of a step against the number of bodies",
      x: chosenAxis("bodies", bodies),
      y: {label: "seconds per step", log: true, hover: duration},
      series: ringSeries(result, "seconds"),
      how: rich`Points: Hermite steps of all bodies, the fastest of several. Dashed: predicted from the parts measured
      alone, as in section 5 of Schive et al. (2008): *t*_{host}, *t*_{pair} with its efficiency for few bodies,
      *t*_{pcie} and *t*_{net}.`,
    },
    {
      title: "Efficiency of the ring",
      about: "Parallel efficiency against the number of bodies",
      x: chosenAxis("bodies", bodies),
      y: {label: "*T*(1) / (*P* *T*(*P*))", fromZero: true},
      series: ringSeries(result, "efficiency"),
      how: rich`A value of one means that *P* ranks take a *P*-th of the time of one rank.`,
    },
    {
      title: "Efficiency of a summation",
      about: "Efficiency of one summation against its bodies",
      x: chosenAxis("bodies", sums.map((row) => num(row.bodies))),
      y: {label: "*t*_{pair} *n*^{2} / *S*(*n*)", fromZero: true},
      series: [{
        name: "",
        colour: "red",
        x: sums.map((row) => num(row.bodies)),
        y: sums.map((row) => num(row.efficiency)),
        mark: "both"
      }],
      how: rich`The speed of a summation of *n* bodies over *n* bodies, relative to the largest one: few bodies do
      not fill a device or the threads.`,
    }
  ];
}

function ringPage(result) {
  const model = object(result.model), part = (name, key, what) => tile(name, `${scientific(num(model[key]))} s`, what);
  const rows = list(result.rows).map(object);
  return [
    pageHead("Direct summation on a ring of ranks", "ring", words(result.machine)),
    el("main", {},
       tiles(
           part("Host", "t_host", "per body: prediction and correction"),
           part("Pair", "t_pair", "of the largest summation"),
           part("Copies", "t_pcie", "per body, to and from a device"),
           part("Network", "t_net", "per body, to the next rank"), part("Latency", "t_latency", "per message")),
       panels(...ringCharts(result)),
       panel(
           "In numbers",
           table(
               [
                 ["ranks", "n"], ["bodies", "n"], ["step", "n"], ["mean", "n"], ["waiting", "n"], ["predicted", "n"],
                 ["ratio", "n"], ["efficiency", "n"], ["predicted", "n"]
               ],
               rows.map((row) => {
                 const seconds = object(row.seconds), efficiency = object(row.efficiency);
                 return [
                   words(row.ranks), withCommas(num(row.particles)),
                   ...["measured", "mean", "waiting", "predicted"].map((key) => duration(num(seconds[key]))),
                   fixed(num(seconds.predicted) / num(seconds.measured), 2), fixed(num(efficiency.measured), 2),
                   fixed(num(efficiency.predicted), 2)
                 ];
               }))))
  ];
}
