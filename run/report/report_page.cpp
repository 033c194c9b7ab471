// SPDX-License-Identifier: GPL-3.0-or-later
// report.html: a report and the pictures of its directory in one page.
#include <filesystem>
#include <fstream>

#include "run/files/atomic_file.hpp"
#include "run/pages/base64.hpp"
#include "run/pages/page.hpp"
#include "run/report/report.hpp"
#include "run/report/short_report.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

/// A PNG file in the run directory itself: the report names the files to embed, and anybody may have written it.
bool is_picture_beside(const std::string& name, const std::string& path) {
  constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
  if (name.empty() || name.find('/') != std::string::npos || name == "..") return false;
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::regular) return false;
  std::string head(signature.size(), '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == signature;
}

/// Adds the file of that name, if it may be shown, to `pictures`.
void embed(const json& name, const std::string& directory, json& pictures) {
  if (!name.is_string()) return;
  const std::string file = name.get<std::string>(), path = directory + "/" + file;
  if (is_picture_beside(file, path)) pictures[file] = base64(read_whole_file(path));
}

/// {file name: bytes in base64} of all outputs.
json pictures_of(const json& report, const std::string& directory) {
  json pictures = json::object();
  for (const json& output : report.at("outputs")) {
    embed(output.at("image"), directory, pictures);
    const json halos = output.value("halos", json());
    if (!halos.is_object() || !halos.contains("images")) continue;
    for (const json& name : halos.at("images")) embed(name, directory, pictures);
  }
  return pictures;
}

}  // namespace

std::string report_html(const json& report, const std::string& directory) {
  return page(PageKind::report, {{"report", short_report(report)}, {"pictures", pictures_of(report, directory)}});
}

}  // namespace multiwalk
