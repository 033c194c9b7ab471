// SPDX-License-Identifier: GPL-3.0-or-later
// What a checkpoint keeps of a light cone comes back, and anything else is refused in one clear line.
#include <gtest/gtest.h>

#include <functional>

#include "decomposition/ranks/agree.hpp"
#include "run/files/checksum.hpp"
#include "run/sky/light_cone.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

class LightConeStates : public testing::Test {
 protected:
  LightConeStates() {
    LightConeParameters& cone = parameters_.lightcone;
    cone.shells = cone.particles = cone.shell_velocities = true;
    cone.nside = 1;
    cone.shell_count = 2;
    cone.z_far = 0.01;
    parameters_.run.directory = directory_.path();
    system_.frame = Frame::comoving;
    system_.boundary = Boundary::periodic;
    system_.time = 0.5;
    system_.box_size = 50;
    system_.particles.resize(1);
    system_.particles.mass[0] = 1;
    good_ = saved(nullptr);
  }

  OutputState saved(const OutputState* stored) const {
    LightCone cone(parameters_, system_, {}, stored, [](const std::string&) {});
    return cone.save(0);
  }
  /// The state with these words.
  static void set_words(OutputState& state, std::span<const std::uint32_t> words) {
    const std::span<const std::byte> bytes = std::as_bytes(words);
    state.bytes.assign(bytes.begin(), bytes.end());
  }
  /// The refusal of the good state with this change.
  void expect_refused(const std::function<void(OutputState&)>& change, const std::string& words) const {
    OutputState state = good_;
    change(state);
    try {
      static_cast<void>(saved(&state));
      ADD_FAILURE() << "accepted: " << state.json;
    } catch (const SharedError& error) {
      const std::string told = error.what();
      EXPECT_NE(told.find(words), std::string::npos) << told;
      EXPECT_EQ(told.find("json.exception"), std::string::npos) << told;
      EXPECT_EQ(told.find('\n'), std::string::npos) << told;
    }
  }
  /// Leaves rows of a run before its checkpoint, and others after it.
  StoredRows leave_rows() const {
    ConeRows rows(cone_rows_path(directory_.path(), 0), {});
    rows.add({{1, 2, 3}, 0.9, 17, {4, 5, 6}, 7});
    const StoredRows before = rows.stored();
    rows.add({{3, 2, 1}, 0.95, 18, {6, 5, 4}, 7});
    rows.sync();
    return before;
  }

  test::TemporaryDirectory directory_;
  Parameters parameters_;
  ParticleSystem system_;
  OutputState good_;
};

TEST_F(LightConeStates, ComeBack) {
  std::vector<std::uint32_t> words{0, 0};
  for (std::uint32_t pixel = 0; pixel < 12; ++pixel) words.push_back(pixel + 1);
  OutputState stored = good_;
  set_words(stored, words);
  const OutputState again = saved(&stored);
  EXPECT_EQ(again.json, stored.json);
  EXPECT_EQ(again.bytes, stored.bytes);
}

TEST_F(LightConeStates, RowsAreThoseOfTheCheckpoint) {
  const StoredRows before = leave_rows();
  const std::string path = cone_rows_path(directory_.path(), 0), rows = test::read_bytes(path);
  ASSERT_EQ(rows.size(), 2 * sizeof(ConeRow));
  EXPECT_EQ(before.checksum, checksum_of(std::as_bytes(std::span(rows).first(sizeof(ConeRow)))));
  const auto counted = [&](OutputState& state) {
    state.json["rows"] = json::array({{{"rows", before.rows}, {"checksum", before.checksum}}});
  };
  OutputState stored = good_;
  counted(stored);
  EXPECT_EQ(saved(&stored).json, stored.json);
  EXPECT_EQ(test::read_bytes(path), rows.substr(0, sizeof(ConeRow)));
  std::string others = rows;
  others[8] ^= 1;
  test::write_bytes(path, others);
  expect_refused(counted, "has other rows than the checkpoint counted");
  EXPECT_EQ(test::read_bytes(path), others);
  test::write_bytes(path, rows.substr(0, sizeof(ConeRow) - 1));
  expect_refused(counted, "lacks rows that the checkpoint counted");
}

TEST_F(LightConeStates, AnythingElseIsRefused) {
  for (const char* key : {"settings", "open", "particles_written", "rows"}) {
    expect_refused([&](OutputState& state) { state.json.erase(key); }, std::string("lacks ") + key);
  }
  const auto value = [&](const char* key, const json& other, const char* words) {
    expect_refused([&](OutputState& state) { state.json[key] = other; }, words);
  };
  for (const json& other : {json(), json("2"), json(-1), json(1e300), json::array()}) value("open", other, "of a type");
  value("open", 3, "damaged");
  value("particles_written", 1, "of a type");
  value("rows", json::array({7}), "of a type");
  value("rows", json::array({{{"rows", 1}}}), "lacks checksum");
  value("rows", json::array({{{"rows", 18446744073709551615U}, {"checksum", 1}}}), "lacks rows");
  value("settings", "others", "cannot change a light cone");
  expect_refused([](OutputState& state) { state.json = json::array({1}); }, "of a type");
}

TEST_F(LightConeStates, MapsFitTheSky) {
  const auto words = [&](const std::vector<std::uint32_t>& counts) {
    expect_refused([&](OutputState& state) { set_words(state, counts); }, "");
  };
  words({0});
  words({2, 0});
  words(std::vector<std::uint32_t>(13, 0));                     // a pixel is missing
  words({0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});            // there is no second block
  words({0x80000000U, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});  // velocities have two words each
  expect_refused([](OutputState& state) { state.bytes.resize(7); }, "damaged");
}

}  // namespace
}  // namespace multiwalk
