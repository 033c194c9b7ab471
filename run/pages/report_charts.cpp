// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/pages/report_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "run/files/number_text.hpp"
#include "run/records/run_totals.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;
using Value = std::function<double(const json&)>;

std::vector<double> values_of(const json& rows, const Value& value) {
  std::vector<double> values;
  for (const json& row : rows) values.push_back(value(row));
  return values;
}

Value field(const char* name) {
  return [name](const json& row) { return number_or_nan(row.at(name)); };
}

double over_seconds(const json& step, double amount) {
  const double seconds = number_or_nan(step.at("seconds").at("total"));
  return seconds > 0 ? amount / seconds : std::numeric_limits<double>::quiet_NaN();
}

bool comoving(const json& report) {
  return report.at("comoving").get<bool>();
}

/// The mean over the steps of a row.
Value per_step(const char* name) {
  return [name](const json& row) { return number_or_nan(row.at(name)) / steps_covered(row); };
}

ChartAxis step_axis() {
  return {"step", false, {}, false};
}

/// Rows of the record that are steps: the first tells of the forces before them, and of what was measured there.
json steps_of(const json& report) {
  json rows = report.at("steps");
  if (rows.size() > 1 && rows.front().at("step") == 0) rows.erase(rows.begin());
  return rows;
}

/// Adds a line at the mean of the published run that the report is compared with.
void add_published(const json& report, const char* figure, double unit, const std::string& what, int colour,
                   Chart& chart) {
  const json comparison = report.value("comparison", json());
  if (!comparison.is_object() || chart.series.empty() || chart.series.front().x.empty()) return;
  const double mean = unit * number_or_nan(comparison.at("figures").at(figure));
  const std::vector<double>& x = chart.series.front().x;
  const std::string name = comparison.at("title").get<std::string>() + ", " + what;
  chart.beside.push_back({name, colour, {x.front(), x.back()}, {mean, mean}, {}, Mark::line, true});
}

ReportChart phase_chart(const json& report) {
  ReportChart out{
      "Wall time per step, by phase",
      {"Seconds of each step, stacked by phase", step_axis(), {"seconds per step", false, {}, true}, {}, true},
      "The height is the wall time of a step; each band is the share of one phase, and the bands do not overlap. "
      "<i>sort</i> and <i>tree</i> build the octree, <i>walk</i> finds which cells and particles act on each group, "
      "<i>pack</i> and <i>transfer</i> prepare and move data, <i>device</i> evaluates the forces (on the CPU too), "
      "<i>integration</i> moves the particles, <i>io</i> writes files; on several ranks <i>decompose</i> divides space "
      "and moves particles to their ranks, <i>let</i> waits for and makes essential trees; in a periodic box "
      "<i>mesh</i> "
      "is the long range of the forces, from a mesh or summed by modes. A good run is mostly <i>device</i>."};
  const json steps = steps_of(report);
  const std::vector<double> x = values_of(steps, field("step"));
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    const std::string name(phase_names[phase]);
    std::vector<double> y =
        values_of(steps, [&](const json& s) { return phase_seconds(s.at("seconds"))[phase] / steps_covered(s); });
    if (std::ranges::all_of(y, [](double v) { return v == 0; })) continue;
    out.chart.series.push_back({name, static_cast<int>(phase), x, std::move(y), {}, Mark::line, false});
  }
  return out;
}

ReportChart breakdown_chart(const json& report) {
  ReportChart out{
      "Exchange, tree walk, and the rest",
      {"Seconds of each step in three parts", step_axis(), {"seconds per step", false, {}, true}, {}, true},
      "The parts of Hamada et al. (2009), Fig. 11, mean over ranks. <i>MPI</i>: dividing space anew, moving particles "
      "to "
      "their ranks, waiting for and making essential trees. <i>Tree walk</i>: walks, transfers to and from the "
      "devices, "
      "and the forces themselves. <i>Miscellaneous</i>: all else; what a rank waits for slower ones is here."};
  struct Part {
    const char* name;
    int colour;
    double TimeBreakdown::*seconds;
  };
  const json steps = steps_of(report);
  const std::vector<double> x = values_of(steps, field("step"));
  for (const Part& part : {Part{"MPI", 10, &TimeBreakdown::mpi}, Part{"tree walk", 5, &TimeBreakdown::tree_walk},
                           Part{"miscellaneous", 9, &TimeBreakdown::miscellaneous}}) {
    const auto value = [&](const json& s) {
      return time_breakdown(phase_seconds(s.at("seconds"))).*part.seconds / steps_covered(s);
    };
    out.chart.series.push_back({part.name, part.colour, x, values_of(steps, value), {}, Mark::line, false});
  }
  add_published(report, "seconds_per_step", 1, "mean of all", 3, out.chart);
  return out;
}

