// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/tree_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/phase_timer.hpp"
#include "run/files/checksum.hpp"
#include "run/files/json_input.hpp"
#include "run/snapshots/snapshot.hpp"
#include "run/trees/subhalo_file.hpp"
#include "run/trees/track_file.hpp"
#include "run/trees/tree_file.hpp"
#include "run/trees/tree_page.hpp"

namespace multiwalk {

namespace {

template <class Array>
void copy_array(const Array& from, Array& to) {
  to.resize(from.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

/// Everything that groups and subhalos need. The memory of `to` is reused.
void copy_bodies(const ParticleSystem& from, ParticleSystem& to) {
  ParticleStore held = std::exchange(to.particles, {});
  copy_array(from.particles.position, held.position);
  copy_array(from.particles.velocity, held.velocity);
  copy_array(from.particles.mass, held.mass);
  copy_array(from.particles.id, held.id);
  to = {from, std::move(held)};
}

}  // namespace

std::vector<double> tree_times(const TreeParameters& trees, double first, double last) {
  std::vector<double> times;
  const double begin = std::log(std::clamp(1 / (1 + trees.first_redshift), first, last)), end = std::log(last);
  for (std::uint32_t i = 0; i < trees.outputs; ++i) {
    const double part = i / std::max(trees.outputs - 1.0, 1.0);
    times.push_back(i + 1 == trees.outputs ? last : std::exp(begin + part * (end - begin)));
  }
  for (const double z : trees.redshifts) {
    const double a = 1 / (1 + z);
    if (a >= first * (1 - 1e-12)) times.push_back(std::min(a, last));
  }
  std::ranges::sort(times);
  return times;
}

std::vector<double> exact_tree_times(TreeParameters trees, double first, double last) {
  trees.outputs = 0;
  return tree_times(trees, first, last);
}

TreeOutputs::TreeOutputs(const Parameters& parameters, std::string directory, double first, double last,
                         Communicator comm)
    : directory_(std::move(directory)),
      comm_(std::move(comm)),
      cosmology_(parameters.cosmology),
      min_particles_(parameters.trees.min_particles),
      times_(tree_times(parameters.trees, first, last)),
      exact_(exact_tree_times(parameters.trees, first, last)) {}

std::string TreeOutputs::catalogue(std::int32_t output) const {
  return fmt::format("{}/fof_subhalo_hbt_tab_{:03d}.0.hdf5", directory_, output);
}

bool TreeOutputs::due(double time) const {
  constexpr double rounding = 1e-12;
  const auto next = std::ranges::upper_bound(times_, last_made_ * (1 + rounding));
  return next != times_.end() && *next <= time * (1 + rounding);
}

nlohmann::json TreeOutputs::write(const OutputMoment& moment) {
  const double began = wall_time();
  const std::string path = catalogue(memory_.outputs);
  const ParticleSystem& system = moment.particles.motion_on_host();
  last_made_ = system.time;
  if (moment.aside != nullptr) {
    copy_bodies(system, aside_);
    moment.aside->start([this, path, softening = moment.softening] { follow(path, aside_, {}, softening); });
  } else {
    follow(path, system, moment.domains, moment.softening);
  }
  seconds_ += wall_time() - began;
  return nlohmann::json::array({path});
}

void TreeOutputs::follow(const std::string& path, const ParticleSystem& system, const DomainMap& domains,
                         double softening) {
  const TrackingOptions options{.min_particles = min_particles_, .softening = softening};
  const SubhaloShare share = follow_subhalos(memory_, system, domains, cosmology_, options, comm_);
  write_subhalo_file(path, share, {system.time, snapshot_box(system, comm_), cosmology_}, comm_);
  std::uint32_t checksum = collectively(comm_, [&] { return comm_.root() ? checksum_of_file(path) : 0; });
  comm_.broadcast(std::span(&checksum, 1));
  catalogues_.push_back(checksum);
}

std::string TreeOutputs::finish() {
  const double began = wall_time();
  write_trees();
  seconds_ += wall_time() - began;
  return fmt::format("subhalos: {} tree outputs with {} tracks", outputs(), tracks());
}

void TreeOutputs::write_trees() const {
  if (memory_.outputs == 0) return;
  collectively(comm_, [&] {
    if (!comm_.root()) return;
    std::vector<std::string> files;
    for (std::int32_t k = 0; k < memory_.outputs; ++k) {
      files.push_back(catalogue(k));
      if (checksum_of_file(files.back()) == catalogues_[static_cast<std::size_t>(k)]) continue;
      throw InputError(files.back() + " is not as this run wrote it: it is damaged or of another run");
    }
    const std::string trees = directory_ + "/trees.hdf5";
    write_tree_file(trees, files);
    write_main_branches(directory_ + "/main_branches.csv", trees);
    write_tree_page(directory_ + "/trees.html", trees);
  });
}

OutputState TreeOutputs::save(std::uint64_t step) {
  const std::uint32_t checksum = write_track_file(track_file(directory_, step), memory_, last_made_, comm_);
  return {{{"checksum", checksum}, {"catalogues", catalogues_}}};
}

void TreeOutputs::checkpoint_written() {
  remove_old_track_files(directory_, comm_);
}

void TreeOutputs::restore(std::uint64_t step, const OutputState& stored) {
  const std::string path = track_file(directory_, step);
  std::uint64_t checksum = 0;
  collectively(comm_, [&] {
    values_from("the state of the trees in the checkpoint", [&] {
      const nlohmann::json& trees = stored.json;
      checksum = whole_number(trees.at("checksum"));
      catalogues_.clear();
      for (const nlohmann::json& each : trees.at("catalogues"))
        catalogues_.push_back(static_cast<std::uint32_t>(whole_number(each)));
    });
  });
  collectively(comm_, [&] {
    if (comm_.root() && !std::filesystem::exists(path)) {
      throw InputError(path +
                       " is missing: it belongs to the checkpoint of this step and holds its subhalos' tracks; "
                       "put it back, or restart with --set trees.outputs=0");
    }
  });
  StoredTracks tracks = read_track_file(path, comm_);
  if (tracks.checksum != checksum || catalogues_.size() != static_cast<std::size_t>(tracks.memory.outputs)) {
    throw SharedError(path +
                      " is not the file that was written with the checkpoint of this step: it is damaged or of another "
                      "run; put the right one back, or restart with --set trees.outputs=0");
  }
  memory_ = std::move(tracks.memory);
  last_made_ = tracks.time;
}

std::unique_ptr<Output> make_tree_outputs(const OutputSetup& setup) {
  const Parameters& parameters = setup.parameters;
  if (!parameters.trees.wanted() || setup.system.frame != Frame::comoving) return nullptr;
  const double first = setup.first_time, last = setup.schedule.last();
  require_in_run("trees.redshifts", parameters.trees.redshifts, first);
  auto trees = std::make_unique<TreeOutputs>(parameters, parameters.run.directory, first, last, setup.comm);
  if (setup.restart) {
    if (setup.stored == nullptr) {
      throw SharedError("the checkpoint has no subhalo trees, which a restart cannot begin: see [trees]");
    }
    trees->restore(setup.step, *setup.stored);
  }
  for (const double a : exact_tree_times(parameters.trees, first, last)) setup.schedule.add_stop(a);
  return trees;
}

}  // namespace multiwalk
