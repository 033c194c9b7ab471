// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "host/cosmology/background_potential.hpp"
#include "run/files/partial_file.hpp"
#include "run/formats/columns.hpp"
#include "run/hdf5/hdf5_shared_file.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

using hdf5::Object;

/// The powers of a and h, of length, mass and velocity in a dataset's unit, as GADGET-4 states them.
struct Scaling {
  double a, h, length, mass, velocity;
};

/// Values on which the ranks of a set agree.
struct SetFacts {
  std::uint64_t particles = 0;
  double equal_mass = 0;  ///< 0: masses differ
  bool has_potential = false;
  SnapshotBox box;

  static SetFacts of(const ParticleSystem& system, const Communicator& comm) {
    const ParticleStore& p = system.particles;
    SetFacts facts;
    facts.particles = comm.sum(static_cast<std::uint64_t>(p.size()));
    facts.has_potential = comm.any(std::ranges::any_of(p.potential, [](float phi) { return phi != 0; }));
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const float m : p.mass) {
      least = std::min(least, static_cast<double>(m));
      most = std::max(most, static_cast<double>(m));
    }
    least = comm.min(least);
    if (least == comm.max(most) && least > 0) facts.equal_mass = least;
    facts.box = snapshot_box(system, comm);
    return facts;
  }
};

/// A dataset of /PartType1.
struct SnapshotColumn {
  hdf5::RowSource rows;
  Scaling scaling;
};

/// Everything about the set that its files share: units of the file and geometry.
class SnapshotWriter {
 public:
  SnapshotWriter(const ParticleSystem& system, const CosmologyParameters& cosmology, const SnapshotOptions& options,
                 const SetFacts& facts)
      : system_(system),
        cosmology_(cosmology),
        options_(options),
        facts_(facts),
        comoving_(system.frame == Frame::comoving) {
    length_ = comoving_ ? 1000 : 1;
    velocity_ = comoving_ ? 1 / std::pow(system.time, 1.5) : 1;
    if (!comoving_) {
      unit_mass_ = unit_velocity_ * unit_velocity_ * unit_length_ / units::newton_cgs;
      cosmology_.h = 1;
      cosmology_.omega_m = cosmology_.omega_lambda = cosmology_.omega_b = 0;
    }
  }

  /// A whole file with this rank's particles [first, first + count).
  void write_alone(const std::string& path, std::uint64_t first, std::uint64_t count) const {
    hdf5::File file = create(path, count);
    const Object group = file.create_group("PartType1");
    for (const SnapshotColumn& column : columns())
      describe(group.write_dataset(column.rows, first, count), column.scaling);
    file.close();
  }

  /// A file of `rows` particles whose datasets are not filled yet.
  void write_frame(const std::string& path, std::uint64_t rows) const {
    hdf5::File file = create(path, rows);
    const Object group = file.create_group("PartType1");
    for (const SnapshotColumn& column : columns())
      describe(group.create_dataset(column.rows, rows, hdf5::Storage::shared), column.scaling);
    file.close();
  }

  /// All particles of the group's ranks into a file that write_frame made. Collective over `group`.
  void fill_frame(const std::string& path, const Communicator& group) const {
    hdf5::SharedFile file(path, group);
    for (const SnapshotColumn& column : columns()) file.write("PartType1", column.rows, 0, system_.particles.size());
    file.close();
  }

 private:
  /// A new file with everything but the particles.
  [[nodiscard]] hdf5::File create(const std::string& path, std::uint64_t count) const {
    hdf5::File file = hdf5::File::create(path);
    write_header(file.create_group("Header"), count);
    write_parameters(file.create_group("Parameters"));
    write_units(file.create_group("Units"));
    write_cosmology(file.create_group("Cosmology"));
    write_attributes(file.create_group("Code"), options_.code);
    write_run(file.create_group("Run"));
    return file;
  }

  [[nodiscard]] double redshift() const { return comoving_ ? 1 / system_.time - 1 : 0; }

  /// Whether a parameter of the linear power is stated under its own name.
  [[nodiscard]] bool states(const std::string& name) const { return !options_.power || options_.power->contains(name); }

  void write_densities(const Object& group) const {
    group.write("BoxSize", facts_.box.side * length_);
    group.write("Omega0", cosmology_.omega_m);
    group.write("OmegaLambda", cosmology_.omega_lambda);
    if (states("omega_b")) group.write("OmegaBaryon", cosmology_.omega_b);
    group.write("HubbleParam", cosmology_.h);
  }

