#include "run/run_command.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "host/base/error.hpp"
#include "ic/model.hpp"
#include "run/atomic_file.hpp"
#include "run/backend_choice.hpp"
#include "run/checkpoint.hpp"
#include "run/device_power.hpp"
#include "run/machine.hpp"
#include "run/output_schedule.hpp"
#include "run/outputs.hpp"
#include "run/partial_file.hpp"
#include "run/progress.hpp"
#include "run/run_directory.hpp"
#include "run/snapshot.hpp"
#include "run/stop_request.hpp"
#include "run/version.hpp"

namespace multiwalk {

namespace {

constexpr double seconds_per_hour = 3600;

/// What a run starts from: initial conditions, or a checkpoint with its record.
struct Beginning {
  Parameters parameters;
  ParticleSystem system;
  nlohmann::json state;  ///< null for a new run
  std::string warning;
};

void require_same_universe(const Parameters& now, const Parameters& then, const std::string& directory) {
  Parameters same = now;
  same.model = then.model;
  same.cosmology = then.cosmology;
  same.ic = then.ic;
  if (to_toml(same) != to_toml(now)) {
    throw InputError("--restart " + directory +
                     ": [model], [cosmology] and [ic] differ from the checkpoint's; only other sections may change");
  }
}

/// A run that was ended before its first checkpoint starts from its parameters again.
bool has_checkpoint(const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("checkpoint_", 0) == 0 && entry.path().extension() != PartialFile::suffix) return true;
  }
  return false;
}

Beginning begin_again(const RunRequest& request) {
  Beginning beginning;
  prepare_run_directory(request.restart, ExistingRun::restart);
  if (!has_checkpoint(request.restart)) {
    const std::string file =
        request.parameter_file.empty() ? request.restart + "/parameters.toml" : request.parameter_file;
    beginning.parameters = read_parameters(file, request.settings);
    beginning.parameters.run.directory = request.restart;
    beginning.warning = request.restart + " holds no checkpoint: starting from the beginning";
    return beginning;
  }
  Checkpoint checkpoint = read_newest_checkpoint(request.restart, beginning.warning);
  const Parameters then = parse_parameters(checkpoint.parameters, "checkpoint");
  beginning.parameters = request.parameter_file.empty()
                             ? parse_parameters(checkpoint.parameters, "checkpoint", request.settings)
                             : read_parameters(request.parameter_file, request.settings);
  require_same_universe(beginning.parameters, then, request.restart);
  beginning.parameters.run.directory = request.restart;
  beginning.system = std::move(checkpoint.system);
  beginning.state = nlohmann::json::parse(checkpoint.state);
  return beginning;
}

Beginning begin_anew(const RunRequest& request) {
  Beginning beginning;
  beginning.parameters = read_parameters(request.parameter_file, request.settings);
  return beginning;
}

ParticleSystem make_system(Parameters& parameters, Progress& progress) {
  if (parameters.model.kind != ModelKind::file) {
    return make_model(parameters.model, parameters.ic, parameters.cosmology,
                      [&](const std::string& what, double fraction) {
                        progress.message((fraction < 0 ? "WARNING: " : "initial conditions: ") + what);
                      });
  }
  SnapshotInfo info = read_snapshot(parameters.model.file);
  if (info.system.frame == Frame::comoving) {
    parameters.cosmology.omega_m = info.cosmology.omega_m;
    parameters.cosmology.omega_lambda = info.cosmology.omega_lambda;
    parameters.cosmology.omega_b = info.cosmology.omega_b;
    parameters.cosmology.h = info.cosmology.h;
  }
  return std::move(info.system);
}

std::string now_as_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc);
  return text;
}

