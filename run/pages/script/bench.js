// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of `multiwalk bench strategies`, `bench direct --scan` and `bench ring`.

const seriesColours = ["blue", "gold", "teal", "red", "purple", "olive", "sky", "brown", "grey", "ink"];

/** An axis of numbers that were chosen, such as 64, 128, 256: these are its ticks. */
function chosenAxis(label, values, log = true) {
  const chosen = [...new Set(values)].sort((a, b) => a - b);
  const axisOf = { label, log, hover: (value) => `${withCommas(value)} ${label}` };
  if (chosen.length <= 12) axisOf.ticks = () => chosen.map((value) => ({ value, label: withCommas(value) }));
  return axisOf;
}

function errorCells(row) {
  const error = object(row.error), [low, high] = interval(error, "p99_interval");
  const tail = Number.isFinite(num(error.p99)) ? `${scientific(num(error.p99))} (${scientific(low)} to ${scientific(high)})` : "–";
  return [scientific(num(error.median)), tail, scientific(num(error.max))];
}

const strategyWords = {
  "i-parallel": "one walk per launch, one GPU thread per target (Nyland et al. 2007)",
  "j-parallel": "one walk per launch, its sources split over blocks, sums added (Hamada & Iitaka 2007)",
  "multi-walk": "many walks per launch, one block per walk (Hamada et al. 2009)",
  CPU: "each thread evaluates the walks it made with its SIMD units",
};

function strategyPanel(comparison, problem, title, colour) {
  const rows = list(comparison.strategies).map(object).filter((row) => row.problem === problem);
  const fastest = Math.max(...rows.map((row) => num(row.gflops) || 0));
  return panel(title, table([["strategy", ""], ["Gflops", "n"], ["", "wide"], ["seconds", "n"], ["group", "n"], ["list", "n"], ["error, median", "n"],
    ["99% (95% interval)", "n"], ["largest", "n"]], rows.map((row) => (row.measured === true
    ? [words(row.strategy), scientific(num(row.gflops)), bar(num(row.gflops) / fastest, colour), duration(num(row.seconds)),
      withCommas(num(row.mean_group)), withCommas(num(row.list)), ...errorCells(row)]
    : [words(row.strategy), "–", `no device: ${words(row.why)}`, "", "", "", "", "", ""]))));
}

function scanSeconds(rows, title, label, how) {
  const x = rows.map((row) => num(row.value));
  const line = (name, colour, key) => ({ name, colour, x, y: rows.map((row) => num(row[key])), mark: "both" });
  return { title, about: title, x: chosenAxis(label, x), y: { label: "seconds", log: true, hover: duration },
    series: [line("in all", "red", "seconds"), line("walking", "blue", "walking"), line("evaluating", "teal", "evaluating")], how };
}

function scanOverlap(rows, title, label) {
  const x = rows.map((row) => num(row.value));
  const line = (name, colour, key) => ({ name, colour, x, y: rows.map((row) => num(row[key])), mark: "both" });
  return { title, about: title, x: chosenAxis(label, x), y: { label: "share", fromZero: true, hover: percent },
    series: [line("walking hidden behind the device", "blue", "hidden_walking"), line("device busy", "red", "device_busy")],
    how: "How much of the walking went on while the device computed, and for which part of the whole time it did." };
}

function scanError(rows, label) {
  const x = rows.map((row) => num(row.value)), errors = rows.map((row) => object(row.error));
  const line = (name, colour, key) => {
    const ends = errors.map((error) => interval(error, `${key}_interval`));
    return { name, colour, x, y: errors.map((error) => num(error[key])), low: ends.map(([low]) => low), high: ends.map(([, high]) => high), mark: "both" };
  };
  return { title: "Force error by group size", about: "Force error by group size", x: chosenAxis(label, x), y: { label: "relative force error", log: true },
    series: [line("median", "teal", "median"), line("99%", "gold", "p99"), ...(knowsTail(errors) ? [] : [line("largest", "purple", "max")])],
    how: rich`Larger groups have longer lists, at equal θ more exact ones. Bars are intervals of 95% confidence.` };
}

