// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of pages. Data enters them as text nodes and attributes only, never as markup.

/** An element; children are texts, nodes, lists of these, or null for none. */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  const add = (child) => {
    if (Array.isArray(child))
      child.forEach(add);
    else if (child !== null && child !== undefined)
      element.append(child);
  };
  add(children);
  return element;
}

/** Text with marks in its fixed parts: *slanted*, ^{raised}, _{lowered}, `as typed`. Inserted values have no marks. */
function rich(parts, ...values) {
  const nodes = [];
  const mark = /\*([^*]+)\*|\^\{([^}]+)\}|_\{([^}]+)\}|`([^`]+)`/g;
  parts.forEach((part, i) => {
    let done = 0;
    for (const found of part.matchAll(mark)) {
      nodes.push(part.slice(done, found.index));
      const kind = [1, 2, 3, 4].find((group) => found[group] !== undefined);
      nodes.push(el(["i", "sup", "sub", "code"][kind - 1], {}, found[kind]));
      done = found.index + found[0].length;
    }
    nodes.push(part.slice(done));
    if (i < values.length) nodes.push(values[i]);
  });
  return nodes.filter((node) => node !== "");
}

/** The same of a text of these scripts. */
function marked(text) {
  return typeof text === "string" ? rich([text]) : text;
}

/** A figure with its name and a note. */
function tile(name, value, note) {
  return el("div", {class: "tile"}, el("span", {}, name), el("b", {}, value), el("em", {}, note));
}

function tiles(...all) {
  return el("div", {class: "tiles"}, all);
}

/** A heading with what is below it; nothing if there is nothing. */
function section(title, lead, ...content) {
  const parts = content.flat().filter((part) => part !== null && part !== undefined);
  if (parts.length === 0) return null;
  return el(
      "section", {class: "part"}, el("h2", {}, title), lead === null ? null : el("p", {class: "lead"}, lead), parts);
}

function panel(title, ...content) {
  return el("section", {class: "panel"}, el("h3", {}, title), content);
}

function note(...text) {
  return el("p", {class: "how"}, text);
}

/**
 * A table that scrolls sideways where the page is narrow. Columns are [heading, kind]: "n" for numbers, "" for text.
 * Cells are texts or nodes. Null without rows.
 */
function table(columns, rows) {
  if (rows.length === 0) return null;
  const cell = (tag, content, kind) => el(tag, kind ? {class: kind} : {}, marked(content));
  const head = el("thead", {}, el("tr", {}, columns.map(([heading, kind]) => cell("th", heading, kind))));
  const body = rows.map(
      (row) => el("tr", {}, row.map((content, i) => el("td", columns[i][1] ? {class: columns[i][1]} : {}, content))));
  return el("div", {class: "scroll", tabindex: "0"}, el("table", {}, head, el("tbody", {}, body)));
}

/** A bar of a share of the width, in a colour of the style sheet. */
function bar(share, colour) {
  const element = el("div", {class: "bar"});
  element.style.setProperty("width", `${(100 * Math.min(Math.max(share, 0), 1)).toFixed(2)}%`);
  element.style.setProperty("background", `var(--${colour})`);
  return element;
}

/** The head of a page: browser title, brand, heading and lines about it. */
function pageHead(title, brand, ...lines) {
  document.title = `${title} – Multiwalk`;
  return el(
      "header", {},
      el("div", {}, el("div", {class: "brand"}, `Multiwalk · ${brand}`), el("h1", {}, title),
         lines.map((line) => el("p", {}, line))));
}
