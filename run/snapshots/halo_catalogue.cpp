// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/halo_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"
#include "run/hdf5/hdf5_shared_file.hpp"

namespace multiwalk {

namespace {

using hdf5::Object;

constexpr double kpc_per_mpc = 1000;
constexpr int types = 6, dark_matter = 1;

/// A dataset and this rank's part of it.
struct CatalogueColumn {
  std::string group;
  hdf5::RowSource source;
  std::uint64_t rows = 0;  ///< of this rank
};

/// The columns of Group and Subhalo. `halos` must stay.
class HaloColumns {
 public:
  /// `first`: number of the first of `halos`; `first_member`: of its first member.
  HaloColumns(std::span<const Halo> halos, std::uint64_t first, std::uint64_t first_member)
      : halos_(halos), first_(static_cast<std::int64_t>(first)) {
    for (const Halo& halo : halos) {
      offset_.push_back(static_cast<std::int64_t>(first_member));
      first_member += halo.number;
    }
  }

  std::vector<CatalogueColumn> make(const CatalogueSnapshot& snapshot) && {
    add<std::uint64_t>("Group", "GroupId", 1, [](const Halo& h, int) { return h.id; });
    add<std::int32_t>("Group", "GroupNsubs", 1, [](const Halo&, int) { return 1; });
    add_numbers("Group", "GroupFirstSub");
    add_numbers("Subhalo", "SubhaloGroupNr");
    add<std::int32_t>("Subhalo", "SubhaloRankInGr", 1, [](const Halo&, int) { return 0; });
    for (const std::string kind : {"Group", "Subhalo"}) {
      add_members(kind);
      add_place(kind, snapshot.box.shift);
      if (snapshot.by_group) add_offsets(kind);
    }
    const double a = snapshot.time;
    add<float>("Group", "GroupVel", 3, [a](const Halo& h, int k) { return a * h.velocity[k]; });
    add<float>("Subhalo", "SubhaloVel", 3, [](const Halo& h, int k) { return h.velocity[k]; });
    add<float>("Subhalo", "SubhaloVelDisp", 1, [](const Halo& h, int) { return h.velocity_dispersion; });
    add<float>("Subhalo", "SubhaloVmax", 1, [](const Halo& h, int) { return h.v_max; });
    add<float>("Subhalo", "SubhaloVmaxRad", 1, [](const Halo& h, int) { return h.peak.radius * kpc_per_mpc; });
    add<float>("Subhalo", "SubhaloSpin", 3, [](const Halo& h, int k) { return h.spin[k] * kpc_per_mpc; });
    add<float>("Subhalo", "SubhaloSpinPeebles", 1, [](const Halo& h, int) { return h.spin_peebles; });
    add<float>("Subhalo", "SubhaloSpinBullock", 1, [](const Halo& h, int) { return h.spin_bullock; });
    add<float>("Subhalo", "SubhaloConcentration", 1, [](const Halo& h, int) { return h.concentration; });
    add<float>("Group", "GroupExtent", 1, [](const Halo& h, int) { return h.extent * kpc_per_mpc; });
    add_spheres();
    return std::move(columns_);
  }

 private:
  /// Rows of `columns` numbers of type T: at(halo, column).
  template <class T, class At>
  void add(const std::string& group, const std::string& name, std::uint64_t columns, At at) {
    columns_.push_back({group, hdf5::RowSource::of_rows<T>(name, columns, halos_, at), halos_.size()});
  }

  void add_numbers(const std::string& group, const std::string& name) {
    const auto make = [number = first_](std::uint64_t first, std::uint64_t count, std::int64_t* out) {
      for (std::uint64_t i = first; i < first + count; ++i) *out++ = number + static_cast<std::int64_t>(i);
    };
    columns_.push_back({group, hdf5::RowSource::of<std::int64_t>(name, 1, make), halos_.size()});
  }

  void add_offsets(const std::string& kind) {
    const auto make = [offset = offset_](std::uint64_t first, std::uint64_t count, std::int64_t* out) {
      for (std::uint64_t i = first; i < first + count; ++i)
        for (int type = 0; type < types; ++type) *out++ = type == dark_matter ? offset[i] : 0;
    };
    columns_.push_back({kind, hdf5::RowSource::of<std::int64_t>(kind + "OffsetType", types, make), halos_.size()});
  }

