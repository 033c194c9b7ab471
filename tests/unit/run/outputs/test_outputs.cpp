// SPDX-License-Identifier: GPL-3.0-or-later
// The list of outputs, with outputs of its own.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "decomposition/ranks/agree.hpp"
#include "ic/models/model.hpp"
#include "run/outputs/outputs.hpp"

namespace multiwalk {
namespace {

/// All that an output without a state needs.
class PlainOutput final : public Output {
 public:
  nlohmann::json write(const OutputMoment& moment) override { return moment.particles.size(); }
};

/// Counts the times at which it wrote, and the halos; after the first checkpoint it also keeps bytes.
class CounterOutput final : public Output {
 public:
  static inline int made = 0;

  explicit CounterOutput(const OutputSetup& setup) {
    ++made;
    if (setup.stored == nullptr) return;
    written_ = setup.stored->json.at("written");
    std::memcpy(&halos_, setup.stored->bytes.data(), sizeof halos_);
  }
  nlohmann::json write(const OutputMoment& moment) override {
    ++written_;
    halos_ = moment.halos->halos.size();
    catalogue = moment.halos;
    return {{"written", written_}, {"after", moment.entries.at("plain")}};
  }
  [[nodiscard]] bool needs_halos(const Parameters& parameters) const override { return parameters.output.halos; }
  OutputState save(std::uint64_t step) override {
    OutputState state{{{"written", written_}, {"step", step}}, std::vector<std::byte>(sizeof halos_)};
    std::memcpy(state.bytes.data(), &halos_, sizeof halos_);
    return state;
  }
  std::string finish() override { return "halos: " + std::to_string(halos_); }

  static inline std::weak_ptr<const HaloCatalogue> catalogue;

 private:
  int written_ = 0;
  std::uint64_t halos_ = 0;
};

/// Writes at a time of its own, perhaps aside.
class LateOutput final : public Output {
 public:
  static inline bool shared_halos = false, aside = false;

  [[nodiscard]] std::optional<OwnTimes> own_times() const override { return OwnTimes{"late files", "late_", {0.5}}; }
  [[nodiscard]] bool due(double time) const override { return time == 0.5; }
  [[nodiscard]] bool needs_halos(const Parameters& parameters) const override { return parameters.output.halos; }
  nlohmann::json write(const OutputMoment& moment) override {
    shared_halos = moment.halos != nullptr && moment.halos == CounterOutput::catalogue.lock();
    aside = moment.aside != nullptr;
    return {"late_000", "late_001"};
  }
};

template <class Kind>
std::unique_ptr<Output> make_toy(const OutputSetup& setup) {
  if constexpr (std::is_constructible_v<Kind, const OutputSetup&>) {
    return std::make_unique<Kind>(setup);
  } else {
    return std::make_unique<Kind>();
  }
}

constexpr std::array toy_outputs{
    OutputKind{"plain", "", make_toy<PlainOutput>},
    OutputKind{"counter", "", make_toy<CounterOutput>},
    OutputKind{"absent", "", [](const OutputSetup&) -> std::unique_ptr<Output> { return nullptr; }},
    OutputKind{"late", "", make_toy<LateOutput>, true},
};

class OutputLists : public testing::Test {
 protected:
  OutputLists() {
    parameters_.model.kind = ModelKind::box;
    parameters_.model.box_size = 20;
    parameters_.ic.grid = 8;
    parameters_.output.halos = true;
    system_ = make_model(parameters_.model, parameters_.ic, parameters_.cosmology);
    system_.time = 0.5;
    for (std::size_t i = 0; i < 100; ++i) system_.particles.position[i] = {1 + 1e-3 * static_cast<double>(i), 1, 1};
  }

  Outputs list(StoredOutputs stored = {}) {
    return {toy_outputs, {parameters_, system_, alone_, schedule_, record_}, std::move(stored)};
  }
  OutputMoment moment() { return {.comm = alone_, .parameters = parameters_, .particles = system_}; }

  Communicator alone_;
  Parameters parameters_;
  ParticleSystem system_;
  OutputSchedule schedule_{{}, 0.1, 1};
  RunRecord record_;
};

TEST_F(OutputLists, FindHalosOnceForAll) {
  Outputs outputs = list();
  OutputMoment now = moment();
  outputs.find_halos(now);
  const OutputRecord record = outputs.write(now);
  EXPECT_EQ(record.z, 1);
  EXPECT_EQ(record.entries, (nlohmann::json{{"plain", 512}, {"counter", {{"written", 1}, {"after", 512}}}}));
  std::vector<RunningFiles> files;
  ASSERT_TRUE(outputs.due(0.5));
  outputs.write_due(now, files);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].time, 0.5);
  EXPECT_EQ(files[0].files, (std::vector<std::string>{"late_000", "late_001"}));
  EXPECT_TRUE(LateOutput::shared_halos);
  EXPECT_FALSE(LateOutput::aside) << "the particles are not on a device";
  std::vector<std::string> lines;
  outputs.finish(1, [&](const std::string& line) { lines.push_back(line.substr(0, line.find(';'))); });
  EXPECT_EQ(lines, std::vector<std::string>{"halos: 1"});
}

TEST_F(OutputLists, FindNoHalosUnlessTheyAreNeeded) {
  Outputs outputs = list();
  OutputMoment now = moment();
  parameters_.output.halos = false;
  outputs.find_halos(now);
  EXPECT_EQ(now.halos, nullptr);
  parameters_.output.halos = true;
  outputs.find_halos(now);
  parameters_.output.halos = false;
  std::vector<RunningFiles> files;
  outputs.write_due(now, files);
  EXPECT_EQ(now.halos, nullptr) << "no longer needed";
}

TEST_F(OutputLists, GiveEachOutputItsStateBack) {
  Outputs outputs = list();
  OutputMoment now = moment();
  outputs.find_halos(now);
  outputs.write(now);
  const StoredOutputs stored = outputs.save(17);
  EXPECT_EQ(stored.json, (nlohmann::json{{"counter", {{"written", 1}, {"step", 17}}}})) << "others have no state";
  ASSERT_EQ(stored.blobs.size(), 1U);
  EXPECT_EQ(stored.blobs.at("counter").size(), sizeof(std::uint64_t));
  CounterOutput::made = 0;
  Outputs again = list(stored);
  EXPECT_EQ(CounterOutput::made, 1);
  EXPECT_EQ(again.save(18).blobs, stored.blobs);
  OutputMoment later = moment();
  again.find_halos(later);
  EXPECT_EQ(again.write(later).entries.at("counter").at("written"), 2);
}

TEST_F(OutputLists, LeaveOutWhatDirectRunsLack) {
  EXPECT_EQ(list().own_times().size(), 1U);
  EXPECT_EQ(list().own_times()[0].what, "late files");
  parameters_.direct.method = ForceMethod::direct;
  ASSERT_TRUE(is_direct(parameters_));
  EXPECT_TRUE(list().own_times().empty());
  EXPECT_FALSE(list().due(0.5));
}

}  // namespace
}  // namespace multiwalk
