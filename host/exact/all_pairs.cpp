// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/exact/all_pairs.hpp"

#include <utility>

namespace multiwalk {

namespace {

class AllPairsBackend final : public ForceBackend {
 public:
  explicit AllPairsBackend(std::unique_ptr<ForceBackend> evaluator) : evaluator_(std::move(evaluator)) {}

  std::string_view name() const override { return evaluator_->name(); }
  std::string description() const override { return evaluator_->description() + ", all pairs"; }
  std::size_t batch_entries() const override { return evaluator_->batch_entries(); }
  std::uint32_t preferred_group_size() const override { return evaluator_->preferred_group_size(); }
  bool overlaps() const override { return evaluator_->overlaps(); }
  bool all_pairs() const override { return true; }
  std::size_t peak_device_memory() const override { return evaluator_->peak_device_memory(); }

  void begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    evaluator_->begin(law, sources, targets, lanes);
  }
  WalkBatch& open(int lane) override { return evaluator_->open(lane); }
  void submit(int lane) override { evaluator_->submit(lane); }
  void drain(int lane) override { evaluator_->drain(lane); }
  BackendTimes collect() override { return evaluator_->collect(); }

 private:
  std::unique_ptr<ForceBackend> evaluator_;
};

}  // namespace

std::unique_ptr<ForceBackend> make_all_pairs_backend(std::unique_ptr<ForceBackend> evaluator) {
  return std::make_unique<AllPairsBackend>(std::move(evaluator));
}

}  // namespace multiwalk
