// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/snapshot_header.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/units.hpp"

namespace multiwalk {

namespace {

using hdf5::Object;

/// The groups of a file, absent ones included, and one function that refuses.
struct Groups {
  const hdf5::File& file;
  Object header;
  std::optional<Object> parameters, units, cosmology, run;

  static Groups of(const hdf5::File& file) {
    auto header = file.group("Header");
    if (!header) throw InputError(file.name() + ": has no /Header, it is not a snapshot");
    return {file,
            std::move(*header),
            file.group("Parameters"),
            file.group("Units"),
            file.group("Cosmology"),
            file.group("Run")};
  }

  [[noreturn]] void refuse(const std::string& what) const { throw InputError(file.name() + ": " + what); }

  [[nodiscard]] std::optional<double> find(const std::optional<Object>& group, const std::string& name) const {
    return group ? group->number(name) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> find(const std::string& name) const {
    const auto value = header.number(name);
    return value ? value : find(parameters, name);
  }

  /// A unit, which AREPO's files state in /Header too.
  [[nodiscard]] std::optional<double> unit(const std::string& name) const {
    const auto value = find(name);
    return value ? value : find(units, name);
  }

  [[nodiscard]] double finite(const std::optional<double>& value, const std::string& name, double above) const {
    if (!value) refuse("lacks the attribute " + name);
    if (!std::isfinite(*value) || !(*value > above))
      refuse(fmt::format("has {} = {}, which is impossible", name, *value));
    return *value;
  }
  [[nodiscard]] double needed(const std::string& name, double above) const { return finite(find(name), name, above); }
};

enum class Layout { gadget, monofonic, swift, no_units };

/// Recognised by attributes that only one code writes; never guessed.
Layout layout_of(const Groups& groups) {
  const auto first_word = [](const std::optional<Object>& group, const std::string& name) {
    return group ? group->text(name).value_or("") : std::string{};
  };
  if (groups.units && groups.units->number("Unit length in cgs (U_L)")) return Layout::swift;
  if (first_word(groups.file.group("ICs_parameters"), "Code").find("monofonIC") != std::string::npos)
    return Layout::monofonic;
  if (groups.unit("UnitLength_in_cm")) return Layout::gadget;
  if (first_word(groups.run, "frame") == "newtonian") return Layout::gadget;  // in units of its own, which none need
  return Layout::no_units;
}

std::vector<std::uint64_t> counts(const Groups& groups, const std::string& name) {
  auto values = groups.header.counts(name);
  if (!values) groups.refuse("lacks the attribute " + name);
  if (values->size() < 2) groups.refuse(name + " has too few entries");
  return *values;
}

void read_counts(const Groups& groups, bool swift, SnapshotHeader& header) {
  TypeCounts counted{counts(groups, "NumPart_ThisFile"), counts(groups, "NumPart_Total")};
  const auto high = groups.header.counts("NumPart_Total_HighWord").value_or(std::vector<std::uint64_t>{});
  for (std::size_t type = 0; type < counted.total.size(); ++type) {
    const std::uint64_t word = type < high.size() ? high[type] : 0;
    if (word > 0xffffffff || (word > 0 && counted.total[type] > 0xffffffff))
      groups.refuse("NumPart_Total and NumPart_Total_HighWord contradict each other");
    counted.total[type] |= word << 32;
  }
  const double files = groups.finite(groups.header.number("NumFilesPerSnapshot"), "NumFilesPerSnapshot", 0);
  if (files != std::floor(files) || files > 1e6) groups.refuse(fmt::format("has NumFilesPerSnapshot = {}", files));
  counted.files = static_cast<std::uint64_t>(files);
  header.info.files = static_cast<int>(files);
  header.species = species_of(counted, swift, groups.file.name());
  header.info.particles = particles_in_all(header.species);
}

void expect_shape(const Groups& groups, const Object& group, const std::string& name, std::uint64_t rows,
                  std::uint64_t columns, bool integer) {
  const hdf5::DatasetShape shape = group.dataset_shape(name);
  if (shape.rows != rows || shape.columns != columns)
    groups.refuse(
        fmt::format("the header counts {} particles but {} has shape ({}, {})", rows, name, shape.rows, shape.columns));
  if (shape.integer != integer) groups.refuse(name + (integer ? " are not whole numbers" : " are not real numbers"));
}

/// Before anything is allocated: the header's counts are the datasets' extents.
void check_datasets(const Groups& groups, const SnapshotHeader& header) {
  for (const Species& species : header.species) {
    if (species.here == 0) continue;
    const std::string name = fmt::format("PartType{}", species.type);
    const auto particles = groups.file.group(name);
    if (!particles) groups.refuse("has no /" + name);
    expect_shape(groups, *particles, "Coordinates", species.here, 3, false);
    expect_shape(groups, *particles, "Velocities", species.here, 3, false);
    expect_shape(groups, *particles, "ParticleIDs", species.here, 1, true);
    if (species.mass == 0 || particles->has("Masses"))
      expect_shape(groups, *particles, "Masses", species.here, 1, false);
    if (header.has_potential) expect_shape(groups, *particles, "Potential", species.here, 1, false);
  }
}

/// The units that a GADGET file states.
GadgetUnits stated_units(const Groups& groups) {
  const auto unit = [&](const std::string& name) { return groups.finite(groups.unit(name), name, 0); };
  return {unit("UnitLength_in_cm"), unit("UnitMass_in_g"), unit("UnitVelocity_in_cm_per_s")};
}

/// Refuses model.units that contradict the file's own.
void expect_said_units(const Groups& groups, const Unsaid& unsaid, const SnapshotHeader& header) {
  if (!unsaid.units) return;
  const GadgetUnits said = unsaid.units->with(header.info.cosmology.h);
  // Codes disagree on the gram of a solar mass: 1.98841e33 or 1.989e33.
  const std::tuple<const char*, double, double, double> pairs[] = {
      {"length", said.length, header.units.length, 1e-5},
      {"mass", said.mass, header.units.mass, 1e-3},
      {"velocity", said.velocity, header.units.velocity, 1e-5}};
  for (const auto& [name, ours, theirs, rounding] : pairs) {
    if (std::fabs(ours / theirs - 1) <= rounding) continue;
    groups.refuse(fmt::format(
        "states its units, and model.units.{} = {:.8g} is {:.8g} times the {:.8g} (cgs) that it states: leave out "
        "model.units",
        name, ours, ours / theirs, theirs));
  }
}

/// Expansion factor and densities of a GADGET or monofonIC header.
void read_gadget_epoch(const Groups& groups, SnapshotHeader& header) {
  ParticleSystem& system = header.info.system;
  const double a = groups.needed("Time", 0);
  const double z = groups.needed("Redshift", -1);
  if (std::fabs(a * (1 + z) - 1) > 1e-5)
    groups.refuse(
        fmt::format("Time = {} and Redshift = {} disagree and /Run lacks the attribute frame, so it is unknown "
                    "whether the system is comoving",
                    a, z));
  if (groups.find(groups.parameters, "ComovingIntegrationOn").value_or(1) == 0)
    groups.refuse("is not a comoving run (ComovingIntegrationOn = 0) and /Run lacks the attribute frame");
  system.time = a;
  CosmologyParameters& c = header.info.cosmology;
  c.omega_m = groups.needed("Omega0", 0);
  c.omega_lambda = groups.needed("OmegaLambda", -100);
  c.h = groups.needed("HubbleParam", 0);
  if (const auto baryons = groups.find("OmegaBaryon")) header.info.power["omega_b"] = c.omega_b = *baryons;
}

/// Mass per volume in the file's units; 0 if particles have masses of their own.
double density_of(const SnapshotHeader& header, double side) {
  double mass = 0;
  for (const Species& each : header.species) {
    if (each.mass == 0) return 0;
    mass += each.mass * static_cast<double>(each.total);
  }
  return mass / (side * side * side);
}

/// Reads what only our own files state. True if the system is Newtonian: times and units are the run's own.
bool read_own_groups(const Groups& groups, SnapshotHeader& header) {
  if (!groups.run) return false;
  ParticleSystem& system = header.info.system;
  const auto word = [&](const std::string& name) { return groups.run->text(name).value_or(""); };
  if (word("boundary") == "vacuum") system.boundary = Boundary::vacuum;
  system.sphere_radius = groups.find(groups.run, "sphere_radius").value_or(0);
  system.spacing = groups.find(groups.run, "spacing").value_or(0);
  return word("frame") == "newtonian";
}

void read_own_cosmology(const Groups& groups, SnapshotInfo& info) {
  CosmologyParameters& c = info.cosmology;
  const auto take = [&](const std::string& name, double& value) {
    value = groups.find(groups.cosmology, name).value_or(value);
  };
  take("w0", c.w0);
  take("wa", c.wa);
  take("t_cmb", c.t_cmb);
  if (const auto radiation = groups.find(groups.cosmology, "radiation")) c.radiation = *radiation != 0;
  for (const char* name : {"n_s", "sigma8", "a_s", "shape_gamma", "smooth_power", "sigma8_derived", "table_scaled_by"})
    if (const auto value = groups.find(groups.cosmology, name)) info.power[name] = *value;
  const auto stated = [&](const char* name, double& value) {
    if (const auto found = info.power.find(name); found != info.power.end()) value = found->second;
  };
  stated("n_s", c.n_s);
  if (!info.power.contains("a_s")) stated("sigma8_derived", c.sigma8);  // of a table that is not at hand
  stated("sigma8", c.sigma8);
  stated("a_s", c.a_s);
  stated("shape_gamma", c.shape_gamma);
  double smooth = c.smooth_power;
  stated("smooth_power", smooth);
  c.smooth_power = smooth != 0;
}

/// The Plummer softening a GADGET-4 file states, with its physical cap at the file's epoch.
void read_softening(const Groups& groups, SnapshotHeader& header) {
  const auto stated = groups.find(groups.parameters, "SofteningComovingClass0");
  const auto cap = groups.find(groups.parameters, "SofteningMaxPhysClass0");
  if (!stated || !(*stated >= 0)) return;
  const bool comoving = header.info.system.frame == Frame::comoving;
  const double most = comoving && cap && *cap > 0 ? *cap / header.info.system.time : *stated;
  header.info.softening = std::fmin(*stated, most) * header.length;
}

/// Refuses two entries that should agree and do not.
void expect_equal(const Groups& groups, const std::string& one, double a, const std::string& other, double b,
                  double rounding = 1e-5) {
  if (std::fabs(a - b) <= rounding * std::max(std::fabs(a), std::fabs(b))) return;
  groups.refuse(fmt::format("{} = {} and {} = {} contradict each other", one, a, other, b));
}

/// A number that several groups (first) may state under a name of their own (second).
void expect_one_value(const Groups& groups, const std::vector<std::pair<std::string, std::string>>& places) {
  std::string first;
  double stated = 0;
  for (const auto& [group, name] : places) {
    const std::optional<double> value = groups.find(groups.file.group(group), name);
    if (!value) continue;
    const std::string here = name + " of /" + group;
    if (!first.empty()) expect_equal(groups, first, stated, here, *value);
    first = here;
    stated = *value;
  }
}

void expect_one_cosmology(const Groups& groups) {
  const std::pair<const char*, const char*> names[] = {
      {"Omega0", "omega_m"}, {"OmegaLambda", "omega_lambda"}, {"OmegaBaryon", "omega_b"}, {"HubbleParam", "h"}};
  for (const auto& [name, own] : names)
    expect_one_value(groups, {{"Header", name}, {"Parameters", name}, {"Cosmology", own}});
  expect_one_value(groups, {{"Header", "BoxSize"}, {"Parameters", "BoxSize"}});
  for (const char* unit : {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"}) {
    expect_one_value(groups, {{"Header", unit}, {"Parameters", unit}, {"Units", unit}});
  }
}

/// Checks the spacing that /Run states: it follows from the volume and the number of particles.
void expect_mean_spacing(const Groups& groups, const SnapshotInfo& info) {
  const ParticleSystem& system = info.system;
  const double volume = filled_volume(system);
  if (!(volume > 0) || !(system.spacing > 0)) return;
  expect_equal(groups, "spacing of /Run", system.spacing, "(volume / number of particles)^(1/3)",
               std::cbrt(volume / static_cast<double>(info.particles)), 1e-5 + cut_scatter(system, info.particles));
}

/// Everything of a GADGET, monofonIC or own file that has a unit.
void read_gadget(const Groups& groups, Layout layout, const Unsaid& unsaid, SnapshotHeader& header) {
  const auto masses = groups.header.numbers("MassTable");
  if (!masses || masses->size() < 2) groups.refuse("lacks the attribute MassTable");
  set_masses(header.species, *masses, groups.file.name());
  ParticleSystem& system = header.info.system;
  const double side = groups.needed("BoxSize", 0);
  const bool newtonian = layout == Layout::gadget && read_own_groups(groups, header);
  if (newtonian) {
    system.frame = Frame::newtonian;
    system.time = groups.needed("Time", -std::numeric_limits<double>::infinity());
  } else {
    read_gadget_epoch(groups, header);
    if (layout == Layout::gadget) header.set_units(stated_units(groups));
    if (layout == Layout::no_units) {
      header.set_units(units_as_said(unsaid, header.info.cosmology, density_of(header, side),
                                     groups.file.name() + ": lacks UnitLength_in_cm"));
    } else {
      expect_said_units(groups, unsaid, header);
    }
    header.velocity *= std::pow(system.time, 1.5);
    if (layout == Layout::gadget) read_own_cosmology(groups, header.info);
    expect_one_cosmology(groups);
  }
  system.box_size = side * header.length;
  read_softening(groups, header);
  if (!groups.run) return;
  if (const auto origin = groups.run->numbers("origin"); origin && origin->size() == 3)
    header.origin = header.length * Vec3d{(*origin)[0], (*origin)[1], (*origin)[2]};
  if (const auto own = groups.run->number("box_size")) {
    if (system.boundary == Boundary::periodic) {
      expect_equal(groups, "BoxSize of /Header (in Mpc/h)", system.box_size, "box_size of /Run", *own);
    }
    system.box_size = *own;
  }
  expect_mean_spacing(groups, header.info);
}

/// The epoch of a SWIFT file. Initial conditions may state it in /Header, or leave it to SWIFT's parameter file.
double swift_epoch(const Groups& groups, const Unsaid& unsaid) {
  const auto z = groups.header.number("Redshift");
  if (const auto a = groups.find(groups.cosmology, "Scale-factor")) {
    static_cast<void>(groups.finite(a, "Scale-factor", 0));
    if (const auto own = groups.find(groups.cosmology, "Redshift"))
      expect_equal(groups, "1 / (1 + Redshift) of /Cosmology", 1 / (1 + *own), "Scale-factor of /Cosmology", *a);
    if (z) expect_equal(groups, "1 / (1 + Redshift) of /Header", 1 / (1 + *z), "Scale-factor of /Cosmology", *a);
    return *a;
  }
  if (z) return 1 / (1 + groups.finite(z, "Redshift", -1));
  if (!unsaid.redshift)
    groups.refuse(
        "states no redshift: add ic.z_start = the redshift of these initial conditions (--set ic.z_start=...)");
  return 1 / (1 + *unsaid.redshift);
}

/// Densities of a SWIFT file, which initial conditions leave to SWIFT's parameter file.
void read_swift_cosmology(const Groups& groups, const Unsaid& unsaid, SnapshotInfo& info) {
  CosmologyParameters& c = info.cosmology;
  if (!groups.cosmology) {
    if (unsaid.given.contains("cosmology.omega_m") && unsaid.given.contains("cosmology.h")) return;
    groups.refuse(
        "has no /Cosmology: give cosmology.omega_m, omega_lambda and h as in the parameter file of SWIFT (--set "
        "cosmology.h=...)");
  }
  if (groups.find(groups.cosmology, "Cosmological run").value_or(0) != 1)
    groups.refuse("is not a cosmological run of SWIFT (\"Cosmological run\" is not 1)");
  const auto cosmology = [&](const std::string& name, double above) {
    return groups.finite(groups.find(groups.cosmology, name), name, above);
  };
  c.h = cosmology("h", 0);
  c.omega_m = cosmology("Omega_m", 0);
  c.omega_lambda = cosmology("Omega_lambda", -100);
  if (const auto baryons = groups.find(groups.cosmology, "Omega_b")) info.power["omega_b"] = c.omega_b = *baryons;
  c.w0 = groups.find(groups.cosmology, "w_0").value_or(c.w0);
  c.wa = groups.find(groups.cosmology, "w_a").value_or(c.wa);
}

/// SWIFT: no powers of h anywhere, v_pec without sqrt(a).
void read_swift(const Groups& groups, const Unsaid& unsaid, SnapshotHeader& header) {
  if (groups.header.number("Dimension").value_or(3) != 3) groups.refuse("is not three-dimensional (Dimension)");
  const auto unit = [&](const std::string& name) { return groups.finite(groups.find(groups.units, name), name, 0); };
  ParticleSystem& system = header.info.system;
  read_swift_cosmology(groups, unsaid, header.info);
  system.time = swift_epoch(groups, unsaid);
  const double h = header.info.cosmology.h, length = unit("Unit length in cgs (U_L)");
  header.set_units({length * h, unit("Unit mass in cgs (U_M)") * h, length / unit("Unit time in cgs (U_t)")});
  expect_said_units(groups, unsaid, header);
  header.velocity *= system.time;
  const auto box = groups.header.numbers("BoxSize");
  if (!box || (box->size() != 1 && box->size() != 3)) groups.refuse("lacks the attribute BoxSize");
  for (const double side : *box)
    if (side != box->front()) groups.refuse("its box is not a cube");
  system.box_size = groups.finite(box->front(), "BoxSize", 0) * header.length;
}

/// The properties in which the files of a set must agree.
auto shared_facts(const SnapshotHeader& header) {
  const SnapshotInfo& info = header.info;
  const ParticleSystem& system = info.system;
  return std::tuple(info.layout, info.particles, info.files, info.cosmology, info.softening, system.frame,
                    system.boundary, system.time, system.box_size, system.spacing, system.sphere_radius, header.length,
                    header.velocity, header.mass, header.origin);
}

}  // namespace

void expect_same_set(const SnapshotHeader& first, const SnapshotHeader& other, const std::string& path) {
  const bool both_hold_some = first.particles_here() > 0 && other.particles_here() > 0;
  if (shared_facts(first) != shared_facts(other) ||
      !std::ranges::equal(first.species, other.species, &Species::same_set) ||
      (both_hold_some && first.has_potential != other.has_potential)) {
    throw InputError(path + ": does not belong to the same snapshot as the other files of its name");
  }
}

double filled_volume(const ParticleSystem& system) {
  if (system.frame != Frame::comoving) return 0;
  if (system.boundary == Boundary::periodic) return std::pow(system.box_size, 3);
  return 4 * std::numbers::pi / 3 * std::pow(system.sphere_radius, 3);
}

double cut_scatter(const ParticleSystem& system, std::uint64_t particles) {
  constexpr double greatest = 10;  // spheres about a lattice site, of any radius up to 45 spacings, give 9.3
  return system.boundary == Boundary::periodic ? 0 : greatest * std::pow(static_cast<double>(particles), -2.0 / 3);
}

double SnapshotHeader::total_mass() const {
  double total = 0;
  for (const Species& each : species) {
    if (each.mass == 0) return 0;
    total += each.mass * mass * static_cast<double>(each.total);
  }
  return total;
}

double SnapshotHeader::common_mass() const {
  for (const Species& each : species)
    if (each.mass != species.front().mass) return 0;
  return species.front().mass * mass;
}

GadgetUnits units_as_said(const Unsaid& unsaid, const CosmologyParameters& cosmology, double density,
                          const std::string& head) {
  if (unsaid.units) return unsaid.units->with(cosmology.h);
  const double ratio = density / (cosmology.omega_m * units::critical_density);  // 1 in Mpc/h and 1e10 Msun/h
  const bool mpc = std::fabs(ratio - 1) < 0.05, kpc = std::fabs(ratio * 1e9 - 1) < 0.05;
  throw InputError(fmt::format(
      "{}, so its units are unknown: set model.units = {{length = \"{}\", mass = \"1e10 Msun/h\", velocity = "
      "\"km/s\"}}, "
      "{} (in a parameter file, or by --set)",
      head, mpc ? "Mpc/h" : "kpc/h", mpc || kpc ? "with which its mass agrees with omega_m" : "or whatever they are"));
}

SnapshotHeader read_hdf5_header(const hdf5::File& file, const Unsaid& unsaid) {
  const Groups groups = Groups::of(file);
  SnapshotHeader header;
  header.info.cosmology = unsaid.cosmology;
  header.info.system.boundary = Boundary::periodic;
  const Layout layout = layout_of(groups);
  header.info.layout = layout == Layout::swift ? "swift" : layout == Layout::monofonic ? "monofonic" : "gadget";
  read_counts(groups, layout == Layout::swift, header);
  layout == Layout::swift ? read_swift(groups, unsaid, header) : read_gadget(groups, layout, unsaid, header);
  const auto particles = groups.file.group("PartType1");
  header.has_potential = layout == Layout::gadget && groups.run && particles && particles->has("Potential");
  check_datasets(groups, header);
  return header;
}

SnapshotHeader read_snapshot_header(const SnapshotFile& file, const Unsaid& unsaid) {
  SnapshotHeader header =
      file.hdf5() != nullptr ? read_hdf5_header(*file.hdf5(), unsaid) : read_gadget_header(*file.gadget(), unsaid);
  if (header.info.system.frame == Frame::comoving) unsaid.expect_given(header.info.cosmology, file.name());
  return header;
}

}  // namespace multiwalk
