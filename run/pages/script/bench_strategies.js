// SPDX-License-Identifier: GPL-3.0-or-later
// The page of `multiwalk bench strategies`.

function errorCells(row) {
  const error = object(row.error), known = Number.isFinite(num(error.p99));
  const within = (key) => {
    const [low, high] = interval(error, key);
    return Number.isFinite(low) ? ` (${scientific(low)} to ${scientific(high)})` : "";
  };
  return [
    scientific(num(error.median)) + (known ? "" : within("median_interval")),
    scientific(num(error.p99)) + within("p99_interval"), scientific(num(error.max))
  ];
}

const strategyWords = {
  "i-parallel": "one walk per launch, one GPU thread per target (Nyland et al. 2007)",
  "j-parallel": "one walk per launch, its sources split over blocks, sums added (Hamada & Iitaka 2007)",
  "multi-walk": "many walks per launch, one block per walk (Hamada et al. 2009)",
  "device walks": "multi-walk, walks made by the device",
  CPU: "each thread evaluates its own walks on its SIMD units",
};

function strategyPanel(comparison, problem, title, colour) {
  const rows = list(comparison.strategies).map(object).filter((row) => row.problem === problem);
  const fastest = Math.max(...rows.map((row) => num(row.gflops) || 0));
  return panel(
      title,
      table(
          [
            ["strategy", ""], ["Gflops", "n"], ["", "wide"], ["seconds", "n"], ["group", "n"], ["list", "n"],
            ["error, median", "n"], ["99% (95% interval)", "n"], ["largest", "n"]
          ],
          rows.map(
              (row) =>
                  (row.measured === true ?
                       [
                         words(row.strategy), scientific(num(row.gflops)), bar(num(row.gflops) / fastest, colour),
                         duration(num(row.seconds)), withCommas(num(row.mean_group)), withCommas(num(row.list)),
                         ...errorCells(row)
                       ] :
                       [words(row.strategy), "–", `no device: ${words(row.why)}`, "", "", "", "", "", ""]))));
}

function scanSeconds(rows, title, label, how) {
  const x = rows.map((row) => num(row.value));
  const line = (name, colour, key) => ({name, colour, x, y: rows.map((row) => num(row[key])), mark: "both"});
  return {
    title,
    about: title,
    x: chosenAxis(label, x),
    y: {label: "seconds", log: true, hover: duration},
    series: [
      line("in all", "red", "seconds"), line("walking", "blue", "walking"), line("evaluating", "teal", "evaluating")
    ],
    how
  };
}

function scanOverlap(rows, title, label) {
  const x = rows.map((row) => num(row.value));
  const line = (name, colour, key) => ({name, colour, x, y: rows.map((row) => num(row[key])), mark: "both"});
  return {
    title,
    about: title,
    x: chosenAxis(label, x),
    y: {label: "share", fromZero: true, hover: percent},
    series:
        [line("walking hidden behind the device", "blue", "hidden_walking"), line("device busy", "red", "device_busy")],
    how:
        "The share of the walking that went on while the device computed, and the share of the time for which it computed."
  };
}

/** Who should walk? Both paths on one axis. */
function whoWalks(hostRows, deviceWalks) {
  const rowsOf = (scan) => list(object(scan).rows).map(object);
  const paths = [
    ["walks by the host", "blue", hostRows], ["walks by the device", "red", rowsOf(deviceWalks.threads)],
    ["walks by the device, particles stay there", "teal", rowsOf(deviceWalks.threads_resident)]
  ].filter(([, , rows]) => rows.length > 0);
  const x = hostRows.map((row) => num(row.value));
  const speed = (rows, value) => num(object(rows.find((row) => num(row.value) === value)).particles_per_second);
  return {
    title: "Who should walk?",
    about: "Particles per second by host threads, for walks made by the host and by the device",
    x: chosenAxis("host threads", x),
    y: {label: "particles/s", log: true, hover: scientific},
    series:
        paths.map(([name, colour, rows]) => ({name, colour, x, y: x.map((value) => speed(rows, value)), mark: "both"})),
    how: rich`The question of Hamada et al. (2009). Times are from host memory to host memory, unless particles stay on
      the device; then their forces stay there, too.`
  };
}

function scanError(rows, label) {
  const x = rows.map((row) => num(row.value)), errors = rows.map((row) => object(row.error));
  const line = (name, colour, key) => {
    const ends = errors.map((error) => interval(error, `${key}_interval`));
    return {
      name,
      colour,
      x,
      y: errors.map((error) => num(error[key])),
      low: ends.map(([low]) => low),
      high: ends.map(([, high]) => high),
      mark: "both"
    };
  };
  return {
    title: "Force error by group size",
    about: "Force error by group size",
    x: chosenAxis(label, x),
    y: {label: "relative force error", log: true},
    series: [
      line("median", "teal", "median"), line("99%", "gold", "p99"),
      ...(knowsTail(errors) ? [] : [line("largest", "purple", "max")])
    ],
    how: rich`At equal θ larger groups have longer lists and smaller errors. Bars are intervals of 95% confidence.`
  };
}

