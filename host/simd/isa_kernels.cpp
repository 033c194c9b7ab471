// SPDX-License-Identifier: GPL-3.0-or-later
// Walks and pair sums for the instruction set this file is compiled for. Nothing here may instantiate a shared template
// out of line: another object's copy could be linked in its place.
#include "host/simd/ewald_lanes.hpp"
#include "host/simd/expansion_lanes.hpp"
#include "host/simd/isa_gravity_loops.hpp"
#include "host/simd/mesh_lanes.hpp"
#include "host/simd/short_range_lanes.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/simd/simd_vector.hpp"
#include "host/walk/family_tests.hpp"

#define MULTIWALK_STRING(x) #x
#define MULTIWALK_NAME(x) MULTIWALK_STRING(x)

namespace multiwalk::MULTIWALK_ISA {

namespace {

/// The eight children of a node.
struct Eight {
  using Ints = FamilyInts;
  using Floats = FamilyFloats;
  using Mask = FamilyInts;

  static MULTIWALK_HOST_DEVICE Floats floats(Ints x) { return __builtin_convertvector(x, Floats); }
  static MULTIWALK_HOST_DEVICE Ints difference(Ints a, Ints b) { return MULTIWALK_ISA::difference(a, b); }
  static MULTIWALK_HOST_DEVICE Floats magnitude(Floats x) { return MULTIWALK_ISA::magnitude(x); }
  static MULTIWALK_HOST_DEVICE Floats square_root(Floats x) { return MULTIWALK_ISA::square_root(x); }
  static MULTIWALK_HOST_DEVICE Floats sum_of_squares(Floats x, Floats y, Floats z) {
    return fused(z, z, fused(y, y, x * x));
  }
};

MULTIWALK_HOST_DEVICE TestedChildren<Eight> tested(const WalkFamily& family) {
  return {load_family(family.x),    load_family(family.y), load_family(family.z),
          load_family(family.far2), family.floor2,         family.reach};
}

/// Bits of the children that may be expanded. `r2`: squared distances from the group's box, at which children accepted
/// everywhere are known to be accepted.
MULTIWALK_HOST_DEVICE unsigned expanded_bits(const WalkFamily& family, const FamilyQuery<Eight>& q, FamilyFloats r2) {
  const ExpansionTest<Eight> test(tested(family), q);
  if (!q.relative) return lane_bits(test.below_limit());
  const unsigned judged = lane_bits(test.below_limit(load_family(family.far2) * q.scale));
  return family.everywhere == 0 ? judged
                                : (judged & ~family.everywhere) | (lane_bits(test.below_limit(r2)) & family.everywhere);
}

/// Bit of the child that holds the group, or none.
unsigned holder_bit(const WalkFamily& family, const Node* node, const WalkQuery& q) {
  for (unsigned c = 0; family.present >> c != 0; ++c) {
    const Node& child = node[family.first + c];
    if (child.first <= q.first && q.end <= child.first + child.count) return 1U << c;
  }
  return 0;
}

/// A level-by-level walk: children to be opened are appended to the queue of families.
class LevelWalk {
 public:
  LevelWalk(const WalkTree& tree, const WalkQuery& query, ListBuffer& list)
      : tree_(tree), query_(query), box_(tree, query), list_(list) {}

  bool operator()() {
    visit_holders();
    for (std::size_t f = 0; f < families_; ++f) {
      if (full()) return false;
      if (f + ahead < families_) prefetch(tree_.family[list_.families[f + ahead]]);
      visit(tree_.family[list_.families[f]], 0);
    }
    append_near();
    merge_leaves();
    return list_.cell_count <= list_.capacity;
  }

 private:
  static constexpr std::size_t ahead = 4;

  [[nodiscard]] bool full() const {
    const std::size_t most = list_.capacity - 8;
    return families_ > most || leaves_ > most || list_.far_count > most || near_ > most || list_.expanded_count > most;
  }

  static void prefetch(const WalkFamily& family) {
    const char* line = reinterpret_cast<const char*>(&family);
    for (int k = 0; k < 3; ++k) __builtin_prefetch(line + 64 * k);
  }

  /// Visits the root and the families from there down to the group: a cell that contains the group is opened at any
  /// distance.
  void visit_holders() {
    std::uint32_t at = 0;
    bool inner = true;
    while (inner) {
      const WalkFamily& family = tree_.family[at];
      const unsigned held = query_.end > query_.first ? holder_bit(family, tree_.node, query_) : 0;
      visit(family, held);
      inner = (held & ~family.leaves) != 0;
      if (inner) at = family.below[__builtin_ctz(held)];
    }
  }

