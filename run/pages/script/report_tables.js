// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and single figures of a run's report.

/** "23.4 Gflops" or "not counted". */
function speedText(tflops) {
  return Number.isFinite(tflops) ? withPrefix(1e12 * tflops, "flops") : "not counted";
}

/** " (LOW to HIGH, 95% interval)"; nothing where that is not known. */
function intervalNote(row, key) {
  const [low, high] = interval(row, key);
  return Number.isFinite(low) && Number.isFinite(high) ? ` (${scientific(low)} to ${scientific(high)}, 95% interval)` :
                                                         "";
}

/** The worst output, so that nothing hides behind a good one; of small samples the largest error in place of 99 %. */
function errorTile(report) {
  const errors = list(report.force_error).map(object);
  const known = errors.length > 0 && errors.every((row) => Number.isFinite(num(row.p99)));
  const key = known ? "p99" : "max", median = worst(errors, "median"), tail = worst(errors, key);
  if (median === undefined || !Number.isFinite(num(median.median)))
    return tile("Force error, median", "–", "not measured in this run");
  const who = known ? "99% of particles" : `all ${withCommas(num(tail.sample))} sampled particles`;
  const parts =
      [`${who} below ${scientific(num(tail[key]))}${known ? intervalNote(tail, "p99_interval") : ""}` +
       (tail === median ? "" : ` at ${epochText(report, tail)}`)];
  if (!known && intervalNote(median, "median_interval") !== "")
    parts.push(`median${intervalNote(median, "median_interval")}`);
  parts.push(`worst output, ${epochText(report, median)}`);
  if (hasPeculiar(report))
    parts.push(`relative to the peculiar force ${scientific(num(object(median.peculiar).median))}`);
  return tile("Force error, median", scientific(num(median.median)), parts.join("; "));
}

function energyTile(report) {
  const energy = object(report.energy);
  return tile(
      report.comoving ? "Layzer-Irvine violation" : "Energy error",
      scientific(num(energy[report.comoving ? "layzer_irvine_relative" : "relative"])),
      `largest of the run; ${scientific(num(energy.final))} at its end`);
}

/** With block steps: the saving compared with steps of all particles as short as the shortest. */
function stepsTile(report) {
  const totals = object(report.totals), particles = num(report.particles);
  const substeps = num(totals.substeps), evaluations = num(totals.evaluations), steps = withCommas(num(totals.steps));
  if (!(evaluations < substeps * particles)) return tile("Steps", steps, "all particles move together");
  return tile(
      "Blocks of steps", steps,
      `${withCommas(substeps)} substeps; ${scientific(evaluations / particles)} forces on each particle, ` +
          `mean: ${(substeps * particles / evaluations).toPrecision(2)} times fewer than if all stepped together`);
}

function machineNote(report) {
  return [plural(report.ranks, "rank"), plural(report.threads, "thread"), plural(report.devices, "GPU")].join(", ");
}

function wallTile(report) {
  const totals = object(report.totals), share = num(object(totals.measuring).share);
  return tile(
      "Wall time", duration(num(totals.wall_seconds)),
      "start to end, files and restarts included" +
          (Number.isFinite(share) ? `; measuring took ${Number((100 * share).toPrecision(2))}% of it` : ""));
}

function priceTile(report) {
  const totals = object(report.totals), price = num(totals.price_per_gflops_effective);
  const currency = words(object(object(report.parameters).cost).currency);
  if (Number.isFinite(price)) {
    return tile(
        "Cost per effective Gflops", `${scientific(price)} ${currency}`,
        `hardware of ${withCommas(num(totals.price))} ${currency}`);
  }
  return Number.isFinite(num(totals.price)) ? tile("Cost per effective Gflops", "–", "no effective count in this run") :
                                              null;
}

/** Per particle only where the program itself weighs little against them. */
function memoryTile(report) {
  const memory = object(report.memory), host = num(memory.host), each = num(memory.host_per_particle),
        device = num(memory.device_per_particle);
  if (!(host > 0)) return null;
  const many = num(report.particles) >= 1e5;
  return tile(
      "Memory at peak", withPrefix(host, "B"),
      "on the host, for the rank with the most" +
          (many ? `; ${withPrefix(each, "B")} per particle${
                      device > 0 ? `, and ${withPrefix(device, "B")} on the GPUs` : ""}` :
                                   ""));
}

function conditionsTile(report) {
  const seconds = num(object(object(report.initial_conditions).seconds).total);
  return Number.isFinite(seconds) ?
      tile("Initial conditions", duration(seconds), "to make; not part of the seconds of the steps") :
      null;
}

function checkpointTile(report) {
  const {bytes, seconds} = object(report.checkpoint);
  return Number.isFinite(num(bytes)) ?
      tile("Checkpoint", withPrefix(bytes, "B"), `written in ${duration(num(seconds))}`) :
      null;
}

