#include "run/json_output.hpp"

#include <cstdio>

#include "analysis/force_error.hpp"
#include "run/atomic_file.hpp"

namespace multiwalk {

void write_json(const std::string& path, const nlohmann::json& json) {
  if (path.empty()) return;
  const std::string text = json.dump(2) + "\n";
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file_atomically(path, text);
  }
}

nlohmann::json percentiles_json(const ErrorPercentiles& e) {
  return {{"median", e.median}, {"p90", e.p90}, {"p99", e.p99}, {"max", e.max}, {"sample", e.sample}};
}

}  // namespace multiwalk
