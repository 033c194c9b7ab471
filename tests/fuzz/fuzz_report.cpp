// SPDX-License-Identifier: GPL-3.0-or-later
// report.json, checked and shown as `multiwalk report` does. Mutations keep it JSON: one value is changed, or all
// bytes.
#include "run/files/json_input.hpp"
#include "run/report/report.hpp"
#include "run/report/report_check.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/json_mutator.hpp"

using namespace multiwalk;
using nlohmann::json;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed + 1);
  if (random() % 256 == 0) return fuzz::repeat_piece(data, bytes, most, random);
  std::string text;
  if (random() % 8 != 0) text = fuzz::changed_json({reinterpret_cast<const char*>(data), bytes}, random);
  if (text.empty() || text.size() > most) return LLVMFuzzerMutate(data, bytes, most);
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  fuzz::expect_input_error_at_most([&] {
    try {
      const json report = parse_json({reinterpret_cast<const char*>(data), bytes}, "input");
      check_report(report, "input");
      report_html(report, "no such directory");
    } catch (const json::exception&) {  // rebuild_report makes InputError of it
    }
  });
  return 0;
}
