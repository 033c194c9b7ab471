// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of `bench direct --scan`.
#include <fmt/format.h>

#include <algorithm>

#include "run/bench/direct_scan.hpp"
#include "run/files/json_output.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

std::string cell_text(const json& value, const char* format) {
  return value.is_null() ? "-" : fmt::format(fmt::runtime(format), value.get<double>());
}

/// The different values of a key, in the order of rows.
std::vector<json> values_of(const json& rows, const char* key) {
  std::vector<json> values;
  for (const json& row : rows) {
    if (std::ranges::find(values, row.at(key)) == values.end()) values.push_back(row.at(key));
  }
  return values;
}

/// The layout of a table: rows by the values of `down`, columns by those of `across`, in the cells one figure.
struct Table {
  const char *title, *down, *across, *figure, *format;
  double unit = 1;
};

std::string text_of(const Table& table, const json& rows) {
  const std::vector<json> heads = values_of(rows, table.across);
  std::string text = fmt::format("{}\n{:>30}", table.title, table.across);
  for (const json& head : heads) text += fmt::format(" {:>9}", plain_text(head));
  for (const json& line : values_of(rows, table.down)) {
    text += fmt::format("\n{:>30}", plain_text(line));
    for (const json& head : heads) {
      const auto here = [&](const json& row) { return row.at(table.down) == line && row.at(table.across) == head; };
      const auto row = std::ranges::find_if(rows, here);
      const json value = row == rows.end() ? json() : row->at(table.figure);
      text += fmt::format(" {:>9}", value.is_null() ? "-" : cell_text(value.get<double>() / table.unit, table.format));
    }
  }
  return text + "\n";
}

std::string copies_text(const json& copies) {
  std::string text = "GB/s of messages by their size: to the device from page-locked and pageable memory, and back\n";
  text +=
      fmt::format("{:>12} {:>10} {:>10} {:>10} {:>10}\n", "bytes", "to locked", "pageable", "from locked", "pageable");
  for (const json& row : copies) {
    const auto rate = [&](const char* way, const char* memory) { return 1e-9 * row.at(way).at(memory).get<double>(); };
    text += fmt::format("{:>12} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}\n", row.at("bytes").get<std::size_t>(),
                        rate("to_device", "locked"), rate("to_device", "pageable"), rate("to_host", "locked"),
                        rate("to_host", "pageable"));
  }
  return text;
}

}  // namespace

std::string direct_scan_text(const json& result) {
  std::string text = fmt::format("Plummer spheres, eps^2 = {:g}, {} operations a pair\n",
                                 result.at("softening2").get<double>(), result.at("operations_per_pair").get<int>());
  if (result.contains("strategies")) {
    const json& rows = result.at("strategies");
    const json& shapes = result.at("shapes").at("rows");
    text += text_of({"Gflop/s of kernels by strategy and number of bodies", "name", "particles", "gflops", "{:.0f}"},
                    rows) +
            text_of({"Share of the best strategy's speed", "name", "particles", "of_best", "{:.3f}"}, rows) +
            text_of({"Maximum relative error of the acceleration", "name", "particles", "error", "{:.1e}"}, rows) +
            text_of({"Gpairs/s of the tiled kernel by threads of a block and blocks of the grid", "threads", "blocks",
                     "pairs_per_second", "{:.1f}", 1e9},
                    shapes) +
            copies_text(result.at("copies"));
  }
  if (result.contains("cpu")) {
    const json& rows = result.at("cpu");
    text += text_of({"Gflop/s by loop, threads, accumulation and number of bodies", "name", "particles", "gflops",
                     "{:.2f}"},
                    rows) +
            text_of({"Speed relative to the scalar loop", "name", "particles", "of_scalar", "{:.1f}"}, rows) +
            text_of({"Maximum relative error of the acceleration", "name", "particles", "error", "{:.1e}"}, rows);
  }
  return text;
}

}  // namespace multiwalk
