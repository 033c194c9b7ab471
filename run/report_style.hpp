// The style sheet of report.html: light and dark scheme, palette of the charts.
#pragma once

#include <string>

namespace multiwalk {

/// CSS text, palette classes included: sN strokes, cN fills and bN backgrounds with colour N of `palette_size`.
std::string report_style();

inline constexpr int palette_size = 11;

}  // namespace multiwalk
