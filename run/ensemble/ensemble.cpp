// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/out_of_memory.hpp"
#include "host/base/phase_timer.hpp"
#include "host/base/units.hpp"
#include "run/ensemble/collect.hpp"
#include "run/ensemble/ensemble_parameters.hpp"
#include "run/files/command_files.hpp"
#include "run/files/number_text.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/stop_request.hpp"
#include "run/plan/planned_model.hpp"
#include "run/plan/run_size.hpp"
#include "run/records/finished_run.hpp"
#include "run/setup/run_directory.hpp"

namespace multiwalk {

namespace {

namespace fs = std::filesystem;

/// The number of `task` in the list, or all numbers.
std::vector<std::size_t> chosen_places(const EnsembleRequest& request, std::size_t realisations) {
  if (request.task && *request.task >= realisations) {
    throw InputError(fmt::format("--task {}: there are {} realisations, number 0 to {}", *request.task, realisations,
                                 realisations - 1));
  }
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < realisations; ++place) {
    if (!request.task || *request.task == place) places.push_back(place);
  }
  return places;
}

/// Whether an ensemble, also one that was killed while it wrote its first file, has files of this name.
bool is_file_of_ensemble(const std::string& name) {
  const std::string before_dot = name.substr(0, name.find('.'));
  return before_dot == "ensemble" || name.starts_with("parameters.toml") || realisation_named(before_dot).has_value();
}

void create_ensemble_directory(const std::string& directory) {
  std::error_code failed;
  if (fs::exists(directory, failed) && !fs::is_directory(directory))
    throw InputError("-o " + directory + ": is a file");
  fs::create_directories(directory, failed);
  if (failed) throw InputError("-o " + directory + ": cannot be used: " + failed.message());
}

/// Refuses links, pipes and devices under the names of the ensemble's own files: it would write or wait elsewhere.
void require_plain_ensemble_files(const std::string& directory) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string(), extension = entry.path().extension().string();
    const bool own = name == "ensemble.json" || name == "ensemble.hdf5" || name == "ensemble.html" ||
                     name == "parameters.toml" || extension == ".failed";
    if (own && !fs::is_regular_file(entry.symlink_status())) {
      throw InputError(entry.path().string() +
                       " has the name of a file of the ensemble but is a link, a pipe, a device or a directory: remove "
                       "it");
    }
  }
}

/// Refuses the directory of a run and one of other files. The caller holds its lock: others may be creating it.
void require_ensemble_directory(const std::string& directory) {
  bool others = fs::exists(directory + "/log.txt");
  if (!fs::exists(directory + "/parameters.toml")) {
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      others = others || !is_file_of_ensemble(entry.path().filename().string());
    }
  }
  if (others) throw InputError("-o " + directory + ": holds other files and no ensemble; give another directory");
}

enum class Outcome { finished, failed, stopped, busy };

class Ensemble {
 public:
  Ensemble(const EnsembleRequest& request, const MakeRun& make_run, const Communicator& comm)
      : request_(request), make_run_(make_run), comm_(comm) {}

  ExitCode make() {
    prepare();
    std::vector<std::size_t> left = places_, busy;
    for (; !left.empty(); left = std::exchange(busy, {})) {
      for (const std::size_t place : left) {
        if (comm_.any(comm_.root() && hours_left() <= 0)) return stopped();
        const Outcome outcome = make_one(place);
        if (outcome == Outcome::busy) busy.push_back(place);
        if (outcome == Outcome::stopped) return stopped();
      }
      if (!busy.empty() && !wait_for_others(busy)) return stopped();
    }
    return finish();
  }

 private:
  void prepare();
  Outcome make_one(std::size_t place);
  [[nodiscard]] std::string directory_of(const Realisation& realisation) const {
    return request_.directory + "/" + realisation.name();
  }
  bool wait_for_others(const std::vector<std::size_t>& busy);
  std::optional<std::string> attempt(const Realisation& realisation, ExitCode& exit_code);
  RunRequest run_request(const Realisation& realisation) const;
  void note_state(const Realisation& realisation);
  ExitCode stopped();
  ExitCode finish();
  void print_on_root(const std::string& text) const {
    if (!comm_.root() || request_.progress == ProgressStyle::none) return;
    fmt::print("{}\n", printable(text));
    std::fflush(stdout);
  }
  /// Until run.wall_limit, which here counts for the whole program; positive without a limit.
  [[nodiscard]] double hours_left() const {
    const double limit = parameters_.run.wall_limit;
    return limit > 0 ? limit - (wall_time() - began_) / units::seconds_per_hour : 1;
  }
  [[nodiscard]] std::string time_left(std::size_t number) const;

