// SPDX-License-Identifier: GPL-3.0-or-later
// The page of `multiwalk bench direct --scan`.

/** A line for each value of `by` among the rows that `wanted` admits. */
function seriesBy(rows, by, x, y, wanted) {
  const all = new Map();
  rows.filter(wanted).forEach((row) => {
    const name = words(row[by]);
    if (!all.has(name))
      all.set(name, {
        name,
        colour: seriesColours[all.size % seriesColours.length],
        x: [],
        y: [],
        mark: "both",
        dashed: all.size >= seriesColours.length
      });
    all.get(name).x.push(num(row[x]));
    all.get(name).y.push(num(row[y]));
  });
  return [...all.values()];
}

function scanChart(title, label, y, series, how) {
  return {
    title,
    about: title,
    x: chosenAxis(label, series.flatMap((one) => one.x)),
    y: {label: y, log: true},
    series,
    how
  };
}

/** A panel with a table of one figure: a row for each value of `down`, a column for each of `across`. */
function pivotPanel(title, rows, down, across, figureText) {
  const different = (key) => [...new Set(rows.map((row) => words(row[key])))];
  const heads = different(across),
        find = (line, head) => rows.find((row) => words(row[down]) === line && words(row[across]) === head);
  const head = (text) => (Number.isFinite(Number(text)) ? withCommas(Number(text)) : text);
  return panel(
      title,
      table(
          [[down, ""], ...heads.map((text) => [head(text), "n"])],
          different(down).map((line) => [line, ...heads.map((text) => figureText(object(find(line, text))))])));
}

function deviceCharts(result) {
  const rows = list(result.strategies).map(object), copies = list(result.copies).map(object),
        gflops = "Gflop/s (38 per pair)";
  const copy = (name, colour, way, memory) => ({
    name,
    colour,
    x: copies.map((row) => num(row.bytes)),
    y: copies.map((row) => 1e-9 * num(object(row[way])[memory])),
    mark: "both"
  });
  return [
    scanChart(
        "Strategies on all multiprocessors", "bodies", gflops,
        seriesBy(rows, "name", "particles", "gflops", (row) => row.one_block !== true),
        `Kernels alone. i-parallel: Nyland et al. (2007). j-parallel and the order of Chamomile: Hamada & Iitaka
       (2007). Triangle, square and large square: Kavanagh (2008). The kernel that runs use is shown for comparison.`),
    scanChart(
        "Strategies on one block", "bodies", gflops,
        seriesBy(rows, "name", "particles", "gflops", (row) => row.one_block === true),
        "As in Kavanagh's thesis: one block, and so one multiprocessor, does everything."),
    scanChart(
        "Grid and block size", "blocks of the grid", "pairs per second",
        seriesBy(list(object(result.shapes).rows).map(object), "threads", "blocks", "pairs_per_second", () => true),
        `The tiled kernel by threads of a block, as in sections 3 and 4 of Schive et al. (2008). The curves have
      steps where some multiprocessors have one block more than others.`),
    scanChart(
        "Messages", "bytes", "GB/s",
        [
          copy("to the device, page-locked", "blue", "to_device", "locked"),
          copy("to the device, pageable", "teal", "to_device", "pageable"),
          copy("to the host, page-locked", "gold", "to_host", "locked"),
          copy("to the host, pageable", "red", "to_host", "pageable")
        ],
        "A short message costs the latency of a message, whatever its length.")
  ];
}

const plain = (key, digits, unit = 1) => (row) => fixed(num(row[key]) / unit, digits);
const errorText = (row) => (Number.isFinite(num(row.error)) ? scientific(row.error) : "–");

function deviceTables(result) {
  const rows = list(result.strategies).map(object);
  return [
    pivotPanel("Gflop/s of kernels by strategy and number of bodies", rows, "name", "particles", plain("gflops", 0)),
    pivotPanel("Share of the best strategy's speed", rows, "name", "particles", plain("of_best", 3)),
    pivotPanel("Largest relative error of the acceleration", rows, "name", "particles", errorText),
    pivotPanel(
        "Gpairs/s of the tiled kernel by threads of a block and blocks of the grid",
        list(object(result.shapes).rows).map(object), "threads", "blocks", plain("pairs_per_second", 1, 1e9))
  ];
}

/** The scalar loop, and the others on all threads. */
function cpuCharts(rows) {
  const threads = Math.max(1, ...rows.map((row) => num(row.threads) || 1));
  const most = Math.max(
      0, ...rows.filter((row) => row.loop === "SIMD" && row.measured === true).map((row) => num(row.particles)));
  const charts = [scanChart(
      "Loops and accumulations", "bodies", "Gflop/s (38 per pair)",
      seriesBy(rows, "name", "particles", "gflops", (row) => row.loop === "scalar" || row.threads === threads),
      "The scalar loop is in double precision on one thread, the others are on all threads.")];
  if (threads > 1) {
    charts.push(scanChart(
        "Threads", "threads", "Gflop/s (38 per pair)",
        seriesBy(rows, "accumulation", "threads", "gflops", (row) => row.loop === "SIMD" && row.particles === most),
        "SIMD loops on the largest number of bodies that was measured."));
  }
  return charts;
}

function cpuTables(rows) {
  return [
    pivotPanel(
        "Gflop/s by loop, threads, accumulation and number of bodies", rows, "name", "particles", plain("gflops", 2)),
    pivotPanel("Speed relative to the scalar loop", rows, "name", "particles", plain("of_scalar", 1)),
    pivotPanel("Largest relative error of the acceleration", rows, "name", "particles", errorText)
  ];
}

function directScanPage(result) {
  const rows = list(result.cpu).map(object);
  return [
    pageHead(
        "What limits the speed of direct summation", "direct", words(result.machine),
        `Plummer spheres, ε² = ${Number(num(result.softening2).toPrecision(3))},
      ${words(result.operations_per_pair)} operations per pair.`),
    el("main", {}, result.strategies === undefined ? null : [panels(...deviceCharts(result)), deviceTables(result)],
       rows.length === 0 ? null : [panels(...cpuCharts(rows)), cpuTables(rows)])
  ];
}
