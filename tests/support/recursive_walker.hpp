// SPDX-License-Identifier: GPL-3.0-or-later
// An independent Barnes walk for tests: its own recursive tree from positions alone, criteria as the papers print them,
// double precision, no code of host/.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace multiwalk::test {

struct Point {
  double x[3];
  double mass;
};

enum class Criterion { barnes, offset, relative };

struct WalkRules {
  Criterion criterion = Criterion::barnes;
  double theta = 0.5;
  double alpha = 0;
  std::size_t leaf_size = 1;
  std::size_t group_size = 64;
  std::size_t always_opened = 1;  ///< cells of so few particles are taken as particles
};

struct PairCounts {
  std::uint64_t particle_pairs = 0, cell_pairs = 0, groups = 0;
};

class RecursiveWalker {
 public:
  RecursiveWalker(const std::vector<Point>& points, const double corner[3], double side, const WalkRules& rules)
      : points_(points), rules_(rules) {
    std::vector<std::size_t> all(points.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    root_ = make_cell(all, {corner[0], corner[1], corner[2]}, side, 0);
  }

  /// `pull[i]`: |a| of point i for the relative criterion.
  PairCounts count(const std::vector<double>& pull = {}) {
    pull_ = pull;
    counts_ = {};
    visit_groups(*root_);
    return counts_;
  }

 private:
  struct Cell {
    std::vector<std::size_t> members;
    std::array<double, 3> corner;
    double side = 0, mass = 0;
    double com[3] = {0, 0, 0};
    std::vector<std::unique_ptr<Cell>> children;
  };
  struct Group {
    std::vector<std::size_t> members;
    double lo[3], hi[3];
    double weakest;
  };

  std::unique_ptr<Cell> make_cell(const std::vector<std::size_t>& members, std::array<double, 3> corner, double side,
                                  int level) {
    auto cell = std::make_unique<Cell>();
    cell->members = members;
    cell->corner = corner;
    cell->side = side;
    for (std::size_t i : members) {
      cell->mass += points_[i].mass;
      for (int k = 0; k < 3; ++k) cell->com[k] += points_[i].mass * points_[i].x[k];
    }
    for (double& c : cell->com) c /= cell->mass;
    if (members.size() <= rules_.leaf_size || level == 21) return cell;
    for (int octant = 0; octant < 8; ++octant) {
      std::array<double, 3> from = corner;
      for (int k = 0; k < 3; ++k) from[k] += (octant >> k & 1) != 0 ? side / 2 : 0;
      std::vector<std::size_t> inside;
      for (std::size_t i : members) {
        bool in = true;
        for (int k = 0; k < 3; ++k) in = in && (points_[i].x[k] >= corner[k] + side / 2) == ((octant >> k & 1) != 0);
        if (in) inside.push_back(i);
      }
      if (!inside.empty()) cell->children.push_back(make_cell(inside, from, side / 2, level + 1));
    }
    return cell;
  }

  void visit_groups(const Cell& cell) {
    if (cell.members.size() <= rules_.group_size || cell.children.empty()) return walk_group(cell.members);
    visit_part(cell, 0, {});
  }

  /// What is left of a cell after it was cut along the first `cuts` axes, the lower (false) or upper side kept each
  /// time.
  void visit_part(const Cell& cell, int cuts, std::array<bool, 3> upper) {
    std::vector<const Cell*> inside;
    std::vector<std::size_t> members;
    for (const auto& child : cell.children) {
      bool in = true;
      for (int k = 0; k < cuts; ++k) in = in && (child->corner[k] > cell.corner[k]) == upper[k];
      if (!in) continue;
      inside.push_back(child.get());
      members.insert(members.end(), child->members.begin(), child->members.end());
    }
    if (inside.empty()) return;
    if (cuts > 0 && cuts < 3 && members.size() <= rules_.group_size) return walk_group(members);
    if (cuts == 3) return visit_groups(*inside.front());
    for (const bool side : {false, true}) {
      upper[cuts] = side;
      visit_part(cell, cuts + 1, upper);
    }
  }

  void walk_group(const std::vector<std::size_t>& members) {
    Group group{members, {}, {}, std::numeric_limits<double>::infinity()};
    for (int k = 0; k < 3; ++k) {
      group.lo[k] = std::numeric_limits<double>::infinity();
      group.hi[k] = -group.lo[k];
      for (std::size_t i : members) {
        group.lo[k] = std::fmin(group.lo[k], points_[i].x[k]);
        group.hi[k] = std::fmax(group.hi[k], points_[i].x[k]);
      }
    }
    for (std::size_t i : members) {
      if (!pull_.empty()) group.weakest = std::fmin(group.weakest, pull_[i]);
    }
    ++counts_.groups;
    descend(*root_, group, true);
  }

  bool far_enough(const Cell& cell, const Group& group) const {
    double d2 = 0, offset2 = 0;
    for (int k = 0; k < 3; ++k) {
      const double d = std::fmax(0, std::fmax(group.lo[k] - cell.com[k], cell.com[k] - group.hi[k]));
      d2 += d * d;
      const double off = cell.com[k] - (cell.corner[k] + cell.side / 2);
      offset2 += off * off;
    }
    const double d = std::sqrt(d2);
    if (rules_.criterion == Criterion::barnes) return cell.side < rules_.theta * d;
    if (rules_.criterion == Criterion::offset) return d > cell.side / rules_.theta + std::sqrt(offset2);
    return cell.side < d && cell.mass * cell.side * cell.side < rules_.alpha * group.weakest * d2 * d2;
  }

  void descend(const Cell& cell, const Group& group, bool may_hold) {
    const bool holds = may_hold && contains(cell, group);
    const auto targets = static_cast<std::uint64_t>(group.members.size());
    if (!holds && cell.members.size() > rules_.always_opened && far_enough(cell, group)) {
      counts_.cell_pairs += targets;
    } else if (cell.children.empty()) {
      counts_.particle_pairs += targets * cell.members.size();
    } else {
      for (const auto& child : cell.children) descend(*child, group, holds);
    }
  }

  /// Octree cells are nested or apart, so one point decides.
  static bool contains(const Cell& cell, const Group& group) {
    if (cell.members.size() < group.members.size()) return false;
    for (std::size_t i : cell.members) {
      if (i == group.members.front()) return true;
    }
    return false;
  }

  const std::vector<Point>& points_;
  WalkRules rules_;
  std::vector<double> pull_;
  PairCounts counts_;
  std::unique_ptr<Cell> root_;
};

}  // namespace multiwalk::test
