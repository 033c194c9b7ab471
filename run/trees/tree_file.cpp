// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/tree_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/subhalos/merger_trees.hpp"
#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "run/files/atomic_file.hpp"
#include "run/formats/columns.hpp"
#include "run/trees/row_columns.hpp"
#include "run/trees/subhalo_file.hpp"
#include "run/trees/tree_columns.hpp"

namespace multiwalk {

namespace {

/// A row of TreeHalos.
struct TreeRow {
  std::int64_t tree = 0, index = 0, subhalo = 0, group = 0;
  std::int64_t first_descendant = none;
  double group_mass = 0;  ///< of the first subhalo of a group
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
      for (std::size_t s = 0; s < file.group.size(); ++s)
        output.halos.push_back({file.rows.subhalos[s].track, file.rows.subhalos[s].mass, file.group[s]});
      output.ends = std::move(file.rows.ends);
    }
    trees = link_trees(links);
    for (std::size_t t = 0; t < trees.size(); ++t)
      for (std::size_t n = trees.first[t]; n < trees.first[t + 1]; ++n) rows.push_back(row_of(t, n));
  }

 private:
  [[nodiscard]] TreeRow row_of(std::size_t tree, std::size_t n) const {
    const TreeNode& node = trees.node[n];
    const SubhaloFile& file = outputs[node.output];
    TreeRow row{.tree = static_cast<std::int64_t>(tree),
                .index = static_cast<std::int64_t>(n - trees.first[tree]),
                .subhalo = static_cast<std::int64_t>(node.row),
                .group = file.group[node.row],
                .node = node,
                .halo = file.rows.subhalos[node.row]};
    if (row.halo.rank == 0) row.group_mass = file.group_mass[static_cast<std::size_t>(row.group)];
    if (node.descendant != none) {
      const TreeNode& after = trees.node[trees.first[tree] + static_cast<std::size_t>(node.descendant)];
      if (after.first_progenitor == row.index) row.first_descendant = node.descendant;
    }
    return row;
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
  const auto link = [&](const char* name, std::int64_t TreeNode::*to) {
    write_column<std::int32_t>(into, name, 1, rows, [to](const R& r, int) { return r.node.*to; });
  };
  for (const char* name : {"TreeFirstProgenitor", "TreeMainProgenitor", "TreeProgenitor"})
    link(name, &TreeNode::first_progenitor);
  link("TreeNextProgenitor", &TreeNode::next_progenitor);
  link("TreeDescendant", &TreeNode::descendant);
  write_column<std::int32_t>(into, "TreeFirstDescendant", 1, rows, [](const R& r, int) { return r.first_descendant; });
  write_column<std::int32_t>(into, "TreeNextDescendant", 1, rows, [](const R&, int) { return none; });
  link("TreeFirstHaloInFOFgroup", &TreeNode::first_in_group);
  link("TreeNextHaloInFOFgroup", &TreeNode::next_in_group);
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
  write_column<float>(into, "Group_M_Crit200", 1, rows, [](const R& r, int) { return r.group_mass; });
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

std::string line_of(const TreeColumns& trees, std::size_t root, std::size_t row) {
  const double z = trees.redshift_of(row), *const place = &trees.place[3 * row];
  return fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.7g},{:.7g},{:.7g}\n", root, trees.output[row], 1 / (1 + z), z,
                     trees.particles[row], trees.mass[row] * 1e10, trees.v_max[row], place[0], place[1], place[2]);
}

}  // namespace

void write_tree_file(const std::string& path, std::span<const std::string> subhalo_files) {
  require(!subhalo_files.empty(), "write_tree_file: no outputs");
  const Forest forest(subhalo_files);
  hdf5::write_file(path, [&](hdf5::File& file) {
    write_frame(file, forest);
    write_times(file.create_group("TreeTimes"), forest.outputs);
    write_table(file.create_group("TreeTable"), forest.trees);
    const hdf5::Object halos = file.create_group("TreeHalos");
    write_links(halos, forest.rows);
    write_halos(halos, forest.rows, forest.outputs.back().box_size);
  });
}

void write_main_branches(const std::string& path, const std::string& tree_file) {
  constexpr std::size_t most = 100;
  const TreeColumns trees(tree_file);
  std::string table = "halo,output,a,redshift,particles,mass[Msun/h],v_max[km/s],x[Mpc/h],y[Mpc/h],z[Mpc/h]\n";
  for (std::size_t r = 0; r < std::min(most, trees.root.size()); ++r)
    for (const std::size_t row : trees.main_branch(trees.root[r])) table += line_of(trees, r, row);
  write_file_atomically(path, table);
}

}  // namespace multiwalk