  void write_header(const Object& group, std::uint64_t count) const {
    const std::array<std::uint64_t, 6> here{0, count}, total{0, facts_.particles};
    const std::array<std::uint32_t, 6> high{};
    const std::array<double, 6> mass{0, facts_.equal_mass};
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
    PowerFacts values = options_.power.value_or(PowerFacts{{"omega_b", c.omega_b},
                                                           {"n_s", c.n_s},
                                                           {"sigma8", c.sigma8},
                                                           {"a_s", c.a_s},
                                                           {"shape_gamma", c.shape_gamma},
                                                           {"smooth_power", c.smooth_power}});
    values.insert({{"omega_m", c.omega_m},
                   {"omega_lambda", c.omega_lambda},
                   {"h", c.h},
                   {"w0", c.w0},
                   {"wa", c.wa},
                   {"radiation", c.radiation},
                   {"t_cmb", c.t_cmb}});
    for (const auto& [name, value] : values) group.write(name, value);
  }

  void write_run(const Object& group) const {
    write_attributes(group, options_.run);
    group.write_text("frame", comoving_ ? "comoving" : "newtonian");
    group.write_text("boundary", system_.boundary == Boundary::vacuum ? "vacuum" : "periodic");
    const std::array<double, 3> origin{facts_.box.shift * length_, facts_.box.shift * length_,
                                       facts_.box.shift * length_};
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
            else if constexpr (std::is_same_v<T, std::vector<double>>)
              group.write(key, std::span<const double>(value));
            else
              group.write(key, value);
          },
          variant);
  }

  [[nodiscard]] std::vector<SnapshotColumn> columns() const {
    using hdf5::RowSource;
    const ParticleStore& p = system_.particles;
    std::vector<SnapshotColumn> all;
    all.push_back(options_.single_precision_positions ? coordinates<float>() : coordinates<double>());
    const auto velocity = [factor = velocity_](const Vec3f& v, int axis) {
      return factor * static_cast<double>(v[axis]);
    };
    all.push_back(
        {RowSource::of_rows<float>("Velocities", 3, std::span<const Vec3f>(p.velocity), velocity), {0.5, 0, 0, 0, 1}});
    const auto itself = [](auto value, int) { return value; };
    all.push_back({RowSource::of_rows<std::uint64_t>("ParticleIDs", 1, std::span<const std::uint64_t>(p.id), itself),
                   {0, 0, 0, 0, 0}});
    if (facts_.equal_mass == 0)
      all.push_back({RowSource::of_rows<float>("Masses", 1, std::span<const float>(p.mass), itself), {0, -1, 0, 1, 0}});
    const auto potentials = [this, &p](std::uint64_t first, std::uint64_t count, float* out) {
      for (std::uint64_t i = first; i < first + count; ++i)
        *out++ = static_cast<float>(p.potential[i] + background_potential(system_, cosmology_, p.position[i]));
    };
    if (facts_.has_potential) all.push_back({RowSource::of<float>("Potential", 1, potentials), {-1, 0, 0, 0, 2}});
    const auto accelerations = [this, &p](std::uint64_t first, std::uint64_t count, float* out) {
      for (std::uint64_t i = first; i < first + count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const double pull = p.acceleration[i][axis] + options_.background * p.position[i][axis];
          *out++ = static_cast<float>(pull / length_);
        }
    };
    if (options_.accelerations) {
      all.push_back({RowSource::of<float>("Acceleration", 3, accelerations), {-2, 1, -1, 0, 2}});
    }
    return all;
  }

  template <class T>
  [[nodiscard]] SnapshotColumn coordinates() const {
    const T below = highest_inside<T>(facts_.box.side * length_);
    const auto make = [this, below](std::uint64_t first, std::uint64_t count, T* out) {
      for (std::uint64_t i = first; i < first + count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          double x = system_.particles.position[i][axis] + facts_.box.shift;
          if (system_.boundary == Boundary::periodic) x -= facts_.box.side * std::floor(x / facts_.box.side);
          *out++ = std::min(static_cast<T>(x * length_), below);
        }
    };
    return {hdf5::RowSource::of<T>("Coordinates", 3, make), {1, -1, 1, 0, 0}};
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
  SetFacts facts_;
  bool comoving_;
  double length_ = 1;    // file units per internal unit
  double velocity_ = 1;  // v_pec / sqrt(a) = p a^(-3/2)
  double unit_length_ = units::cm_per_mpc / 1000;
  double unit_mass_ = units::gram_per_1e10_msun;
  double unit_velocity_ = units::cm_per_km;
};

