// SPDX-License-Identifier: GPL-3.0-or-later
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/error.hpp"
#include "run/driver/whole_run.hpp"
#include "run/ensemble/ensemble.hpp"
#include "run/files/json_output.hpp"
#include "run/parameters/written_path.hpp"
#include "run/python/module.hpp"
#include "run/python/particle_owner.hpp"
#include "run/python/ranks.hpp"
#include "run/python/threads/used_threads.hpp"
#include "run/report/report.hpp"

namespace multiwalk {

namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// A run that Python advances step by step. A forked process leaves its parent's runs, their threads and their files
/// alone.
class PythonRun final : public ParticleOwner {
 public:
  PythonRun(const RunRequest& request, const Communicator& comm) : ParticleOwner(comm) {
    const UsedThreads restored;
    whole_ = std::make_unique<WholeRun>(request, comm);
    whole_->run().listen_with([this] { heed_signals(); });
    threads_ = omp_get_max_threads();  // as run.threads asks
  }
  ~PythonRun() override {
    if (inherited()) {
      static_cast<void>(whole_.release());
    } else {
      const nb::gil_scoped_release others_run;  // no other thread knows it any longer
      free();
    }
  }

  MeasuredSystem measured() override {
    const Parameters& p = run().parameters();
    if (!view_) {
      EvolutionView view = run().evolution().view();
      if (view.particles.on_device() && inherited()) throw InputError(std::string(left_on_devices) + spawn_advice);
      static_cast<void>(view.particles.on_host());  // before it is held: a copy may fail
      view_.emplace(std::move(view));
    }
    return {view_->particles.on_host(), p.cosmology, p.ic.transfer_file, view_->domains, view_->force_mesh, comm()};
  }

  void begin_running(const std::string& call) { running_.begin(call); }
  void end_running() { running_.end(); }

  bool advance() {
    const UsedThreads as_asked(threads_);
    leave_particles();
    const bool goes_on = run().advance();
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
    return goes_on;
  }
  /// Ends the use of the run directory; a run that has not ended loses the steps since its last checkpoint. Throws
  /// InputError while it runs.
  void close() {
    if (inherited()) {
      const std::lock_guard lock(stopping_);
      static_cast<void>(whole_.release());
      return;
    }
    const Running::Until closed(running_, "close()");
    in_turn([&] { free(); });
  }
  [[nodiscard]] bool closed() {
    const std::lock_guard lock(stopping_);
    return whole_ == nullptr;
  }
  /// At once, also while another thread makes a step.
  void ask_to_stop(const std::string& why) {
    const std::lock_guard lock(stopping_);
    run().ask_to_stop(why);
  }

  Run& run() { return whole().run(); }
  WholeRun& whole() {
    if (!whole_) throw InputError("this simulation was closed: its directory is free for another run");
    return *whole_;
  }

 private:
  static constexpr const char* left_on_devices =
      "the particles are on a GPU of the process that this one was forked from: take their arrays before the fork, or ";

  /// Python's own handlers of signals run only here while a step lasts. What one raises ends the run first.
  void heed_signals() {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() == 0) return;
    raised_ = std::make_exception_ptr(nb::python_error());
    run().ask_to_stop("it was interrupted");
  }
  void leave_particles() {
    begin_generation();
    view_.reset();
  }
  void free() {
    leave_particles();
    std::unique_ptr<WholeRun> freed;
    const std::lock_guard lock(stopping_);
    freed.swap(whole_);
  }

  std::unique_ptr<WholeRun> whole_;
  int threads_ = 0;
  std::exception_ptr raised_;
  std::optional<EvolutionView> view_;
  Running running_;
  ForkSafeMutex stopping_;  ///< keeps the run alive while it is asked to stop
};

struct RunWish {
  std::string restart;
  std::vector<std::string> settings;
  bool overwrite = false, bar = true;
};

