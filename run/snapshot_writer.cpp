#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "run/hdf5_file.hpp"
#include "run/partial_file.hpp"
#include "run/snapshot.hpp"
#include "run/snapshot_potential.hpp"

namespace multiwalk {

namespace {

using hdf5::Object;

/// The powers of a and h, of length, mass and velocity in a dataset's unit, as GADGET-4 states them.
struct Scaling {
  double a, h, length, mass, velocity;
};

/// Everything about the set that its files share: units of the file and geometry.
class SnapshotWriter {
 public:
  SnapshotWriter(const ParticleSystem& system, const CosmologyParameters& cosmology, const SnapshotOptions& options)
      : system_(system), cosmology_(cosmology), options_(options), comoving_(system.frame == Frame::comoving) {
    const ParticleStore& p = system.particles;
    equal_masses_ = std::ranges::all_of(p.mass, [&](float m) { return m == p.mass.front(); });
    has_potential_ = std::ranges::any_of(p.potential, [](float phi) { return phi != 0; });
    length_ = comoving_ ? 1000 : 1;
    velocity_ = comoving_ ? 1 / std::pow(system.time, 1.5) : 1;
    if (!comoving_) {
      unit_mass_ = unit_velocity_ * unit_velocity_ * unit_length_ / units::newton_cgs;
      cosmology_.h = 1;
      cosmology_.omega_m = cosmology_.omega_lambda = cosmology_.omega_b = 0;
    }
    set_box();
  }

  /// File `number` of the set with the particles [first, first + count).
  void write(const std::string& path, std::uint64_t first, std::uint64_t count) const {
    hdf5::File file = hdf5::File::create(path);
    write_header(file.create_group("Header"), count);
    write_parameters(file.create_group("Parameters"));
    write_units(file.create_group("Units"));
    write_cosmology(file.create_group("Cosmology"));
    write_attributes(file.create_group("Code"), options_.code);
    write_run(file.create_group("Run"));
    write_particles(file.create_group("PartType1"), first, count);
    file.close();
  }

 private:
  /// The cube [0, side) that holds every particle: the system's own box where it does.
  void set_box() {
    side_ = system_.box_size;
    if (system_.boundary == Boundary::periodic) return;
    double extent = 0;
    for (const Vec3d x : system_.particles.position)
      extent = std::max({extent, std::fabs(x.x), std::fabs(x.y), std::fabs(x.z)});
    if (!(2 * extent < side_)) side_ = extent > 0 ? 2 * extent * (1 + 1e-6) : 1;
    shift_ = side_ / 2;
  }

  [[nodiscard]] double redshift() const { return comoving_ ? 1 / system_.time - 1 : 0; }

  void write_densities(const Object& group) const {
    group.write("BoxSize", side_ * length_);
    group.write("Omega0", cosmology_.omega_m);
    group.write("OmegaLambda", cosmology_.omega_lambda);
    group.write("OmegaBaryon", cosmology_.omega_b);
    group.write("HubbleParam", cosmology_.h);
  }

  void write_header(const Object& group, std::uint64_t count) const {
    const std::array<std::uint64_t, 6> here{0, count}, total{0, system_.particles.size()};
    const std::array<std::uint32_t, 6> high{};
    const std::array<double, 6> mass{0, equal_masses_ ? static_cast<double>(system_.particles.mass.front()) : 0};
    group.write("NumPart_ThisFile", std::span<const std::uint64_t>(here));
    group.write("NumPart_Total", std::span<const std::uint64_t>(total));
    group.write("NumPart_Total_HighWord", std::span<const std::uint32_t>(high));
    group.write("MassTable", std::span<const double>(mass));
    group.write("Time", system_.time);
    group.write("Redshift", redshift());
    group.write("NumFilesPerSnapshot", static_cast<std::int32_t>(options_.files));
    write_densities(group);
    for (const char* flag : {"Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback",
                             "Flag_DoublePrecision", "Flag_Entropy_ICs"})
      group.write(flag, std::int32_t{0});
  }

