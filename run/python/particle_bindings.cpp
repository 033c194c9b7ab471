// SPDX-License-Identifier: GPL-3.0-or-later
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "ic/models/model.hpp"
#include "run/evolve/model_bodies.hpp"
#include "run/evolve/simulation.hpp"
#include "run/files/json_output.hpp"
#include "run/outputs/pictures.hpp"
#include "run/outputs/power_report.hpp"
#include "run/outputs/snapshot_output.hpp"
#include "run/python/halo_table.hpp"
#include "run/python/module.hpp"
#include "run/python/particle_owner.hpp"
#include "run/python/ranks.hpp"
#include "run/records/ic_progress.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// Holds the memory of a numpy array.
nb::capsule keep(std::shared_ptr<LentMemory> memory) {
  return {new std::shared_ptr<LentMemory>(std::move(memory)),
          [](void* held) noexcept { delete static_cast<std::shared_ptr<LentMemory>*>(held); }};
}

/// What Python knows of the particles at one moment.
struct Facts {
  std::uint64_t generation = 0;
  std::size_t count = 0;
  bool comoving = false, periodic = false;
  double time = 0, box_size = 0, sphere_radius = 0, h = 0;

  /// For a thread whose turn it is.
  explicit Facts(ParticleOwner& owner) : generation(owner.generation()) {
    const MeasuredSystem measured = owner.measured();
    const ParticleSystem& system = measured.system;
    count = system.particles.size();
    comoving = system.frame == Frame::comoving;
    periodic = system.boundary == Boundary::periodic;
    time = system.time;
    box_size = system.box_size;
    sphere_radius = system.sphere_radius;
    h = measured.cosmology.h;
  }

  [[nodiscard]] nb::dict as_dict() const {
    nb::dict facts;
    facts["generation"] = generation;
    facts["count"] = count;
    facts["comoving"] = comoving;
    facts["periodic"] = periodic;
    facts["time"] = time;
    facts["box_size"] = periodic ? nb::cast(box_size) : nb::none();
    facts["sphere_radius"] = sphere_radius > 0 ? nb::cast(sphere_radius) : nb::none();
    facts["h"] = comoving ? nb::cast(h) : nb::none();
    return facts;
  }
};

nb::dict facts_of(ParticleOwner& owner) {
  return owner.in_turn([&] { return Facts(owner); }).as_dict();
}

/// A numpy array in the memory that an array of the owner's particles has now, and facts of the same moment.
template <class Element, class T>
nb::tuple array_as(ParticleOwner& owner, ParticleArray<T> ParticleStore::*name) {
  struct View {
    Facts facts;
    const Element* data;
    std::shared_ptr<LentMemory> memory;
  };
  View view = owner.in_turn([&] {
    // The owner lends its particles constant; only their memory may change hands here, with the same contents.
    ParticleArray<T>& array = const_cast<ParticleStore&>(owner.measured().system.particles).*name;
    return View{Facts(owner), reinterpret_cast<const Element*>(array.data()), owner.lent().lend(array)};
  });
  constexpr std::size_t columns = std::is_arithmetic_v<T> ? 1 : 3;
  const std::array<std::size_t, 2> shape{view.facts.count, columns};
  return nb::make_tuple(
      nb::ndarray<nb::numpy, const Element>(view.data, columns > 1 ? 2 : 1, shape.data(), keep(std::move(view.memory))),
      view.facts.as_dict());
}

/// The named array of this rank's particles.
nb::tuple array_of(ParticleOwner& owner, const std::string& name) {
  if (name == "position") return array_as<double>(owner, &ParticleStore::position);
  if (name == "momentum") return array_as<float>(owner, &ParticleStore::velocity);
  if (name == "mass") return array_as<float>(owner, &ParticleStore::mass);
  if (name == "id") return array_as<std::uint64_t>(owner, &ParticleStore::id);
  if (name == "acceleration") return array_as<float>(owner, &ParticleStore::acceleration);
  if (name == "potential") return array_as<float>(owner, &ParticleStore::potential);
  throw InputError("there is no array '" + name + "'");
}