/** This run compared with a published one. */
function comparisonPanel(report) {
  const then = object(object(report.comparison).figures), now = object(report.sustained);
  if (Object.keys(then).length === 0 || Object.keys(now).length === 0) return null;
  const {title, machine, currency} = report.comparison;
  const rows = [
    ["particles", "particles"], ["devices", "GPUs"], ["steps", "steps timed"], ["seconds_per_step", "seconds per step"],
    ["particles_per_second", "particles per second"], ["raw_list", "raw interactions per particle and step"],
    ["effective_list", "effective interactions per particle and step"], ["tflops_raw", "raw speed, Tflops"],
    ["tflops_effective", "effective speed, Tflops"], ["tflops_effective_per_device", "effective speed per GPU, Tflops"],
    ["price", `price, ${words(currency)}`], ["price_per_gflops_effective", `${words(currency)} per effective Gflops`],
    ["particles_per_second_per_price", `particles per second per ${words(currency)}`],
    ["joules_per_step", "joules per step, GPUs only"], ["joules_per_effective_pair", "joules per effective interaction"]
  ];
  const text = (value) => (value >= 1000 && value < 1e10 ? withCommas(value) : scientific(value));
  const ratio = (value) => (value > 0 ? scientific(value) : "–");
  return panel(
      `Compared with ${words(title)}`,
      table(
          [["", ""], [words(title), "n"], ["this run", "n"], ["this / that", "n"]],
          rows.map(
              ([key,
                what]) => [what, text(num(then[key])), text(num(now[key])), ratio(num(now[key]) / num(then[key]))])),
      note(`${words(title)}: ${
          words(machine)}. This run: the steps alone, without initial conditions, the first forces and the
    measurements made there. Each price is that of its day. If the numbers of particles differ, compare particles per
    second.`));
}

function phaseTable(report) {
  const row = {seconds: object(object(report.totals).seconds)}, whole = phaseTotal(row);
  const spent = phases.filter((phase) => secondsOf(row, phase) > 0);
  return panel(
      "Where the time went",
      table(
          [["phase", ""], ["time in steps", "n"], ["share", "n"], ["", "wide"]],
          spent.map(
              (phase) =>
                  [phase, duration(secondsOf(row, phase)), percent(secondsOf(row, phase) / whole),
                   bar(secondsOf(row, phase) / whole, `phase-${phase}`)])) ||
          el("p", {class: "nothing"}, "Nothing was measured."));
}

/** Load balance; nothing for a run on one rank. */
function rankTable(report) {
  const ranks = object(object(report.totals).over_ranks);
  if (Object.keys(ranks).length === 0) return null;
  const rows = [
    ...phases.map((phase) => [phase, object(object(ranks.seconds)[phase])]), ["busy", object(ranks.busy)],
    ["waiting", object(ranks.waiting)]
  ].filter(([, spread]) => num(spread.max) > 0);
  const steps = Math.max(1, list(report.steps).map(object).reduce((sum, row) => sum + stepsCovered(row), 0));
  const received = (what) => num(object(object(ranks.essential_trees)[what]).mean) / steps;
  const uneven = (what) => percent(num(object(ranks.imbalance)[what]) - 1);
  return panel(
      "Load balance",
      table(
          [["phase", ""], ["least", "n"], ["mean", "n"], ["most", "n"], ["most / mean", "n"]],
          rows.map(
              ([name, {min, mean, max}]) =>
                  [name, duration(num(min)), duration(num(mean)), duration(num(max)), fixed(num(max) / num(mean), 2)])),
      note(`Seconds of the rank with the least and the most in each step, summed over steps. A rank received
    essential trees of ${scientific(received("particles"))} particles, ${scientific(received("nodes"))} cells and ${
          withPrefix(received("bytes"), "B")} per step, and
    ${percent(num(ranks.hidden_communication))} of their time under way was filled with other work. Interactions
    were uneven by ${uneven("work")}, particles by ${uneven("particles")}.`));
}

function censusTable(report) {
  const columns = [
    ["step", "", (row) => words(row.step)], ["epoch", "", (row) => epochText(report, row)],
    ["raw", "n", (row) => scientific(num(row.raw_pairs))],
    ["effective", "n", (row) => withError(num(row.effective_pairs), num(row.effective_error))],
    ["ratio", "n", (row) => fixed(num(row.ratio), 2)],
    [
      `monopoles of equal ${levelOfCensus(report)} error`, "n",
      (row) => {
        const pairs = num(row.equal_error_pairs);
        return Number.isFinite(pairs) ? `${scientific(pairs)} (θ = ${scientific(num(row.equal_error_theta))})` : "–";
      }
    ]
  ].filter(([name]) => name !== "epoch" || report.comoving);  // of other runs it has none
  const rows = list(report.census).map(object).map((row) => columns.map(([, , cell]) => cell(row)));
  return rows.length === 0 ? null : panel("Interaction census", table(columns, rows));
}

function outputSection(report) {
  const outputs = list(report.outputs).map(object), file = (part) => words(object(part).file);
  const columns = [
    ["epoch", (row) => epochText(report, row)],
    ["snapshot", (row) => list(row.snapshots).map((name) => el("div", {}, words(name)))],
    ["image", (row) => words(row.image)], ["halos", (row) => file(row.halos)], ["power", (row) => file(row.power)]
  ].filter(([, cell]) => outputs.some((row) => cell(row).length > 0));
  const rows = outputs.map((row) => columns.map(([, cell]) => cell(row)));
  return rows.length === 0 ?
      null :
      section("Files", null, el("div", {class: "panel"}, table(columns.map(([name]) => [name, ""]), rows)));
}

/** A name whose line may break after each "_". */
function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part) => [part, el("wbr", {})]);
}

function parameterSection(report) {
  const text = (value) => (value === null || value === "" ? "–" : words(value));
  const tables =
      Object.entries(object(report.parameters))
          .map(
              ([name, keys]) =>
                  el("section", {}, el("h3", {}, `[${name}]`),
                     el("table", {},
                        Object.entries(object(keys))
                            .map(([key,
                                   value]) => el("tr", {}, el("td", {}, breakable(key)), el("td", {}, text(value)))))));
  return section(
      "Parameters", rich`All settings, including defaults and, in a periodic box, the choices of
    force.accuracy; \`multiwalk params\` explains each key.`,
      el("div", {class: "panel columns"}, tables));
}
