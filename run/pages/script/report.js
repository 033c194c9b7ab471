// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run: science first, then accuracy, speed and cost.

/** The method that evaluated the forces, in words. */
function methodOf(report) {
  const backend = words(report.backend), {kind} = object(object(report.parameters).model);
  if (report.diagnostics !== undefined) return "direct summation";
  if (backend.startsWith("direct")) return "direct summation in double precision";
  if (backend.startsWith("ewald")) return "Ewald summation";
  const spent = {seconds: object(report.totals).seconds};
  const mesh = kind === "box" || secondsOf(spent, "mesh") > 0.01 * phaseTotal(spent);
  return mesh ? "the multiple-walk tree and a mesh" : "the multiple-walk tree";
}

function reportHead(report) {
  const rows = list(report.steps);
  const span =
      rows.length > 0 ? `, from ${epochText(report, rows[0])} to ${epochText(report, rows[rows.length - 1])}` : "";
  return pageHead(
      words(report.title), "run report",
      [
        `${withCommas(num(report.particles))} ${report.diagnostics === undefined ? "particles" : "bodies"}${span}. `,
        `Forces by ${methodOf(report)}`,
        /^(direct|ewald)/.test(words(report.backend)) ? "" : [" on ", el("strong", {}, words(report.backend))], "."
      ],
      words(report.machine), `Started ${words(report.started)} · version ${words(report.version)}`);
}

/** A picture of the run directory with what it shows. */
function figure(name, what, pictures) {
  const bytes = pictures[name];
  const picture = typeof bytes === "string" ?
      el("img", {alt: `Projected density at ${what}`, src: `data:image/png;base64,${bytes}`, loading: "lazy"}) :
      el("p", {class: "nothing"}, "The image file is missing.");
  return el("figure", {}, picture, el("figcaption", {}, `${what} · ${name}`));
}

/** An explanation of the pictures of this kind of run. */
function picturesLead(report, halos) {
  const {kind} = object(object(report.parameters).model), sphere = kind === "sphere" || kind === "hubble_lattice";
  const scale = `The colour scale is logarithmic and chosen for each picture; where particles are few they are spread
    over their mean distance.`;
  if (!report.comoving && report.particles <= 100) {
    return `The orbits of the bodies, projected along one axis. Each has its own colour and fades with age; dots mark where the
      bodies are. Lengths are in model units.`;
  }
  if (!report.comoving) {
    return `All of the system, projected along one axis, brighter where there is more mass. ${scale}
      Lengths are in model units.`;
  }
  let slab = "a slab (a quarter of a periodic box, a third of a sphere's radius thick)";
  if (kind === "box") slab = "a slab a quarter of the box thick";
  if (sphere) slab = "a slab through the middle, a third of the sphere's radius thick";
  return `The matter in ${slab}${halos ? ", and in cubes of 5 r200 about the most massive halos" : ""}, brighter where
    there is more of it along the line of sight. ${scale} Lengths are comoving.`;
}

function picturesSection(report, pictures) {
  const whole = [], halos = [];
  list(report.outputs).map(object).forEach((output) => {
    const when = epochText(report, output);
    if (words(output.image) !== "") whole.push(figure(words(output.image), when, pictures));
    list(object(output.halos).images)
        .forEach((name, place) => halos.push(figure(words(name), `${when}, halo ${place}`, pictures)));
  });
  if (whole.length + halos.length === 0) return null;
  return section(
      report.comoving ? "What formed" : "What it looks like", picturesLead(report, halos.length > 0),
      whole.length > 0 ? el("div", {class: "images"}, whole) : null,
      halos.length > 0 ? el("div", {class: "images small"}, halos) : null);
}

/** A note for long runs, whose rows cover several steps. */
function resolution(report) {
  const most = Math.max(1, ...list(report.steps).map(object).map(stepsCovered));
  return most === 1 ? [] :
                      rich` Each point of a curve is the mean of up to ${withCommas(most)} rows of *steps.csv*; for the
    energy error it is the largest.`;
}

function equalAccuracyTile(report) {
  const totals = object(report.totals), pairs = num(totals.equal_error_monopole_pairs), raw = num(totals.raw_pairs);
  if (!Number.isFinite(pairs)) return null;
  return tile(
      "At equal accuracy", `${fixed(pairs / raw, 2)} ×`,
      `${scientific(pairs)} interactions of the original monopole walk would give
    the same ${levelOfCensus(report)} error; ${fixed(pairs / raw, 2)} of them for each raw one here`);
}

