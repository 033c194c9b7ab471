// SPDX-License-Identifier: GPL-3.0-or-later
// A report.json that anybody may have changed: pages are made of it, or one line says what is wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "host/base/error.hpp"
#include "run/report/report.hpp"
#include "run/report/report_check.hpp"
#include "tests/support/page_data.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

json written_report(bool direct) {
  RunRecord record;
  record.steps.resize(3);
  record.errors.emplace_back();
  record.outputs.push_back(
      {0, 0, {{"snapshots", json::array()}, {"image", ""}, {"halos", nullptr}, {"power", nullptr}}});
  record.comoving = !direct;
  for (StepRecord& step : record.steps) {
    step.block = {.substeps = 1, .evaluations = 1, .rungs = {1}};
    if (direct) step.diagnostics.emplace();
  }
  return report_json(record, Parameters{});
}

std::string what_is_wrong(const json& report) {
  try {
    check_report(report, "report.json");
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// Calls act(copy) for every copy of the report in which one value below is missing, null, or of another kind.
void spoil(json& whole, json& part, const std::function<void()>& act, int depth = 0) {
  if (depth > 5 || !part.is_structured()) return;
  std::vector<std::string> keys;
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) keys.push_back(key);
    for (const std::string& key : keys) {
      const json kept = part[key];
      part.erase(key);
      act();
      const std::vector<json> others{json(), json::array({1, 2}), json("text"), json(7), json::array(), json::object()};
      for (const json& other : std::span(others).first(6)) {
        part[key] = other;
        act();
      }
      part[key] = kept;
      spoil(whole, part[key], act, depth + 1);
    }
  } else if (!part.empty()) {
    spoil(whole, part[0], act, depth + 1);
  }
}

TEST(ReportCheck, AcceptsWhatEveryKindOfRunWrites) {
  Parameters parameters;
  for (const double softening : {-1.0, 0.05}) {
    parameters.softening.softening = softening;
    for (const bool comoving : {false, true}) {
      for (const bool direct : {false, true}) {
        RunRecord record;
        record.comoving = comoving;
        record.steps.resize(2);
        record.initial_conditions = {{"lattice", 1}, {"displacements", 2}};
        for (StepRecord& step : record.steps)
          if (direct) step.diagnostics.emplace();
        EXPECT_EQ(what_is_wrong(report_json(record, parameters)), "") << softening << comoving << direct;
      }
    }
  }
}

TEST(ReportCheck, TakesWhatTheProgramWrites) {
  for (const bool direct : {false, true}) EXPECT_EQ(what_is_wrong(written_report(direct)), "");
}

TEST(ReportCheck, NamesTheKeyAndTheVersion) {
  json report = written_report(false);
  report["version"] = "0.0.1";
  report["steps"][1]["seconds"].erase("total");
  const std::string wrong = what_is_wrong(report);
  EXPECT_NE(wrong.find("steps[1].seconds.total"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("0.0.1"), std::string::npos) << wrong;
  report = written_report(false);
  report["energy"]["steps"].push_back(1);
  EXPECT_NE(what_is_wrong(report).find("energy.steps"), std::string::npos);
}

TEST(ReportCheck, AnyChangedValueIsRefusedOrDrawn) {
  for (const bool direct : {false, true}) {
    json report = written_report(direct);
    int refused = 0, drawn = 0;
    spoil(report, report, [&] {
      bool taken = what_is_wrong(report).empty();
      try {
        taken = taken && !report_html(report, ".").empty();
      } catch (const json::exception&) {  // rebuild_report makes it an InputError
        taken = false;
      }
      ++(taken ? drawn : refused);
    });
    EXPECT_GT(refused, 100);
    EXPECT_GT(drawn, 20);
  }
}

void forget_numbers(json& part) {
  if (part.is_number()) part = json();
  if (!part.is_structured()) return;
  for (json& inner : part) forget_numbers(inner);
}

TEST(ReportCheck, NumbersThatAreUnknownAreNotDrawn) {
  json report = written_report(true);
  forget_numbers(report["diagnostics"]);
  EXPECT_EQ(what_is_wrong(report), "");
  EXPECT_FALSE(report_html(report, ".").empty());
}

TEST(ReportCheck, PicturesAreThoseOfTheDirectory) {
  const test::TemporaryDirectory directory;
  const std::string png = std::string("\x89PNG\r\n\x1a\n") + "secret";
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(directory.path() + "/" + name, std::ios::binary) << bytes;
  };
  std::filesystem::create_directory(directory.path() + "/run");
  write("outside.png", png);
  write("run/inside.png", png);
  write("run/text.png", "secret");
  std::filesystem::create_symlink("../outside.png", directory.path() + "/run/link.png");
  const auto embedded = [&](const std::string& name) {
    json report = written_report(false);
    report["outputs"][0]["image"] = name;
    const json pictures = test::page_data(report_html(report, directory.path() + "/run")).at("pictures");
    for (const auto& [file, bytes] : pictures.items())
      EXPECT_EQ(file + " " + bytes.get<std::string>(), "inside.png iVBORw0KGgpzZWNyZXQ=");
    return !pictures.empty();
  };
  EXPECT_TRUE(embedded("inside.png"));
  for (const std::string& name :
       {std::string("../outside.png"), directory.path() + "/outside.png", std::string("text.png"),
        std::string("link.png"), std::string(".."), std::string("")}) {
    EXPECT_FALSE(embedded(name)) << name;
  }
}

}  // namespace
}  // namespace multiwalk