  void write_three_units(const Object& group) const {
    group.write("UnitLength_in_cm", unit_length_);
    group.write("UnitMass_in_g", unit_mass_);
    group.write("UnitVelocity_in_cm_per_s", unit_velocity_);
  }

  void write_parameters(const Object& group) const {
    write_attributes(group, options_.parameters);
    write_three_units(group);
    write_densities(group);
    const double cap = options_.softening_max_physical > 0 ? options_.softening_max_physical : options_.softening;
    group.write("Hubble", units::hubble_100 * units::cm_per_km / units::cm_per_mpc * unit_length_ / unit_velocity_);
    group.write("SofteningComovingClass0", options_.softening * length_);
    group.write("SofteningMaxPhysClass0", cap * length_);
    group.write("SofteningClassOfPartType1", std::int32_t{0});
  }

  void write_units(const Object& group) const {
    write_three_units(group);
    group.write("UnitTime_in_s", unit_length_ / unit_velocity_);
    if (!comoving_) group.write("GravitationalConstant", 1.0);
  }

  void write_cosmology(const Object& group) const {
    const CosmologyParameters& c = cosmology_;
    const std::pair<const char*, double> values[] = {{"omega_m", c.omega_m}, {"omega_lambda", c.omega_lambda},
                                                     {"omega_b", c.omega_b}, {"h", c.h},
                                                     {"n_s", c.n_s},         {"sigma8", c.sigma8},
                                                     {"a_s", c.a_s},         {"w0", c.w0},
                                                     {"wa", c.wa},           {"radiation", c.radiation},
                                                     {"t_cmb", c.t_cmb}};
    for (const auto& [name, value] : values) group.write(name, value);
  }

  void write_run(const Object& group) const {
    write_attributes(group, options_.run);
    group.write_text("frame", comoving_ ? "comoving" : "newtonian");
    group.write_text("boundary", system_.boundary == Boundary::vacuum ? "vacuum" : "periodic");
    const std::array<double, 3> origin{shift_ * length_, shift_ * length_, shift_ * length_};
    group.write("origin", std::span<const double>(origin));
    group.write("box_size", system_.box_size);
    group.write("sphere_radius", system_.sphere_radius);
    group.write("spacing", system_.spacing);
  }

  static void write_attributes(const Object& group, const SnapshotAttributes& attributes) {
    for (const auto& [name, variant] : attributes)
      std::visit(
          [&group, &key = name]<class T>(const T& value) {
            if constexpr (std::is_same_v<T, std::string>)
              group.write_text(key, value);
            else
              group.write(key, value);
          },
          variant);
  }

  void write_particles(const Object& group, std::uint64_t first, std::uint64_t count) const {
    const ParticleStore& p = system_.particles;
    if (options_.single_precision_positions)
      write_coordinates<float>(group, first, count);
    else
      write_coordinates<double>(group, first, count);
    describe(group.write_dataset<float>("Velocities", count, 3,
                                        [&](std::uint64_t at, std::uint64_t n, float* out) {
                                          for (std::uint64_t i = 0; i < n; ++i)
                                            for (int axis = 0; axis < 3; ++axis)
                                              out[3 * i + axis] = static_cast<float>(
                                                  velocity_ * static_cast<double>(p.velocity[first + at + i][axis]));
                                        }),
             {0.5, 0, 0, 0, 1});
    describe(group.write_dataset<std::uint64_t>("ParticleIDs", count, 1,
                                                [&](std::uint64_t at, std::uint64_t n, std::uint64_t* out) {
                                                  std::copy_n(&p.id[first + at], n, out);
                                                }),
             {0, 0, 0, 0, 0});
    if (!equal_masses_)
      describe(group.write_dataset<float>(
                   "Masses", count, 1,
                   [&](std::uint64_t at, std::uint64_t n, float* out) { std::copy_n(&p.mass[first + at], n, out); }),
               {0, -1, 0, 1, 0});
    if (has_potential_) write_potential(group, first, count);
  }

