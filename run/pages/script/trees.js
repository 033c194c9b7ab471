// SPDX-License-Identifier: GPL-3.0-or-later
// The page of merger trees: the picture of one tree, and the growth of the largest halos.

const seriesColours = ["blue", "gold", "teal", "red", "purple", "olive", "sky", "brown", "grey", "ink"];

const scaleAxis = () => ({label: "expansion factor *a*", hover: (a) => `a = ${fixed(a, 3)}`});

/** Branches of a tree as columns: the main branch, then the others in the order of their mergers with it. */
function treeColumns(branches) {
  const sides = branches.slice(1).sort((one, other) => other.end - one.end);
  return [branches[0], ...sides].map((branch, column) => ({...branch, column}));
}

/** {id, into, end: the output of its last node, nodes: [{output, a, mass}]} of every branch that can be drawn. */
function treeBranches(tree) {
  return list(object(tree).branches)
      .map(object)
      .map((branch) => {
        const nodes = list(branch.nodes).map(object).filter((n) => num(n.a) > 0 && num(n.mass) > 0);
        return {id: num(branch.id), into: num(branch.into), nodes, end: Math.max(...nodes.map((n) => num(n.a)))};
      })
      .filter((branch) => branch.nodes.length > 0);
}

/** Draws circles whose areas are the masses; time goes down. Lines join a halo to its descendant. */
function paintTree(plot, columns) {
  const {ctx} = plot, pixel = devicePixelRatio || 1;
  const largest = Math.max(...columns.flatMap(({nodes}) => nodes.map((n) => num(n.mass))));
  const place = (branch, n) => [plot.valToPos(branch.column, "x", true), plot.valToPos(num(n.a), "y", true)];
  const byId = new Map(columns.map((branch) => [branch.id, branch]));
  ctx.save();
  ctx.strokeStyle = cssColour("grey");
  ctx.lineWidth = pixel;
  for (const branch of columns) {
    const host = byId.get(branch.into), next = host ? host.nodes.filter((n) => num(n.a) > branch.end) : [];
    const path = branch.nodes.map((n) => place(branch, n));
    if (next.length > 0) path.push(place(host, next.reduce((one, other) => (num(other.a) < num(one.a) ? other : one))));
    ctx.beginPath();
    path.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
    ctx.stroke();
  }
  columns.forEach((branch, i) => {
    ctx.fillStyle = cssColour(i === 0 ? "blue" : "gold");
    for (const n of branch.nodes) {
      const [x, y] = place(branch, n);
      ctx.beginPath();
      ctx.arc(x, y, Math.max(1, 11 * Math.sqrt(num(n.mass) / largest)) * pixel, 0, 2 * Math.PI);
      ctx.fill();
    }
  });
  ctx.restore();
}

function drawTree(entry) {
  const {columns, place} = entry, all = columns.flatMap(({nodes}) => nodes.map((n) => num(n.a)));
  const size = () => ({width: place.clientWidth, height: 520});
  const y = scaleAxis();
  const ticks = () => columns.map(({column}) => ({value: column, label: column === 0 ? "main" : String(column)}));
  entry.plot = new uPlot(
      {
        ...size(),
        padding: [10, rightOfPlot, 0, 0],
        legend: {show: false},
        cursor: {show: false, drag: {x: false, y: false}},
        scales: {
          x: {time: false, range: () => [-1, columns.length]},
          y: {dir: -1, range: () => [Math.min(...all) - 0.03, Math.max(...all) + 0.03]}
        },
        axes: axes({x: {label: "branch", ticks}, y}, (plot) => plot.bbox.width / (devicePixelRatio || 1)),
        series: [{}, {paths: () => null, points: {show: false}}],
        hooks: {draw: [(plot) => paintTree(plot, columns)], setCursor: []},
      },
      [[0, 1], [all[0], all[0]]], place);
  new ResizeObserver(() => {
    if (place.clientWidth > 0 && place.clientWidth !== entry.plot.width) entry.plot.setSize(size());
  }).observe(place);
}

function treePanel(tree) {
  const branches = treeBranches(tree);
  if (branches.length === 0) return null;
  const place = el("div", {class: "plot", role: "img", "aria-label": "A merger tree"});
  plots.push({columns: treeColumns(branches), place, draw: drawTree});
  return panel(
      "The merger tree of the most massive halo", el("div", {class: "axis y"}, marked("expansion factor *a*")), place,
      el("div", {class: "axis x"}, "branch"),
      note(
          el("b", {}, "How to read this. "),
          `Time goes down. The areas of the circles are the bound masses; the first column is the main branch, the
          others are the branches that reached the largest masses, in the order in which they end.`));
}

function growthOfHalos(halos) {
  return {
    title: "Mass accretion histories",
    about: "Bound mass of the main branches of the most massive halos against expansion factor",
    x: scaleAxis(),
    y: {label: "bound mass (*M*_{☉}/*h*)", log: true},
    series: halos.map((halo, i) => {
      const nodes = list(halo.nodes).map(object);
      return {
        name: `halo ${i}`,
        colour: seriesColours[i % seriesColours.length],
        x: nodes.map((n) => num(n.a)),
        y: nodes.map((n) => num(n.mass))
      };
    }),
    how: "Main branches of the most massive halos of the last output; main_branches.csv has more of them.",
  };
}

function treesPage(data) {
  const halos = list(data.halos).map(object);
  return [
    pageHead("Merger trees", "subhalos", words(data.title)),
    el("main", {},
       tiles(
           tile("Trees", withCommas(num(data.trees)), `${withCommas(num(data.subhalos))} subhalos of all outputs`),
           tile("Outputs", withCommas(num(data.outputs)), "through which subhalos were followed")),
       treePanel(data.tree), panels(growthOfHalos(halos)))
  ];
}
