// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/nearest_word.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace multiwalk {

namespace {

constexpr std::size_t longest_compared = 100;  // no valid word is nearly as long
constexpr std::size_t letters_per_slip = 4;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, longest_compared);
  b = b.substr(0, longest_compared);
  std::vector<std::size_t> before(b.size() + 1), last(before), row(before);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] != b[j]), row[j] + 1, last[j + 1] + 1});
      const bool exchanged = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (exchanged) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

bool is_near(std::string_view word, std::string_view meant) {
  return edit_distance(word, meant) <= std::max<std::size_t>(1, std::max(word.size(), meant.size()) / letters_per_slip);
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words) {
  const auto distance = [word](std::string_view other) { return edit_distance(word, other); };
  const auto best = std::ranges::min_element(words, {}, distance);
  return best != words.end() && is_near(word, *best) ? *best : std::string_view{};
}

}  // namespace multiwalk
