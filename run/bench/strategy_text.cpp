// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of `bench strategies`.
#include <fmt/format.h>

#include <cmath>

#include "run/bench/strategy_bench.hpp"
#include "run/files/json_output.hpp"
#include "run/files/number_text.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

double number(const json& row, const char* key) {
  return row.at(key).is_number() ? row.at(key).get<double>() : NAN;
}

std::string error_text(const json& row) {
  const json& e = row.at("error");
  return fmt::format("{:>9.2e} {} {:>9.2e}", number(e, "median"), tail_column(e), number(e, "max"));
}

std::string strategy_table(const json& comparison, const std::string& problem) {
  std::string text = fmt::format("{:<14}{:<15}{:>7} {:>7} {:>10} {:>12} {:>10} {:>10}   {:>9} {:>30} {:>9}\n",
                                 "strategy", "backend", "group", "list", "seconds", "particles/s", "pairs/s", "Gflops",
                                 "median", "99% (95% interval)", "max error");
  for (const json& row : comparison.at("strategies")) {
    if (row.at("problem") != problem) continue;
    text += fmt::format("{:<14}{:<15}", row.at("strategy").get<std::string>(), row.at("backend").get<std::string>());
    if (row.at("measured").get<bool>()) {
      text += fmt::format("{:>7.0f} {:>7.0f} {:>10.4g} {:>12.3e} {:>10.3e} {:>10.4g}   {}\n", number(row, "mean_group"),
                          number(row, "list"), number(row, "seconds"), number(row, "particles_per_second"),
                          number(row, "pairs_per_second"), number(row, "gflops"), error_text(row));
    } else {
      text += fmt::format("no device: {}\n", row.at("why").get<std::string>());
    }
  }
  return text;
}

std::string particles_of(const json& comparison, const std::string& problem) {
  for (const json& row : comparison.at("strategies")) {
    if (row.at("problem") == problem) return with_commas(number(row, "particles"));
  }
  return "0";
}

/// The criterion and what cells are taken for.
std::string walks_text(const json& comparison) {
  const auto word = [&](const char* key) { return comparison.at(key).get<std::string>(); };
  const bool relative = word("mac") == "relative", quadrupoles = word("multipole") == "quadrupole";
  const double order = quadrupoles ? number(comparison, "expansion") : 0;
  return fmt::format("theta {:g}{}, {}, {}{}", number(comparison, "theta"),
                     relative ? fmt::format(", alpha {:g}", number(comparison, "alpha")) : "", word("multipole"),
                     word("mac"), order > 0 ? fmt::format(", expansions of order {:g}", order) : "");
}

std::string scan_table(const json& scan, const char* value, bool overlaps) {
  std::string text = fmt::format("{:>8} {:>7} {:>7} {:>10} {:>12} {:>9} {:>11} {:>7} {:>7}   {:>9} {:>30} {:>9}\n",
                                 value, "group", "list", "seconds", "particles/s", "walking", "evaluating", "device",
                                 "hidden", "median", "99% (95% interval)", "max error");
  const json& rows = scan.at("rows");
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const json& row = rows[r];
    const auto share = [&](const char* key) {
      return overlaps ? fmt::format("{:.0f}%", 100 * number(row, key)) : std::string("-");
    };
    text += fmt::format("{:>8} {:>7.0f} {:>7.0f} {:>10.4g} {:>12.3e} {:>9.4g} {:>11.4g} {:>7} {:>7}   {}{}\n",
                        row.at("value").get<int>(), number(row, "mean_group"), number(row, "list"),
                        number(row, "seconds"), number(row, "particles_per_second"), number(row, "walking"),
                        number(row, "evaluating"), share("device_busy"), share("hidden_walking"), error_text(row),
                        r == scan.at("fastest") ? "  <- fastest" : "");
  }
  return text;
}

std::string device_walks_text(const json& walks) {
  if (walks.is_null()) return "";
  if (!walks.at("measured").get<bool>()) {
    return fmt::format("\nWalks made by the device: not measured, {}\n", walks.at("why").get<std::string>());
  }
  std::string text = "\nThe scan of threads with walks made by the device, from host memory to host memory\n";
  text += scan_table(walks.at("threads"), "threads", true);
  const json& resident = walks.at("threads_resident");
  if (resident.is_null())
    return text + "There are too few particles, or there is too little memory, to keep them there.\n";
  return text + "\nThe scan of threads with particles and forces that stay on the device\n" +
         scan_table(resident, "threads", true);
}

std::string scan_text(const json& scans) {
  const bool overlaps = scans.at("overlaps").get<bool>();
  std::string text = fmt::format("\nTree walks of {} particles on {}\n", with_commas(number(scans, "particles")),
                                 scans.at("description").get<std::string>());
  const json &sizes = scans.at("group_size"), &threads = scans.at("threads");
  if (!sizes.at("rows").empty()) {
    text += "\nHow large should a group be? (most particles that share a walk)\n";
    text += scan_table(sizes, "at most", overlaps);
  }
  if (!threads.at("rows").empty()) {
    const auto devices = scans.at("devices").get<int>();
    text += fmt::format("\nHow many threads should walk{}?\n", devices > 1 ? fmt::format(" for the {} devices", devices)
                                                               : overlaps  ? " for the device"
                                                                           : "");
    text += scan_table(threads, "threads", overlaps);
  }
  text += device_walks_text(scans.at("device_walks"));
  text +=
      "\nwalking     seconds in which threads made lists; evaluating: seconds in which they packed, copied or "
      "computed, "
      "or waited for it\n";
  text += overlaps ? "device      part of the time in which it computed; hidden: part of the walking that went on "
                     "meanwhile\n"
                   : "hidden      nothing: on a CPU the threads that walk evaluate too\n";
  return text;
}

}  // namespace

std::string strategy_text(const json& comparison) {
  std::string text =
      fmt::format("Ways to evaluate gravity (Hamada et al. 2009, Fig. 1): Plummer sphere, softening {:g}\non {}\n",
                  number(comparison, "softening"), comparison.at("machine").get<std::string>());
  text += fmt::format("\nDirect summation, {} particles\n", particles_of(comparison, "direct"));
  text += strategy_table(comparison, "direct");
  text += fmt::format("\nTree, {} particles, {}\n", particles_of(comparison, "tree"), walks_text(comparison));
  text += strategy_table(comparison, "tree") + "\n";
  for (const Strategy& strategy : strategies) text += fmt::format("{:<14}{}\n", strategy.name, strategy.how);
  text +=
      "group         mean number of targets of a walk; list: sources per target\n"
      "seconds       all forces, from host memory to host memory; direct summation without the sort and the tree\n"
      "Gflops        38 operations per pair; error: of the force, relative to direct summation in double precision\n";
  return comparison.at("scans").is_null() ? text : text + scan_text(comparison.at("scans"));
}

}  // namespace multiwalk