  void add_members(const std::string& kind) {
    add<std::int32_t>(kind, kind + "Len", 1, [](const Halo& h, int) { return h.number; });
    add<std::int32_t>(kind, kind + "LenType", types,
                      [](const Halo& h, int type) { return type == dark_matter ? h.number : 0; });
    add<float>(kind, kind + "Mass", 1, [](const Halo& h, int) { return h.mass; });
    add<float>(kind, kind + "MassType", types,
               [](const Halo& h, int type) { return type == dark_matter ? h.mass : 0; });
  }

  void add_place(const std::string& kind, double shift) {
    add<double>(kind, kind + "Pos", 3, [=](const Halo& h, int k) { return (h.centre[k] + shift) * kpc_per_mpc; });
    add<double>(kind, kind + "CM", 3,
                [=](const Halo& h, int k) { return (h.centre_of_mass[k] + shift) * kpc_per_mpc; });
  }

  void add_spheres() {
    for (const auto& [name, sphere] : named_spheres) {
      add<float>("Group", std::string("Group_M_") + name, 1, [s = sphere](const Halo& h, int) { return (h.*s).mass; });
      add<float>("Group", std::string("Group_R_") + name, 1,
                 [s = sphere](const Halo& h, int) { return (h.*s).radius * kpc_per_mpc; });
    }
  }

  std::span<const Halo> halos_;
  std::int64_t first_;
  std::vector<std::int64_t> offset_;  ///< (halos)
  std::vector<CatalogueColumn> columns_;
};

/// Everything but the columns' rows; with `fill` these too.
void write_frame(const std::string& path, std::span<const CatalogueColumn> columns, std::span<const std::uint64_t> rows,
                 const CatalogueSnapshot& snapshot, bool fill) {
  hdf5::File file = hdf5::File::create(path);
  write_catalogue_header(file, {rows.front(), rows.front(), rows.back()}, snapshot,
                         "one for each group, with all its members: not unbound");
  for (const char* group : {"Group", "Subhalo", "IDs"}) {
    const Object into = file.create_group(group);
    for (std::size_t c = 0; c < columns.size() && rows[c] > 0; ++c) {
      if (columns[c].group != group) continue;
      if (fill)
        into.write_dataset(columns[c].source, 0, rows[c]);
      else
        static_cast<void>(into.create_dataset(columns[c].source, rows[c], hdf5::Storage::shared));
    }
  }
  file.close();
}

/// A text that appears whole or not at all.
class TableFile {
 public:
  explicit TableFile(const std::string& path)
      : partial_(path), file_(FileDescriptor::create(partial_.partial_path())) {}

  void write(std::string_view text) { file_.write(text.data(), text.size()); }
  void commit() {
    file_.close();
    partial_.commit();
  }

 private:
  PartialFile partial_;
  FileDescriptor file_;
};

constexpr std::string_view table_tail =
    ",vx[km/s],vy[km/s],vz[km/s],sigma_1d[km/s],extent[Mpc/h],v_max[km/s],r_v_max[Mpc/h],m200c[Msun/h],r200c[Mpc/"
    "h],m500c[Msun/h],"
    "r500c[Mpc/h],m200m[Msun/h],r200m[Mpc/h],mvir[Msun/h],rvir[Mpc/h],c200c,jx[Mpc/h km/s],jy[Mpc/h km/s],"
    "jz[Mpc/h km/s],lambda_peebles,lambda_bullock\n";

/// Names of the columns; those of places say if these are relative to the centre of a sphere.
std::string table_head(Boundary boundary) {
  std::string head = "halo,id,particles,mass[Msun/h]";
  for (const char* point : {"", "_cm"})
    for (const char axis : {'x', 'y', 'z'})
      head += fmt::format(",{}{}{}[Mpc/h]", axis, point, boundary == Boundary::vacuum ? "_from_centre" : "");
  return head.append(table_tail);
}

/// `number`: of the first.
std::string table_lines(std::span<const Halo> halos, std::uint64_t number) {
  std::string table;
  for (const Halo& h : halos) {
    table += fmt::format("{},{},{},{}", number++, h.id, h.number, h.mass * 1e10);
    for (const Vec3d& v : {h.centre, h.centre_of_mass, h.velocity}) table += fmt::format(",{},{},{}", v.x, v.y, v.z);
    table += fmt::format(",{},{},{},{}", h.velocity_dispersion, h.extent, h.v_max, h.peak.radius);
    for (const SphericalMass& s : {h.crit200, h.crit500, h.mean200, h.virial})
      table += fmt::format(",{},{}", s.mass * 1e10, s.radius);
    table += fmt::format(",{},{},{},{},{},{}\n", h.concentration, h.spin.x, h.spin.y, h.spin.z, h.spin_peebles,
                         h.spin_bullock);
  }
  return table;
}

void require_lengths(std::span<const Halo> halos) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  for (const Halo& halo : halos)
    if (halo.number > most) throw Error("a group has more members than GroupLen can hold");
}

}  // namespace