  /// `held`: bit of a child that the caller opens, if it is not a leaf.
  MULTIWALK_HOST_DEVICE void visit(const WalkFamily& family, unsigned held) {
    const TestedChildren<Eight> child = tested(family);
    const FamilyFloats r2 = distance2(child, box_);
    const unsigned accepted = (lane_bits(is_accepted(child, box_, r2)) | family.everywhere) & family.present & ~held;
    const float reach = box_.cutoff + family.reach;
    const unsigned opened = family.present & ~accepted & lane_bits(r2 <= reach * reach);
    const unsigned used = accepted & ~family.unlisted & lane_bits(r2 <= box_.cutoff * box_.cutoff);
    const unsigned expanded = box_.order > 0 && used != 0 ? used & expanded_bits(family, box_, r2) : 0;
    const unsigned listed = used & ~expanded;
    const unsigned far = lane_bits(r2 > box_.beyond2);
    const FamilyInts node = lane_numbers() + static_cast<std::int32_t>(family.first);
    list_.far_count += append(list_.cells + list_.far_count, node, listed & far);
    near_ += append(list_.near + near_, node, listed & ~far);
    list_.expanded_count += append(list_.expanded + list_.expanded_count, node, expanded);
    leaves_ += append(list_.leaves + leaves_, node, opened & family.leaves);
    families_ += append(list_.families + families_, load_family(family.below), opened & ~family.leaves & ~held);
  }

  void append_near() {
    list_.cell_count = list_.far_count + near_;
    if (list_.cell_count > list_.capacity) return;
    for (std::size_t c = 0; c < near_; ++c) list_.cells[list_.far_count + c] = list_.near[c];
  }

  /// Ranges of the opened leaves; adjacent ones are merged.
  void merge_leaves() {
    std::size_t ranges = 0;
    ParticleRange last;
    for (std::size_t l = 0; l < leaves_; ++l) {
      const Node& leaf = tree_.node[list_.leaves[l]];
      const bool adjacent = ranges > 0 && last.first + last.count == leaf.first;
      ranges += adjacent ? 0 : 1;
      last = {adjacent ? last.first : leaf.first, adjacent ? last.count + leaf.count : leaf.count};
      list_.ranges[ranges - 1] = last;
      list_.source_count += leaf.count;
    }
    list_.range_count = ranges;
  }

  const WalkTree& tree_;
  const WalkQuery& query_;
  const FamilyQuery<Eight> box_;
  ListBuffer& list_;
  std::size_t near_ = 0, leaves_ = 0, families_ = 0;
};

bool walk(const WalkTree& tree, const WalkQuery& query, ListBuffer& list) {
  return LevelWalk(tree, query, list)();
}

std::size_t padded(std::size_t n) {
  return (n + width - 1) / width * width;
}

/// Offsets from a walk's centre, to the nearest image.
struct FromCentre {
  Vec3d centre;
  double period, inverse;

