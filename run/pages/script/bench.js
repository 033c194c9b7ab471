// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that the pages of benches share.

const seriesColours = ["blue", "gold", "teal", "red", "purple", "olive", "sky", "brown", "grey", "ink"];

/** An axis of numbers that were chosen, such as 64, 128, 256: these are its ticks. */
function chosenAxis(label, values, log = true) {
  const chosen = [...new Set(values)].sort((a, b) => a - b);
  const axisOf = {label, log, hover: (value) => `${withCommas(value)} ${label}`};
  if (chosen.length <= 12) axisOf.ticks = () => chosen.map((value) => ({value, label: withCommas(value)}));
  return axisOf;
}
