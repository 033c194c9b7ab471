// SPDX-License-Identifier: GPL-3.0-or-later
// The walk of one group by one warp: level by level as the host's (host/simd/isa_kernels.cpp), four families of eight
// children at a time, a child per thread. Lists hold the same entries in the same order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/walk/family_tests.hpp"

namespace multiwalk {

inline constexpr unsigned warp_lanes = 32;
inline constexpr unsigned all_lanes = ~0U;

/// One child of a family.
struct OneChild {
  using Ints = std::int32_t;
  using Floats = float;
  using Mask = bool;

  static __device__ Floats floats(Ints x) { return __int2float_rn(x); }
  static __device__ Ints difference(Ints a, Ints b) {
    return static_cast<Ints>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
  }
  static __device__ Floats magnitude(Floats x) { return fabsf(x); }
  static __device__ Floats square_root(Floats x) { return __fsqrt_rn(x); }
  static __device__ Floats sum_of_squares(Floats x, Floats y, Floats z) {
    return __fmaf_rn(z, z, __fmaf_rn(y, y, __fmul_rn(x, x)));
  }
};

/// The lists of a walk.
enum class WalkList : unsigned { families, leaves, far, near, expanded, none };

/// Where a warp keeps its lists while it walks, in device memory (warp_memory): each has `capacity` entries.
struct WarpLists {
  std::uint32_t* memory;
  std::uint32_t capacity;

  /// Place of a list's first entry in memory.
  [[nodiscard]] __device__ std::uint32_t begin(WalkList list) const { return static_cast<unsigned>(list) * capacity; }
  [[nodiscard]] __device__ const std::uint32_t* of(WalkList list) const { return memory + begin(list); }
};

/// All threads of a warp call its functions together.
class WarpWalk {
 public:
  __device__ WarpWalk(const WalkTree& tree, const WalkQuery& query, const WarpLists& lists)
      : tree_(tree), first_(query.first), end_(query.end), box_(tree, query), lists_(lists) {
    for (unsigned l = 0; l < list_count; ++l) end_of_[l] = lists.begin(static_cast<WalkList>(l));
  }

  /// Through the own tree, and from `roots` families of other ranks' roots. False: a list is too short.
  __device__ bool operator()(const std::uint32_t* root, std::uint32_t roots) {
    if (!visit_holders() || !visit_roots(root, roots)) return false;
    const std::uint32_t* families = lists_.of(WalkList::families);
    for (std::uint32_t done = 0; done < count(WalkList::families);) {
      if (full()) return false;
      __syncwarp();
      const std::uint32_t count = min(this->count(WalkList::families) - done, warp_lanes / 8);
      visit(lane() / 8 < count ? families[done + lane() / 8] : none, 0);
      done += count;
    }
    __syncwarp();
    return true;
  }

  /// Entries of a list.
  [[nodiscard]] __device__ std::uint32_t count(WalkList list) const {
    return end_of_[static_cast<unsigned>(list)] - lists_.begin(list);
  }

 private:
  static constexpr std::uint32_t none = ~0U;
  static constexpr unsigned list_count = static_cast<unsigned>(WalkList::none);

  /// The properties of a family that its children share, and this thread's bits of them.
  struct Family {
    float floor2, reach;
    std::uint32_t first;
    bool present, leaf, everywhere, unlisted;

    __device__ explicit Family(const WalkFamily& family) {
      static_assert(offsetof(WalkFamily, floor2) % sizeof(uint4) == 0 &&
                    offsetof(WalkFamily, unlisted) == offsetof(WalkFamily, floor2) + sizeof(uint4) - 1);
      const uint4 word = *reinterpret_cast<const uint4*>(&family.floor2);
      const unsigned child = lane() % 8;
      floor2 = __uint_as_float(word.x);
      reach = __uint_as_float(word.y);
      first = word.z;
      present = (word.w >> child & 1U) != 0;
      leaf = (word.w >> (8 + child) & 1U) != 0;
      everywhere = (word.w >> (16 + child) & 1U) != 0;
      unlisted = (word.w >> (24 + child) & 1U) != 0;
    }
  };

  __device__ static unsigned lane() { return threadIdx.x % warp_lanes; }

