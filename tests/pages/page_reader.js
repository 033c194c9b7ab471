// SPDX-License-Identifier: GPL-3.0-or-later
// Pages without a browser: their scripts run on elements that only remember what was put into them, and charts that
// remember what they were given.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const folder = path.join(__dirname, "../../run/pages");

class FakeElement {
  constructor(tag) {
    Object.assign(this, {tag, attributes: {}, children: [], styles: {}, hidden: false, clientWidth: 800});
    this.style = {setProperty: (name, value) => (this.styles[name] = value)};
    this.classList = {toggle: () => {}};
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  append(...nodes) {
    this.children.push(...nodes.map((node) => (node instanceof FakeElement ? node : String(node))));
  }
  replaceChildren(...nodes) {
    this.children = [];
    this.append(...nodes);
  }
  get textContent() {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  /** All elements of this tag below. */
  all(tag) {
    const below = this.children.filter((child) => child instanceof FakeElement);
    return below.flatMap((child) => [...(child.tag === tag ? [child] : []), ...child.all(tag)]);
  }
  /** Texts of blocks, each on a line of its own. */
  lines() {
    const blocks = [
      "h1", "h2",     "h3",         "p",  "div", "section", "main",  "header", "tr", "td",
      "th", "figure", "figcaption", "dt", "dd",  "footer",  "table", "em",     "b",  "span"
    ];
    const text =
        this.children.map((child) => (typeof child === "string" ? child.replace(/\s+/g, " ") : child.lines())).join("");
    return blocks.includes(this.tag) ? `\n${text}\n` : text;
  }
}

/** A canvas on which anything can be drawn. */
const canvas = () =>
    new Proxy({}, {get: (target, name) => (name in target ? target[name] : () => {}), set: () => true});

/** Takes a chart as uPlot does, asks for all that uPlot asks for, and remembers it. */
class FakePlot {
  constructor(options, data, place) {
    Object.assign(this, {options, data, place, width: options.width, ctx: canvas(), over: new FakeElement("div")});
    this.bbox = {left: 60, top: 10, width: 700, height: 250};
    this.ranges = ["x", "y"].map((scale) => options.scales[scale].range(this, data[0][0], data[0][data[0].length - 1]));
    this.labels = options.axes.map((axis, i) => axis.values(this, axis.splits(this, i, ...this.ranges[i])));
    if (typeof options.axes[1].size === "function") options.axes[1].size(this, this.labels[1]);
    this.hover(0);
    this.redraw();
    FakePlot.made.push(this);
  }
  valToPos(value) {
    return value;
  }
  posToVal(position) {
    return position;
  }
  redraw() {
    this.options.hooks.draw.forEach((hook) => hook(this));
  }
  hover(idx) {
    this.cursor = {idx, left: 100, top: 100};
    this.options.hooks.setCursor.forEach((hook) => hook(this));
  }
}

/** The scripts of pages in their order, compiled once. */
const compiled = [...fs.readFileSync(`${folder}/page.html`, "utf8").matchAll(/\{\{script\/(.*?)\}\}/g)].map(
    ([, name]) => new vm.Script(fs.readFileSync(`${folder}/script/${name}`, "utf8"), {filename: name}));

/** A page without content, whose scripts but the last, main.js, have run. */
function world() {
  const body = new FakeElement("body"), root = new FakeElement("html"), data = new FakeElement("script");
  const document = {
    body,
    documentElement: root,
    title: "",
    createElement: (tag) => new FakeElement(tag),
    getElementById: () => data
  };
  FakePlot.made = [];
  const context = vm.createContext({
    document,
    uPlot: FakePlot,
    console,
    devicePixelRatio: 1,
    addEventListener: () => {},
    matchMedia: () => ({addEventListener: () => {}}),
    getComputedStyle: () => ({getPropertyValue: (name) => `colour${name}`}),
    ResizeObserver: class {observe() {}},
  });
  compiled.slice(0, -1).forEach((script) => script.runInContext(context));
  return {context, body, document, data, get: (expression) => vm.runInContext(expression, context)};
}

/** A function of the scripts, whose results are plain values of this world. */
function scripts() {
  const {get} = world();
  return new Proxy({}, {get: (_, name) => (...given) => plain(get(name)(...given))});
}

/** Objects of another world compare unequal to those of this one. */
function plain(value) {
  if (Array.isArray(value)) return Array.from(value, plain);
  if (value === null || typeof value !== "object" || value instanceof FakeElement) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, plain(inside)]));
}

/** What a page shows: {title, text, headings, panels: [text], charts: [{title, labels, names, x, columns}], body}. */
function read(kind, json) {
  const {context, body, document, data} = world();
  Object.assign(data, {dataset: {kind}});
  data.append(json);
  compiled[compiled.length - 1].runInContext(context);
  const panels = body.all("section").filter((element) => element.attributes.class === "panel");
  const text = body.lines().replace(/[ \t]+/g, " ").replace(/ ?\n ?/g, "\n").replace(/\n+/g, "\n");
  const charts =
      panels.filter((panel) => FakePlot.made.some(({place}) => panel.children.includes(place))).map((panel) => {
        const plot = FakePlot.made.find(({place}) => panel.children.includes(place));
        const legend = panel.children.find((child) => child.attributes && child.attributes.class === "legend");
        return {
          title: panel.children[0].textContent,
          about: plot.place.attributes["aria-label"],
          labels: plot.labels.map((axis) => plain(axis)),
          names: legend ? legend.children.map((entry) => entry.textContent) : [],
          x: plain(plot.data[0]),
          columns: plain(plot.data.slice(1)),
          yRange: plain(plot.ranges[1]),
          series: plot.options.series,
          values: (i) => {
            plot.hover(i);
            return plot.over.children[0].textContent;
          },
          panel
        };
      });
  return {
    title: document.title,
    text,
    body,
    panels,
    charts,
    headings: body.all("h2").map((element) => element.textContent),
    chart: (title) => charts.find((chart) => chart.title === title)
  };
}

/** The same of a page's HTML. */
function readHtml(html) {
  const [, kind, json] =
      html.match(/<script type="application\/json" id="data" data-kind="(\w+)">([\s\S]*?)<\/script>/);
  return read(kind, json);
}

module.exports = {
  read,
  readHtml,
  scripts,
  world,
  folder
};
if (require.main === module) console.log(readHtml(fs.readFileSync(process.argv[2], "utf8")).text);