  MULTIWALK_HOST_DEVICE FromCentre(const Cube& cube, Vec3d c)
      : centre(c), period(cube.periodic ? cube.side : 0), inverse(cube.periodic ? 1 / cube.side : 0) {}
  MULTIWALK_HOST_DEVICE float along(double x, double from) const {
    const double d = x - from;
    return static_cast<float>(d - period * __builtin_rint(d * inverse));
  }
  MULTIWALK_HOST_DEVICE float x(Vec3d p) const { return along(p.x, centre.x); }
  MULTIWALK_HOST_DEVICE float y(Vec3d p) const { return along(p.y, centre.y); }
  MULTIWALK_HOST_DEVICE float z(Vec3d p) const { return along(p.z, centre.z); }
};

void pack_particles(const TreeView& sources, const Walk& walk, const ParticleRange* ranges, PackedSources& packed) {
  const Vec3d* position = sources.position.data();
  const float* mass = sources.mass.data();
  const FromCentre from(sources.cube, walk.centre);
  std::size_t n = 0;
  for (std::uint32_t r = 0; r < walk.range_count; ++r) {
    const Vec3d* p = position + ranges[r].first;
    const float* m = mass + ranges[r].first;
    for (std::uint32_t i = 0; i < ranges[r].count; ++i, ++n) {
      packed.particle[0][n] = from.x(p[i]);
      packed.particle[1][n] = from.y(p[i]);
      packed.particle[2][n] = from.z(p[i]);
      packed.particle[3][n] = m[i];
    }
  }
  packed.particles = padded(n);
  for (; n < packed.particles; ++n) {
    packed.particle[0][n] = packed.particle[1][n] = packed.particle[2][n] = 1e10F;
    packed.particle[3][n] = 0;
  }
}

/// Cells to be packed.
struct CellRun {
  const std::uint32_t* index;
  std::uint32_t count;
  float inverse_unit;  ///< of lengths
  bool nearby;         ///< the massless cells that fill the last vector are at the last cell, not far away
};

/// Returns the padded number.
std::size_t pack_cells(const TreeView& sources, Vec3d centre, const CellRun& cells, bool quadrupole,
                       float* const* column) {
  const Multipole* multipole = sources.multipole.data();
  const FromCentre from(sources.cube, centre);
  const float scale = cells.inverse_unit, scale2 = scale * scale;
  constexpr std::uint32_t ahead = 12;
  for (std::uint32_t n = 0; n < cells.count; ++n) {
    if (n + ahead < cells.count) __builtin_prefetch(multipole + cells.index[n + ahead]);
    const Multipole& m = multipole[cells.index[n]];
    column[0][n] = scale * from.x(m.centre_of_mass);
    column[1][n] = scale * from.y(m.centre_of_mass);
    column[2][n] = scale * from.z(m.centre_of_mass);
    column[3][n] = m.mass;
    if (!quadrupole) continue;
    column[4][n] = scale2 * m.xx;
    column[5][n] = scale2 * m.xy;
    column[6][n] = scale2 * m.xz;
    column[7][n] = scale2 * m.yy;
    column[8][n] = scale2 * m.yz;
    column[9][n] = scale2 * m.zz;
  }
  const std::size_t all = padded(cells.count);
  for (std::size_t n = cells.count; n < all; ++n) {
    for (int k = 0; k < 3; ++k) column[k][n] = cells.nearby ? column[k][cells.count - 1] : 1e10F;
    for (int k = 3; k < (quadrupole ? 10 : 4); ++k) column[k][n] = 0;
  }
  return all;
}

void pack(const TreeView& sources, const Walk& walk, const std::uint32_t* cells, const ParticleRange* ranges,
          const PackingOptions& options, PackedSources& packed) {
  pack_particles(sources, walk, ranges, packed);
  packed.cells = pack_cells(sources, walk.centre, {cells, walk.cell_count, 1, false}, options.quadrupole, packed.cell);
  const CellRun expanded{cells + walk.cell_count, walk.expanded_count, 1 / options.expansion_unit, true};
  packed.expansions = pack_cells(sources, walk.centre, expanded, options.quadrupole, packed.expanded);
}

/// The box around some targets, relative to their walk's centre.
struct TargetBox {
  Packed x, y, z, half_x, half_y, half_z;

  TargetBox(const Vec3d* target, std::size_t targets, Vec3d centre) {
    Vec3d lo = target[0], hi = target[0];
    for (std::size_t t = 1; t < targets; ++t) {
      const Vec3d p = target[t];
      lo = {p.x < lo.x ? p.x : lo.x, p.y < lo.y ? p.y : lo.y, p.z < lo.z ? p.z : lo.z};
      hi = {p.x > hi.x ? p.x : hi.x, p.y > hi.y ? p.y : hi.y, p.z > hi.z ? p.z : hi.z};
    }
    x = Packed(static_cast<float>(0.5 * (lo.x + hi.x) - centre.x));
    y = Packed(static_cast<float>(0.5 * (lo.y + hi.y) - centre.y));
    z = Packed(static_cast<float>(0.5 * (lo.z + hi.z) - centre.z));
    half_x = Packed(static_cast<float>(0.5 * (hi.x - lo.x)));
    half_y = Packed(static_cast<float>(0.5 * (hi.y - lo.y)));
    half_z = Packed(static_cast<float>(0.5 * (hi.z - lo.z)));
  }
  MULTIWALK_HOST_DEVICE Packed distance2(Packed sx, Packed sy, Packed sz) const {
    const Packed dx = at_least_zero(magnitude(sx - x) - half_x), dy = at_least_zero(magnitude(sy - y) - half_y),
                 dz = at_least_zero(magnitude(sz - z) - half_z);
    return dx * dx + (dy * dy + dz * dz);
  }
};

/// Copies the near ones among the first `count` sources, with `columns` numbers each; returns their padded number.
template <int columns>
std::size_t select_near(const float* const* from, std::size_t count, const TargetBox& box, Packed reach2,
                        float* const* to) {
  std::size_t n = 0;
  for (std::size_t j = 0; j < count; j += width) {
    const unsigned near = at_most_bits(box.distance2(load(from[0] + j), load(from[1] + j), load(from[2] + j)), reach2);
    if (near == 0) continue;
    for (int k = 0; k < columns; ++k) compress(to[k] + n, load(from[k] + j), near);
    n += static_cast<std::size_t>(__builtin_popcount(near));
  }
  const std::size_t all = padded(n);
  for (; n < all; ++n) {
    for (int k = 0; k < columns; ++k) to[k][n] = k < 3 ? 1e10F : 0;
  }
  return all;
}

void select(const PackedSources& packed, const WalkTargets& targets, float reach, bool quadrupole,
            PackedSources& near) {
  const TargetBox box(targets.position, targets.count, targets.centre);
  const Packed reach2(reach * reach);
  near.particles = select_near<4>(packed.particle, packed.particles, box, reach2, near.particle);
  near.cells = quadrupole ? select_near<10>(packed.cell, packed.cells, box, reach2, near.cell)
                          : select_near<4>(packed.cell, packed.cells, box, reach2, near.cell);
}

/// Number of sources summed in single precision before the sums are added in double precision.
constexpr std::size_t chunk = 4096;

template <int targets>
struct Tile {
  Packed x[targets], y[targets], z[targets];
  ForceSum<Packed> sum[targets];