  const EnsembleRequest& request_;
  const MakeRun& make_run_;
  const Communicator& comm_;
  Parameters parameters_;
  std::vector<Realisation> realisations_;
  std::vector<std::size_t> places_;  ///< of realisations_ that this program makes
  std::string own_error_;            ///< of the last realisation that failed
  std::size_t made_ = 0;
  double began_ = wall_time(), making_ = 0;  ///< making_: seconds of the runs made so far
};

void Ensemble::prepare() {
  const MemoryRoom room = memory_room(comm_);
  parameters_ = read_ensemble_parameters(request_.parameter_file, request_.settings, request_.paired, comm_);
  collectively(comm_, [&] {
    realisations_ = realisations_of(parse_seeds(request_.seeds), request_.paired);
    places_ = chosen_places(request_, realisations_.size());
    if (!comm_.root()) return;
    warn_on_stderr(judge_run_memory(parameters_, planned_shape(parameters_, comm_.size()), room));
    if (!fs::exists(request_.directory)) {
      require_disk(request_.directory,
                   static_cast<double>(places_.size()) *
                       planned_files(parameters_, planned_particles(parameters_), planned_outputs(parameters_)));
    }
    create_ensemble_directory(request_.directory);
    const auto lock = RunDirectoryLock::after_others(request_.directory);
    require_ensemble_directory(request_.directory);
    require_plain_ensemble_files(request_.directory);
    keep_parameters(request_.directory, parameters_);
    Manifest asked{.version = {},
                   .parameter_file = request_.parameter_file,
                   .settings = request_.settings,
                   .currency = parameters_.cost.currency,
                   .realisations = {}};
    for (const Realisation& one : realisations_) asked.realisations.push_back({.realisation = one});
    write_manifest(request_.directory, looked_up_manifest(request_.directory, asked));
  });
}

std::string Ensemble::time_left(std::size_t number) const {
  if (made_ == 0 || request_.task) return "";
  const double each = making_ / static_cast<double>(made_);
  return ", about " + duration(each * static_cast<double>(places_.size() - number)) + " left";
}

Outcome Ensemble::make_one(std::size_t place) {
  const Realisation& realisation = realisations_[place];
  const auto is_finished = [&] {
    bool finished = false;
    collectively(comm_, [&] { finished = comm_.root() && look_at(request_.directory, realisation).finished(); });
    return comm_.any(finished);
  };
  const std::string name = fmt::format("realisation {} of {}, {}", place + 1, realisations_.size(), realisation.text());
  if (is_finished()) {
    print_on_root(name + ": finished already");
    return Outcome::finished;
  }
  print_on_root(fmt::format("{}: {}/{}{}", name, request_.directory, realisation.name(), time_left(place)));
  const double began = wall_time();
  ExitCode exit_code = ExitCode::ok;
  const std::optional<std::string> error = attempt(realisation, exit_code);
  if (error) {
    if (is_finished()) return Outcome::finished;  // by another program
    if (error->find(in_use_words) != std::string::npos) {
      print_on_root(name + ": another program works on it");
      return Outcome::busy;
    }
    print_on_root(fmt::format("{}: FAILED: {}", name, *error));
    own_error_ = fmt::format("{} failed: {}", realisation.name(), *error);
  }
  collectively(comm_, [&] {
    if (!comm_.root()) return;
    if (error) note_failure(request_.directory, realisation, *error);
    note_state(realisation);
  });
  made_ += 1;
  making_ += wall_time() - began;
  if (error) return Outcome::failed;
  return exit_code == ExitCode::ok ? Outcome::finished : Outcome::stopped;
}