/// One run from its first forces to its report.
class Run {
 public:
  Run(Beginning beginning, Progress& progress)
      : parameters_(std::move(beginning.parameters)),
        progress_(progress),
        directory_(parameters_.run.directory),
        choice_(choose_backend(parameters_.run.backend, parameters_.run.devices)),
        simulation_(parameters_, std::move(beginning.system), *choice_.backend),
        schedule_(make_schedule(beginning.state)),
        stop_(directory_, parameters_.run.wall_limit * seconds_per_hour),
        power_(choice_.devices) {
    progress_.message("back end: " + choice_.why);
    if (!beginning.state.is_null()) {
      simulation_.restore(beginning.state.at("simulation"));
      record_ = record_from_json(beginning.state.at("record"));
      earlier_wall_ = record_.wall_seconds;
      earlier_joules_ = record_.device_joules;
      next_census_ = beginning.state.at("next_census");
    }
    describe();
  }

  ExitCode operator()() {
    const StepRecord first = simulation_.start();
    if (record_.steps.empty()) {
      last_raw_ = first.raw.total();
      record_.steps.push_back(first);
      record_.energy_error.push_back(simulation_.energy_error());
      write_if_due();
      census_if_due();
    }
    while (simulation_.time() < schedule_.last()) {
      const std::string reason = reason_to_stop();
      if (!reason.empty()) return stop_early(reason);
      advance();
    }
    report();
    progress_.finish();
    return ExitCode::ok;
  }

 private:
  OutputSchedule make_schedule(const nlohmann::json& state) {
    first_time_ = state.is_null() ? simulation_.time() : state.at("first_time").get<double>();
    return simulation_.comoving() ? OutputSchedule::comoving(parameters_, first_time_)
                                  : OutputSchedule::newtonian(parameters_, first_time_);
  }

  void describe() {
    record_.version = version_short();
    record_.machine = machine_description();
    record_.backend = std::string(choice_.backend->name()) + " (" + choice_.backend->description() + ")";
    if (record_.started.empty()) record_.started = now_as_text();
    record_.threads = parameters_.run.threads > 0 ? parameters_.run.threads : omp_get_max_threads();
    record_.devices = static_cast<int>(choice_.devices.size());
    record_.particles = simulation_.system().particles.size();
    record_.comoving = simulation_.comoving();
  }

  void advance() {
    StepRecord step = simulation_.step(schedule_.end_of_step(simulation_.time(), simulation_.next_time()));
    last_raw_ = step.raw.total();
    last_step_seconds_ = total_seconds(step);
    record_.steps.push_back(step);
    record_.energy_error.push_back(simulation_.energy_error());
    const double began = wall_time();
    census_if_due();
    write_if_due();
    checkpoint_if_due();
    record_.steps.back().seconds[static_cast<std::size_t>(Phase::io)] += wall_time() - began;
    progress_.step(record_.steps.back(), fraction_done());
  }

  static double total_seconds(const StepRecord& step) {
    double sum = 0;
    for (double s : step.seconds) sum += s;
    return sum;
  }

  /// Fraction of the way in ln a or time.
  [[nodiscard]] double fraction_done() const { return fraction_at(simulation_.time()); }
  [[nodiscard]] double fraction_at(double time) const {
    const double last = schedule_.last();
    if (last <= first_time_) return 1;
    return simulation_.comoving() ? std::log(time / first_time_) / std::log(last / first_time_)
                                  : (time - first_time_) / (last - first_time_);
  }

  void write_if_due() {
    if (!schedule_.due(simulation_.time())) return;
    note_wall();
    write_output(simulation_, parameters_, directory_, record_);
    progress_.message(simulation_.comoving() ? fmt::format("wrote the output at z = {:.4g}", simulation_.redshift())
                                             : fmt::format("wrote the output at t = {:.6g}", simulation_.time()));
    report();
  }

  /// Census epochs are spread evenly over the run, its first and last step included.
  void census_if_due() {
    const std::uint32_t epochs = parameters_.output.census_epochs;
    if (epochs == 0 || fraction_done() < next_census_) return;
    take_census(simulation_, parameters_, last_raw_, record_);
    const double spacing = epochs > 1 ? 1.0 / (epochs - 1) : 2.0;
    while (next_census_ <= fraction_done()) next_census_ += spacing;
    if (next_census_ > 1 - 1e-9 && next_census_ < 1 + 1e-9) next_census_ = 1;
  }

