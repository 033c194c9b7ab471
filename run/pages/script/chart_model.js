// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as lists of numbers, before anything is drawn.
//
// A chart is {title, about (for readers who cannot see it), x, y: axes, series, stacked, beside, how (to read it)}.
// An axis is {label, log, fromZero, ticks(lo, hi, count), hover(value), bottom, top (limits of what is drawn)}.
// A series is {name ("": not in the legend), inBox (its name where hovering shows it, if another), colour, x, y, low,
// high (ends of error bars), mark: "line", "points" or "both", dashed, hollow}. Stacked series share their x and are
// drawn on top of each other; those in `beside` are not.

/** The series cut to values that have an x; values that the axes cannot show become null. */
function usable(series, chart) {
  const n = Math.min(series.x.length, series.y.length);
  const x = series.x.slice(0, n);
  const y = series.y.slice(0, n).map(
      (value, i) => shown(value, chart.y.log) && shown(x[i], chart.x.log) && value >= (chart.y.bottom ?? -Infinity) ?
          value :
          null);
  return {...series, x, y};
}

/** The ends of a point's error bar; null without one. */
function barOf(series, i, log) {
  const low = num((series.low || [])[i]), high = num((series.high || [])[i]);
  return low <= series.y[i] && series.y[i] <= high && high > low && shown(low, log) ? [low, high] : null;
}

/** Stacked series: each then holds its upper edge; the highest comes first, to be drawn below the others. */
function stack(all) {
  const sum = [];
  return all
      .map((series) => {
        series.y.forEach((value, i) => {
          sum[i] = (sum[i] || 0) + (value || 0);
        });
        return {...series, own: series.y, y: series.y.map((_, i) => sum[i]), area: true};
      })
      .reverse();
}

/** {x, columns}: all different x in order, and each series' y there (null: none). */
function aligned(all) {
  const x =
      [...new Set(all.flatMap((series) => series.x.filter((_, i) => series.y[i] !== null)))].sort((a, b) => a - b);
  const place = new Map(x.map((value, i) => [value, i]));
  const column = (series, values) => {
    const out = new Array(x.length).fill(null);
    series.x.forEach((value, i) => {
      if (series.y[i] !== null) out[place.get(value)] = values[i] ?? null;
    });
    return out;
  };
  return {x, column};
}

/**
 * What is drawn: {x, series: [{..., y, own (as given, where stacked), bars}], xRange, yRange}; series are those that
 * have something to draw. Null if none has.
 */
function chartModel(chart) {
  let main = chart.series.map((series) => usable(series, chart));
  if (chart.stacked) {
    const shortest = Math.min(...main.map((series) => series.x.length));
    main = main.map((series) => ({...series, x: series.x.slice(0, shortest), y: series.y.slice(0, shortest)}));
    main = stack(main.filter((series) => series.y.some((value) => value > 0)));
  }
  const all = [...main, ...(chart.beside || []).map((series) => usable(series, chart))].filter(
      (series) => series.y.some((value) => value !== null));
  if (all.length === 0) return null;
  const bars =
      all.map((series) => series.x.map((_, i) => (series.y[i] === null ? null : barOf(series, i, chart.y.log))));
  const {x, column} = aligned(all);
  const heights = all.flatMap(
      (series,
       s) => [...series.y.filter((value) => value !== null), ...bars[s].flat().filter((value) => value !== null)]);
  const pointed = all.some((series) => (series.mark || "line") !== "line");
  const xRange =
      widened(extent(x, chart.x.log), {log: chart.x.log, fromZero: chart.x.fromZero, margin: pointed ? 0.02 : 0});
  let yRange = widened(
      extent(heights, chart.y.log), {log: chart.y.log, fromZero: chart.y.fromZero || chart.stacked, margin: 0.06});
  if (chart.y.top > yRange[0]) yRange = [yRange[0], Math.min(yRange[1], chart.y.top)];
  const series = all.map((one, s) => ({
                           ...one,
                           mark: one.mark || "line",
                           y: column(one, one.y),
                           bars: column(one, bars[s]),
                           own: one.own ? column(one, one.own) : null
                         }));
  return {x, series, xRange, yRange};
}

/** Lines of the box that hovering shows: {name, colour, value}, of the series that have a value at place i. */
function valuesAt(model, i) {
  const lines = model.series
                    .map((series) => ({
                           name: series.inBox || series.name,
                           colour: series.colour,
                           value: (series.own || series.y)[i],
                           bar: series.bars[i]
                         }))
                    .filter(({value}) => value !== null && value !== undefined);
  const stacked = model.series.filter((series) => series.area && series.y[i] !== null);
  if (stacked.length > 1) lines.push({name: "sum", colour: null, value: stacked[0].y[i], bar: null});
  return lines;
}