ReportChart speed_chart(const json& report) {
  ReportChart out{
      "Sustained speed per step",
      {"Raw and effective speed of each step", step_axis(), {"Gflops", false, {}, true}, {}, false},
      "Interactions per second times 38 operations, the convention of Warren et al. (1997), over the whole wall time "
      "of each step. <i>Raw</i> counts every interaction that was evaluated. <i>Effective</i> counts only those that "
      "the original Barnes-Hut tree code would have needed, so a longer list cannot make a code look fast."};
  const json steps = steps_of(report);
  const double operations = number_or_nan(report.at("operations_per_pair"));
  const std::vector<double> x = values_of(steps, field("step"));
  const char* names[2][2] = {{"raw", "raw_pairs"}, {"effective", "effective_pairs"}};
  for (int i = 0; i < 2; ++i) {
    const char* key = names[i][1];
    const auto speed = [&](const json& s) { return over_seconds(s, 1e-9 * operations * number_or_nan(s.at(key))); };
    out.chart.series.push_back({names[i][0], 3 * i, x, values_of(steps, speed), {}, Mark::line, false});
  }
  add_published(report, "tflops_raw", 1000, "raw", 0, out.chart);
  add_published(report, "tflops_effective", 1000, "effective", 3, out.chart);
  return out;
}

ReportChart rate_chart(const json& report) {
  ReportChart out{
      "Particles per second",
      {"Particles advanced per second in each step", step_axis(), {"particles / s", false, {}, true}, {}, false},
      "Particles times steps over wall time: the figure to compare between codes at the same force error. "
      "It changes as matter clusters and lists grow or shrink; a dip is a busy "
      "machine."};
  const json steps = steps_of(report);
  out.chart.series.push_back({"particles per second",
                              1,
                              values_of(steps, field("step")),
                              values_of(steps, field("particles_per_second")),
                              {},
                              Mark::line,
                              false});
  add_published(report, "particles_per_second", 1, "mean", 1, out.chart);
  return out;
}

ReportChart count_chart(const json& report) {
  ReportChart out{"Interactions per step, raw and effective",
                  {"Raw and effective interactions against redshift",
                   epoch_axis(report),
                   {"interactions", true, {}, false},
                   {},
                   false},
                  "The line is the exact count of targets times lists in each step. The points are effective "
                  "counts: at a few epochs the original "
                  "Barnes-Hut walk (one list per particle, same opening angle) is repeated for a random sample of "
                  "particles; bars are its standard error. Between "
                  "the points the ratio is interpolated in ln a."};
  const json& steps = report.at("steps");
  const json& census = report.at("census");
  const std::vector<double> x = values_of(steps, [&](const json& s) { return epoch(report, s); });
  out.chart.series.push_back({"raw", 0, x, values_of(steps, per_step("raw_pairs")), {}, Mark::line, false});
  out.chart.series.push_back(
      {"effective, interpolated", 3, x, values_of(steps, per_step("effective_pairs")), {}, Mark::line, false});
  if (!comoving(report)) return out;
  out.chart.series.push_back(
      {"effective, counted", 3, values_of(census, [&](const json& c) { return epoch(report, c); }),
       values_of(census, field("effective_pairs")), values_of(census, field("effective_error")), Mark::points, true});
  return out;
}

ReportChart ratio_chart(const json& report) {
  ReportChart out{"Raw over effective",
                  {"Ratio of raw to effective interactions at each census",
                   epoch_axis(report),
                   {"raw / effective", false, {}, true},
                   {},
                   false},
                  "How many interactions were evaluated for each one that the original algorithm needs at the same "
                  "opening angle: the price of "
                  "giving a whole group one list, which is what lets a GPU run at full speed. Hamada et al. (2009) "
                  "report 2.37. Larger groups raise it, "
                  "near-uniform matter too, and so does an acceptance criterion that asks for more accuracy than the "
                  "opening angle alone."};
  const json& census = report.at("census");
  if (!comoving(report)) out.chart.x = step_axis();
  const auto place = [&](const json& c) { return comoving(report) ? epoch(report, c) : number_or_nan(c.at("step")); };
  const auto error = [](const json& c) {
    return number_or_nan(c.at("ratio")) * number_or_nan(c.at("effective_error")) /
           number_or_nan(c.at("effective_pairs"));
  };
  out.chart.series.push_back({"raw / effective", 4, values_of(census, place), values_of(census, field("ratio")),
                              values_of(census, error), Mark::line_and_points, false});
  return out;
}

