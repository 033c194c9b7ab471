// SPDX-License-Identifier: GPL-3.0-or-later
// Charts on the page, drawn by uPlot: axes, marks, error bars, the box that hovering shows. They follow the width of
// the page, its light and dark scheme, and paper.

const plots = [];  // {model, chart, place, plot}, and of other pictures {draw, place, plot, ...}

/** A colour of the style sheet as it is now. */
function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888";
}

const axisFont = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const widthOfText = (text) => 6.8 * text.length;
const rightOfPlot = 20;  // pixels in which the last label may end

function xTicks(chart, lo, hi, pixels) {
  const count = Math.max(4, Math.floor(pixels / 75));
  const ticks = chart.x.ticks ? chart.x.ticks(lo, hi, count) : roundTicks(lo, hi, chart.x.log, count);
  const scale = (value) => (chart.x.log ? Math.log(value / lo) / Math.log(hi / lo) : (value - lo) / (hi - lo));
  return clearTicks(
      ticks.filter(({value}) => value >= lo && value <= hi), (value) => pixels * scale(value), widthOfText,
      pixels + rightOfPlot);
}

/** An axis of uPlot with ticks of our own. */
function axis(ticksOf, more) {
  let ticks = [];
  return {
    font: axisFont,
    stroke: () => cssColour("soft"),
    splits: (plot, _, lo, hi) => {
      ticks = ticksOf(plot, lo, hi);
      return ticks.map(({value}) => value);
    },
    filter: (_, splits) => splits,
    values: (_, splits) => splits.map((split) => (ticks.find(({value}) => value === split) || {label: ""}).label),
    ...more,
  };
}

function axes(chart, pixelsOf) {
  const yTicks = (lo, hi) => {
    const ticks = chart.y.ticks ? chart.y.ticks(lo, hi, 5) : roundTicks(lo, hi, chart.y.log, 5);
    return ticks.filter(({value}) => value >= lo && value <= hi);
  };
  return [
    axis((plot, lo, hi) => xTicks(chart, lo, hi, pixelsOf(plot)), {
      size: 28,
      gap: 4,
      grid: {show: false},
      ticks: {stroke: () => cssColour("soft"), width: 1, size: 5},
      border: {show: true, stroke: () => cssColour("soft"), width: 1},
    }),
    axis((_, lo, hi) => yTicks(lo, hi), {
      size: (_, labels) => 14 + Math.max(16, ...list(labels).map(widthOfText)),
      gap: 6,
      grid: {stroke: () => cssColour("rule"), width: 1},
      ticks: {show: false},
    }),
  ];
}

/** A series as uPlot takes it; points above `top` are left to drawMarks. */
function seriesOf(series, top) {
  const colour = () => cssColour(series.colour);
  const points = series.mark !== "line";
  return {
    spanGaps: true,
    stroke: colour,
    width: series.area ? 0 : 2,
    fill: series.area ? colour : undefined,
    dash: series.dashed ? [6, 5] : undefined,
    paths: series.mark === "points" ? () => null : undefined,
    points: {
      show: points,
      filter: (_, place, show) =>
          (show ? [...series.y.keys()].filter((i) => series.y[i] !== null && series.y[i] <= top) : null),
      size: 7,
      width: 2,
      stroke: colour,
      fill: () => (series.hollow ? cssColour("card") : colour())
    },
  };
}

/** An error bar from low to high, in pixels of the canvas; none where it is shorter than the point. */
function drawBar(ctx, x, low, high, pixel) {
  if (low - high < 8 * pixel) return;
  ctx.beginPath();
  for (const [left, from, right, to] of [[0, low, 0, high], [-3, low, 3, low], [-3, high, 3, high]]) {
    ctx.moveTo(x + left * pixel, from);
    ctx.lineTo(x + right * pixel, to);
  }
  ctx.stroke();
}

function drawTriangle(ctx, x, top, pixel) {
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x - 5 * pixel, top + 8 * pixel);
  ctx.lineTo(x + 5 * pixel, top + 8 * pixel);
  ctx.fill();
}

/** Error bars, and triangles where points lie above the scale. */
function drawMarks(plot, model) {
  const {ctx, bbox} = plot, pixel = devicePixelRatio || 1, floor = bbox.top + bbox.height;
  const height = (value) => Math.min(Math.max(plot.valToPos(value, "y", true), bbox.top), floor);
  ctx.save();
  ctx.lineWidth = 1.5 * pixel;
  ctx.setLineDash([]);
  for (const series of model.series) {
    ctx.strokeStyle = ctx.fillStyle = cssColour(series.colour);
    model.x.forEach((value, i) => {
      const x = plot.valToPos(value, "x", true);
      if (series.y[i] === null || x < bbox.left - 1 || x > bbox.left + bbox.width + 1) return;
      if (series.bars[i]) drawBar(ctx, x, height(series.bars[i][0]), height(series.bars[i][1]), pixel);
      if (series.mark === "points" && series.y[i] > model.yRange[1]) drawTriangle(ctx, x, bbox.top + pixel, pixel);
    });
  }
  ctx.restore();
}

