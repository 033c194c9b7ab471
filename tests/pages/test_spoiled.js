// SPDX-License-Identifier: GPL-3.0-or-later
// Data that anybody may have changed: with any value missing or of another kind a page is drawn all the same.
"use strict";
const assert = require("node:assert");
const {test} = require("node:test");
const {read} = require("./page_reader.js");
const samples = require("./samples.js");

const others = [null, "text", -1e308, [1, null], {}];
let turn = 0;

/** One of the others in turn, or with MULTIWALK_ALL_SPOILED=1 (a minute) each of them. */
function inItsPlace() {
  return process.env.MULTIWALK_ALL_SPOILED ? others : [others[turn++ % others.length]];
}

/**
 * Calls act(place) for every copy of the data in which one value is missing or another; lists: their first and last.
 */
function spoil(part, act, place = "", depth = 0) {
  if (part === null || typeof part !== "object" || depth > 6) return;
  const keys = Array.isArray(part) ? [...new Set([0, part.length - 1])].filter((i) => i >= 0) : Object.keys(part);
  for (const key of keys) {
    const kept = part[key];
    if (!Array.isArray(part)) {
      delete part[key];
      act(`${place}.${key} missing`);
    }
    for (const other of inItsPlace()) {
      part[key] = other;
      act(`${place}.${key} = ${JSON.stringify(other)}`);
    }
    part[key] = kept;
    spoil(kept, act, `${place}.${key}`, depth + 1);
  }
}

// A tree report has nothing that one of a box lacks. With MULTIWALK_QUICK=1 every sixth change.
for (const [i, [kind, json]] of samples.all().filter((_, place) => place !== 2).entries()) {
  test(`${kind} ${i} with any value spoiled`, () => {
    const data = JSON.parse(json);
    const {model, cost} = kind === "report" ? data.report.parameters : {};
    if (kind === "report") data.report.parameters = {model, cost};  // the others are shown whatever they are
    let spoiled = 0;
    const part = kind === "report" ? data.report : data;
    spoil(part, (place) => {
      spoiled += 1;
      if (process.env.MULTIWALK_QUICK && spoiled % 6 !== 0) return;
      try {
        assert.ok(read(kind, JSON.stringify(data)).text.length > 50);
      } catch (error) {
        throw new Error(`${place}: ${error.message}`, {cause: error});
      }
    });
    assert.ok(spoiled > 30);
  });
}
