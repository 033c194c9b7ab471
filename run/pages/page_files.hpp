// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a page as they were when the program was built (embed.cmake makes the source).
#pragma once

#include <span>
#include <string_view>

namespace multiwalk {

struct PageFile {
  std::string_view name;  ///< as seen from run/pages, e.g. "script/charts.js"
  std::string_view text;
};

std::span<const PageFile> page_files();

}  // namespace multiwalk