  MULTIWALK_HOST_DEVICE Tile(const Vec3d* target, Vec3d centre) {
    for (int t = 0; t < targets; ++t) {
      x[t] = Packed(static_cast<float>(target[t].x - centre.x));
      y[t] = Packed(static_cast<float>(target[t].y - centre.y));
      z[t] = Packed(static_cast<float>(target[t].z - centre.z));
    }
  }
  MULTIWALK_HOST_DEVICE Vec3<Packed> to(int t, Packed sx, Packed sy, Packed sz) const {
    return {sx - x[t], sy - y[t], sz - z[t]};
  }
  MULTIWALK_HOST_DEVICE void flush(ForceSum<double>* sums) {
    for (int t = 0; t < targets; ++t) {
      sums[t].x += sum_lanes(sum[t].x);
      sums[t].y += sum_lanes(sum[t].y);
      sums[t].z += sum_lanes(sum[t].z);
      sums[t].potential += sum_lanes(sum[t].potential);
      sum[t] = {};
    }
  }
};

/// Newton's law, softened or not, for whole forces.
template <bool softened>
struct WholeForce {
  Packed softening2;

  explicit WholeForce(const PairConstants& law) : softening2(law.softening2) {}
  MULTIWALK_HOST_DEVICE void add(Vec3<Packed> d, Packed mass, ForceSum<Packed>& sum) const {
    accumulate_monopole<softened>(d, mass, softening2, sum);
  }
  MULTIWALK_HOST_DEVICE void add(Vec3<Packed> d, Packed mass, const SecondMoment<Packed>& s,
                                 ForceSum<Packed>& sum) const {
    accumulate_quadrupole<softened>(d, mass, s, softening2, sum);
  }
};

/// The short-range part of a split force.
template <bool softened, int degree>
struct NearForce {
  Packed softening2;
  const ShortRange& split;
  ShortRangeLanes<degree> points;

