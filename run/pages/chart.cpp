// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/pages/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace multiwalk {

namespace {

constexpr double chart_width = 760, chart_height = 300, left_margin = 72, right_margin = 14, top_margin = 12,
                 bottom_margin = 46;

/// Data range of an axis and its place on the page.
struct Scale {
  bool logarithmic = false;
  double lo = 0, hi = 1, from = 0, to = 1;

  [[nodiscard]] bool shows(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }
  [[nodiscard]] double operator()(double v) const {
    const double share = logarithmic ? std::log(v / lo) / std::log(hi / lo) : (v - lo) / (hi - lo);
    return from + share * (to - from);
  }
  void include(double v) {
    if (!shows(v)) return;
    lo = std::min(lo, v);
    hi = std::max(hi, v);
  }
};

/// Room beyond the data, and some range where there is one value only.
void widen(Scale& scale, bool from_zero, double margin) {
  if (scale.logarithmic) {
    if (scale.hi < scale.lo * 1.5) scale.lo /= 1.5, scale.hi *= 1.5;
    const double factor = std::pow(scale.hi / scale.lo, margin);
    scale.lo /= factor;
    scale.hi *= factor;
    return;
  }
  if (from_zero) scale.include(0);
  if (scale.hi - scale.lo <= 1e-12 * std::max(std::fabs(scale.lo), std::fabs(scale.hi))) {
    const double half = scale.hi == 0 ? 0.5 : 0.1 * std::fabs(scale.hi);
    scale.lo -= half;
    scale.hi += half;
  }
  const double extra = margin * (scale.hi - scale.lo);
  if (!(from_zero && scale.lo == 0)) scale.lo -= extra;
  scale.hi += extra;
}

Scale empty_scale(bool logarithmic, double from, double to) {
  return {logarithmic, HUGE_VAL, -HUGE_VAL, from, to};
}

/// Means of so many in a row that about half the units of the page's width are left.
std::vector<double> means(const std::vector<double>& values) {
  constexpr std::size_t most = 360;
  const std::size_t bin = (values.size() + most - 1) / most;
  if (bin <= 1) return values;
  std::vector<double> of_bins;
  for (std::size_t first = 0; first < values.size(); first += bin) {
    const std::size_t count = std::min(bin, values.size() - first);
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    of_bins.push_back(std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), 0.0) /
                      static_cast<double>(count));
  }
  return of_bins;
}

/// The series in means, with y summed upwards: each then holds its upper edge.
std::vector<ChartSeries> stack(std::vector<ChartSeries> series) {
  for (ChartSeries& s : series) {
    s.x = means(s.x);
    s.y = means(s.y);
  }
  for (std::size_t s = 1; s < series.size(); ++s) {
    for (std::size_t i = 0; i < series[s].y.size(); ++i) series[s].y[i] += series[s - 1].y.at(i);
  }
  return series;
}

/// Pairs of x and y alone; in a stack all series as long as the shortest.
Chart with_even_lengths(Chart chart) {
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (auto* list : {&chart.series, &chart.beside}) {
    for (ChartSeries& s : *list) {
      const std::size_t n = std::min(s.x.size(), s.y.size());
      s.x.resize(n);
      s.y.resize(n);
      for (std::vector<double>* bars : {&s.error, &s.low, &s.high})
        if (!bars->empty()) bars->resize(n);
      shortest = std::min(shortest, n);
    }
  }
  for (ChartSeries& s : chart.series) {
    if (!chart.stacked) break;
    s.x.resize(shortest);
    s.y.resize(shortest);
  }
  return chart;
}

