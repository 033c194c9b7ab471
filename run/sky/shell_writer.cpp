// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/shell_writer.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

/// While this many shells are being written, the run waits. They are in memory in addition to those that the light is
/// passing.
constexpr std::size_t most_in_writing = 2;

}  // namespace

void ShellWriter::begin(const SkyShell& shell, std::unique_ptr<SkyMaps> maps, bool beside) {
  await_all_but(most_in_writing - 1);
  const double began = wall_time();
  collectively(comm_, [&] {
    if (!comm_.root()) return;
    if (!seen_) seen_.emplace(nside_, view_);
    auto files = std::make_unique<ShellFiles>(directory_ + "/" + shell_stem(shell.number), shell, std::move(maps),
                                              *seen_, form_);
    const int all = omp_get_max_threads(), threads = beside ? std::max(1, all / 2) : all;
    writing_.push_back(std::async(std::launch::async, [files = std::move(files), threads] {
      omp_set_num_threads(threads);
      files->complete();
    }));
  });
  unwritten_.push_back(shell);
  making_ += wall_time() - began;
}

void ShellWriter::await_all_but(std::size_t most) {
  while (unwritten_.size() > most) {
    const double began = wall_time();
    const SkyShell shell = unwritten_.front();
    unwritten_.pop_front();
    collectively(comm_, [&] {
      if (!comm_.root()) return;
      std::future<void> written = std::move(writing_.front());
      writing_.pop_front();
      written.get();
    });
    waiting_ += wall_time() - began;
    tell_(fmt::format("light cone: wrote shell {}, z = {:.4g} to {:.4g}, {} particles", shell.number, shell.z_near,
                      shell.z_far, shell.particles));
  }
}

void ShellWriter::report() {
  const auto is_written = [&] {
    return comm_.root() && writing_.front().wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  while (!unwritten_.empty() && comm_.any(is_written())) await_all_but(unwritten_.size() - 1);
}

}  // namespace multiwalk
