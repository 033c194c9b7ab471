// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/outputs.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "run/files/number_text.hpp"
#include "run/machine/memory_limit.hpp"

namespace multiwalk {

namespace {

void provide_halos(OutputMoment& moment) {
  if (moment.halos) return;
  moment.halos = std::make_shared<const HaloCatalogue>(
      multiwalk::find_halos(moment.particles.on_host(), moment.domains, moment.parameters.cosmology, {}, moment.comm));
}

/// The state of one output, taken from those of all; its JSON is null if there is none.
OutputState take_state(StoredOutputs& stored, const std::string& name) {
  OutputState state;
  if (!stored.json.contains(name)) return state;
  state.json = stored.json[name];
  if (auto blob = stored.blobs.extract(name)) state.bytes = std::move(blob.mapped());
  return state;
}

}  // namespace

std::string OutputMoment::path(std::string_view stem) const {
  return fmt::format("{}/{}_{:03d}", parameters.run.directory, stem, number);
}

Outputs::Outputs(std::span<const OutputKind> kinds, OutputSetup setup, StoredOutputs stored) {
  for (const OutputKind& kind : kinds) {
    if (kind.with_trees_only && is_direct(setup.parameters)) continue;
    const std::string name(kind.name);
    const OutputState state = take_state(stored, name);
    setup.stored = state.json.is_null() ? nullptr : &state;
    std::unique_ptr<Output> output = kind.make(setup);
    if (!output) continue;
    const bool at_output_times = !output->own_times();
    outputs_.push_back({name, std::move(output), at_output_times});
  }
}

std::vector<DriftObserver*> Outputs::drift_observers() const {
  std::vector<DriftObserver*> observers;
  for (const Named& each : outputs_) observers.push_back(each.output->drift_observer());
  std::erase(observers, nullptr);
  return observers;
}

std::vector<OwnTimes> Outputs::own_times() const {
  std::vector<OwnTimes> all;
  for (const Named& each : outputs_) {
    if (std::optional<OwnTimes> times = each.output->own_times()) all.push_back(std::move(*times));
  }
  return all;
}

bool Outputs::due(double time) const {
  return std::ranges::any_of(outputs_,
                             [time](const Named& each) { return !each.at_output_times && each.output->due(time); });
}

void Outputs::find_halos(OutputMoment& moment) const {
  const auto needs = [&](const Named& each) {
    return each.at_output_times && each.output->needs_halos(moment.parameters);
  };
  if (std::ranges::any_of(outputs_, needs)) provide_halos(moment);
}

OutputRecord Outputs::write(OutputMoment& moment) const {
  const SystemFacts& system = moment.particles.facts();
  for (const Named& each : outputs_) {
    if (!each.at_output_times) continue;
    nlohmann::json entry = each.output->write(moment);
    moment.entries[each.name] = std::move(entry);
  }
  return {system.time, system.frame == Frame::comoving ? 1 / system.time - 1 : 0, moment.entries};
}

/// Steps on a device leave the host's threads free, unless an output follows the drifts of particles within the steps.
bool Outputs::may_work_aside(const ParticleView& particles) const {
  if (!may_work_aside_ || !particles.on_device() || omp_get_max_threads() == 1) return false;
  const std::size_t usable = usable_memory();
  const bool fits = usable == 0 || particles.size() <= usable / (16 * bytes_aside);
  return fits && drift_observers().empty();
}

void Outputs::write_due(OutputMoment& moment, std::vector<RunningFiles>& files) {
  const double time = moment.particles.facts().time;
  if (moment.comm.alone() && may_work_aside(moment.particles)) moment.aside = &aside_;
  const auto writes = [time](const Named& each) { return !each.at_output_times && each.output->due(time); };
  const auto needs = [&](const Named& each) { return writes(each) && each.output->needs_halos(moment.parameters); };
  if (std::ranges::any_of(outputs_, needs)) {
    provide_halos(moment);
  } else {
    moment.halos.reset();  // their memory is free for what follows
  }
  for (const Named& each : outputs_) {
    if (!writes(each)) continue;
    aside_.wait();
    files.push_back({time, 1 / time - 1, each.output->write(moment).get<std::vector<std::string>>()});
  }
}

StoredOutputs Outputs::save(std::uint64_t step) {
  StoredOutputs stored;
  for (const Named& each : outputs_) {
    OutputState state = each.output->save(step);
    if (state.json.is_null()) continue;
    stored.json[each.name] = std::move(state.json);
    if (!state.bytes.empty()) stored.blobs[each.name] = std::move(state.bytes);
  }
  return stored;
}

void Outputs::checkpoint_written() {
  for (const Named& each : outputs_) each.output->checkpoint_written();
}

void Outputs::finish(double run_seconds, const std::function<void(const std::string&)>& tell) {
  aside_.wait();
  for (const Named& each : outputs_) {
    const std::string made = each.output->finish();
    if (made.empty()) continue;
    const double seconds = each.output->seconds();
    tell(fmt::format("{}; this took {} since this start, {:.2g}% of the run", made, duration(seconds),
                     100 * seconds / std::max(run_seconds, 1e-9)));
  }
  if (aside_.seconds() == 0) return;
  tell(fmt::format("outputs: another thread worked for {} during the steps, which waited {} for it",
                   duration(aside_.seconds()), duration(aside_.waited())));
}

}  // namespace multiwalk
