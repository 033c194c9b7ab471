// SPDX-License-Identifier: GPL-3.0-or-later
// report.json, checked and shown as `multiwalk report` does. Mutations keep it JSON: one value is changed, or all
// bytes.
#include <nlohmann/json.hpp>
#include <random>

#include "run/report/report.hpp"
#include "run/report/report_check.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace multiwalk;
using nlohmann::json;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

namespace {

/// A value somewhere inside, by way of random members.
json& any_value(json& value, std::minstd_rand& random) {
  if (!value.is_structured() || value.empty() || random() % 8 == 0) return value;
  return any_value(*std::next(value.begin(), static_cast<std::ptrdiff_t>(random() % value.size())), random);
}

void change(json& value, std::minstd_rand& random) {
  const json others[] = {nullptr,
                         true,
                         0,
                         -1,
                         1e308,
                         1e-308,
                         18446744073709551615U,
                         "",
                         "text",
                         json::array(),
                         json::object(),
                         {1, nullptr},
                         {{"mean", 1}}};
  const auto any_place = [&] { return static_cast<std::ptrdiff_t>(random() % value.size()); };
  switch (value.is_structured() && !value.empty() ? random() % 4 : 3) {
    case 0:
      value.erase(std::next(value.begin(), any_place()));
      break;
    case 1:
      if (value.is_array()) value.push_back(*std::next(value.begin(), any_place()));
      break;
    case 2:
      *std::next(value.begin(), any_place()) = *std::next(value.begin(), any_place());
      break;
    default:
      value = others[random() % std::size(others)];
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed + 1);
  json report = json::parse(data, data + bytes, nullptr, false);
  if (report.is_discarded() || random() % 8 == 0) return LLVMFuzzerMutate(data, bytes, most);
  change(any_value(report, random), random);
  const std::string text = report.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > most) return LLVMFuzzerMutate(data, bytes, most);
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  fuzz::expect_input_error_at_most([&] {
    try {
      const json report = json::parse(data, data + bytes);
      check_report(report, "input");
      report_html(report, "no such directory");
    } catch (const json::exception&) {  // rebuild_report makes InputError of it
    }
  });
  return 0;
}