/** Fills the box and places it next to the cursor. */
function showValues(plot, {model, chart, box}) {
  const {idx, left} = plot.cursor;
  const lines = idx === null || idx === undefined || left < 0 ? [] : valuesAt(model, idx);
  box.hidden = lines.length === 0;
  if (box.hidden) return;
  const value = (chart.y.hover || scientific), place = (chart.x.hover || ((x) => scientific(x)));
  box.replaceChildren(
      el("b", {}, place(model.x[idx])),
      ...lines.map(
          ({name, colour, value: y, bar: ends}) =>
              el("div", {}, key(colour), el("span", {}, name || chart.title),
                 el("span", {class: "n"}, value(y) + (ends ? ` (${value(ends[0])} to ${value(ends[1])})` : "")))));
  const x = plot.valToPos(model.x[idx], "x"), width = plot.over.clientWidth;
  box.style.setProperty("left", x < width / 2 ? `${x + 14}px` : "auto");
  box.style.setProperty("right", x < width / 2 ? "auto" : `${width - x + 14}px`);
}

function key(colour, kind = "area") {
  const element = el("i", {class: `key ${kind}`});
  if (colour !== null) element.style.setProperty("--colour", `var(--${colour})`);
  return element;
}

function keyKind(series) {
  if (series.mark === "points") return series.hollow ? "dot hollow" : "dot";
  return series.area ? "area" : series.dashed ? "line dashed" : "line";
}

function legend(model) {
  const named = model.series.filter((series) => series.name !== "");
  if (named.length === 0) return null;
  const order = [...named.filter((series) => series.area).reverse(), ...named.filter((series) => !series.area)];
  return el(
      "div", {class: "legend"},
      order.map((series) => el("span", {}, key(series.colour, keyKind(series)), series.name)));
}

/** Puts the chart into its place, which is on the page. */
function draw(entry) {
  const {model, chart, place} = entry;
  const size = () => ({width: place.clientWidth, height: place.clientWidth < 480 ? 230 : 270});
  const box = el("div", {class: "values"});
  entry.box = box;
  box.hidden = true;
  const [xLo, xHi] = [model.x[0], model.x[model.x.length - 1]];
  entry.plot = new uPlot(
      {
        ...size(),
        padding: [10, rightOfPlot, 0, 0],
        legend: {show: false},
        cursor: {y: false, points: {size: 7}, drag: {x: true, y: false, dist: 8}},
        scales: {
          x: {
            time: false,
            distr: chart.x.log ? 3 : 1,
            range: (_, lo, hi) => (lo === xLo && hi === xHi || lo === hi ? model.xRange : [lo, hi])
          },
          y: {distr: chart.y.log ? 3 : 1, range: () => model.yRange},
        },
        axes: axes(chart, (plot) => plot.bbox.width / (devicePixelRatio || 1)),
        series: [{}, ...model.series.map((series) => seriesOf(series, model.yRange[1]))],
        hooks: {draw: [(plot) => drawMarks(plot, model)], setCursor: [(plot) => showValues(plot, entry)]},
      },
      [model.x, ...model.series.map((series) => series.y)], place);
  entry.plot.over.append(box);
  new ResizeObserver(() => {
    if (place.clientWidth > 0 && place.clientWidth !== entry.plot.width) entry.plot.setSize(size());
  }).observe(place);
}

/** A panel with the chart, which drawCharts draws. */
function chartPanel(chart) {
  const model = chartModel(chart);
  const how = chart.how ? note(el("b", {}, "How to read this. "), marked(chart.how)) : null;
  if (model === null) return panel(chart.title, el("p", {class: "nothing"}, "Nothing was measured."), how);
  const place = el("div", {class: "plot", role: "img", "aria-label": chart.about || chart.title});
  plots.push({model, chart, place});
  return panel(
      chart.title, legend(model), el("div", {class: "axis y"}, marked(chart.y.label)), place,
      el("div", {class: "axis x"}, marked(chart.x.label)), how);
}

/** A panel for each chart that is there, side by side where the page is wide. */
function panels(...charts) {
  return el("div", {class: "charts"}, charts.filter((chart) => chart !== null).map(chartPanel));
}

function drawCharts() {
  plots.forEach((entry) => (entry.draw || draw)(entry));
  const again = () => plots.forEach(({plot}) => plot.redraw(false));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  for (const [event, paper] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      document.documentElement.classList.toggle("paper", paper);
      again();
    });
  }
}
