// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of every kind: whole documents that need nothing else, with their data inside, whatever its texts are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "host/base/error.hpp"
#include "run/pages/page.hpp"
#include "run/pages/page_files.hpp"
#include "tests/support/page_data.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;
using test::fault_of;
using test::page_data;

constexpr PageKind kinds[] = {PageKind::report,   PageKind::power, PageKind::halos, PageKind::profile,
                              PageKind::ensemble, PageKind::sky,   PageKind::trees};

TEST(Page, OfEveryKindStandsAlone) {
  const json data{{"title", "a <box> & \"more\""}, {"numbers", {1, 2.5, nullptr}}};
  std::set<std::string> names;
  for (const PageKind kind : kinds) {
    const std::string whole = page(kind, data), name = test::between(whole, "data-kind=\"", "\"");
    EXPECT_EQ(fault_of(whole), "") << name;
    EXPECT_EQ(page_data(whole), data) << name;
    EXPECT_NE(whole.find("  " + name + ": "), std::string::npos) << "no script for pages of kind " << name;
    EXPECT_LT(whole.size(), 200000U);
    names.insert(name);
  }
  EXPECT_EQ(names.size(), std::size(kinds));
}

TEST(Page, OnlyEnsemblesHaveTheScriptsOfEnsembles) {
  for (const PageKind kind : kinds) {
    const std::string whole = page(kind, nullptr);
    for (const char* function : {"function ensemblePage(", "function matrixPanel("}) {
      EXPECT_EQ(whole.find(function) != std::string::npos, kind == PageKind::ensemble) << function;
    }
  }
}

TEST(Page, TextsCannotEndTheirScript) {
  for (const char* text :
       {"</script><script>alert(1)</script>", "<!--", "<script>", "]]>", "{{data}}", "{{script/main.js}}",
        "\xe2\x80\xa8 and \xe2\x80\xa9", "back\\slash", "quote\" and ' and `${x}`"}) {
    const json data{{text, {text, {{"inside", text}}}}};
    const std::string whole = page(PageKind::report, data);
    EXPECT_EQ(page_data(whole), data) << text;
    EXPECT_EQ(script_json(data).find('<'), std::string::npos) << text;
    const std::string empty = page(PageKind::report, json::object());
    EXPECT_EQ(whole.size(), empty.size() - 2 + script_json(data).size()) << text;
  }
}

TEST(Page, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(page_data(page(PageKind::power, "caf\xe9.hdf5")), "caf\xef\xbf\xbd.hdf5");
}

TEST(Page, LibraryComesWithItsLicence) {
  const std::string whole = page(PageKind::profile, nullptr);
  EXPECT_NE(whole.find("Copyright (c) 2022 Leon Sorokin"), std::string::npos);
  EXPECT_NE(whole.find("The above copyright notice and this permission notice"), std::string::npos);
}

/// For the life of one object.
struct OtherPages {
  explicit OtherPages(const std::string& folder) { ::setenv("MULTIWALK_PAGES", folder.c_str(), 1); }
  ~OtherPages() { ::unsetenv("MULTIWALK_PAGES"); }
  OtherPages(const OtherPages&) = delete;
  OtherPages& operator=(const OtherPages&) = delete;
};

TEST(Page, PartsMayComeFromAFolder) {
  const test::TemporaryDirectory folder;
  for (const PageFile& file : page_files()) {
    std::filesystem::create_directories(std::filesystem::path(folder / std::string(file.name)).parent_path());
    std::ofstream(folder / std::string(file.name), std::ios::binary) << file.text;
  }
  const std::string built_in = page(PageKind::halos, "data");
  const OtherPages other(folder.path());
  EXPECT_EQ(page(PageKind::halos, "data"), built_in);
  std::ofstream(folder / "page.html") << "<p>{{kind}}: {{data}}, {{style.css}} {not} }} {{";
  std::ofstream(folder / "style.css") << "{{data}}";
  EXPECT_EQ(page(PageKind::halos, 7), "<p>halos: 7, {{data}} {not} }} {{");
  std::filesystem::remove(folder / "style.css");
  EXPECT_THROW(page(PageKind::halos, 7), InputError);
}

TEST(Page, WhatIsBuiltInIsWhatTheFolderHolds) {
  const std::filesystem::path folder = MULTIWALK_SOURCE_DIR "/run/pages";
  std::set<std::string> scripts;
  for (const PageFile& file : page_files()) {
    EXPECT_EQ(test::read_bytes((folder / file.name).string()), file.text) << file.name;
    scripts.insert(std::string(file.name));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder / "script")) {
    const std::string name = "script/" + entry.path().filename().string();
    EXPECT_TRUE(scripts.contains(name)) << name;
    EXPECT_NE(test::read_bytes(folder / "page.html").find("{{" + name + "}}"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace multiwalk
