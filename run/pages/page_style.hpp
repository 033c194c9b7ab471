// SPDX-License-Identifier: GPL-3.0-or-later
// The style of report.html and its like: light and dark scheme, palette of the charts.
#pragma once

#include <string>

namespace multiwalk {

/// CSS text, palette classes included: sN strokes, cN fills and bN backgrounds with colour N of `palette_size`.
std::string report_style();

/// What stands above a page: its browser title, and brand, heading and a line about it (plain text).
struct PageHead {
  std::string title, brand, heading, about;
};

/// A whole page around `body` (HTML).
std::string html_page(const PageHead& head, const std::string& body);

inline constexpr int palette_size = 11;

}  // namespace multiwalk
