#include "run/halo_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "host/base/error.hpp"
#include "run/hdf5_file.hpp"
#include "run/partial_file.hpp"

namespace multiwalk {

namespace {

using hdf5::Object;

constexpr double kpc_per_mpc = 1000;

/// What a row of a dataset is made of: `columns` numbers of type T, at(halo, column).
template <class T, class At>
void write_column(const Object& group, const std::string& name, std::uint64_t columns, std::span<const Halo> halos,
                  At at) {
  const auto rows = hdf5::RowSource::of<T>(name, columns, [=](std::uint64_t first, std::uint64_t count, T* out) {
    for (const Halo& halo : halos.subspan(first, count))
      for (std::uint64_t c = 0; c < columns; ++c) *out++ = static_cast<T>(at(halo, static_cast<int>(c)));
  });
  group.create_dataset(rows, halos.size(), hdf5::Storage::checked).write_rows(rows, 0, halos.size(), 0);
}

void write_header(const Object& group, std::int64_t halos, const CatalogueHeader& header) {
  const std::pair<const char*, std::int64_t> counts[] = {
      {"Ngroups", halos}, {"Nsubhalos", 0}, {"Nsubgroups", 0}, {"Nids", 0}};
  for (const auto& [name, count] : counts) {
    group.write(std::string(name) + "_ThisFile", count);
    group.write(std::string(name) + "_Total", count);
  }
  group.write("NumFiles", std::int32_t{1});
  group.write("Time", header.time);
  group.write("Redshift", 1 / header.time - 1);
  group.write("BoxSize", header.box_size * kpc_per_mpc);
  group.write("Omega0", header.cosmology.omega_m);
  group.write("OmegaLambda", header.cosmology.omega_lambda);
  group.write("HubbleParam", header.cosmology.h);
}

/// Dark matter is type 1 of six.
constexpr int dark_matter = 1;

void write_members(const Object& group, std::span<const Halo> halos) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  for (const Halo& halo : halos)
    if (halo.number > most) throw Error("a group has more members than GroupLen can tell");
  write_column<std::uint64_t>(group, "GroupId", 1, halos, [](const Halo& h, int) { return h.id; });
  write_column<std::int32_t>(group, "GroupLen", 1, halos, [](const Halo& h, int) { return h.number; });
  write_column<std::int32_t>(group, "GroupLenType", 6, halos,
                             [](const Halo& h, int type) { return type == dark_matter ? h.number : 0; });
  write_column<float>(group, "GroupMass", 1, halos, [](const Halo& h, int) { return h.mass; });
  write_column<float>(group, "GroupMassType", 6, halos,
                      [](const Halo& h, int type) { return type == dark_matter ? h.mass : 0; });
  write_column<std::int32_t>(group, "GroupNsubs", 1, halos, [](const Halo&, int) { return 0; });
  write_column<std::int32_t>(group, "GroupFirstSub", 1, halos, [](const Halo&, int) { return -1; });
}

void write_places(const Object& group, std::span<const Halo> halos, const CatalogueHeader& header) {
  const Vec3d origin = header.origin;
  const double a = header.time;
  write_column<double>(group, "GroupPos", 3, halos,
                       [=](const Halo& h, int k) { return (h.centre[k] + origin[k]) * kpc_per_mpc; });
  write_column<double>(group, "GroupCM", 3, halos,
                       [=](const Halo& h, int k) { return (h.centre_of_mass[k] + origin[k]) * kpc_per_mpc; });
  write_column<float>(group, "GroupVel", 3, halos, [=](const Halo& h, int k) { return a * h.velocity[k]; });
  write_column<float>(group, "GroupVelPeculiar", 3, halos, [](const Halo& h, int k) { return h.velocity[k]; });
  write_column<float>(group, "GroupVelDisp", 1, halos, [](const Halo& h, int) { return h.velocity_dispersion; });
  write_column<float>(group, "GroupExtent", 1, halos, [](const Halo& h, int) { return h.extent * kpc_per_mpc; });
}

void write_spheres(const Object& group, std::span<const Halo> halos) {
  const std::pair<const char*, SphericalMass Halo::*> spheres[] = {{"Crit200", &Halo::crit200},
                                                                   {"Crit500", &Halo::crit500},
                                                                   {"Mean200", &Halo::mean200},
                                                                   {"TopHat200", &Halo::virial}};
  for (const auto& [name, sphere] : spheres) {
    write_column<float>(group, std::string("Group_M_") + name, 1, halos,
                        [s = sphere](const Halo& h, int) { return (h.*s).mass; });
    write_column<float>(group, std::string("Group_R_") + name, 1, halos,
                        [s = sphere](const Halo& h, int) { return (h.*s).radius * kpc_per_mpc; });
  }
}

}  // namespace

std::string halo_table(std::span<const Halo> halos) {
  std::string table =
      "halo,id,particles,mass[Msun/h],x[Mpc/h],y[Mpc/h],z[Mpc/h],x_cm[Mpc/h],y_cm[Mpc/h],z_cm[Mpc/h],vx[km/s],vy[km/s],"
      "vz[km/s],sigma_1d[km/s],extent[Mpc/h],m200c[Msun/h],r200c[Mpc/h],m500c[Msun/h],r500c[Mpc/h],m200m[Msun/h],"
      "r200m[Mpc/h],mvir[Msun/h],rvir[Mpc/h]\n";
  std::size_t number = 0;
  for (const Halo& h : halos) {
    fmt::format_to(std::back_inserter(table), "{},{},{},{}", number++, h.id, h.number, h.mass * 1e10);
    for (const Vec3d& v : {h.centre, h.centre_of_mass, h.velocity})
      fmt::format_to(std::back_inserter(table), ",{},{},{}", v.x, v.y, v.z);
    fmt::format_to(std::back_inserter(table), ",{},{}", h.velocity_dispersion, h.extent);
    for (const SphericalMass& s : {h.crit200, h.crit500, h.mean200, h.virial})
      fmt::format_to(std::back_inserter(table), ",{},{}", s.mass * 1e10, s.radius);
    table += '\n';
  }
  return table;
}

CatalogueHeader catalogue_header(const std::string& snapshot, const SnapshotInfo& info) {
  CatalogueHeader header{info.system.time, info.system.box_size, {}, info.cosmology};
  if (info.system.boundary == Boundary::periodic) return header;
  const hdf5::File file = hdf5::File::open(snapshot);
  const auto group = file.group("Header");
  const auto side = group ? group->number("BoxSize") : std::nullopt;
  if (!side) throw InputError(snapshot + ": has no BoxSize");
  header.box_size = *side / kpc_per_mpc;
  header.origin = {header.box_size / 2, header.box_size / 2, header.box_size / 2};
  return header;
}

void write_halo_file(const std::string& path, std::span<const Halo> halos, const CatalogueHeader& header) {
  PartialFile partial(path);
  hdf5::File file = hdf5::File::create(partial.partial_path());
  write_header(file.create_group("Header"), static_cast<std::int64_t>(halos.size()), header);
  file.create_group("Parameters").write("HubbleParam", header.cosmology.h);
  (void)file.create_group("Subhalo");
  const Object group = file.create_group("Group");
  if (!halos.empty()) {
    write_members(group, halos);
    write_places(group, halos, header);
    write_spheres(group, halos);
  }
  file.close();
  partial.commit();
}

}  // namespace multiwalk
