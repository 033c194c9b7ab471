// SPDX-License-Identifier: GPL-3.0-or-later
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "run/driver/whole_run.hpp"
#include "run/ensemble/ensemble.hpp"
#include "run/files/json_output.hpp"
#include "run/python/module.hpp"
#include "run/python/particle_owner.hpp"
#include "run/python/ranks.hpp"
#include "run/python/used_threads.hpp"
#include "run/report/report.hpp"

namespace multiwalk {

namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// A run that Python advances step by step.
class PythonRun final : public ParticleOwner {
 public:
  PythonRun(const RunRequest& request, const Communicator& comm) : comm_(comm) {
    const UsedThreads restored;
    whole_ = std::make_unique<WholeRun>(request, comm);
    threads_ = omp_get_max_threads();  // as run.threads asks
  }
  ~PythonRun() override { close(); }

  MeasuredSystem measured() override {
    const Parameters& p = whole().parameters();
    if (!view_) {
      view_.emplace(run().evolution().view());
      if (view_->keeper != nullptr) view_->keeper->copy_home();
    }
    return {view_->system, p.cosmology, p.ic.transfer_file, view_->domains, view_->force_mesh, comm_};
  }

  bool advance() {
    const UsedThreads as_asked(threads_);
    leave_particles();
    return run().advance();
  }
  /// Ends the use of the run directory; a run that has not ended loses the steps since its last checkpoint.
  void close() {
    leave_particles();
    whole_.reset();
  }
  [[nodiscard]] bool closed() const { return whole_ == nullptr; }

  Run& run() { return whole().run(); }
  WholeRun& whole() {
    if (!whole_) throw InputError("this simulation was closed: its directory is free for another run");
    return *whole_;
  }

 private:
  void leave_particles() {
    begin_generation();
    view_.reset();
  }

  std::unique_ptr<WholeRun> whole_;
  Communicator comm_;
  int threads_ = 0;
  std::optional<EvolutionView> view_;
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
  return std::make_unique<PythonRun>(request, ranks.comm);
}

/// Calls act without the interpreter's lock.
template <class Act>
auto freely(const Act& act) {
  const nb::gil_scoped_release others_run;
  return act();
}

std::string report_of(PythonRun& owner) {
  Run& run = owner.run();
  return json_text(report_json(run.record(), run.evolution().parameters_as_used()));
}

/// Makes one realisation of an ensemble; false if it was stopped or another program works on it.
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
      .def("advance", [](PythonRun& r) { return freely([&] { return r.advance(); }); })
      .def("close", [](PythonRun& r) { freely([&] { r.close(); }); })
      .def_prop_ro("closed", &PythonRun::closed)
      .def(
          "ask_to_stop", [](PythonRun& r, const std::string& why) { r.run().ask_to_stop(why); }, "reason"_a)
      .def(
          "stop_over", [](PythonRun& r, double time) { r.run().stop_over(time); }, "time"_a)
      .def_prop_ro("time", [](PythonRun& r) { return r.run().evolution().time(); })
      .def_prop_ro("comoving", [](PythonRun& r) { return r.run().evolution().comoving(); })
      .def_prop_ro("step_count", [](PythonRun& r) { return r.run().evolution().step_count(); })
      .def_prop_ro("first_time", [](PythonRun& r) { return r.run().first_time(); })
      .def_prop_ro("last_time", [](PythonRun& r) { return r.run().last_time(); })
      .def_prop_ro("ended", [](PythonRun& r) { return r.run().ended().has_value(); })
      .def_prop_ro("why_stopped", [](PythonRun& r) { return r.run().why_stopped(); })
      .def_prop_ro("directory", [](PythonRun& r) { return r.whole().parameters().run.directory; })
      .def_prop_ro("parameters", [](PythonRun& r) { return to_toml(r.run().evolution().parameters_as_used()); })
      .def("report", &report_of, "The contents of report.json at this point");
  module.def("make_run", &make_run, "parameters"_a.none(), "wish"_a, "ranks"_a, "say"_a.none());
  module.def("make_realisation", &make_realisation, "directory"_a, "parameter_file"_a, "seeds"_a, "paired"_a,
             "task"_a.none(), "ranks"_a);
  module.def("names_of_realisations", &names_of_realisations, "seeds"_a, "paired"_a);
}

}  // namespace multiwalk
