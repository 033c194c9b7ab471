// SPDX-License-Identifier: GPL-3.0-or-later
// Tables that grow with a run: every row appears once, whatever follows the rows that a checkpoint counted.
#include <gtest/gtest.h>

#include <filesystem>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/files/checksum.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/records/step_tables.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;
using test::read_bytes;
using test::TemporaryDirectory;
using test::write_bytes;

std::uint32_t checksum_of_text(const std::string& text) {
  return checksum_of(std::as_bytes(std::span(text)));
}

TEST(GrowingTable, IsCutBackToTheRowsThatCount) {
  const TemporaryDirectory directory;
  const std::string path = directory / "table.csv";
  write_bytes(path, "left by another run\n");
  {
    GrowingTable table(path, "a,b", {});
    for (const char* row : {"1,2", "3,4", "5,6"}) table.add(row);
    table.sync();
    EXPECT_EQ(table.rows(), 3U);
  }
  EXPECT_EQ(read_bytes(path), "a,b\n1,2\n3,4\n5,6\n");
  GrowingTable again(path, "a,b", {2, checksum_of_text("a,b\n1,2\n3,4\n")});
  EXPECT_EQ(again.missing(), 0U);
  again.add("7,8");
  again.flush();
  EXPECT_EQ(read_bytes(path), "a,b\n1,2\n3,4\n7,8\n");
  EXPECT_EQ(again.rows(), 3U);
}

TEST(GrowingTable, TellsOfMissingRows) {
  const TemporaryDirectory directory;
  const std::string path = directory / "table.csv";
  for (const char* found : {"a,b\n1,2\n3,", "a,c\n1,2\n3,4\n", ""}) {
    write_bytes(path, found);
    GrowingTable table(path, "a,b", {2, 0});
    const std::uint64_t kept = found[0] == 'a' && found[2] == 'b' ? 1 : 0;
    EXPECT_EQ(table.rows(), kept) << found;
    EXPECT_EQ(table.missing(), 2 - kept) << found;
    table.add("9,9");
    table.flush();
    EXPECT_EQ(read_bytes(path), kept == 1 ? "a,b\n1,2\n9,9\n" : "a,b\n9,9\n");
  }
}

/// Rows that were changed, or are of another run, stay as they are.
TEST(GrowingTable, RefusesOtherRows) {
  const TemporaryDirectory directory;
  const std::string path = directory / "table.csv";
  TableRows before;
  {
    GrowingTable table(path, "a,b", {});
    for (const char* row : {"1,2", "3,4"}) table.add(row);
    table.sync();
    before = table.stored();
    EXPECT_EQ(before.checksum, checksum_of_text("a,b\n1,2\n3,4\n"));
  }
  const std::string other = "a,b\n1,2\n3,5\n5,6\n";
  write_bytes(path, other);
  EXPECT_THROW(GrowingTable(path, "a,b", before), InputError);
  EXPECT_EQ(read_bytes(path), other);
  write_bytes(path, "a,b\n1,2\n3,4\n5,6\n");
  GrowingTable again(path, "a,b", before);
  again.add("7,8");
  EXPECT_EQ(again.stored().checksum, checksum_of_text("a,b\n1,2\n3,4\n7,8\n"));
}

TEST(GrowingTable, OfManyPiecesIsCutBackToo) {
  const TemporaryDirectory directory;
  const std::string path = directory / "table.csv";
  constexpr std::uint64_t rows = 200000;
  {
    GrowingTable table(path, "row", {});
    for (std::uint64_t i = 0; i < rows; ++i) table.add(std::to_string(i) + ",some words");
    table.sync();
  }
  const std::string whole = read_bytes(path);
  for (const std::uint64_t kept : {std::uint64_t{1}, rows / 2, rows - 1, rows}) {
    write_bytes(path, whole);
    const std::size_t end = whole.find("\n" + std::to_string(kept) + ",");
    const GrowingTable table(path, "row",
                             {kept, checksum_of_text(end == whole.npos ? whole : whole.substr(0, end + 1))});
    EXPECT_EQ(table.rows(), kept);
    const std::string left = read_bytes(path);
    EXPECT_EQ(whole.substr(0, left.size()), left);
    EXPECT_TRUE(left.ends_with("\n" + std::to_string(kept - 1) + ",some words\n"));
  }
}