/// Distributes the files of a set to the ranks or, if there are more ranks than files, contiguous ranks to the files.
class Dealing {
 public:
  Dealing(const std::string& base, const SnapshotOptions& options, const Communicator& comm) {
    const int files = options.files;
    const std::int64_t rank = comm.rank(), ranks = comm.size();
    const bool shared = files < ranks;
    const std::int64_t first = shared ? ((rank + 1) * files - 1) / ranks : rank * files / ranks;
    const std::int64_t end = shared ? first + 1 : (rank + 1) * files / ranks;
    if (shared) group = files == 1 ? comm : comm.split(static_cast<int>(first));
    for (std::int64_t k = 0; k < files; ++k)
      all.push_back(files == 1 ? base + options.extension : fmt::format("{}.{}{}", base, k, options.extension));
    own.assign(all.begin() + first, all.begin() + end);
  }

  std::vector<std::string> all;  ///< paths of the set
  std::vector<std::string> own;  ///< those of this rank, or the one of its group
  Communicator group;            ///< the ranks of one file; alone: this rank writes whole files
};

/// Writes this rank's whole files, or the frame of its group's file; they are put on `files`.
void begin_files(const SnapshotWriter& writer, const Dealing& dealing, std::uint64_t mine, std::uint64_t in_group,
                 std::vector<PartialFile>& files) {
  if (!dealing.group.root()) return;
  const std::uint64_t count = dealing.own.size();
  for (std::uint64_t k = 0; k < count; ++k) {
    const PartialFile& file = files.emplace_back(dealing.own[k]);
    if (dealing.group.alone()) {
      writer.write_alone(file.partial_path(), mine / count * k + std::min(k, mine % count),
                         mine / count + (k < mine % count ? 1 : 0));
    } else {
      writer.write_frame(file.partial_path(), in_group);
      file.reserve();
    }
  }
}

/// The rows of every group whose file has several writers.
void fill_files(const SnapshotWriter& writer, const Dealing& dealing, const Communicator& comm) {
  std::optional<std::string> failure;
  try {
    const std::string path = dealing.own.front() + std::string(PartialFile::suffix);
    if (!dealing.group.alone()) writer.fill_frame(path, dealing.group);
  } catch (const SharedError& error) {
    failure = error.what();
  }
  agree_on_success(comm, failure);
}

}  // namespace

SnapshotBox snapshot_box(const ParticleSystem& system, const Communicator& comm) {
  if (system.boundary == Boundary::periodic) return {system.box_size, 0};
  double extent = 0;
  for (const Vec3d x : system.particles.position)
    extent = std::max({extent, std::fabs(x.x), std::fabs(x.y), std::fabs(x.z)});
  extent = comm.max(extent);
  double side = system.box_size;
  if (!(2 * extent < side)) side = extent > 0 ? 2 * extent * (1 + 1e-6) : 1;
  return {side, side / 2};
}

std::vector<std::string> write_snapshot(const std::string& base, const ParticleSystem& system,
                                        const CosmologyParameters& cosmology, const SnapshotOptions& options,
                                        const Communicator& comm) {
  const SetFacts facts = SetFacts::of(system, comm);
  require(facts.particles > 0 && options.files > 0, "write_snapshot: no particles or no files");
  require(system.boundary == Boundary::vacuum || system.box_size > 0, "write_snapshot: periodic system without a box");
  require(system.frame == Frame::newtonian || system.time > 0, "write_snapshot: expansion factor is not positive");
  const SnapshotWriter writer(system, cosmology, options, facts);
  const Dealing dealing(base, options, comm);
  const std::uint64_t mine = system.particles.size(), in_group = dealing.group.sum(mine);
  std::vector<PartialFile> files;
  collectively(comm, [&] { begin_files(writer, dealing, mine, in_group, files); });
  fill_files(writer, dealing, comm);
  collectively(comm, [&] {
    for (const PartialFile& file : files) file.sync();
  });
  collectively(comm, [&] {
    for (PartialFile& file : files) file.commit();
  });
  return dealing.all;
}

}  // namespace multiwalk
