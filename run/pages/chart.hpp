// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as inline SVG for the run report: lines, points with error bars and stacked areas, with axes, ticks and a
// legend. Colours and fonts come from the page's style sheet (report_style.hpp), so that charts follow its light and
// dark scheme.
#pragma once

#include <string>
#include <vector>

namespace multiwalk {

struct ChartTick {
  double value = 0;
  std::string label;
};

struct ChartAxis {
  std::string label;
  bool logarithmic = false;
  std::vector<ChartTick> ticks;  ///< empty: chosen; otherwise the ones inside the range are drawn
  bool from_zero = false;        ///< linear axes: the range includes 0
};

enum class Mark { line, points, line_and_points };

struct ChartSeries {
  std::string name;          ///< in the legend; empty: not there
  int colour = 0;            ///< index into the page's palette
  std::vector<double> x, y;  ///< values that cannot be drawn (not finite; not positive on a log axis) are left out
  std::vector<double> error = {};  ///< half length of error bars; empty: none
  Mark mark = Mark::line;
  bool dashed = false;
  std::vector<double> low = {}, high = {};  ///< ends of error bars that are longer on one side, in place of `error`
};

struct Chart {
  std::string description;  ///< for readers who cannot see it
  ChartAxis x, y;
  std::vector<ChartSeries> series;
  bool stacked = false;                  ///< areas upon each other, all series on the same x
  std::vector<ChartSeries> beside = {};  ///< lines to compare these with, never stacked
};

/// A legend of the series that have something to draw and an svg element, without references to anything outside the
/// page. No data: a line that says so.
std::string chart_html(const Chart& chart);

/// Text made safe for HTML.
std::string escape_html(const std::string& text);

/// Ticks at round values: about `count` of them, or the decades on a logarithmic axis.
std::vector<ChartTick> round_ticks(double lo, double hi, bool logarithmic, int count);

}  // namespace multiwalk