function scanTable(scan, title, what, overlaps) {
  const rows = list(scan.rows).map(object), share = (value) => (overlaps ? percent(num(value)) : "–");
  return panel(title, table([[what, "n"], ["seconds", "n"], ["walking", "n"], ["evaluating", "n"], ["device", "n"], ["hidden", "n"], ["group", "n"],
    ["list", "n"], ["error, median", "n"], ["99% (95% interval)", "n"], ["largest", "n"]], rows.map((row, i) => [
    `${withCommas(num(row.value))}${i === scan.fastest ? " ← fastest" : ""}`, duration(num(row.seconds)), duration(num(row.walking)), duration(num(row.evaluating)),
    share(row.device_busy), share(row.hidden_walking), withCommas(num(row.mean_group)), withCommas(num(row.list)), ...errorCells(row)])));
}

function scanParts(scans) {
  const sizes = object(scans.group_size), threads = object(scans.threads), overlaps = scans.overlaps === true;
  const sizeRows = list(sizes.rows).map(object), threadRows = list(threads.rows).map(object), parts = [];
  if (sizeRows.length > 0) {
    const label = "particles in a group at most";
    parts.push(section("How large should a group be?", "The most particles that share a walk.", panels(
      scanSeconds(sizeRows, "Time by group size", label, `Small groups mean many walks, large ones long lists: the optimum lies where
        the two balance on this machine. The rest is sort, tree and idle threads.`),
      overlaps ? scanOverlap(sizeRows, "Overlap by group size", label) : null, scanError(sizeRows, label)), scanTable(sizes, "In numbers", "at most", overlaps)));
  }
  if (threadRows.length > 0) {
    const label = "walking threads";
    parts.push(section("How many threads should walk?", null, panels(
      scanSeconds(threadRows, "Time by walking threads", label, "More threads walk faster, until a device is full or the cores are."),
      overlaps ? scanOverlap(threadRows, "Overlap by walking threads", label) : null), scanTable(threads, "In numbers", "threads", overlaps)));
  }
  return parts;
}

function strategiesPage(comparison) {
  const scans = object(comparison.scans), count = (problem) => withCommas(num(object(list(comparison.strategies).map(object)
    .find((row) => row.problem === problem)).particles));
  return [
    pageHead("Four ways to evaluate gravity", "strategies", words(comparison.machine), `Plummer sphere, softening ${words(comparison.softening)}. ` +
      "Figure 1 of Hamada et al. (2009)."),
    el("main", {}, section("Speed", rich`Gflops count 38 operations per pair. Direct summation gives every strategy as many targets as it can
      share out. In a tree a walk has a few hundred targets and a few thousand sources: one walk cannot fill a GPU, many walks can.`,
    strategyPanel(comparison, "direct", `Direct summation, ${count("direct")} particles`, "red"),
    strategyPanel(comparison, "tree", `Tree, ${count("tree")} particles, θ = ${words(comparison.theta)}, ${words(comparison.multipole)}, ${words(comparison.mac)}`, "blue"),
    el("div", { class: "panel" }, el("dl", {}, Object.entries(strategyWords).map(([name, how]) => [el("dt", {}, name), el("dd", {}, how)])),
      note("Seconds: all forces, from host memory to host memory; direct summation without the sort and the tree. Group: mean number of " +
        "targets of a walk; list: sources per target. Errors are relative to direct summation in double precision."))),
    comparison.scans === null ? null : section("Tree walks", [`Scans of ${withCommas(num(scans.particles))} particles on ${words(scans.description)}.`], scanParts(scans)))];
}

/** A line for each value of `by` among the rows that `wanted` admits. */
function seriesBy(rows, by, x, y, wanted) {
  const all = new Map();
  rows.filter(wanted).forEach((row) => {
    const name = words(row[by]);
    if (!all.has(name)) all.set(name, { name, colour: seriesColours[all.size % seriesColours.length], x: [], y: [], mark: "both",
      dashed: all.size >= seriesColours.length });
    all.get(name).x.push(num(row[x]));
    all.get(name).y.push(num(row[y]));
  });
  return [...all.values()];
}

function scanChart(title, label, y, series, how) {
  return { title, about: title, x: chosenAxis(label, series.flatMap((one) => one.x)), y: { label: y, log: true }, series, how };
}