function scanTable(scan, title, what, overlaps) {
  const rows = list(scan.rows).map(object), share = (value) => (overlaps ? percent(num(value)) : "–");
  return panel(
      title,
      table(
          [
            [what, "n"], ["seconds", "n"], ["walking", "n"], ["evaluating", "n"], ["device", "n"], ["hidden", "n"],
            ["group", "n"], ["list", "n"], ["error, median", "n"], ["99% (95% interval)", "n"], ["largest", "n"]
          ],
          rows.map(
              (row, i) =>
                  [withCommas(num(row.value)) + (i === scan.fastest ? " ← fastest" : ""), duration(num(row.seconds)),
                   duration(num(row.walking)), duration(num(row.evaluating)), share(row.device_busy),
                   share(row.hidden_walking), withCommas(num(row.mean_group)), withCommas(num(row.list)),
                   ...errorCells(row)])));
}

function deviceWalkTables(deviceWalks) {
  const tables = [
    [deviceWalks.threads, "In numbers: walks by the device, from host memory to host memory"],
    [deviceWalks.threads_resident, "In numbers: walks by the device, particles stay there"]
  ];
  if (deviceWalks.measured === false)
    return [panel("Walks by the device", note(`Not measured: ${words(deviceWalks.why)}`))];
  return tables.map(([scan, title]) => [object(scan), title])
      .filter(([scan]) => list(scan.rows).length > 0)
      .map(([scan, title]) => scanTable(scan, title, "threads", true));
}

function scanParts(scans) {
  const sizes = object(scans.group_size), threads = object(scans.threads), overlaps = scans.overlaps === true;
  const sizeRows = list(sizes.rows).map(object), threadRows = list(threads.rows).map(object), parts = [];
  const deviceWalks = object(scans.device_walks);
  if (sizeRows.length > 0) {
    const label = "most particles in a group";
    parts.push(section(
        "How large should a group be?", "The size is the largest number of particles that share a walk.",
        panels(
            scanSeconds(
                sizeRows, "Time by group size", label,
                `Small groups mean many walks, large ones long lists: the optimum is where
        the two balance on this machine. The rest of the time is sort, tree and idle threads.`),
            overlaps ? scanOverlap(sizeRows, "Overlap by group size", label) : null, scanError(sizeRows, label)),
        scanTable(sizes, "In numbers", "at most", overlaps)));
  }
  if (threadRows.length > 0) {
    const label = "walking threads";
    parts.push(section(
        "How many threads should walk, or should the device?", null,
        panels(
            scanSeconds(
                threadRows, "Time by walking threads", label,
                "More threads walk faster, until the device or the cores are busy all the time."),
            overlaps ? scanOverlap(threadRows, "Overlap by walking threads", label) : null,
            list(object(deviceWalks.threads).rows).length > 0 ? whoWalks(threadRows, deviceWalks) : null),
        scanTable(threads, "In numbers", "threads", overlaps), ...deviceWalkTables(deviceWalks)));
  }
  return parts;
}

function strategySpeeds(comparison) {
  const {theta, multipole, mac} = comparison, rows = list(comparison.strategies).map(object);
  const count = (problem) => withCommas(num(object(rows.find((row) => row.problem === problem)).particles));
  const details = [
    mac === "relative" && Number.isFinite(num(comparison.alpha)) ? `α = ${words(comparison.alpha)}` : "",
    multipole === "quadrupole" && num(comparison.expansion) > 0 ? `expansions of order ${comparison.expansion}` : ""
  ].filter((text) => text !== "");
  const how = Object.entries(strategyWords).map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]);
  return section(
      "Speed",
      rich`Gflops count 38 operations per pair. In direct summation every strategy has as many targets as it can
      distribute. In a tree a walk has a few hundred targets and a few thousand sources: one walk cannot fill a GPU, many
      walks can.`,
      strategyPanel(comparison, "direct", `Direct summation, ${count("direct")} particles`, "red"),
      strategyPanel(
          comparison, "tree",
          `Tree, ${count("tree")} particles, θ = ${words(theta)}, ${
                  [words(multipole), words(mac), ...details].join(", ")}`,
          "blue"),
      el("div", {class: "panel"}, el("dl", {}, how), note(`Seconds: all forces, from host memory to host memory; direct
        summation without the sort and the tree. Group: mean number of targets of a walk; list: sources per target.
        Errors are relative to direct summation in double precision.`)));
}

function strategiesPage(comparison) {
  const scans = object(comparison.scans);
  const scanned = `Scans of ${withCommas(num(scans.particles))} particles on ${words(scans.description)}.`;
  return [
    pageHead(
        "Ways to evaluate gravity", "strategies", words(comparison.machine),
        `Plummer sphere, softening ${words(comparison.softening)}. Figure 1 of Hamada et al. (2009).`),
    el("main", {}, strategySpeeds(comparison),
       comparison.scans === null ? null : section("Tree walks", scanned, scanParts(scans)))
  ];
}