  void note_wall() {
    record_.wall_seconds = earlier_wall_ + wall_time() - began_;
    if (const std::optional<double> joules = power_.joules()) {
      record_.device_joules = *joules + earlier_joules_.value_or(0);
    }
  }

  void report() {
    note_wall();
    write_report(directory_, record_, parameters_);
  }

  void checkpoint() {
    note_wall();
    const nlohmann::json state{{"simulation", simulation_.state()},
                               {"record", to_json(record_)},
                               {"first_time", first_time_},
                               {"next_census", next_census_}};
    const std::string path = write_checkpoint(
        directory_, {simulation_.system(), to_toml(parameters_), state.dump(), simulation_.step_count()});
    progress_.message("wrote " + path);
    last_checkpoint_ = wall_time();
  }

  void checkpoint_if_due() {
    const double every = parameters_.run.checkpoint_every * seconds_per_hour;
    if (every > 0 && wall_time() - last_checkpoint_ >= every) checkpoint();
  }

  [[nodiscard]] std::string reason_to_stop() const {
    const std::uint64_t most = parameters_.time.max_steps;
    if (most > 0 && simulation_.step_count() >= most) return fmt::format("time.max_steps = {} is reached", most);
    return stop_.reason(last_step_seconds_);
  }

  ExitCode stop_early(const std::string& reason) {
    checkpoint();
    report();
    progress_.finish();
    progress_.message(fmt::format("stopped after step {} because {}; continue with: multiwalk run --restart {}",
                                  simulation_.step_count(), reason, directory_));
    return ExitCode::stopped;
  }

  Parameters parameters_;
  Progress& progress_;
  std::string directory_;
  BackendChoice choice_;
  Simulation simulation_;
  double first_time_ = 0;
  OutputSchedule schedule_;
  StopRequest stop_;
  DevicePower power_;
  RunRecord record_;
  std::uint64_t last_raw_ = 0;
  double last_step_seconds_ = 0;
  double next_census_ = 0;
  double began_ = wall_time();
  double last_checkpoint_ = wall_time();
  double earlier_wall_ = 0;
  std::optional<double> earlier_joules_;
};

}  // namespace

ExitCode run_simulation(const RunRequest& request) {
  Beginning beginning = request.restart.empty() ? begin_anew(request) : begin_again(request);
  const std::string directory = beginning.parameters.run.directory;
  if (beginning.parameters.run.threads > 0) omp_set_num_threads(beginning.parameters.run.threads);
  if (request.restart.empty()) {
    // Everything that can be refused is refused before the directory is touched.
    choose_backend(beginning.parameters.run.backend, beginning.parameters.run.devices);
    if (beginning.parameters.model.kind == ModelKind::file) read_snapshot_info(beginning.parameters.model.file);
    prepare_run_directory(directory, request.overwrite ? ExistingRun::overwrite : ExistingRun::refuse);
  }
  Progress progress(directory, request.quiet);
  if (!beginning.warning.empty()) progress.message("WARNING: " + beginning.warning);
  if (beginning.state.is_null()) beginning.system = make_system(beginning.parameters, progress);
  write_file_atomically(directory + "/parameters.toml", to_toml(beginning.parameters));
  Run run(std::move(beginning), progress);
  return run();
}

void add_run_command(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Run a simulation from a parameter file, or go on with one");
  auto request = std::make_shared<RunRequest>();
  command->add_option("parameters", request->parameter_file, "parameter file (TOML); see run/examples");
  command->add_option("--set", request->settings, "override a parameter, e.g. --set force.theta=0.5")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--restart", request->restart, "go on with the run in this directory");
  command->add_flag("--overwrite", request->overwrite, "replace an existing run in run.directory");
  command->add_flag("--quiet", request->quiet, "plain lines, no progress bar");
  command->footer("Exit code: 0 finished, 3 stopped early with a checkpoint, 1 failed.");
  command->callback([request, &exit_code] {
    if (request->parameter_file.empty() && request->restart.empty()) {
      throw InputError("run: give a parameter file, e.g. run/examples/demo.toml, or --restart DIRECTORY");
    }
    exit_code = run_simulation(*request);
  });
}

}  // namespace multiwalk