std::string power_of(ParticleOwner& owner, std::uint32_t mesh, const std::string& assignment, int folds,
                     bool interlacing, bool subtract_shot_noise) {
  PowerOptions options;
  options.mesh = mesh;
  options.assignment = assignment_from(assignment);
  options.folds = folds;
  options.interlacing = interlacing;
  options.subtract_shot_noise = subtract_shot_noise;
  return owner.in_turn([&] { return json_text(measure_power_of(owner.measured(), options)); });
}

/// A table, and facts of the same moment.
nb::tuple halos_of(ParticleOwner& owner, double linking, std::uint64_t min_particles) {
  const auto [halos, facts] = owner.in_turn([&] {
    return std::pair(find_halos_of(owner.measured(), {linking, min_particles}), Facts(owner));
  });
  return nb::make_tuple(halo_table(halos), facts.as_dict());
}

struct Look {
  std::optional<std::tuple<double, double, double>> centre;
  double width = 0;
  std::uint32_t pixels = 800;
  int axis = 2;

  [[nodiscard]] std::optional<Vec3d> place() const {
    if (!centre) return std::nullopt;
    const auto& [x, y, z] = *centre;
    return Vec3d{x, y, z};
  }
};

Panel panel_by(ParticleOwner& owner, const Look& look) {
  const MeasuredSystem measured = owner.measured();
  const Vec3d extent{look.width, look.width, look.width};
  return panel_of(measured.system, {look.pixels, look.axis, extent, look.place()}, "", measured.comm);
}

/// PNG bytes; empty but on rank 0.
nb::bytes image_of(ParticleOwner& owner, const Look& look) {
  const std::vector<std::uint8_t> png = owner.in_turn([&] {
    const MeasuredSystem measured = owner.measured();
    return draw_panels({panel_by(owner, look)}, {}, measured.comm);
  });
  return nb::bytes(png.data(), png.size());
}

/// (height, width) surface density, the length across and facts of the same moment; empty but on rank 0.
nb::tuple map_of(ParticleOwner& owner, const Look& look) {
  auto [panel, facts] = owner.in_turn([&] { return std::pair(panel_by(owner, look), Facts(owner)); });
  auto* value = new std::vector<float>(std::move(panel.density.value));
  const nb::capsule holder(value, [](void* held) noexcept { delete static_cast<std::vector<float>*>(held); });
  const std::array<std::size_t, 2> shape{panel.density.height, panel.density.width};
  return nb::make_tuple(nb::ndarray<nb::numpy, float>(value->data(), 2, shape.data(), holder), panel.density.extent_x,
                        facts.as_dict());
}

std::unique_ptr<StillParticles> make_conditions(const Parameters& p, const Ranks& ranks, const nb::object& say) {
  const IcProgress::Say tell = say_from(say);
  const nb::gil_scoped_release others_run;
  const MpiTurn mpi(ranks.comm);
  const Communicator& comm = ranks.comm;
  if (is_direct(p)) {
    const Bodies bodies = make_bodies(p.model, {}, comm);
    return std::make_unique<StillParticles>(particles_of(bodies, 0, comm), p.cosmology, "", comm);
  }
  if (p.model.kind == ModelKind::file) {
    throw SharedError("initial_conditions: model.kind = \"file\" needs none; multiwalk.open reads " + p.model.file);
  }
  IcProgress making([&](const std::string& text) {
    if (tell && comm.root()) tell(text + "\n");
  });
  const auto report = [&](const std::string& part, double fraction) { making.report(part, fraction); };
  ParticleSystem made = make_model(p.model, p.ic, p.cosmology, report, comm);
  making.finish();
  return std::make_unique<StillParticles>(std::move(made), p.cosmology, p.ic.transfer_file, comm);
}