/// The kinds of raw interactions, if some are local expansions.
function expansionsText(totals) {
  const expansions = num(totals.expansions);
  if (!(expansions > 0)) return "";
  return `, ${scientific(num(totals.pp_pairs))} with particles and ${scientific(num(totals.pc_pairs))} with cells, and
      ${scientific(expansions)} cells that act on a group through an expansion, each counted as 16`;
}

function speedTiles(report) {
  const totals = object(report.totals), raw = num(totals.raw_pairs), effective = num(totals.effective_pairs);
  return tiles(
      tile(
          "Particles per second", withCommas(num(totals.particles_per_second)),
          "advanced by one step, mean of all steps with their outputs"),
      tile(
          "Raw speed", speedText(num(totals.tflops_raw)),
          `${scientific(raw)} interactions: targets times lists${expansionsText(totals)}`),
      tile(
          "Effective speed", speedText(num(totals.tflops_effective)),
          Number.isFinite(effective) ?
              `${withError(effective, num(totals.effective_error))} interactions; raw / effective ${
                  fixed(raw / effective, 2)}` :
              "no census in this run"),
      equalAccuracyTile(report));
}

function joulesTile(report) {
  const totals = object(report.totals), joules = num(totals.joules_per_effective_pair);
  if (!Number.isFinite(joules)) return null;
  return tile(
      "Energy per interaction", `${scientific(joules)} J`,
      `effective; ${withPrefix(num(totals.device_joules), "J")} in all, GPUs only`);
}

function glossary() {
  const entries = [
    [
      "Interaction",
      rich`The pull of one particle or one distant cell of particles on one particle. It counts as 38 floating-point
      operations by convention (Warren et al. 1997, Proc. SC97), whatever the processor really does.`
    ],
    [
      "Raw and effective",
      rich`Raw: the targets of each walk times the length of its list; in a periodic box the kernels pass over
      sources out of reach, so fewer are evaluated. Effective: the interactions that the tree code of Barnes & Hut (1986,
      Nature 324, 446) needs at the same opening angle, with one list per particle. Barnes (1990, J. Comput.
      Phys. 87, 161) shares a list among a group of neighbours, which makes the lists longer and the machine faster.`
    ],
    [
      "Multiple walk",
      rich`Many groups are evaluated in one launch, each by one thread block (Hamada et al. 2009, Proc. SC09). They
      reached 20 Tflops raw, 8.5 Tflops effective, for 19.8 dollars per Gflops.`
    ],
    [
      "Force error",
      rich`|*a* − *a*_{direct}| / |*a*_{direct}|, with *a*_{direct} summed over all particles in double precision, in
      a periodic box with all their images (Ewald).`
    ],
    [
      "Redshift *z*",
      rich`The universe has grown by the factor 1 + *z* since then; *z* = 0 is today, *a* = 1 / (1 + *z*).`
    ]
  ];
  return section(
      "Glossary", null,
      el("div", {class: "panel"},
         el("dl", {}, entries.map(([name, text]) => [el("dt", {}, marked(name)), el("dd", {}, text)]))));
}

function reportFoot(report) {
  return el(
      "footer", {},
      `Multiwalk ${words(report.version)} · ${
          words(report.machine)}. report.json has the same numbers for other programs. `,
      "In a chart, drag to enlarge a part and double-click to see all of it again.");
}

function treeReport(report, pictures) {
  return [
    tiles(
        tile("Particles", withCommas(num(report.particles)), machineNote(report)), errorTile(report),
        energyTile(report), wallTile(report)),
    picturesSection(report, pictures), powerSection(report), haloSection(report),
    section(
        "Accuracy", "Measured during the run, not assumed.",
        panels(errorChart(report), energyChart(report), timeStepChart(report), rungChart(report))),
    section(
        "Speed", ["How fast the forces were evaluated.", ...resolution(report)], speedTiles(report),
        panels(rateChart(report), speedChart(report), countChart(report), ratioChart(report)), censusTable(report)),
    section(
        "Cost", "Time, memory and money.",
        tiles(
            stepsTile(report), conditionsTile(report), memoryTile(report), checkpointTile(report), priceTile(report),
            joulesTile(report)),
        comparisonPanel(report), panels(phaseChart(report), breakdownChart(report)), phaseTable(report),
        rankTable(report)),
    outputSection(report), parameterSection(report), glossary(), reportFoot(report)
  ];
}

function reportPage(data) {
  const report = object(data.report), pictures = object(data.pictures);
  const build = report.diagnostics === undefined ? treeReport : directReport;
  return [reportHead(report), el("main", {}, build(report, pictures).filter((part) => part !== null))];
}
