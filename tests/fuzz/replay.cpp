// SPDX-License-Identifier: GPL-3.0-or-later
// fuzz_replay CORPUS COUNT: reads each target's files in CORPUS/TARGET and COUNT mutations of them, the same in every
// run, without libFuzzer: mutations know nothing of the code that they reach. A finding ends the program; the input is
// left in fuzz_replay.input.
#include <sanitizer/common_interface_defs.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/targets.hpp"

using namespace multiwalk::fuzz;

namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t longest_input = 4096;
constexpr double longest_seconds = 10;

std::minstd_rand any;
const Target* target = nullptr;
Input input;

void keep_input() {
  std::ofstream("fuzz_replay.input", std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  std::fprintf(stderr, "fuzz_replay: target %s, its input is in fuzz_replay.input\n", target->name);
}

bool read_input() {
  const auto began = std::chrono::steady_clock::now();
  try {
    target->read(input.data(), input.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_replay: %s\n", error.what());
    keep_input();
    return false;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  if (seconds.count() < longest_seconds) return true;
  std::fprintf(stderr, "fuzz_replay: one input took %.0f s\n", seconds.count());
  keep_input();
  return false;
}

/// The files of a target; if there are none, an empty input.
std::vector<Input> corpus_of(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Input> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (corpus.empty()) corpus.emplace_back();
  return corpus;
}

void mutate(const Input& from) {
  input = from;
  const std::size_t most = std::max(2 * from.size(), longest_input);
  for (unsigned times = 1 + any() % 4; times > 0; --times) {
    std::size_t bytes = input.size();
    input.resize(most);
    bytes = target->mutate(input.data(), bytes, most, static_cast<unsigned>(any()));
    input.resize(bytes);
  }
}

}  // namespace

/// What libFuzzer would do: bytes are changed, put in, taken out, or repeated.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most) {
  const std::size_t at = bytes > 0 ? any() % bytes : 0;
  switch (bytes > 0 ? any() % 5 : 0) {
    case 0:
      if (bytes == most) return bytes;
      std::copy_backward(data + at, data + bytes, data + bytes + 1);
      data[at] = static_cast<std::uint8_t>(any());
      return bytes + 1;
    case 1:
      std::copy(data + at + 1, data + bytes, data + at);
      return bytes - 1;
    case 2:
      data[at] = static_cast<std::uint8_t>(any());
      return bytes;
    case 3:
      data[at] ^= static_cast<std::uint8_t>(1U << any() % 8);
      return bytes;
    default:
      return repeat_piece(data, bytes, std::min(most, bytes + 64), any);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "fuzz_replay CORPUS COUNT\n"), 1;
  __sanitizer_set_death_callback(keep_input);
  const unsigned long count = std::stoul(argv[2]);
  unsigned long files = 0, mutations = 0;
  for (const Target& each : targets) {
    target = &each;
    any.seed(1);
    const std::vector<Input> corpus = corpus_of(std::string(argv[1]) + "/" + each.name);
    for (const Input& file : corpus) {
      input = file;
      if (!read_input()) return 1;
    }
    for (unsigned long i = 0; i < count; ++i) {
      mutate(corpus[any() % corpus.size()]);
      if (!read_input()) return 1;
    }
    files += corpus.size();
    mutations += count;
  }
  std::printf("%zu targets: %lu files and %lu mutations of them, no finding\n", std::size(targets), files, mutations);
  return 0;
}