void write_catalogue_header(hdf5::File& file, const CatalogueCounts& counts, const CatalogueSnapshot& snapshot,
                            const std::string& kind) {
  const Object header = file.create_group("Header");
  const std::pair<const char*, std::uint64_t> named[] = {{"Ngroups", counts.groups},
                                                         {"Nsubhalos", counts.subhalos},
                                                         {"Nsubgroups", counts.subhalos},
                                                         {"Nids", counts.ids}};
  for (const auto& [name, count] : named) {
    header.write(std::string(name) + "_ThisFile", static_cast<std::int64_t>(count));
    header.write(std::string(name) + "_Total", static_cast<std::int64_t>(count));
  }
  header.write("NumFiles", std::int32_t{1});
  header.write("Time", snapshot.time);
  header.write("Redshift", 1 / snapshot.time - 1);
  header.write("BoxSize", snapshot.box.side * kpc_per_mpc);
  header.write("Omega0", snapshot.cosmology.omega_m);
  header.write("OmegaLambda", snapshot.cosmology.omega_lambda);
  header.write("HubbleParam", snapshot.cosmology.h);
  header.write_text("SubhaloKind", kind);
  file.create_group("Parameters").write("HubbleParam", snapshot.cosmology.h);
  const double shift = snapshot.box.shift * kpc_per_mpc;
  const std::array<double, 3> origin{shift, shift, shift};
  file.create_group("Run").write("origin", std::span<const double>(origin));
}

void write_halo_table(const std::string& path, std::span<const Halo> halos, Boundary boundary, const Communicator& comm,
                      std::uint64_t in_flight) {
  const std::uint64_t first = comm.sum_before(halos.size()), all = comm.sum(std::uint64_t{halos.size()});
  std::optional<TableFile> file;
  collectively(comm, [&] {
    if (comm.root()) file.emplace(path).write(table_head(boundary));
  });
  for (std::uint64_t done = 0; done < all; done += in_flight) {
    const auto place = [&](std::uint64_t number) { return std::clamp(number, first, first + halos.size()) - first; };
    const std::uint64_t begin = place(done), end = place(done + in_flight);
    const std::vector<Halo> gathered = comm.gather(halos.subspan(begin, end - begin));
    collectively(comm, [&] {
      if (file) file->write(table_lines(gathered, done));
    });
  }
  collectively(comm, [&] {
    if (file) file->commit();
  });
}

void write_halo_file(const std::string& path, std::span<const Halo> halos, std::span<const std::uint64_t> member_ids,
                     const CatalogueSnapshot& snapshot, const Communicator& comm) {
  collectively(comm, [&] { require_lengths(halos); });
  std::uint64_t members = 0;
  for (const Halo& halo : halos) members += halo.number;
  std::vector<CatalogueColumn> columns =
      HaloColumns(halos, comm.sum_before(halos.size()), comm.sum_before(members)).make(snapshot);
  const auto number = [](std::uint64_t id, int) { return id; };
  columns.push_back({"IDs", hdf5::RowSource::of_rows<std::uint64_t>("ID", 1, member_ids, number), member_ids.size()});
  std::vector<std::uint64_t> rows;  // of all ranks
  for (const CatalogueColumn& column : columns) rows.push_back(column.rows);
  comm.sum(std::span(rows));
  std::optional<PartialFile> partial;
  collectively(comm, [&] {
    if (!comm.root()) return;
    partial.emplace(path);
    write_frame(partial->partial_path(), columns, rows, snapshot, comm.alone());
    partial->reserve();
  });
  if (!comm.alone() && rows.front() > 0) {
    hdf5::SharedFile file(path + std::string(PartialFile::suffix), comm);
    for (const CatalogueColumn& column : columns) file.write(column.group, column.source, 0, column.rows);
    file.close();
  }
  collectively(comm, [&] {
    if (partial) partial->commit();
  });
}

}  // namespace multiwalk
