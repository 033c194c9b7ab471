// SPDX-License-Identifier: GPL-3.0-or-later
// Correlation matrices as pictures: blue below 0, red above, the stronger the nearer to -1 or 1; grey where unknown.

/** Edges between places on a logarithmic axis: geometric means, and as far beyond the first and last. */
function logEdges(places) {
  const inner = places.slice(1).map((place, i) => Math.sqrt(place * places[i]));
  const last = places.length - 1;
  return [places[0] ** 2 / inner[0], ...inner, places[last] ** 2 / inner[last - 1]];
}

/** {x, edges, rows} of bins at rising places; null if there are fewer than two. */
function matrixModel(matrix) {
  const x = list(object(matrix).x).map(num), rows = list(object(matrix).rows).map(list);
  if (x.length < 2 || !x.every((place, i) => place > (i > 0 ? x[i - 1] : 0) && Number.isFinite(place))) return null;
  return {x, edges: logEdges(x), rows: x.map((_, i) => x.map((__, j) => num(list(rows[i])[j])))};
}

/** The bin that holds a value; -1: none. */
function binAt(edges, value) {
  return edges.findIndex((edge, i) => i + 1 < edges.length && value >= edge && value < edges[i + 1]);
}

function paintMatrix(plot, {edges, rows}) {
  const {ctx} = plot, place = (value, axisName) => Math.round(plot.valToPos(value, axisName, true));
  ctx.save();
  rows.forEach((row, j) => row.forEach((value, i) => {
    const known = Number.isFinite(value);
    ctx.globalAlpha = known ? Math.min(Math.abs(value), 1) : 1;
    ctx.fillStyle = cssColour(known ? (value < 0 ? "blue" : "red") : "rule");
    const left = place(edges[i], "x"), top = place(edges[j + 1], "y");
    ctx.fillRect(left, top, place(edges[i + 1], "x") - left, place(edges[j], "y") - top);
  }));
  ctx.restore();
}

/** Fills the box with the bins below the cursor and their correlation. */
function showCorrelation(plot, {model, chart, box}) {
  const {left, top} = plot.cursor;
  const at = (pixels, axisName) => (pixels >= 0 ? binAt(model.edges, plot.posToVal(pixels, axisName)) : -1);
  const i = at(left, "x"), j = at(top, "y");
  box.hidden = i < 0 || j < 0;
  if (box.hidden) return;
  box.replaceChildren(
      el("div", {}, chart.x.hover(model.x[i])), el("div", {}, chart.x.hover(model.x[j])),
      el("b", {}, `correlation ${fixed(model.rows[j][i], 2)}`));
  const width = plot.over.clientWidth;
  box.style.setProperty("left", left < width / 2 ? `${left + 14}px` : "auto");
  box.style.setProperty("right", left < width / 2 ? "auto" : `${width - left + 14}px`);
}

/** Puts the picture into its place, about square. */
function drawMatrix(entry) {
  const {model, chart, place} = entry, {x, edges} = model;
  const size = () => {
    const width = Math.min(place.clientWidth, 500);
    return {width, height: width - 38};
  };
  const box = el("div", {class: "values"});
  Object.assign(entry, {box});
  box.hidden = true;
  const scale = {distr: 3, range: () => [edges[0], edges[edges.length - 1]]};
  const axisOf = {...chart.x, log: true};
  entry.plot = new uPlot(
      {
        ...size(),
        padding: [10, rightOfPlot, 0, 0],
        legend: {show: false},
        cursor: {points: {show: false}, drag: {x: false, y: false}},
        scales: {x: {time: false, ...scale}, y: scale},
        axes: axes({x: axisOf, y: axisOf}, (plot) => plot.bbox.width / (devicePixelRatio || 1)),
        series: [{}, {paths: () => null, points: {show: false}}],
        hooks: {draw: [(plot) => paintMatrix(plot, model)], setCursor: [(plot) => showCorrelation(plot, entry)]},
      },
      [x, x], place);
  entry.plot.over.append(box);
  new ResizeObserver(() => {
    if (place.clientWidth > 0 && size().width !== entry.plot.width) entry.plot.setSize(size());
  }).observe(place);
}

/** A chart is {title, about, x: its axis, matrix: {x, rows}, how}. */
function matrixPanel(chart) {
  const model = matrixModel(chart.matrix);
  const how = chart.how ? note(el("b", {}, "How to read this. "), marked(chart.how)) : null;
  if (model === null) return panel(chart.title, el("p", {class: "nothing"}, "Nothing was measured."), how);
  const place = el("div", {class: "plot matrix", role: "img", "aria-label": chart.about});
  plots.push({model, chart, place, draw: drawMatrix});
  return panel(
      chart.title, el("div", {class: "legend"}, el("span", {}, "−1 ", el("i", {class: "ramp"}), " 1")),
      el("div", {class: "axis y"}, marked(chart.x.label)), place, el("div", {class: "axis x"}, marked(chart.x.label)),
      how);
}