/// Where the error bar of a point begins and ends; the point itself if it has none.
std::pair<double, double> ends_of_bar(const ChartSeries& s, std::size_t i) {
  if (!s.low.empty() && !s.high.empty()) {
    const bool known = s.low[i] <= s.y[i] && s.y[i] <= s.high[i];
    return known ? std::pair(s.low[i], s.high[i]) : std::pair(s.y[i], s.y[i]);
  }
  const double error = s.error.empty() ? 0 : s.error[i];
  return {s.y[i] - error, s.y[i] + error};
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart),
        series_(chart.stacked ? stack(chart.series) : chart.series),
        x_(empty_scale(chart.x.logarithmic, left_margin, chart_width - right_margin)),
        y_(empty_scale(chart.y.logarithmic, chart_height - bottom_margin, top_margin)) {
    bool pointed = false;
    for (const ChartSeries& s : series_) {
      pointed |= s.mark != Mark::line;
      include(s);
    }
    for (const ChartSeries& s : chart.beside) include(s);
    empty_ = !(x_.hi >= x_.lo);
    if (empty_) return;
    widen(x_, chart.x.from_zero, pointed ? 0.02 : 0);
    widen(y_, chart.y.from_zero || chart.stacked, 0.06);
  }

  [[nodiscard]] bool empty() const { return empty_; }

  [[nodiscard]] std::string svg() const {
    std::string out = fmt::format("<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
                                  chart_width, chart_height, escape_html(chart_.description));
    draw_axes(out);
    for (std::size_t s = series_.size(); s-- > 0;) {
      if (chart_.stacked) {
        draw_area(out, s);
      } else {
        draw_series(out, series_[s]);
      }
    }
    for (const ChartSeries& s : chart_.beside) draw_series(out, s);
    return out + "</svg>";
  }

 private:
  void include(const ChartSeries& s) {
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!shows(s, i)) continue;
      x_.include(s.x[i]);
      const auto [low, high] = ends_of_bar(s, i);
      y_.include(low);
      y_.include(high);
    }
  }

  void draw_axes(std::string& out) const {
    const auto ticks = [](const ChartAxis& axis, const Scale& scale, int count) {
      return axis.ticks.empty() ? round_ticks(scale.lo, scale.hi, scale.logarithmic, count) : axis.ticks;
    };
    double last = -HUGE_VAL;
    for (const ChartTick& tick : ticks(chart_.y, y_, 5)) {
      const double y = y_(tick.value);
      if (y < top_margin - 0.5 || y > chart_height - bottom_margin + 0.5) continue;
      out += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", left_margin,
                         chart_width - right_margin, y, y);
      out +=
          fmt::format("<text class=\"tick end\" x=\"{}\" y=\"{:.1f}\">{}</text>", left_margin - 8, y + 4, tick.label);
    }
    for (const ChartTick& tick : ticks(chart_.x, x_, 8)) {
      const double x = x_(tick.value), room = 4.5 * (2.0 + static_cast<double>(tick.label.size()));
      if (x < left_margin - 0.5 || x > chart_width - right_margin + 0.5) continue;
      out += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", x,
                         chart_height - bottom_margin, chart_height - bottom_margin + 5);
      if (std::fabs(x - last) < room) continue;
      last = x;
      out += fmt::format("<text class=\"tick mid\" x=\"{:.1f}\" y=\"{}\">{}</text>", x,
                         chart_height - bottom_margin + 19, tick.label);
    }
    out += fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>", left_margin,
                       chart_width - right_margin, chart_height - bottom_margin);
    out += fmt::format("<text class=\"label mid\" x=\"{}\" y=\"{}\">{}</text>",
                       0.5 * (left_margin + chart_width - right_margin), chart_height - 6, escape_html(chart_.x.label));
    out += fmt::format("<text class=\"label mid\" transform=\"translate(15 {}) rotate(-90)\">{}</text>",
                       0.5 * (top_margin + chart_height - bottom_margin), escape_html(chart_.y.label));
  }

  [[nodiscard]] bool shows(const ChartSeries& s, std::size_t i) const { return x_.shows(s.x[i]) && y_.shows(s.y[i]); }
  [[nodiscard]] double column(const ChartSeries& s, std::size_t i) const { return std::floor(x_(s.x[i])); }

  /// Of those that follow each other within one unit of the page's width the lowest and the highest: a line through
  /// these looks like one through all.
  [[nodiscard]] std::vector<std::size_t> worth_drawing(const ChartSeries& s) const {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < s.x.size();) {
      if (!shows(s, i)) {
        ++i;
        continue;
      }
      const double first = column(s, i);
      std::size_t lowest = i, highest = i;
      for (; i < s.x.size() && (!shows(s, i) || column(s, i) == first); ++i) {
        if (!shows(s, i)) continue;
        if (s.y[i] < s.y[lowest]) lowest = i;
        if (s.y[i] > s.y[highest]) highest = i;
      }
      kept.push_back(std::min(lowest, highest));
      if (lowest != highest) kept.push_back(std::max(lowest, highest));
    }
    return kept;
  }

  void draw_area(std::string& out, std::size_t s) const {
    const ChartSeries& upper = series_[s];
    std::string points;
    for (std::size_t i = 0; i < upper.x.size(); ++i) points += point(upper.x[i], upper.y[i]);
    for (std::size_t i = upper.x.size(); i-- > 0;) {
      points += point(upper.x[i], s == 0 ? 0 : series_[s - 1].y[i]);
    }
    out += fmt::format("<polygon class=\"area c{}\" points=\"{}\"><title>{}</title></polygon>", upper.colour, points,
                       escape_html(upper.name));
  }

  void draw_series(std::string& out, const ChartSeries& s) const {
    if (s.mark != Mark::points) {
      std::string points;
      for (const std::size_t i : worth_drawing(s)) points += point(s.x[i], s.y[i]);
      out += fmt::format("<polyline class=\"line s{}{}\" points=\"{}\"/>", s.colour, s.dashed ? " dashed" : "", points);
    }
    for (std::size_t i = 0; s.mark != Mark::line && i < s.x.size(); ++i) {
      if (shows(s, i)) draw_mark(out, s, i);
    }
  }

  void draw_mark(std::string& out, const ChartSeries& s, std::size_t i) const {
    const double x = x_(s.x[i]);
    const auto [low, high] = ends_of_bar(s, i);
    if (high > low && y_.shows(low)) {
      out +=
          fmt::format("<path class=\"line s{0}\" d=\"M{1:.1f} {2:.1f}V{3:.1f}M{4:.1f} {2:.1f}h8M{4:.1f} {3:.1f}h8\"/>",
                      s.colour, x, y_(low), y_(high), x - 4);
    }
    out += fmt::format(
        "<circle class=\"mark {}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\"><title>{}: {:.4g}</title></circle>",
        s.dashed ? "s" : "c", s.colour, x, y_(s.y[i]), escape_html(s.name), s.y[i]);
  }

  [[nodiscard]] std::string point(double x, double y) const {
    return x_.shows(x) && y_.shows(y) ? fmt::format("{:.1f},{:.1f} ", x_(x), y_(y)) : "";
  }

  const Chart& chart_;
  std::vector<ChartSeries> series_;
  Scale x_, y_;
  bool empty_ = true;
};

/// Whether some point can be drawn.
bool has_points(const ChartSeries& s, const ChartAxis& y) {
  return std::ranges::any_of(s.y, [&](double v) { return std::isfinite(v) && (!y.logarithmic || v > 0); });
}

std::string legend(const Chart& chart) {
  std::string out = "<div class=\"legend\">";
  for (const auto* list : {&chart.series, &chart.beside}) {
    for (const ChartSeries& s : *list) {
      if (s.name.empty() || !has_points(s, chart.y)) continue;
      out += fmt::format("<span><i class=\"key b{}{}\"></i>{}</span>", s.colour, s.dashed ? " open" : "",
                         escape_html(s.name));
    }
  }
  return out + "</div>";
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string chart_html(const Chart& chart) {
  const Chart even = with_even_lengths(chart);
  const Drawing drawing(even);
  if (drawing.empty()) return "<p class=\"nothing\">Nothing was measured.</p>";
  return legend(even) + drawing.svg();
}

}  // namespace multiwalk