  [[nodiscard]] __device__ bool full() const {
    bool full = false;
#pragma unroll
    for (unsigned l = 0; l < list_count; ++l) full |= end_of_[l] > (l + 1) * lists_.capacity - warp_lanes;
    return full;
  }

  /// The root and the families from there down to the group: a cell that contains the group is opened at any distance.
  /// False: a list is too short.
  __device__ bool visit_holders() {
    for (std::uint32_t at = 0; at != none;) {
      if (full()) return false;
      const unsigned held = end_ > first_ ? holder_bit(tree_.family[at]) : 0;
      visit(lane() < 8 ? at : none, held);
      const WalkFamily& family = tree_.family[at];
      const unsigned inner = held & ~unsigned{family.leaves};
      at = inner != 0 ? family.below[__ffs(inner) - 1] : none;
    }
    return true;
  }

  /// False: a list is too short.
  __device__ bool visit_roots(const std::uint32_t* root, std::uint32_t roots) {
    constexpr std::uint32_t at_once = warp_lanes / 8;
    for (std::uint32_t done = 0; done < roots; done += at_once) {
      if (full()) return false;
      const std::uint32_t mine = done + lane() / 8;
      visit(mine < roots ? root[mine] : none, 0);
    }
    return true;
  }

  /// Bit of the child that holds the group, or none.
  [[nodiscard]] __device__ unsigned holder_bit(const WalkFamily& family) const {
    bool holds = false;
    if (lane() < 8 && (family.present >> lane() & 1) != 0) {
      const Node& child = tree_.node[family.first + lane()];
      const std::uint32_t first = child.first, count = child.count;
      holds = first <= first_ && end_ <= first + count;
    }
    return __ballot_sync(all_lanes, holds);
  }

  /// Each eight threads visit a family, or `none`. `held`: bit of a child that the caller opens, if it is not a leaf.
  __device__ void visit(std::uint32_t number, unsigned held) {
    WalkList list = WalkList::none;
    std::uint32_t value = 0;
    if (number != none) {
      const WalkFamily& record = tree_.family[number];
      const unsigned c = lane() % 8;
      const Family family(record);
      const TestedChildren<OneChild> child{record.x[c],    record.y[c],   record.z[c],
                                           record.far2[c], family.floor2, family.reach};
      const std::uint32_t below = record.below[c];
      const bool mine = (held >> c & 1U) != 0;
      const float r2 = distance2(child, box_), reach = box_.cutoff + family.reach;
      const bool accepted = family.present && !mine && (family.everywhere || is_accepted(child, box_, r2));
      const bool opened = family.present && !accepted && r2 <= reach * reach;
      const bool used = accepted && !family.unlisted && r2 <= box_.cutoff * box_.cutoff;
      if (opened && family.leaf) list = WalkList::leaves;
      if (opened && !family.leaf && !mine) list = WalkList::families;
      if (used) list = r2 > box_.beyond2 ? WalkList::far : WalkList::near;
      if (used && box_.order > 0 && is_expanded(child, r2, family.everywhere)) list = WalkList::expanded;
      value = list == WalkList::families ? below : family.first + c;
    }
    append(list, value);
  }

  [[nodiscard]] __device__ bool is_expanded(const TestedChildren<OneChild>& child, float r2, bool everywhere) const {
    const ExpansionTest<OneChild> test(child, box_);
    if (!box_.relative) return test.below_limit();
    return test.below_limit(everywhere ? r2 : child.far2 * box_.scale);
  }

  /// Adds each thread's value to the end of its list, in the order of threads.
  __device__ void append(WalkList list, std::uint32_t value) {
    std::uint32_t end = 0;
    unsigned same = 0;
#pragma unroll
    for (unsigned l = 0; l < list_count; ++l) {
      const bool mine = static_cast<unsigned>(list) == l;
      const unsigned lanes = __ballot_sync(all_lanes, mine);
      if (mine) {
        end = end_of_[l];
        same = lanes;
      }
      end_of_[l] += __popc(lanes);
    }
    if (list != WalkList::none) lists_.memory[end + __popc(same & ((1U << lane()) - 1))] = value;
  }

  const WalkTree& tree_;
  std::uint32_t first_, end_;
  const FamilyQuery<OneChild> box_;
  const WarpLists lists_;
  std::uint32_t end_of_[list_count];  ///< place in the warp's memory where each list ends
};

}  // namespace multiwalk
