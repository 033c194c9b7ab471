// Walks and pair sums for the instruction set this file is compiled for. Nothing here may instantiate a shared template
// out of line: another object's copy could be linked in its place.
#include "host/force/simd/simd_kernels.hpp"
#include "host/force/simd/simd_vector.hpp"
#include "host/tree/sfc_key.hpp"

#define MULTIWALK_STRING(x) #x
#define MULTIWALK_NAME(x) MULTIWALK_STRING(x)

namespace multiwalk::MULTIWALK_ISA {

namespace {

/// A family (the children of one node) still to be tested; `holds` if their parent contains the group.
struct Family {
  std::uint32_t first;
  std::uint16_t count;
  bool holds;
};

MULTIWALK_HOST_DEVICE DoubleLanes lanes_from(const double* p) {
  DoubleLanes v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

MULTIWALK_HOST_DEVICE DoubleLanes outside(DoubleLanes x, double centre, double half) {
  const DoubleLanes d = x - centre;
  const DoubleLanes beyond = (d < 0.0 ? -d : d) - half;
  return beyond > 0.0 ? beyond : DoubleLanes{};
}

/// Bits of eight nodes: accepted, and not to be listed when they are.
struct FamilyBits {
  unsigned accepted, unlisted;
};

/// Of the nodes first..first+7: accepted if the centre of mass lies beyond the opening radius from the group's box.
MULTIWALK_HOST_DEVICE FamilyBits test_family(const WalkNodesView& nodes, const WalkQuery& q, std::uint32_t first) {
  const DoubleLanes dx = outside(lanes_from(nodes.x + first), q.centre.x, q.half_size.x);
  const DoubleLanes dy = outside(lanes_from(nodes.y + first), q.centre.y, q.half_size.y);
  const DoubleLanes dz = outside(lanes_from(nodes.z + first), q.centre.z, q.half_size.z);
  const DoubleLanes d2 = dx * dx + dy * dy + dz * dz;
  const DoubleLanes signed_radius2 = lanes_from(nodes.radius2 + first);
  DoubleLanes radius2 = signed_radius2 < 0.0 ? -signed_radius2 : signed_radius2;
  if (nodes.strength != nullptr) {
    const DoubleLanes relative = lanes_from(nodes.strength + first) * q.scale;
    radius2 = relative > radius2 ? relative : radius2;
  }
  return {lane_bits(d2 > radius2), lane_bits(signed_radius2 < 0.0)};
}

unsigned holding_bits(const Node* node, std::uint32_t count, const WalkQuery& q) {
  unsigned bits = 0;
  for (std::uint32_t c = 0; c < count; ++c) {
    if (node[c].first <= q.first && q.end <= node[c].first + node[c].count) bits |= 1U << c;
  }
  return bits;
}

void add_range(ListBuffer& list, const Node& leaf) {
  list.source_count += leaf.count;
  if (list.range_count > 0) {
    ParticleRange& last = list.ranges[list.range_count - 1];
    if (last.first + last.count == leaf.first) {
      last.count += leaf.count;
      return;
    }
  }
  list.ranges[list.range_count++] = {leaf.first, leaf.count};
}

bool walk(const WalkNodesView& nodes, const WalkQuery& query, ListBuffer& list) {
  Family stack[8 * (key_levels + 2)];
  int depth = 0;
  stack[depth++] = {0, 1, query.end > query.first};
  while (depth > 0) {
    const Family family = stack[--depth];
    if (list.cell_count + 8 > list.cell_capacity || list.range_count + 8 > list.range_capacity) return false;
    const Node* node = nodes.node + family.first;
    const unsigned all = (1U << family.count) - 1;
    const FamilyBits tested = test_family(nodes, query, family.first);
    unsigned accepted = tested.accepted & all;
    const unsigned holds = family.holds ? holding_bits(node, family.count, query) : 0;
    accepted &= ~holds;
    for (unsigned bits = accepted & ~tested.unlisted; bits != 0; bits &= bits - 1) {
      list.cells[list.cell_count++] = family.first + static_cast<unsigned>(__builtin_ctz(bits));
    }
    for (unsigned bits = all & ~accepted; bits != 0; bits &= bits - 1) {
      const int c = __builtin_ctz(bits);
      if (node[c].leaf()) {
        add_range(list, node[c]);
      } else {
        stack[depth++] = {node[c].first_child, node[c].child_count, (holds >> c & 1U) != 0};
      }
    }
  }
  return true;
}

std::size_t padded(std::size_t n) {
  return (n + width - 1) / width * width;
}

void pack_particles(const TreeView& sources, const Walk& walk, const ParticleRange* ranges, PackedSources& packed) {
  const Vec3d* position = sources.position.data();
  const float* mass = sources.mass.data();
  std::size_t n = 0;
  for (std::uint32_t r = 0; r < walk.range_count; ++r) {
    const Vec3d* p = position + ranges[r].first;
    const float* m = mass + ranges[r].first;
    for (std::uint32_t i = 0; i < ranges[r].count; ++i, ++n) {
      packed.particle[0][n] = static_cast<float>(p[i].x - walk.centre.x);
      packed.particle[1][n] = static_cast<float>(p[i].y - walk.centre.y);
      packed.particle[2][n] = static_cast<float>(p[i].z - walk.centre.z);
      packed.particle[3][n] = m[i];
    }
  }
  packed.particles = padded(n);
  for (; n < packed.particles; ++n) {
    packed.particle[0][n] = packed.particle[1][n] = packed.particle[2][n] = 1e10F;
    packed.particle[3][n] = 0;
  }
}

void pack_cells(const TreeView& sources, const Walk& walk, const std::uint32_t* cells, bool quadrupole,
                PackedSources& packed) {
  const Multipole* multipole = sources.multipole.data();
  constexpr std::uint32_t ahead = 12;
  for (std::uint32_t n = 0; n < walk.cell_count; ++n) {
    if (n + ahead < walk.cell_count) __builtin_prefetch(multipole + cells[n + ahead]);
    const Multipole& m = multipole[cells[n]];
    packed.cell[0][n] = static_cast<float>(m.centre_of_mass.x - walk.centre.x);
    packed.cell[1][n] = static_cast<float>(m.centre_of_mass.y - walk.centre.y);
    packed.cell[2][n] = static_cast<float>(m.centre_of_mass.z - walk.centre.z);
    packed.cell[3][n] = m.mass;
    if (!quadrupole) continue;
    packed.cell[4][n] = m.xx;
    packed.cell[5][n] = m.xy;
    packed.cell[6][n] = m.xz;
    packed.cell[7][n] = m.yy;
    packed.cell[8][n] = m.yz;
    packed.cell[9][n] = m.zz;
  }
  packed.cells = padded(walk.cell_count);
  for (std::size_t n = walk.cell_count; n < packed.cells; ++n) {
    for (int k = 0; k < 3; ++k) packed.cell[k][n] = 1e10F;
    for (int k = 3; k < (quadrupole ? 10 : 4); ++k) packed.cell[k][n] = 0;
  }
}

void pack(const TreeView& sources, const Walk& walk, const std::uint32_t* cells, const ParticleRange* ranges,
          bool quadrupole, PackedSources& packed) {
  pack_particles(sources, walk, ranges, packed);
  pack_cells(sources, walk, cells, quadrupole, packed);
}

/// Sources summed in single precision before the sums go to double.
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

template <int targets, bool softened>
void evaluate_particles(const PackedSources& s, Tile<targets>& tile, Packed softening2, ForceSum<double>* sums) {
  for (std::size_t begin = 0; begin < s.particles; begin += chunk) {
    const std::size_t end = begin + chunk < s.particles ? begin + chunk : s.particles;
    for (std::size_t j = begin; j < end; j += width) {
      const Packed x = load(s.particle[0] + j), y = load(s.particle[1] + j), z = load(s.particle[2] + j);
      const Packed mass = load(s.particle[3] + j);
      for (int t = 0; t < targets; ++t) {
        accumulate_monopole<softened>(tile.to(t, x, y, z), mass, softening2, tile.sum[t]);
      }
    }
    tile.flush(sums);
  }
}

template <int targets, bool softened, bool quadrupole>
void evaluate_cells(const PackedSources& s, Tile<targets>& tile, Packed softening2, ForceSum<double>* sums) {
  for (std::size_t begin = 0; begin < s.cells; begin += chunk) {
    const std::size_t end = begin + chunk < s.cells ? begin + chunk : s.cells;
    for (std::size_t j = begin; j < end; j += width) {
      const Packed x = load(s.cell[0] + j), y = load(s.cell[1] + j), z = load(s.cell[2] + j);
      const Packed mass = load(s.cell[3] + j);
      if constexpr (quadrupole) {
        const SecondMoment<Packed> second{load(s.cell[4] + j), load(s.cell[5] + j), load(s.cell[6] + j),
                                          load(s.cell[7] + j), load(s.cell[8] + j), load(s.cell[9] + j)};
        for (int t = 0; t < targets; ++t) {
          accumulate_quadrupole<softened>(tile.to(t, x, y, z), mass, second, softening2, tile.sum[t]);
        }
      } else {
        for (int t = 0; t < targets; ++t) {
          accumulate_monopole<softened>(tile.to(t, x, y, z), mass, softening2, tile.sum[t]);
        }
      }
    }
    tile.flush(sums);
  }
}

template <int targets, bool softened>
void evaluate_tile(const PackedSources& s, const Vec3d* target, Vec3d centre, float softening2, bool quadrupole,
                   ForceSum<double>* sums) {
  Tile<targets> tile(target, centre);
  const Packed eps2(softening2);
  evaluate_particles<targets, softened>(s, tile, eps2, sums);
  if (quadrupole) {
    evaluate_cells<targets, softened, true>(s, tile, eps2, sums);
  } else {
    evaluate_cells<targets, softened, false>(s, tile, eps2, sums);
  }
}

template <bool softened>
void evaluate_all(const PackedSources& s, const Vec3d* target, std::size_t targets, Vec3d centre, float softening2,
                  bool quadrupole, ForceSum<double>* sums) {
  std::size_t t = 0;
  for (; t + targets_at_once <= targets; t += targets_at_once) {
    evaluate_tile<targets_at_once, softened>(s, target + t, centre, softening2, quadrupole, sums + t);
  }
  for (; t < targets; ++t) evaluate_tile<1, softened>(s, target + t, centre, softening2, quadrupole, sums + t);
}

void evaluate(const PackedSources& packed, const Vec3d* target, std::size_t targets, Vec3d centre, float softening2,
              bool quadrupole, ForceSum<double>* sums) {
  for (std::size_t t = 0; t < targets; ++t) sums[t] = {};
  if (is_softened(static_cast<double>(softening2))) {
    evaluate_all<true>(packed, target, targets, centre, softening2, quadrupole, sums);
  } else {
    evaluate_all<false>(packed, target, targets, centre, softening2, quadrupole, sums);
  }
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
const SimdKernels kernels{MULTIWALK_NAME(MULTIWALK_ISA), width, walk, pack, evaluate, direct};

}  // namespace multiwalk::MULTIWALK_ISA
