// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them in logs and reports.
#pragma once

#include <string>

namespace multiwalk {

/// "1,234,567"; rounded to an integer. "-" if not finite.
std::string with_commas(double value);

/// Three significant digits: "12.3", "0.00123", or "2.58 × 10¹⁵" beyond 1e-3..1e5. "-" if not finite.
std::string scientific(double value);

/// Three significant digits with a decimal prefix: "2.58 P", "12.3 k", "540 ".
std::string with_prefix(double value);

/// "850 ms", "42.1 s", "3 min 20 s", "2 h 05 min", "3 d 4 h".
std::string duration(double seconds);

/// "10" with its power as superscript digits.
std::string power_of_ten(int power);

}  // namespace multiwalk