std::unique_ptr<PythonRun> make_run(const std::optional<Parameters>& parameters, const RunWish& wish,
                                    const Ranks& ranks, const nb::object& say) {
  RunRequest request;
  request.parameters = parameters;
  request.restart = wish.restart;
  request.settings = wish.settings;
  request.overwrite = wish.overwrite;
  request.progress = wish.bar ? ProgressStyle::automatic : ProgressStyle::lines;
  request.catch_signals = false;
  request.say = say_from(say);
  const nb::gil_scoped_release others_run;
  const MpiTurn mpi(ranks.comm);
  return std::make_unique<PythonRun>(request, ranks.comm);
}

/// A getter of a property: act(run) in turn.
template <class Act>
auto of_run(const Act& act) {
  return [act](PythonRun& owner) { return owner.in_turn([&] { return act(owner.run()); }); };
}

std::string report_of(Run& run) {
  return json_text(report_json(run.record(), run.evolution().parameters_as_used()));
}

/// Makes one realisation of an ensemble; false if it was stopped.
bool make_realisation(const std::string& directory, const std::string& parameter_file, const std::string& seeds,
                      bool paired, std::optional<std::size_t> task, const Ranks& ranks) {
  EnsembleRequest request;
  request.directory = directory;
  request.parameter_file = parameter_file;
  request.seeds = seeds;
  request.paired = paired;
  request.task = task;
  request.progress = ProgressStyle::none;
  const nb::gil_scoped_release others_run;
  const MpiTurn mpi(ranks.comm);
  const UsedThreads restored;
  const auto make = [&](const RunRequest& run) { return run_simulation(run, ranks.comm); };
  return make_ensemble(request, make, ranks.comm) == ExitCode::ok;
}

std::vector<std::string> names_of_realisations(const std::string& seeds, bool paired) {
  std::vector<std::string> names;
  for (const Realisation& one : realisations_of(parse_seeds(seeds), paired)) names.push_back(one.name());
  return names;
}

}  // namespace

void bind_simulation(nb::module_& module) {
  nb::class_<RunWish>(module, "RunWish")
      .def(nb::init<>())
      .def_rw("restart", &RunWish::restart)
      .def_rw("settings", &RunWish::settings)
      .def_rw("overwrite", &RunWish::overwrite)
      .def_rw("bar", &RunWish::bar);
  nb::class_<PythonRun, ParticleOwner>(module, "Run")
      .def("begin_running", &PythonRun::begin_running, "call"_a)
      .def("end_running", &PythonRun::end_running)
      .def("advance", [](PythonRun& r) { return r.in_turn([&] { return r.advance(); }); })
      .def("close", &PythonRun::close)
      .def_prop_ro("closed", &PythonRun::closed)
      .def("ask_to_stop", &PythonRun::ask_to_stop, "reason"_a)
      .def(
          "stop_over", [](PythonRun& r, double time) { r.in_turn([&] { r.run().stop_over(time); }); }, "time"_a)
      .def_prop_ro("time", of_run([](Run& run) { return run.evolution().time(); }))
      .def_prop_ro("comoving", of_run([](Run& run) { return run.evolution().comoving(); }))
      .def_prop_ro("step_count", of_run([](Run& run) { return run.evolution().step_count(); }))
      .def_prop_ro("first_time", of_run([](Run& run) { return run.first_time(); }))
      .def_prop_ro("last_time", of_run([](Run& run) { return run.last_time(); }))
      .def_prop_ro("ended", of_run([](Run& run) { return run.ended().has_value(); }))
      .def_prop_ro("why_stopped", of_run([](Run& run) { return std::string(run.why_stopped()); }))
      .def_prop_ro("directory",
                   [](PythonRun& r) { return r.in_turn([&] { return r.run().parameters().run.directory; }); })
      .def_prop_ro("parameters", of_run([](Run& run) { return to_toml(run.evolution().parameters_as_used()); }))
      .def("report", of_run(report_of), "The contents of report.json at this point");
  module.def("make_run", &make_run, "parameters"_a.none(), "wish"_a, "ranks"_a, "say"_a.none());
  module.def("make_realisation", &make_realisation, "directory"_a, "parameter_file"_a, "seeds"_a, "paired"_a,
             "task"_a.none(), "ranks"_a);
  module.def("expanded_path", &expanded_path, "path"_a);
  module.def("names_of_realisations", &names_of_realisations, "seeds"_a, "paired"_a);
}

}  // namespace multiwalk
