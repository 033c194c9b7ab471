// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/tree_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "analysis/subhalos/merger_trees.hpp"
#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/partial_file.hpp"
#include "run/formats/columns.hpp"
#include "run/trees/row_columns.hpp"
#include "run/trees/subhalo_file.hpp"

namespace multiwalk {

namespace {

/// A row of TreeHalos.
struct TreeRow {
  std::int64_t tree = 0, index = 0, subhalo = 0, group = 0;
  TreeNode node;
  Subhalo halo;
};

/// Refuses a catalogue that another run left among those of this one.
void expect_next_catalogue(const SubhaloFile& before, const SubhaloFile& next, const std::string& path) {
  constexpr double rounding = 1e-5;
  using C = CosmologyParameters;
  for (double C::*member : {&C::omega_m, &C::omega_lambda, &C::h})
    if (std::fabs(before.cosmology.*member - next.cosmology.*member) > rounding)
      throw InputError(path + ": has another cosmology than the catalogue before it, of another run");
  if (next.time <= before.time) throw InputError(path + ": is not later than the catalogue before it, of another run");
}

struct Forest {
  std::vector<SubhaloFile> outputs;
  MergerTrees trees;
  std::vector<TreeRow> rows;

  explicit Forest(std::span<const std::string> files) {
    for (const std::string& file : files) {
      outputs.push_back(read_subhalo_file(file));
      if (outputs.size() > 1) expect_next_catalogue(outputs.end()[-2], outputs.back(), file);
    }
    std::vector<TreeOutput> links;
    for (SubhaloFile& file : outputs) {
      TreeOutput& output = links.emplace_back();
      for (const Subhalo& s : file.rows.subhalos) output.halos.push_back({s.track, s.mass});
      output.ends = std::move(file.rows.ends);
    }
    trees = link_trees(links);
    for (std::size_t t = 0; t < trees.size(); ++t) {
      for (std::size_t n = trees.first[t]; n < trees.first[t + 1]; ++n) {
        const TreeNode& node = trees.node[n];
        const SubhaloFile& file = outputs[node.output];
        rows.push_back({static_cast<std::int64_t>(t), static_cast<std::int64_t>(n - trees.first[t]),
                        static_cast<std::int64_t>(node.row), file.group[node.row], node, file.rows.subhalos[node.row]});
      }
    }
  }
};

void write_frame(const hdf5::File& file, const Forest& forest) {
  const SubhaloFile& last = forest.outputs.back();
  const hdf5::Object header = file.create_group("Header");
  for (const char* where : {"_ThisFile", "_Total"}) {
    header.write(std::string("Ntrees") + where, static_cast<std::int64_t>(forest.trees.size()));
    header.write(std::string("Nhalos") + where, static_cast<std::int64_t>(forest.rows.size()));
  }
  header.write("NumFiles", std::int32_t{1});
  header.write("LastSnapShotNr", static_cast<std::int32_t>(forest.outputs.size() - 1));
  const hdf5::Object parameters = file.create_group("Parameters");
  parameters.write("HubbleParam", last.cosmology.h);
  parameters.write("Omega0", last.cosmology.omega_m);
  parameters.write("OmegaLambda", last.cosmology.omega_lambda);
  parameters.write("BoxSize", last.box_size);
  parameters.write("UnitLength_in_cm", units::cm_per_mpc);
  parameters.write("UnitMass_in_g", units::gram_per_1e10_msun);
  parameters.write("UnitVelocity_in_cm_per_s", units::cm_per_km);
}

void write_times(const hdf5::Object& into, std::span<const SubhaloFile> outputs) {
  using F = SubhaloFile;
  write_column<double>(into, "Time", 1, outputs, [](const F& f, int) { return f.time; });
  write_column<double>(into, "Redshift", 1, outputs, [](const F& f, int) { return 1 / f.time - 1; });
}

void write_table(const hdf5::Object& into, const MergerTrees& trees) {
  struct Row {
    std::int64_t id, first, length;
  };
  std::vector<Row> rows;
  for (std::size_t t = 0; t < trees.size(); ++t)
    rows.push_back({static_cast<std::int64_t>(t), static_cast<std::int64_t>(trees.first[t]),
                    static_cast<std::int64_t>(trees.first[t + 1] - trees.first[t])});
  const std::span<const Row> all = rows;
  write_column<std::int64_t>(into, "TreeID", 1, all, [](const Row& r, int) { return r.id; });
  write_column<std::int64_t>(into, "StartOffset", 1, all, [](const Row& r, int) { return r.first; });
  write_column<std::int32_t>(into, "Length", 1, all, [](const Row& r, int) { return r.length; });
}

void write_links(const hdf5::Object& into, std::span<const TreeRow> rows) {
  using R = TreeRow;
  write_column<std::int64_t>(into, "TreeID", 1, rows, [](const R& r, int) { return r.tree; });
  write_column<std::int32_t>(into, "TreeIndex", 1, rows, [](const R& r, int) { return r.index; });
  write_column<std::int32_t>(into, "TreeDescendant", 1, rows, [](const R& r, int) { return r.node.descendant; });
  for (const char* name : {"TreeFirstProgenitor", "TreeMainProgenitor"})
    write_column<std::int32_t>(into, name, 1, rows, [](const R& r, int) { return r.node.first_progenitor; });
  write_column<std::int32_t>(into, "TreeNextProgenitor", 1, rows,
                             [](const R& r, int) { return r.node.next_progenitor; });
  write_column<std::int32_t>(into, "SnapNum", 1, rows, [](const R& r, int) { return r.node.output; });
  write_column<std::int64_t>(into, "SubhaloNr", 1, rows, [](const R& r, int) { return r.subhalo; });
  write_column<std::int64_t>(into, "GroupNr", 1, rows, [](const R& r, int) { return r.group; });
}

void write_halos(const hdf5::Object& into, std::span<const TreeRow> rows, double side) {
  using R = TreeRow;
  const auto vector = [](Vec3d Subhalo::*member) {
    return [member](const R& r, int k) { return (r.halo.*member)[k]; };
  };
  const auto number = [](auto member) { return [member](const R& r, int) { return r.halo.*member; }; };
  write_column<std::int32_t>(into, "SubhaloLen", 1, rows, number(&Subhalo::number));
  write_column<std::int32_t>(into, "SubhaloRankInGr", 1, rows, number(&Subhalo::rank));
  write_column<float>(into, "SubhaloMass", 1, rows, number(&Subhalo::mass));
  const auto inside = static_cast<double>(highest_inside<float>(side));
  write_column<float>(into, "SubhaloPos", 3, rows,
                      [inside](const R& r, int k) { return std::min(r.halo.centre[k], inside); });
  write_column<float>(into, "SubhaloVel", 3, rows, vector(&Subhalo::velocity));
  write_column<float>(into, "SubhaloSpin", 3, rows, vector(&Subhalo::spin));
  write_column<float>(into, "SubhaloVelDisp", 1, rows, number(&Subhalo::velocity_dispersion));
  write_column<float>(into, "SubhaloVmax", 1, rows, number(&Subhalo::v_max));
  write_column<float>(into, "SubhaloVmaxRad", 1, rows, number(&Subhalo::r_max));
  write_column<float>(into, "SubhaloHalfmassRad", 1, rows, number(&Subhalo::half_mass_radius));
  write_column<std::uint64_t>(into, "SubhaloIDMostbound", 1, rows, number(&Subhalo::most_bound));
  write_column<std::int64_t>(into, "SubhaloTrackId", 1, rows, number(&Subhalo::track));
  write_column<std::int64_t>(into, "SubhaloParentTrackId", 1, rows, number(&Subhalo::parent));
}

/// The columns that main branches need.
struct BranchColumns {
  std::vector<std::int64_t> first, next, output, particles;
  std::vector<double> mass, v_max, place, redshift;

