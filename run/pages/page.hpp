// SPDX-License-Identifier: GPL-3.0-or-later
// Pages that show results in a browser: one HTML file each, with style, scripts, chart library and data inside, so that
// nothing is fetched from anywhere. What a page looks like is in page.html, style.css and script/ (README.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace multiwalk {

/// A function of script/ for each (script/main.js).
enum class PageKind { report, power, halos, profile, ensemble, sky, trees };

/// The whole page that shows `data`. Its parts are built into the program; if the environment variable MULTIWALK_PAGES
/// names a folder, they are read from there. Throws InputError if one of them is not there.
std::string page(PageKind kind, const nlohmann::json& data);

/// JSON that an HTML script element can hold, whatever its texts are; bytes that are no UTF-8 are replaced.
std::string script_json(const nlohmann::json& data);

}  // namespace multiwalk