TEST(GrowingTable, FollowsNoLinkAndWaitsForNoPipe) {
  const TemporaryDirectory directory;
  write_bytes(directory / "elsewhere", "kept");
  std::filesystem::create_symlink("elsewhere", directory / "link.csv");
  EXPECT_THROW(GrowingTable(directory / "link.csv", "a", {}), Error);
  EXPECT_EQ(read_bytes(directory / "elsewhere"), "kept");
  ASSERT_EQ(::mkfifo((directory / "pipe.csv").c_str(), 0600), 0);
  EXPECT_THROW(GrowingTable(directory / "pipe.csv", "a", {}), Error);
}

StepRecord table_step(std::uint64_t number) {
  StepRecord step;
  step.step = number;
  step.time = 0.1 * static_cast<double>(number);
  step.seconds[1] = 1.0 / 3;
  step.block = {2, 7, 11, {number, 5}};
  Diagnostics& row = step.diagnostics.emplace();
  row.time = step.time;
  row.kinetic = 1.0 / (3.0 + static_cast<double>(number));
  row.momentum = {0.1, -1e-300, static_cast<double>(number)};
  row.lagrangian_radius.back() = 1e22 / 3;
  return step;
}

/// Rows [first, end) in tables that continue from `state`.
json add_steps(const std::string& directory, std::uint64_t first, std::uint64_t end, const json& state) {
  StepTables tables({}, directory, {true, 3}, state);
  EXPECT_EQ(tables.warning(), "");
  for (std::uint64_t i = first; i < end; ++i) tables.add(table_step(i));
  tables.sync();
  return {{"tables", tables.counted()}};
}

TEST(StepTables, HoldEveryStepOnceAfterARestart) {
  const TemporaryDirectory whole, resumed;
  add_steps(whole.path(), 0, 100, nullptr);
  const json checkpoint = add_steps(resumed.path(), 0, 60, nullptr);
  add_steps(resumed.path(), 60, 77, checkpoint);  // killed before its next checkpoint
  add_steps(resumed.path(), 60, 100, checkpoint);
  for (const char* name : {"steps.csv", "rungs.csv"}) {
    EXPECT_EQ(read_bytes(resumed / name), read_bytes(whole / name));
  }
  EXPECT_TRUE(read_bytes(whole / "rungs.csv").ends_with("99,9.9,1,0,2,7,99,5,0\n"));
}

TEST(StepTables, WarnOfLostRows) {
  const TemporaryDirectory directory;
  const json checkpoint = add_steps(directory.path(), 0, 10, nullptr);
  std::filesystem::remove(directory / "rungs.csv");
  const StepTables tables({}, directory.path(), {true, 3}, checkpoint);
  EXPECT_NE(tables.warning().find("rungs.csv lacks 10 of the rows"), std::string::npos) << tables.warning();
}

TEST(StepTables, WriteAllDiagnostics) {
  const TemporaryDirectory directory;
  const std::uint64_t count = 70000;  // more than one piece
  StepTables tables({}, directory.path(), {true, 0}, nullptr);
  for (std::uint64_t i = 0; i < count; ++i) tables.add(table_step(i));
  tables.write_diagnostics(directory / "diagnostics.hdf5");
  const hdf5::File file = hdf5::File::open(directory / "diagnostics.hdf5");
  const auto time = file.read_dataset<double>("time"), kinetic = file.read_dataset<double>("kinetic_energy"),
             momentum = file.read_dataset<double>("momentum", 3),
             radii = file.read_dataset<double>("lagrangian_radii", lagrangian_fractions.size());
  ASSERT_EQ(time.size(), count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Diagnostics row = table_step(i).diagnostics.value();
    ASSERT_EQ(time[i], row.time);
    ASSERT_EQ(kinetic[i], row.kinetic);
    ASSERT_EQ(momentum[3 * i + 1], row.momentum.y);
    ASSERT_EQ(momentum[3 * i + 2], row.momentum.z);
    ASSERT_EQ(radii[lagrangian_fractions.size() * (i + 1) - 1], row.lagrangian_radius.back());
  }
}

TEST(StepTables, RefuseDiagnosticsThatSomebodyChanged) {
  const TemporaryDirectory directory;
  StepTables tables({}, directory.path(), {true, 0}, nullptr);
  for (std::uint64_t i = 0; i < 3; ++i) tables.add(table_step(i));
  tables.sync();
  std::string text = read_bytes(directory / "steps.csv");
  text.replace(text.find("\n2,") + 1, 1, "x");
  write_bytes(directory / "steps.csv", text);
  try {
    tables.write_diagnostics(directory / "diagnostics.hdf5");
    FAIL();
  } catch (const SharedError& error) {
    EXPECT_NE(std::string(error.what()).find("steps.csv: row 3 "), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "diagnostics.hdf5"));
}

}  // namespace
}  // namespace multiwalk