/// Throws InputError if the snapshot would replace a file that its particles were made from.
void refuse_own_sources(const std::string& stem, const std::string& extension, const Parameters& parameters) {
  for (const std::string& source : {parameters.model.file, parameters.ic.transfer_file}) {
    for (const std::string& path : {stem + extension, stem + ".0" + extension}) {
      std::error_code missing;
      if (source.empty() || !std::filesystem::equivalent(source, path, missing)) continue;
      throw InputError(path + " is the input of these particles: give the output another name");
    }
  }
}

std::vector<std::string> write_particles(ParticleOwner& owner, const std::string& stem, const std::string& extension,
                                         const Parameters& parameters) {
  return owner.in_turn([&] {
    const MeasuredSystem measured = owner.measured();
    collectively(measured.comm, [&] { refuse_own_sources(stem, extension, parameters); });
    SnapshotOptions options =
        snapshot_options(parameters, resolve_softening(parameters, measured.system, measured.comm));
    options.extension = extension;
    const bool comoving = measured.system.frame == Frame::comoving;
    if (!options.power)
      options.power = comoving ? LinearPower::of(measured.cosmology, measured.transfer_file).facts() : PowerFacts{};
    return write_snapshot(stem, measured.system, measured.cosmology, options, measured.comm);
  });
}

nb::dict header_of(const std::string& path) {
  const SnapshotInfo info = [&] {
    const nb::gil_scoped_release others_run;
    return read_snapshot_info(path);
  }();
  const ParticleSystem& system = info.system;
  const bool comoving = system.frame == Frame::comoving;
  nb::dict header;
  header["layout"] = info.layout;
  header["files"] = info.files;
  header["count"] = info.particles;
  header["comoving"] = comoving;
  header["periodic"] = system.boundary == Boundary::periodic;
  header["time"] = system.time;
  header["box_size"] = system.boundary == Boundary::periodic ? nb::cast(system.box_size) : nb::none();
  header["sphere_radius"] = system.sphere_radius > 0 ? nb::cast(system.sphere_radius) : nb::none();
  header["omega_m"] = comoving ? nb::cast(info.cosmology.omega_m) : nb::none();
  header["omega_lambda"] = comoving ? nb::cast(info.cosmology.omega_lambda) : nb::none();
  header["h"] = comoving ? nb::cast(info.cosmology.h) : nb::none();
  return header;
}

std::unique_ptr<StillParticles> particles_in(const std::string& path) {
  const nb::gil_scoped_release others_run;
  SnapshotInfo info = look_at_snapshot(path);
  return std::make_unique<StillParticles>(std::move(info.system), info.cosmology);
}

}  // namespace

void bind_particles(nb::module_& module) {
  bind_ranks(module);
  nb::class_<Look>(module, "Look")
      .def(nb::init<>())
      .def_rw("centre", &Look::centre, nb::arg().none())
      .def_rw("width", &Look::width)
      .def_rw("pixels", &Look::pixels)
      .def_rw("axis", &Look::axis);
  nb::class_<ParticleOwner>(module, "ParticleOwner")
      .def_prop_ro("generation", &ParticleOwner::generation)
      .def("array", &array_of, "name"_a, "A view of the particles' memory, and facts of the same moment")
      .def("facts", &facts_of)
      .def("power", &power_of, "mesh"_a, "assignment"_a, "folds"_a, "interlacing"_a, "subtract_shot_noise"_a)
      .def("halos", &halos_of, "linking"_a, "min_particles"_a)
      .def("image", &image_of, "look"_a)
      .def("map", &map_of, "look"_a)
      .def("write", &write_particles, "stem"_a, "extension"_a, "parameters"_a);
  [[maybe_unused]] const nb::class_<StillParticles, ParticleOwner> still(module, "StillParticles");
  module.def("make_conditions", &make_conditions, "parameters"_a, "ranks"_a, "say"_a.none());
  module.def("snapshot_header", &header_of, "path"_a);
  module.def("snapshot_particles", &particles_in, "path"_a);
}

}  // namespace multiwalk
