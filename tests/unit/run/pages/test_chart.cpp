// SPDX-License-Identifier: GPL-3.0-or-later
// Charts: round ticks, points where they belong, bad values left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "run/files/number_text.hpp"
#include "run/pages/chart.hpp"

namespace multiwalk {
namespace {

TEST(Chart, TicksAreRoundAndInside) {
  const std::vector<ChartTick> linear = round_ticks(-0.013, 0.94, false, 5);
  ASSERT_EQ(linear.size(), 5U);
  EXPECT_EQ(linear[0].label, "0.0");
  EXPECT_DOUBLE_EQ(linear[4].value, 0.8);
  const std::vector<ChartTick> decades = round_ticks(3e-6, 2e-2, true, 5);
  ASSERT_EQ(decades.size(), 4U);
  EXPECT_EQ(decades[0].label, "10⁻⁵");
  const std::vector<ChartTick> narrow = round_ticks(1.5e8, 9e8, true, 5);
  ASSERT_EQ(narrow.size(), 2U);
  EXPECT_EQ(narrow[1].label, "5×10⁸");
  EXPECT_TRUE(round_ticks(1, 1, false, 5).empty());
  EXPECT_TRUE(round_ticks(0, std::nan(""), false, 5).empty());
}

/// As in a manipulated report.
TEST(Chart, TicksOfImpossibleRangesEnd) {
  EXPECT_TRUE(round_ticks(0, 1, true, 5).empty());
  EXPECT_TRUE(round_ticks(-1e308, 1.5e308, false, 5).empty());
  EXPECT_LT(round_ticks(1e308, std::nextafter(1e308, HUGE_VAL), false, 5).size(), 100U);
  EXPECT_LT(round_ticks(1e16, 1e16 + 2, false, 5).size(), 100U);
}

std::vector<std::pair<double, double>> circles(const std::string& html) {
  std::vector<std::pair<double, double>> points;
  const std::regex circle(R"re(cx="([-0-9.]+)" cy="([-0-9.]+)")re");
  for (std::sregex_iterator c(html.begin(), html.end(), circle), end; c != end; ++c) {
    points.emplace_back(std::stod((*c)[1]), std::stod((*c)[2]));
  }
  return points;
}

TEST(Chart, PointsStandInProportion) {
  Chart chart;
  chart.y.logarithmic = true;
  chart.series = {{"s", 0, {0, 1, 4}, {1, 10, 1000}, {}, Mark::points, false}};
  const auto points = circles(chart_html(chart));
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR((points[2].first - points[0].first) / (points[1].first - points[0].first), 4, 0.01);
  EXPECT_NEAR((points[2].second - points[0].second) / (points[1].second - points[0].second), 3, 0.01);
  EXPECT_LT(points[1].second, points[0].second);
}

TEST(Chart, TheLegendNamesWhatIsDrawn) {
  Chart chart;
  chart.y.logarithmic = true;
  chart.series = {{"known", 0, {0, 1}, {1, 10}, {}, Mark::points, false},
                  {"unknown", 1, {0, 1}, {NAN, 0}, {}, Mark::points, false}};
  EXPECT_NE(chart_html(chart).find("</i>known<"), std::string::npos);
  EXPECT_EQ(chart_html(chart).find("unknown"), std::string::npos);
}

/// "M x bottom V top" of each bar.
std::vector<std::pair<double, double>> bars(const std::string& html) {
  std::vector<std::pair<double, double>> ends;
  const std::regex bar(R"re(d="M[-0-9.]+ ([-0-9.]+)V([-0-9.]+)M)re");
  for (std::sregex_iterator b(html.begin(), html.end(), bar), end; b != end; ++b) {
    ends.emplace_back(std::stod((*b)[1]), std::stod((*b)[2]));
  }
  return ends;
}

TEST(Chart, BarsMayBeLongerOnOneSide) {
  Chart chart;
  chart.y.logarithmic = true;
  ChartSeries series{"s", 0, {0, 1, 2}, {10, 10, 10}, {}, Mark::points, false};
  series.low = {1, NAN, 10};
  series.high = {1000, NAN, 10};
  chart.series = {series};
  const std::string html = chart_html(chart);
  EXPECT_EQ(html.find("nan"), std::string::npos);
  const auto drawn = bars(html);
  const auto points = circles(html);
  ASSERT_EQ(drawn.size(), 1U);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR((points[0].second - drawn[0].second) / (drawn[0].first - points[0].second), 2, 0.01);
}

TEST(Chart, LeavesOutWhatCannotBeDrawn) {
  Chart chart;
  chart.y.logarithmic = true;
  EXPECT_NE(chart_html(chart).find("Nothing was measured"), std::string::npos);
  chart.series = {{"a < b", 0, {0, 1, 2, 3, NAN}, {1, 0, NAN, 2, 3}, {}, Mark::points, false}};
  const std::string html = chart_html(chart);
  EXPECT_EQ(circles(html).size(), 2U);
  EXPECT_EQ(html.find("nan"), std::string::npos);
  EXPECT_NE(html.find("a &lt; b"), std::string::npos);
  chart.series = {{"one", 0, {1}, {5}, {}, Mark::points, false}};
  EXPECT_EQ(circles(chart_html(chart)).size(), 1U);
}

TEST(Chart, StackedAreasLieUponEachOther) {
  Chart chart;
  chart.stacked = true;
  chart.series = {{"low", 0, {0, 1}, {1, 1}, {}, Mark::line, false},
                  {"high", 1, {0, 1}, {2, 3}, {}, Mark::line, false}};
  const std::string html = chart_html(chart);
  const std::regex polygon(R"re(points="([-0-9.]+),([-0-9.]+) [^"]* ([-0-9.]+),([-0-9.]+) ")re");
  std::vector<double> first, last;
  for (std::sregex_iterator p(html.begin(), html.end(), polygon), end; p != end; ++p) {
    first.push_back(std::stod((*p)[2]));
    last.push_back(std::stod((*p)[4]));
  }
  ASSERT_EQ(first.size(), 2U);  // drawn from the top series down
  EXPECT_NEAR(last[0], first[1], 0.11);
  EXPECT_NEAR((last[1] - first[0]) / (last[1] - first[1]), 3, 0.01);
}

TEST(Chart, LinesBesideStackedAreasAreNotStacked) {
  Chart chart;
  chart.stacked = true;
  chart.series = {{"low", 0, {0, 1}, {1, 1}, {}, Mark::line, false},
                  {"high", 1, {0, 1}, {2, 3}, {}, Mark::line, false}};
  chart.beside = {{"then", 2, {0, 1}, {8, 8}, {}, Mark::line, true}};
  const std::string html = chart_html(chart);
  const std::regex line(R"re(polyline class="line s2 dashed" points="([-0-9.]+),([-0-9.]+) ([-0-9.]+),([-0-9.]+) ")re");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(html, found, line));
  EXPECT_EQ(found[2], found[4]);
  const std::regex polygon(R"re(points="([-0-9.]+),([-0-9.]+) [^"]* ([-0-9.]+),([-0-9.]+) ")re");
  std::smatch top;
  ASSERT_TRUE(std::regex_search(html, top, polygon));
  chart.series = {{"whole", 0, {0, 1}, {8, 8}, {}, Mark::line, false}};
  const std::string alone = chart_html(chart);
  std::smatch highest;
  ASSERT_TRUE(std::regex_search(alone, highest, polygon));
  EXPECT_EQ(found[2], highest[2]);  // as high as an area of 8, and the scale has room for it
  EXPECT_NE(html.find("then"), std::string::npos);
}

/// Of the first line or area.
std::vector<std::pair<double, double>> corners(const std::string& html) {
  std::vector<std::pair<double, double>> points;
  const std::string before = " points=\"";
  const std::size_t begin = html.find(before) + before.size();
  const std::string text = html.substr(begin, html.find('"', begin) - begin);
  const std::regex pair(R"re(([-0-9.]+),([-0-9.]+) )re");
  for (std::sregex_iterator p(text.begin(), text.end(), pair), end; p != end; ++p) {
    points.emplace_back(std::stod((*p)[1]), std::stod((*p)[2]));
  }
  return points;
}

TEST(Chart, LinesOfManyPointsKeepTheirPeaks) {
  Chart chart;
  ChartSeries long_one{"s", 0, {}, {}, {}, Mark::line, false};
  for (int i = 0; i < 100000; ++i) {
    long_one.x.push_back(i);
    long_one.y.push_back(i == 30303 ? 9 : i == 60606 ? -9 : i % 2);
  }
  chart.series = {long_one};
  const auto points = corners(chart_html(chart));
  EXPECT_LE(points.size(), 2U * 700);
  chart.series.front().x = {0, 30303, 60606, 99999};
  chart.series.front().y = {0, 9, -9, 0};
  const auto few = corners(chart_html(chart));
  ASSERT_EQ(few.size(), 4U);
  for (const auto& peak : {few[1], few[2]}) EXPECT_NE(std::ranges::find(points, peak), points.end()) << peak.first;
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &std::pair<double, double>::first));
}

TEST(Chart, AreasOfManyPointsAreMeans) {
  Chart chart;
  chart.stacked = true;
  ChartSeries low{"low", 0, {}, {}, {}, Mark::line, false}, high = low;
  for (int i = 0; i < 36000; ++i) {
    for (ChartSeries* s : {&low, &high}) s->x.push_back(i);
    low.y.push_back(i % 100 == 0 ? 100 : 0);
    high.y.push_back(i % 100 == 7 ? 200 : 0);
  }
  chart.series = {low, high};
  const auto all = corners(chart_html(chart));
  EXPECT_EQ(all.size(), 2U * 360);
  for (ChartSeries& s : chart.series) s.x = {49.5, 35949.5};
  chart.series[0].y = {1, 1};
  chart.series[1].y = {2, 2};
  const auto few = corners(chart_html(chart));
  EXPECT_EQ(few.front(), all.front());
  EXPECT_EQ(few.back(), all.back());
}

TEST(NumberText, ReadsWell) {
  EXPECT_EQ(with_commas(1234567.4), "1,234,567");
  EXPECT_EQ(with_commas(-999), "-999");
  EXPECT_EQ(scientific(2.583082e15), "2.58 × 10¹⁵");
  EXPECT_EQ(scientific(9.999e-5), "1.00 × 10⁻⁴");
  EXPECT_EQ(scientific(0.0123), "0.0123");
  EXPECT_EQ(scientific(12345), "12,345");
  EXPECT_EQ(scientific(NAN), "-");
  EXPECT_EQ(with_prefix(2.4e6), "2.40 M");
  EXPECT_EQ(with_prefix(999.9e3), "1.00 M");
  EXPECT_EQ(duration(0.05), "50 ms");
  EXPECT_EQ(duration(59.99), "1 min 00 s");
  EXPECT_EQ(duration(7500), "2 h 05 min");
  EXPECT_EQ(duration(INFINITY), "-");
}

}  // namespace
}  // namespace multiwalk