/** A panel with a table of one figure: a row for each value of `down`, a column for each of `across`. */
function pivotPanel(title, rows, down, across, figureText) {
  const different = (key) => [...new Set(rows.map((row) => words(row[key])))];
  const heads = different(across), find = (line, head) => rows.find((row) => words(row[down]) === line && words(row[across]) === head);
  const head = (text) => (Number.isFinite(Number(text)) ? withCommas(Number(text)) : text);
  return panel(title, table([[down, ""], ...heads.map((text) => [head(text), "n"])],
    different(down).map((line) => [line, ...heads.map((text) => figureText(object(find(line, text))))])));
}

function deviceCharts(result) {
  const rows = list(result.strategies).map(object), copies = list(result.copies).map(object), gflops = "Gflop/s (38 per pair)";
  const copy = (name, colour, way, memory) => ({ name, colour, x: copies.map((row) => num(row.bytes)),
    y: copies.map((row) => 1e-9 * num(object(row[way])[memory])), mark: "both" });
  return [
    scanChart("Strategies on all multiprocessors", "bodies", gflops, seriesBy(rows, "name", "particles", "gflops", (row) => row.one_block !== true),
      `Kernels alone. i-parallel: Nyland et al. (2007). j-parallel and the order of Chamomile: Hamada & Iitaka (2007). Triangle, square and
       large square: Kavanagh (2008). What runs use is given for comparison.`),
    scanChart("Strategies on one block", "bodies", gflops, seriesBy(rows, "name", "particles", "gflops", (row) => row.one_block === true),
      "As in Kavanagh's thesis: one block, and so one multiprocessor, does everything."),
    scanChart("Grid and block size", "blocks of the grid", "pairs per second", seriesBy(list(object(result.shapes).rows).map(object), "threads", "blocks",
      "pairs_per_second", () => true), `The tiled kernel by threads of a block, as in sections 3 and 4 of Schive et al. (2008). Steps are where
      some multiprocessors have one block more than others.`),
    scanChart("Messages", "bytes", "GB/s", [copy("to the device, page-locked", "blue", "to_device", "locked"), copy("to the device, pageable", "teal", "to_device", "pageable"),
      copy("to the host, page-locked", "gold", "to_host", "locked"), copy("to the host, pageable", "red", "to_host", "pageable")],
    "Short messages cost the time that each begins with, whatever their length.")];
}

const plain = (key, digits, unit = 1) => (row) => (Number.isFinite(num(row[key])) ? (row[key] / unit).toFixed(digits) : "–");
const errorText = (row) => (Number.isFinite(num(row.error)) ? scientific(row.error) : "–");

function deviceTables(result) {
  const rows = list(result.strategies).map(object);
  return [pivotPanel("Gflop/s of kernels by strategy and number of bodies", rows, "name", "particles", plain("gflops", 0)),
    pivotPanel("Share of the best strategy's speed", rows, "name", "particles", plain("of_best", 3)),
    pivotPanel("Largest relative error of the acceleration", rows, "name", "particles", errorText),
    pivotPanel("Gpairs/s of the tiled kernel by threads of a block and blocks of the grid", list(object(result.shapes).rows).map(object), "threads", "blocks",
      plain("pairs_per_second", 1, 1e9))];
}

/** The scalar loop, and the others on all threads. */
function cpuCharts(rows) {
  const threads = Math.max(1, ...rows.map((row) => num(row.threads) || 1));
  const most = Math.max(0, ...rows.filter((row) => row.loop === "SIMD" && row.measured === true).map((row) => num(row.particles)));
  const charts = [scanChart("Loops and accumulations", "bodies", "Gflop/s (38 per pair)", seriesBy(rows, "name", "particles", "gflops",
    (row) => row.loop === "scalar" || row.threads === threads), "The scalar loop is in double precision on one thread, the others are on all threads.")];
  if (threads > 1) {
    charts.push(scanChart("Threads", "threads", "Gflop/s (38 per pair)", seriesBy(rows, "accumulation", "threads", "gflops",
      (row) => row.loop === "SIMD" && row.particles === most), "SIMD loops on the largest number of bodies that was measured."));
  }
  return charts;
}

function cpuTables(rows) {
  return [pivotPanel("Gflop/s by loop, threads, accumulation and number of bodies", rows, "name", "particles", plain("gflops", 2)),
    pivotPanel("Times the speed of the scalar loop", rows, "name", "particles", plain("of_scalar", 1)),
    pivotPanel("Largest relative error of the acceleration", rows, "name", "particles", errorText)];
}