  explicit BranchColumns(const hdf5::File& file) {
    const auto group = [&](const char* name) {
      std::optional<hdf5::Object> found = file.group(name);
      if (!found) throw InputError(file.name() + " has no group " + name + ": it is not a file of merger trees");
      return std::move(*found);
    };
    const hdf5::Object halos = group("TreeHalos");
    first = read_column<std::int64_t>(group("TreeTable"), "StartOffset");
    next = read_column<std::int64_t>(halos, "TreeMainProgenitor");
    output = read_column<std::int64_t>(halos, "SnapNum");
    particles = read_column<std::int64_t>(halos, "SubhaloLen");
    mass = read_column<double>(halos, "SubhaloMass");
    v_max = read_column<double>(halos, "SubhaloVmax");
    place = read_column<double>(halos, "SubhaloPos", 3);
    redshift = read_column<double>(group("TreeTimes"), "Redshift");
  }

  [[nodiscard]] std::string line(std::size_t tree, std::size_t n) const {
    const double z = redshift[static_cast<std::size_t>(output[n])];
    return fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.7g},{:.7g},{:.7g}\n", tree, output[n], 1 / (1 + z), z,
                       particles[n], mass[n] * 1e10, v_max[n], place[3 * n], place[3 * n + 1], place[3 * n + 2]);
  }
};

}  // namespace

void write_tree_file(const std::string& path, std::span<const std::string> subhalo_files) {
  require(!subhalo_files.empty(), "write_tree_file: no outputs");
  const Forest forest(subhalo_files);
  PartialFile partial(path);
  hdf5::File file = hdf5::File::create(partial.partial_path());
  write_frame(file, forest);
  write_times(file.create_group("TreeTimes"), forest.outputs);
  write_table(file.create_group("TreeTable"), forest.trees);
  const hdf5::Object halos = file.create_group("TreeHalos");
  write_links(halos, forest.rows);
  write_halos(halos, forest.rows, forest.outputs.back().box_size);
  file.close();
  partial.commit();
}

void write_main_branches(const std::string& path, const std::string& tree_file) {
  constexpr std::size_t most = 100;
  const BranchColumns columns(hdf5::File::open(tree_file));
  std::string table = "tree,output,a,redshift,particles,mass[Msun/h],v_max[km/s],x[Mpc/h],y[Mpc/h],z[Mpc/h]\n";
  for (std::size_t t = 0; t < std::min(most, columns.first.size()); ++t) {
    const auto first = static_cast<std::size_t>(columns.first[t]);
    for (std::int64_t n = 0; n != none; n = columns.next[first + static_cast<std::size_t>(n)])
      table += columns.line(t, first + static_cast<std::size_t>(n));
  }
  write_file_atomically(path, table);
}

}  // namespace multiwalk