  explicit NearForce(const PairConstants& law) : softening2(law.softening2), split(*law.split), points(*law.split) {}
  MULTIWALK_HOST_DEVICE void add(Vec3<Packed> d, Packed mass, ForceSum<Packed>& sum) const {
    accumulate_monopole<softened>(d, mass, softening2, points, sum);
  }
  MULTIWALK_HOST_DEVICE void add(Vec3<Packed> d, Packed mass, const SecondMoment<Packed>& s,
                                 ForceSum<Packed>& sum) const {
    accumulate_quadrupole<softened>(d, mass, s, softening2, split, sum);
  }
};

template <int targets, class Force>
void evaluate_particles(const PackedSources& s, Tile<targets>& tile, const Force& force, ForceSum<double>* sums) {
  for (std::size_t begin = 0; begin < s.particles; begin += chunk) {
    const std::size_t end = begin + chunk < s.particles ? begin + chunk : s.particles;
    for (std::size_t j = begin; j < end; j += width) {
      const Packed x = load(s.particle[0] + j), y = load(s.particle[1] + j), z = load(s.particle[2] + j);
      const Packed mass = load(s.particle[3] + j);
      for (int t = 0; t < targets; ++t) force.add(tile.to(t, x, y, z), mass, tile.sum[t]);
    }
    tile.flush(sums);
  }
}

template <int targets, bool quadrupole, class Force>
void evaluate_cells(const PackedSources& s, Tile<targets>& tile, const Force& force, ForceSum<double>* sums) {
  for (std::size_t begin = 0; begin < s.cells; begin += chunk) {
    const std::size_t end = begin + chunk < s.cells ? begin + chunk : s.cells;
    for (std::size_t j = begin; j < end; j += width) {
      const Packed x = load(s.cell[0] + j), y = load(s.cell[1] + j), z = load(s.cell[2] + j);
      const Packed mass = load(s.cell[3] + j);
      if constexpr (quadrupole) {
        const SecondMoment<Packed> second{load(s.cell[4] + j), load(s.cell[5] + j), load(s.cell[6] + j),
                                          load(s.cell[7] + j), load(s.cell[8] + j), load(s.cell[9] + j)};
        for (int t = 0; t < targets; ++t) force.add(tile.to(t, x, y, z), mass, second, tile.sum[t]);
      } else {
        for (int t = 0; t < targets; ++t) force.add(tile.to(t, x, y, z), mass, tile.sum[t]);
      }
    }
    tile.flush(sums);
  }
}

template <int targets, class Force>
void evaluate_tile(const PackedSources& s, const Vec3d* target, Vec3d centre, const Force& force, bool quadrupole,
                   ForceSum<double>* sums) {
  Tile<targets> tile(target, centre);
  evaluate_particles(s, tile, force, sums);
  if (quadrupole) {
    evaluate_cells<targets, true>(s, tile, force, sums);
  } else {
    evaluate_cells<targets, false>(s, tile, force, sums);
  }
}

template <class Force>
void evaluate_all(const PackedSources& s, const WalkTargets& all, const PairConstants& law, ForceSum<double>* sums) {
  const auto [target, targets, centre] = all;
  const Force force(law);
  std::size_t t = 0;
  for (; t + targets_at_once <= targets; t += targets_at_once) {
    evaluate_tile<targets_at_once>(s, target + t, centre, force, law.quadrupole, sums + t);
  }
  for (; t < targets; ++t) evaluate_tile<1>(s, target + t, centre, force, law.quadrupole, sums + t);
}

template <bool softened>
decltype(&evaluate_all<WholeForce<softened>>) evaluation_of(const ShortRange* split) {
  if (split == nullptr) return evaluate_all<WholeForce<softened>>;
  if (split->first_degree <= 9) return evaluate_all<NearForce<softened, 9>>;
  if (split->first_degree <= 11) return evaluate_all<NearForce<softened, 11>>;
  return evaluate_all<NearForce<softened, ShortRange::degree>>;
}

void evaluate(const PackedSources& packed, const WalkTargets& targets, const PairConstants& law,
              ForceSum<double>* sums) {
  for (std::size_t t = 0; t < targets.count; ++t) sums[t] = {};
  const bool softened = is_softened(static_cast<double>(law.softening2));
  const auto all = softened ? evaluation_of<true>(law.split) : evaluation_of<false>(law.split);
  all(packed, targets, law, sums);
}

ForceSum<double> direct(const Vec3d* position, const float* mass, std::size_t n, Vec3d target, double softening2) {
  double ax = 0, ay = 0, az = 0, potential = 0;
#pragma omp simd reduction(+ : ax, ay, az, potential)
  for (std::size_t j = 0; j < n; ++j) {
    const double dx = position[j].x - target.x, dy = position[j].y - target.y, dz = position[j].z - target.z;
    const double r2 = dx * dx + dy * dy + dz * dz + softening2;
    const double ri = r2 > 0 ? 1 / __builtin_sqrt(r2) : 0;
    const double mri = static_cast<double>(mass[j]) * ri;
    const double weight = mri * ri * ri;
    ax += weight * dx;
    ay += weight * dy;
    az += weight * dz;
    potential += mri;
  }
  return {ax, ay, az, potential};
}

}  // namespace

extern const SimdKernels kernels;
const SimdKernels kernels{MULTIWALK_NAME(MULTIWALK_ISA),
                          width,
                          walk,
                          pack,
                          select,
                          evaluate,
                          expand,
                          direct,
                          ewald,
                          gravity_loops,
                          extent,
                          largest,
                          read_cloud};

}  // namespace multiwalk::MULTIWALK_ISA
