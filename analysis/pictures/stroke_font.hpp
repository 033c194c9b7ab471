// SPDX-License-Identifier: GPL-3.0-or-later
// Text as line segments in the simplex sans-serif of the Hershey fonts, for captions in images.
// The Hershey Fonts were originally created by Dr. A. V. Hershey while working at the U. S. National Bureau of
// Standards. The format of the font data was originally created by James Hurt, Cognition, Inc., 900 Technology Park
// Drive, Billerica, MA 01821.
#pragma once

#include <string_view>
#include <vector>

namespace multiwalk {

/// A straight pen stroke, in pixels, y downwards.
struct Stroke {
  double x0, y0, x1, y1;
};

/// Width in pixels of a line of text whose digits are `height` pixels high.
double text_width(std::string_view text, double height);

/// Strokes of a line of text that starts at x on the baseline y. Characters outside ASCII are drawn as '?'.
std::vector<Stroke> text_strokes(std::string_view text, double x, double y, double height);

}  // namespace multiwalk