function directScanPage(result) {
  const rows = list(result.cpu).map(object);
  return [
    pageHead("What limits the speed of direct summation", "direct", words(result.machine), `Plummer spheres, ε² = ${Number(num(result.softening2).toPrecision(3))},
      ${words(result.operations_per_pair)} operations per pair.`),
    el("main", {}, result.strategies === undefined ? null : [deviceCharts(result).map(chartPanel), deviceTables(result)],
      rows.length === 0 ? null : [cpuCharts(rows).map(chartPanel), cpuTables(rows)])];
}

/** Measured points and a dashed prediction for each number of ranks. */
function ringSeries(result, figure) {
  const rows = list(result.rows).map(object), counts = [...new Set(rows.map((row) => num(row.ranks)))];
  return counts.flatMap((ranks, i) => {
    const own = rows.filter((row) => num(row.ranks) === ranks), x = own.map((row) => num(row.particles));
    const colour = seriesColours[i % seriesColours.length], y = (kind) => own.map((row) => num(object(row[figure])[kind]));
    return [{ name: plural(ranks, "rank"), colour, x, y: y("measured"), mark: "points" },
      { name: `${plural(ranks, "rank")}, predicted`, colour, x, y: y("predicted"), dashed: true }];
  });
}

function ringCharts(result) {
  const bodies = list(result.rows).map((row) => num(object(row).particles)), sums = list(object(result.model).sums).map(object);
  return [{
    title: "Time of a step", about: "Seconds of a step against the number of bodies", x: chosenAxis("bodies", bodies),
    y: { label: "seconds per step", log: true, hover: duration }, series: ringSeries(result, "seconds"),
    how: rich`Points: Hermite steps of all bodies, the fastest of several. Dashed: predicted from the parts measured alone, as in
      section 5 of Schive et al. (2008): *t*_{host}, *t*_{pair} with its efficiency for few bodies, *t*_{pcie} and *t*_{net}.`,
  }, {
    title: "Efficiency of the ring", about: "Parallel efficiency against the number of bodies", x: chosenAxis("bodies", bodies),
    y: { label: "*T*(1) / (*P* *T*(*P*))", fromZero: true }, series: ringSeries(result, "efficiency"),
    how: rich`One means that *P* ranks take a *P*-th of one rank's time.`,
  }, {
    title: "Efficiency of a summation", about: "Efficiency of one summation against its bodies", x: chosenAxis("bodies", sums.map((row) => num(row.bodies))),
    y: { label: "*t*_{pair} *n*^{2} / *S*(*n*)", fromZero: true },
    series: [{ name: "", colour: "red", x: sums.map((row) => num(row.bodies)), y: sums.map((row) => num(row.efficiency)), mark: "both" }],
    how: rich`How close a summation of *n* bodies over as many comes to the speed of the largest one: few bodies do not fill a device or
      the threads.`,
  }];
}

function ringPage(result) {
  const model = object(result.model), part = (name, key, what) => tile(name, `${scientific(num(model[key]))} s`, what);
  const rows = list(result.rows).map(object);
  return [
    pageHead("Direct summation on a ring of ranks", "ring", words(result.machine)),
    el("main", {}, tiles(part("Host", "t_host", "per body: prediction and correction"), part("Pair", "t_pair", "of the largest summation"),
      part("Copies", "t_pcie", "per body, to and from a device"), part("Network", "t_net", "per body, to the next rank"), part("Latency", "t_latency", "per message")),
    ringCharts(result).map(chartPanel),
    panel("In numbers", table([["ranks", "n"], ["bodies", "n"], ["step", "n"], ["mean", "n"], ["waiting", "n"], ["predicted", "n"], ["ratio", "n"], ["efficiency", "n"], ["predicted", "n"]],
      rows.map((row) => {
        const seconds = object(row.seconds), efficiency = object(row.efficiency), fixed = (value) => (Number.isFinite(num(value)) ? value.toFixed(2) : "–");
        return [words(row.ranks), withCommas(num(row.particles)), ...["measured", "mean", "waiting", "predicted"].map((key) => duration(num(seconds[key]))),
          fixed(num(seconds.predicted) / num(seconds.measured)), fixed(efficiency.measured), fixed(efficiency.predicted)];
      }))))];
}