ReportChart error_chart(const json& report) {
  ReportChart out{"Force error",
                  {"Percentiles of the relative force error at each output",
                   epoch_axis(report),
                   {"relative force error", true, {}, false},
                   {},
                   false},
                  "At each output the forces on a random sample of particles are compared with direct summation in "
                  "double precision. Half of the particles are below the <i>median</i> line"};
  const json& errors = report.at("force_error");
  const bool known = std::ranges::any_of(errors, [](const json& e) { return e.at("p99").is_number(); });
  out.how_to_read += known ? ", all but one percent below <i>99%</i>. " : ". ";
  out.how_to_read += "Bars are intervals of 95% confidence. ";
  if (comoving(report)) {
    out.how_to_read +=
        "Dashed: the same differences relative to the <i>peculiar</i> force, which drives structure: the smooth pull "
        "of the sphere, much larger at early times, is taken out.";
  }
  const std::vector<double> x = values_of(errors, [&](const json& e) { return epoch(report, e); });
  const char* names[3][3] = {
      {"median", "median", "median_interval"}, {"99%", "p99", "p99_interval"}, {"maximum", "max", ""}};
  const int colours[3] = {1, 2, 5};
  for (bool peculiar : {false, true}) {
    if (peculiar && !comoving(report)) break;
    for (int i = 0; i < 3; ++i) {
      const auto of = [&](const json& e) -> const json& { return peculiar ? e.at("peculiar") : e; };
      const auto value = [&](const json& e) { return number_or_nan(of(e).at(names[i][1])); };
      const auto low = [&](const json& e) { return end_of_interval(of(e), names[i][2], 0); };
      const auto high = [&](const json& e) { return end_of_interval(of(e), names[i][2], 1); };
      out.chart.series.push_back({std::string(names[i][0]) + (peculiar ? ", peculiar" : ""),
                                  colours[i],
                                  x,
                                  values_of(errors, value),
                                  {},
                                  Mark::line_and_points,
                                  peculiar,
                                  values_of(errors, low),
                                  values_of(errors, high)});
    }
  }
  return out;
}

ReportChart time_step_chart(const json& report) {
  const bool cosmological = comoving(report);
  ReportChart out{
      "Time steps",
      {"Length of each step",
       epoch_axis(report),
       {cosmological ? "step in ln a" : "step (model units)", true, {}, false},
       {},
       false},
      "The length of each step, with block steps of each block. The step of all particles together is set by "
      "the largest acceleration and the softening (Power et al. 2003) and shrinks when dense halos form. Single short "
      "steps land exactly on a requested output."};
  const json& steps = report.at("steps");
  std::vector<double> x, y;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double here = epoch(report, steps[i]);
    x.push_back(here);
    y.push_back((here - epoch(report, steps[i - 1])) / steps_covered(steps[i]));
  }
  out.chart.series.push_back({"", 6, std::move(x), std::move(y), {}, Mark::line, false});
  return out;
}

/// Of a step; null if all particles stepped together.
const json& rungs_of(const json& step) {
  static const json none;
  return step.contains("block") ? step.at("block").at("rungs") : none;
}

ReportChart rung_chart(const json& report) {
  ReportChart out{"Particles by time step",
                  {"Share of the particles on each rung at the beginning of each block",
                   epoch_axis(report),
                   {"share of the particles", false, {}, true},
                   {},
                   true},
                  "A step of the record is a block, at whose ends all particles stand at the same time. Within it a "
                  "particle of rung <i>k</i> takes 2<sup><i>k</i></sup> steps, as many as its own acceleration and the "
                  "softening ask for (Power et al. 2003). <i>rungs.csv</i> has the numbers."};
  const json& steps = report.at("steps");
  std::size_t rungs = 0;
  for (const json& step : steps) rungs = std::max(rungs, rungs_of(step).size());
  const double particles = number_or_nan(report.at("particles"));
  const std::vector<double> x = values_of(steps, [&](const json& s) { return epoch(report, s); });
  for (std::size_t k = 0; k < rungs; ++k) {
    const auto share = [&](const json& step) {
      const json& counts = rungs_of(step);
      if (counts.empty()) return k == 0 ? 1.0 : 0.0;
      return k < counts.size() ? counts[k].get<double>() / particles : 0.0;
    };
    out.chart.series.push_back({fmt::format("rung {}", k),
                                static_cast<int>(k % phase_count),
                                x,
                                values_of(steps, share),
                                {},
                                Mark::line,
                                false});
  }
  return out;
}

}  // namespace

double epoch(const json& report, const json& row) {
  return comoving(report) ? -std::log1p(number_or_nan(row.at("z"))) : number_or_nan(row.at("time"));
}