/// Until another program has left one of these realisations, finished or not; false if this one is to stop before.
bool Ensemble::wait_for_others(const std::vector<std::size_t>& busy) {
  print_on_root(fmt::format("waiting for the programs that work on the other {} realisations", busy.size()));
  const StopRequest stop(request_.directory, parameters_.run.wall_limit * units::seconds_per_hour, began_);
  const auto is_left = [&](std::size_t place) { return !is_in_use(directory_of(realisations_[place])); };
  while (!comm_.any(comm_.root() && std::ranges::any_of(busy, is_left))) {
    if (!stop.reason(0, comm_).empty()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return true;
}

RunRequest Ensemble::run_request(const Realisation& realisation) const {
  const std::string directory = directory_of(realisation);
  std::string there;  // the directory, if a run began there
  if (comm_.root() && fs::is_directory(directory)) there = directory;
  there = comm_.broadcast(std::move(there));
  RunRequest run;
  run.parameter_file = request_.parameter_file;
  run.settings = realisation_settings(request_.settings, realisation, parameters_.run.title,
                                      there.empty() ? request_.directory : "");
  run.restart = there;
  run.progress = request_.progress;
  if (parameters_.run.wall_limit > 0) {
    run.settings.push_back(comm_.broadcast(fmt::format("run.wall_limit={}", std::max(hours_left(), 1e-6))));
  }
  return run;
}

/// Makes the run; returns the line of its error, if any. On several ranks the ensemble continues only after errors that
/// all ranks know.
std::optional<std::string> Ensemble::attempt(const Realisation& realisation, ExitCode& exit_code) {
  collectively(comm_, [&] {
    if (!comm_.root()) return;
    forget_failure(request_.directory, realisation);
    begin_again(directory_of(realisation));  // if its report is damaged but says that it is finished
  });
  const RunRequest run = run_request(realisation);
  try {
    exit_code = make_run_(run);
    return std::nullopt;
  } catch (const SharedError& error) {
    return error.what();
  } catch (const std::bad_alloc& lack) {
    if (!comm_.alone()) throw;
    return lack_text(lack).data();
  } catch (const std::exception& error) {
    if (!comm_.alone()) throw;
    return error.what();
  }
}

void Ensemble::note_state(const Realisation& realisation) {
  const auto lock = RunDirectoryLock::after_others(request_.directory);
  update_manifest(request_.directory, look_at(request_.directory, realisation));
}

ExitCode Ensemble::stopped() {
  print_on_root("the ensemble stopped; the same command continues it");
  return ExitCode::stopped;
}

ExitCode Ensemble::finish() {
  std::string problem;
  collectively(comm_, [&] {
    if (!comm_.root()) return;
    const auto lock = RunDirectoryLock::after_others(request_.directory);
    const Manifest manifest =
        request_.task ? read_manifest(request_.directory) : looked_up_manifest(request_.directory, {});
    const std::size_t failed = manifest.count(Progression::failed);
    if (!request_.task || manifest.count(Progression::finished) == manifest.realisations.size()) {
      print_on_root(collect_ensemble(request_.directory));
    }
    const auto is_missing = [&](std::size_t place) {
      return !look_at(request_.directory, realisations_[place]).finished();
    };
    if (request_.task && !own_error_.empty()) {
      problem = own_error_;
    } else if (!request_.task && failed > 0) {
      problem = fmt::format(
          "{} of {} realisations failed ({}): ensemble.json has their errors; remove the cause and give "
          "the same command again",
          failed, manifest.realisations.size(), manifest.names(Progression::failed));
    } else if (const auto missing = std::ranges::find_if(places_, is_missing); missing != places_.end()) {
      problem = realisations_[*missing].name() + " is not finished; give the same command again";
    }
  });
  problem = comm_.broadcast(std::move(problem));
  if (!problem.empty()) throw SharedError(request_.directory + ": " + problem);
  return ExitCode::ok;
}

}  // namespace

ExitCode make_ensemble(const EnsembleRequest& request, const MakeRun& make_run, const Communicator& comm) {
  own_directory(request.directory);
  if (!request.collect_only) return Ensemble(request, make_run, comm).make();
  collectively(comm, [&] {
    if (!comm.root()) return;
    kept_parameters(request.directory);
    require_plain_ensemble_files(request.directory);
    const auto lock = RunDirectoryLock::after_others(request.directory);
    fmt::print("{}\n", printable(collect_ensemble(request.directory)));
  });
  return ExitCode::ok;
}

}  // namespace multiwalk