  /// Rounding must not put a particle onto the upper face.
  template <class T>
  void write_coordinates(const Object& group, std::uint64_t first, std::uint64_t count) const {
    const T below = std::nextafter(static_cast<T>(side_ * length_), T{0});
    const auto fill = [&](std::uint64_t at, std::uint64_t n, T* out) {
      for (std::uint64_t i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          double x = system_.particles.position[first + at + i][axis] + shift_;
          if (system_.boundary == Boundary::periodic) x -= side_ * std::floor(x / side_);
          out[3 * i + axis] = std::min(static_cast<T>(x * length_), below);
        }
    };
    describe(group.write_dataset<T>("Coordinates", count, 3, fill), {1, -1, 1, 0, 0});
  }

  void write_potential(const Object& group, std::uint64_t first, std::uint64_t count) const {
    const ParticleStore& p = system_.particles;
    const auto fill = [&](std::uint64_t at, std::uint64_t n, float* out) {
      for (std::uint64_t i = first + at; i < first + at + n; ++i)
        *out++ = static_cast<float>(p.potential[i] + background_potential(system_, cosmology_, p.position[i]));
    };
    describe(group.write_dataset<float>("Potential", count, 1, fill), {-1, 0, 0, 0, 2});
  }

  void describe(const Object& dataset, const Scaling& s) const {
    dataset.write("a_scaling", comoving_ ? s.a : 0);
    dataset.write("h_scaling", comoving_ ? s.h : 0);
    dataset.write("length_scaling", s.length);
    dataset.write("mass_scaling", s.mass);
    dataset.write("velocity_scaling", s.velocity);
    dataset.write("to_cgs", std::pow(unit_length_, s.length) * std::pow(unit_mass_, s.mass) *
                                std::pow(unit_velocity_, s.velocity));
  }

  const ParticleSystem& system_;
  CosmologyParameters cosmology_;
  const SnapshotOptions& options_;
  bool comoving_;
  bool equal_masses_ = false;
  bool has_potential_ = false;
  double length_ = 1;    // file units per internal unit
  double velocity_ = 1;  // v_pec / sqrt(a) = p a^(-3/2)
  double side_ = 0;      // internal units
  double shift_ = 0;
  double unit_length_ = units::cm_per_mpc / 1000;
  double unit_mass_ = units::gram_per_1e10_msun;
  double unit_velocity_ = units::cm_per_km;
};

}  // namespace

std::vector<std::string> write_snapshot(const std::string& base, const ParticleSystem& system,
                                        const CosmologyParameters& cosmology, const SnapshotOptions& options) {
  const std::uint64_t particles = system.particles.size();
  const auto files = static_cast<std::uint64_t>(options.files);
  require(particles > 0 && options.files > 0, "write_snapshot: no particles or no files");
  require(system.boundary == Boundary::vacuum || system.box_size > 0, "write_snapshot: periodic system without a box");
  require(system.frame == Frame::newtonian || system.time > 0, "write_snapshot: expansion factor is not positive");
  const SnapshotWriter writer(system, cosmology, options);
  std::vector<PartialFile> written;
  std::vector<std::string> paths;
  for (std::uint64_t k = 0; k < files; ++k) {
    const std::uint64_t first = particles / files * k + std::min(k, particles % files);
    const std::uint64_t count = particles / files + (k < particles % files);
    paths.push_back(files == 1 ? base + ".hdf5" : fmt::format("{}.{}.hdf5", base, k));
    written.emplace_back(paths.back());
    writer.write(written.back().partial_path(), first, count);
  }
  for (PartialFile& file : written) file.commit();
  return paths;
}

}  // namespace multiwalk
