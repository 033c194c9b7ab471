// SPDX-License-Identifier: GPL-3.0-or-later
// What is read again in JSON beside a run: the manifest of an ensemble and the sizes of the tree, as they are and with
// the checksum that they should have; and the measurements that an ensemble takes from reports.
#include <filesystem>

#include "run/driver/tree_sizes_file.hpp"
#include "run/ensemble/ensemble_results.hpp"
#include "run/ensemble/manifest.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/json_mutator.hpp"

using namespace multiwalk;
using nlohmann::json;

namespace {

const std::string& folder() {
  static const std::string path = [] {
    const std::string made = "/dev/shm/multiwalk_fuzz_manifest_" + std::to_string(::getpid());
    std::filesystem::create_directories(made);
    return made;
  }();
  return path;
}

void put(const std::string& name, const std::string& text) {
  const int descriptor = ::open((folder() + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0 || ::write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    std::abort();
  ::close(descriptor);
}

void read_files(const std::string& text) {
  put("/ensemble.json", text);
  put("/sizes.json", text);
  fuzz::expect_input_error_at_most([] { manifest_json(read_manifest(folder())); });
  fuzz::expect_input_error_at_most([] { read_tree_sizes(folder(), "a machine"); });
}

void collect(const json& report) {
  const std::vector<RunMeasurement> runs{run_measurement({1, false}, report), run_measurement({1, true}, report),
                                         run_measurement({2, false}, report)};
  const EnsembleResults results = collected_results(runs);
  for (const EnsembleOutput& output : results.outputs)
    for (const EnsembleFunction& function : output.functions) function_statistics(function, results.realisations);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed + 1);
  std::string text;
  if (random() % 8 != 0) text = fuzz::changed_json({reinterpret_cast<const char*>(data), bytes}, random);
  if (text.empty() || text.size() > most) return LLVMFuzzerMutate(data, bytes, most);
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  read_files(text);
  fuzz::expect_input_error_at_most([&] {
    const json parsed = parse_json(text, "input");
    if (parsed.is_object()) read_files(sealed(parsed).dump(-1, ' ', false, json::error_handler_t::replace));
    collect(parsed);
  });
  return 0;
}