std::string epoch_text(const json& report, const json& row) {
  return comoving(report) ? fmt::format("z = {:.2f}", number_or_nan(row.at("z")))
                          : "t = " + scientific(number_or_nan(row.at("time")));
}

ChartAxis epoch_axis(const json& report) {
  if (!comoving(report)) return {"time (model units)", false, {}, false};
  ChartAxis axis{"redshift z", false, {}, false};
  for (double z : {99., 49., 24., 15., 10., 7., 5., 4., 3., 2., 1.5, 1., 0.5, 0.2, 0.}) {
    axis.ticks.push_back({-std::log1p(z), fmt::format("{:g}", z)});
  }
  // A short run, such as z = 24 to 20.5, needs its own round redshifts.
  const json& steps = report.at("steps");
  if (steps.empty()) return axis;
  const double first = number_or_nan(steps.front().at("z")), last = number_or_nan(steps.back().at("z"));
  const auto seen = [&](const ChartTick& t) { return std::expm1(-t.value) <= first && std::expm1(-t.value) >= last; };
  if (std::ranges::count_if(axis.ticks, seen) >= 4) return axis;
  axis.ticks.clear();
  for (const ChartTick& t : round_ticks(last, first, false, 7)) axis.ticks.push_back({-std::log1p(t.value), t.label});
  return axis;
}

double steps_covered(const json& row) {
  const double covered = row.contains("steps_covered") ? number_or_nan(row.at("steps_covered")) : 1;
  return covered >= 1 ? covered : 1;
}

double number_or_nan(const json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

double end_of_interval(const json& row, const char* key, std::size_t end) {
  const json interval = row.value(key, json());
  return interval.is_array() && interval.size() == 2 ? number_or_nan(interval[end])
                                                     : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> column(const json& rows, const char* key) {
  std::vector<double> values;
  for (const json& row : rows) values.push_back(number_or_nan(row.at(key)));
  return values;
}

PhaseSeconds phase_seconds(const json& seconds) {
  PhaseSeconds by_phase{};
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    const auto found = seconds.find(std::string(phase_names[phase]));
    if (found != seconds.end()) by_phase[phase] = std::max(0.0, number_or_nan(*found));
  }
  return by_phase;
}

ReportChart energy_chart(const json& report) {
  const bool cosmological = comoving(report);
  ReportChart out{
      cosmological ? "Layzer-Irvine energy check" : "Energy conservation",
      {"Relative violation of energy conservation",
       epoch_axis(report),
       {"relative violation", true, {}, false},
       {},
       false},
      cosmological
          ? "In an expanding universe energy is not constant, but a(T + U) + &int; T da is (Layzer 1963; Irvine 1961). "
            "The curve is how far "
            "that sum has moved, relative to the energy of the structure formed. Well below 1% is good; a kink "
            "shows where the time step or the force was too coarse."
          : "Total energy should not change. The curve is |E - E&#8320;| / |E&#8320;|. A bounded wiggle is the "
            "integrator's; a steady climb means the time step is too long."};
  const json& steps = report.at("steps");
  std::vector<double> x = values_of(steps, [&](const json& s) { return epoch(report, s); });
  std::vector<double> y;
  for (const json& e : report.at("energy").at("steps")) y.push_back(std::fabs(number_or_nan(e)));
  const std::size_t n = std::min(x.size(), y.size());
  x.erase(x.begin(), x.end() - static_cast<std::ptrdiff_t>(n));
  y.erase(y.begin(), y.end() - static_cast<std::ptrdiff_t>(n));
  out.chart.series.push_back({"", 5, std::move(x), std::move(y), {}, Mark::line, false});
  return out;
}

std::vector<ReportChart> cost_charts(const json& report) {
  return {phase_chart(report), breakdown_chart(report), speed_chart(report),
          rate_chart(report),  count_chart(report),     ratio_chart(report)};
}

std::vector<ReportChart> accuracy_charts(const json& report) {
  std::vector<ReportChart> charts{error_chart(report), energy_chart(report), time_step_chart(report)};
  ReportChart rungs = rung_chart(report);
  if (!rungs.chart.series.empty()) charts.push_back(std::move(rungs));
  return charts;
}

std::string chart_panels(const std::vector<ReportChart>& charts) {
  std::string out;
  for (const ReportChart& c : charts) {
    out += fmt::format(
        "<section class=\"panel\"><h3>{}</h3>{}<p class=\"how\"><b>How to read this.</b> {}</p></section>\n", c.title,
        chart_html(c.chart), c.how_to_read);
  }
  return out;
}

}  // namespace multiwalk
