// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/subhalo_file.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/formats/columns.hpp"
#include "run/trees/row_columns.hpp"

namespace multiwalk {

namespace {

constexpr double file_lengths = 1000;  ///< kpc in a Mpc
constexpr int particle_types = 6, dark_type = 1;

struct NumberedGroup : SubhaloGroup {
  std::int64_t first = none;  ///< subhalo
};
struct NumberedSubhalo : Subhalo {
  std::int64_t group_number = 0;
};

/// Everything of one output, in the order of the file.
struct CatalogueRows {
  std::vector<NumberedGroup> groups;
  std::vector<NumberedSubhalo> subhalos;
  std::vector<TrackEnd> ends;

  explicit CatalogueRows(SubhaloShare all) : ends(std::move(all.ends)) {
    std::ranges::sort(all.groups, [](const SubhaloGroup& a, const SubhaloGroup& b) {
      return a.mass != b.mass ? a.mass > b.mass : a.id < b.id;
    });
    std::unordered_map<std::uint64_t, std::int64_t> number;
    std::int64_t next = 0;
    for (const SubhaloGroup& g : all.groups) {
      number[g.id] = static_cast<std::int64_t>(groups.size());
      groups.push_back({g, g.subhalos > 0 ? next : none});
      next += g.subhalos;
    }
    for (const Subhalo& s : all.subhalos) subhalos.push_back({s, number.at(s.group)});
    std::ranges::sort(subhalos, [](const NumberedSubhalo& a, const NumberedSubhalo& b) {
      return a.group_number != b.group_number ? a.group_number < b.group_number : a.rank < b.rank;
    });
    std::ranges::sort(ends, {}, &TrackEnd::track);
  }
};

/// Length, mass and place, which groups and subhalos have in common.
template <class Row>
void write_common(const hdf5::Object& into, const std::string& kind, std::span<const Row> rows,
                  const SnapshotBox& box) {
  const auto place = [&](const Vec3d& x, int k) {
    return std::min((x[k] + box.shift) * file_lengths,
                    static_cast<double>(highest_inside<float>(box.side * file_lengths)));
  };
  const auto number = [](const Row& r, int) { return r.number; };
  const auto of_type = [](double value, int type) { return type == dark_type ? value : 0.0; };
  write_column<std::int32_t>(into, kind + "Len", 1, rows, number);
  write_column<std::int32_t>(into, kind + "LenType", particle_types, rows,
                             [&](const Row& r, int t) { return of_type(static_cast<double>(r.number), t); });
  write_column<float>(into, kind + "Mass", 1, rows, [](const Row& r, int) { return r.mass; });
  write_column<float>(into, kind + "MassType", particle_types, rows,
                      [&](const Row& r, int t) { return of_type(r.mass, t); });
  write_column<float>(into, kind + "Pos", 3, rows, [&](const Row& r, int k) { return place(r.centre, k); });
  write_column<float>(into, kind + "CM", 3, rows, [&](const Row& r, int k) { return place(r.centre_of_mass, k); });
}

void write_groups(const hdf5::Object& into, std::span<const NumberedGroup> rows, const CatalogueSnapshot& snapshot) {
  using G = NumberedGroup;
  write_common(into, "Group", rows, snapshot.box);
  write_column<float>(into, "GroupVel", 3, rows, [&](const G& g, int k) { return snapshot.time * g.velocity[k]; });
  write_column<std::uint64_t>(into, "GroupId", 1, rows, [](const G& g, int) { return g.id; });
  write_column<std::int32_t>(into, "GroupNsubs", 1, rows, [](const G& g, int) { return g.subhalos; });
  write_column<std::int64_t>(into, "GroupFirstSub", 1, rows, [](const G& g, int) { return g.first; });
  for (const auto& [name, sphere] : named_spheres) {
    const auto of = [s = sphere](const G& g) { return g.spheres.*s; };
    write_column<float>(into, std::string("Group_M_") + name, 1, rows, [&](const G& g, int) { return of(g).mass; });
    write_column<float>(into, std::string("Group_R_") + name, 1, rows,
                        [&](const G& g, int) { return of(g).radius * file_lengths; });
  }
}

void write_subhalos(const hdf5::Object& into, std::span<const NumberedSubhalo> rows,
                    const CatalogueSnapshot& snapshot) {
  using S = NumberedSubhalo;
  const auto length = [](double S::*member) { return [member](const S& s, int) { return s.*member * file_lengths; }; };
  const auto number = [](auto member) { return [member](const S& s, int) { return s.*member; }; };
  write_common(into, "Subhalo", rows, snapshot.box);
  write_column<float>(into, "SubhaloVel", 3, rows, [](const S& s, int k) { return s.velocity[k]; });
  write_column<float>(into, "SubhaloSpin", 3, rows, [](const S& s, int k) { return s.spin[k] * file_lengths; });
  write_column<float>(into, "SubhaloVelDisp", 1, rows, [](const S& s, int) { return s.velocity_dispersion; });
  write_column<float>(into, "SubhaloVmax", 1, rows, [](const S& s, int) { return s.v_max; });
  write_column<float>(into, "SubhaloVmaxRad", 1, rows, length(&S::r_max));
  write_column<float>(into, "SubhaloHalfmassRad", 1, rows, length(&S::half_mass_radius));
  write_column<std::uint64_t>(into, "SubhaloIDMostbound", 1, rows, number(&S::most_bound));
  write_column<std::int64_t>(into, "SubhaloGroupNr", 1, rows, number(&S::group_number));
  write_column<std::int32_t>(into, "SubhaloRankInGr", 1, rows, number(&S::rank));
  write_column<std::int32_t>(into, "SubhaloParentRank", 1, rows, number(&S::parent_rank));
  write_column<std::int64_t>(into, "SubhaloTrackId", 1, rows, number(&S::track));
  write_column<std::int64_t>(into, "SubhaloParentTrackId", 1, rows, number(&S::parent));
}

void write_ends(const hdf5::Object& into, std::span<const TrackEnd> rows) {
  using E = TrackEnd;
  write_column<std::int64_t>(into, "TrackId", 1, rows, [](const E& e, int) { return e.track; });
  write_column<std::int64_t>(into, "Descendant", 1, rows, [](const E& e, int) { return e.descendant; });
  write_column<std::uint64_t>(into, "IDMostbound", 1, rows, [](const E& e, int) { return e.most_bound; });
}

void write_rows(const std::string& path, const CatalogueRows& rows, const CatalogueSnapshot& snapshot) {
  hdf5::write_file(path, [&](hdf5::File& file) {
    write_catalogue_header(file, {rows.groups.size(), rows.subhalos.size(), 0}, snapshot,
                           "bound particles, followed through time");
    write_groups(file.create_group("Group"), rows.groups, snapshot);
    write_subhalos(file.create_group("Subhalo"), rows.subhalos, snapshot);
    write_ends(file.create_group("Ends"), rows.ends);
    static_cast<void>(file.create_group("IDs"));
  });
}

double header_number(const hdf5::Object& header, const std::string& name) {
  const std::optional<double> value = header.number(name);
  if (!value) throw InputError(header.name() + " states no " + name + ": it is not a file of subhalos");
  return *value;
}

Vec3d row_of(const std::vector<double>& values, std::size_t row, double factor) {
  return factor * Vec3d{values[3 * row], values[3 * row + 1], values[3 * row + 2]};
}

void read_ends(const hdf5::Object& ends, std::vector<TrackEnd>& rows) {
  const auto track = read_column<std::int64_t>(ends, "TrackId"),
             descendant = read_column<std::int64_t>(ends, "Descendant");
  const auto most_bound = read_column<std::uint64_t>(ends, "IDMostbound");
  if (descendant.size() != track.size() || most_bound.size() != track.size())
    throw InputError(ends.name() + ": its columns differ in length");
  for (std::size_t i = 0; i < track.size(); ++i) rows.push_back({track[i], descendant[i], most_bound[i]});
}

void read_subhalos(const hdf5::Object& from, SubhaloFile& file) {
  const auto track = read_column<std::int64_t>(from, "SubhaloTrackId");
  file.rows.subhalos.resize(track.size());
  const auto numbers = [&](const std::string& name, std::size_t columns = 1) {
    std::vector<double> values = read_column<double>(from, name, columns);
    if (values.size() != columns * track.size()) throw InputError(from.name() + "/" + name + " has the wrong length");
    return values;
  };
  const auto parent = read_column<std::int64_t>(from, "SubhaloParentTrackId");
  const auto most_bound = read_column<std::uint64_t>(from, "SubhaloIDMostbound"),
             length = read_column<std::uint64_t>(from, "SubhaloLen");
  const auto rank = read_column<std::int32_t>(from, "SubhaloRankInGr");
  file.group = read_column<std::int64_t>(from, "SubhaloGroupNr");
  for (const std::size_t rows : {parent.size(), most_bound.size(), length.size(), rank.size(), file.group.size()})
    if (rows != track.size()) throw InputError(from.name() + ": its columns differ in length");
  const auto mass = numbers("SubhaloMass"), dispersion = numbers("SubhaloVelDisp"), v_max = numbers("SubhaloVmax"),
             r_max = numbers("SubhaloVmaxRad"), half = numbers("SubhaloHalfmassRad"), place = numbers("SubhaloPos", 3),
             velocity = numbers("SubhaloVel", 3), spin = numbers("SubhaloSpin", 3);
  for (std::size_t i = 0; i < track.size(); ++i) {
    if (file.group[i] < 0 || file.group[i] >= static_cast<std::int64_t>(file.group_mass.size()))
      throw InputError(from.name() + "/SubhaloGroupNr: there is no group " + std::to_string(file.group[i]));
    Subhalo& s = file.rows.subhalos[i];
    s.track = track[i];
    s.parent = parent[i];
    s.most_bound = most_bound[i];
    s.number = length[i];
    s.rank = rank[i];
    s.mass = mass[i];
    s.velocity_dispersion = dispersion[i];
    s.v_max = v_max[i];
    s.r_max = r_max[i] / file_lengths;
    s.half_mass_radius = half[i] / file_lengths;
    s.centre = row_of(place, i, 1 / file_lengths);
    s.velocity = row_of(velocity, i, 1);
    s.spin = row_of(spin, i, 1 / file_lengths);
  }
}

}  // namespace

void write_subhalo_file(const std::string& path, const SubhaloShare& share, const CatalogueSnapshot& snapshot,
                        const Communicator& comm) {
  SubhaloShare all{comm.gather(std::span<const SubhaloGroup>(share.groups)),
                   comm.gather(std::span<const Subhalo>(share.subhalos)),
                   comm.gather(std::span<const TrackEnd>(share.ends))};
  collectively(comm, [&] {
    if (comm.root()) write_rows(path, CatalogueRows(std::move(all)), snapshot);
  });
}

SubhaloFile read_subhalo_file(const std::string& path) {
  const hdf5::File in = hdf5::File::open(path);
  const hdf5::Object header = in.group_of("Header", "subhalos");
  SubhaloFile file;
  file.time = header_number(header, "Time");
  file.box_size = header_number(header, "BoxSize") / file_lengths;
  file.cosmology.omega_m = header_number(header, "Omega0");
  file.cosmology.omega_lambda = header_number(header, "OmegaLambda");
  file.cosmology.h = header_number(header, "HubbleParam");
  read_ends(in.group_of("Ends", "subhalos"), file.rows.ends);
  file.group_mass = read_column<double>(in.group_of("Group", "subhalos"), "Group_M_Crit200");
  file.group_mass.resize(static_cast<std::size_t>(header_number(header, "Ngroups_Total")));
  read_subhalos(in.group_of("Subhalo", "subhalos"), file);
  return file;
}

}  // namespace multiwalk
