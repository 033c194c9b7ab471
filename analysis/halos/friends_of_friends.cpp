// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/friends_of_friends.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "analysis/halos/point_links.hpp"
#include "decomposition/domains/domain_search.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/parallel_arrays.hpp"

namespace multiwalk {

namespace {

/// The particles that this rank sends to the ranks above it: the higher rank sees every pair of friends on two ranks.
struct Skin {
  std::vector<std::uint32_t> index;  ///< own particles, by receiving rank
  std::vector<std::uint64_t> count;  ///< (ranks)
};

Box cube_about(Vec3d x, double half) {
  return {x - Vec3d{half, half, half}, x + Vec3d{half, half, half}};
}

Skin find_skin(std::span<const Vec3d> position, const DomainMap& domains, const FriendsOptions& options,
               const Communicator& comm) {
  const double reach = options.linking_length * (1 + 1e-9);
  Box own = domains.box(comm.rank());
  for (int axis = 0; options.period > 0 && axis < 3; ++axis) {
    own.lo[axis] = std::max(own.lo[axis], 0.0);
    own.hi[axis] = std::min(own.hi[axis], options.period);
  }
  const auto reaches_out = [&](std::size_t i) {
    const Box cube = cube_about(position[i], reach);
    return !own.contains(cube.lo) || !own.contains(cube.hi);
  };
  std::vector<std::uint32_t> near_faces;
  select_in_order(
      position.size(), reaches_out, [&](std::size_t count) { near_faces.resize(count); },
      [&](std::size_t place, std::size_t i) { near_faces[place] = static_cast<std::uint32_t>(i); });
  std::vector<std::vector<std::uint32_t>> shown(static_cast<std::size_t>(comm.size()));
  std::vector<int> ranks;
  for (const std::uint32_t i : near_faces) {
    find_ranks_meeting(domains, cube_about(position[i], reach), options.period, ranks);
    for (const int rank : ranks)
      if (rank > comm.rank()) shown[static_cast<std::size_t>(rank)].push_back(i);
  }
  Skin skin;
  for (const std::vector<std::uint32_t>& to : shown) {
    skin.index.insert(skin.index.end(), to.begin(), to.end());
    skin.count.push_back(to.size());
  }
  return skin;
}

/// Makes the labels of the skin's particles and of their copies equal over ranks.
class LabelExchange {
 public:
  LabelExchange(const Skin& skin, std::vector<std::uint64_t> copies, std::size_t own, const Communicator& comm)
      : skin_(skin), copies_(std::move(copies)), own_(own), comm_(comm) {}

  /// One exchange in both directions; true if a label of any rank decreased. `piece`: (own and copies) root of each;
  /// `label`: of roots.
  bool advance(std::span<const std::uint32_t> piece, std::span<std::uint64_t> label) const {
    bool fell = false;
    const auto lower = [&](std::size_t point, std::uint64_t value) {
      std::uint64_t& mine = label[piece[point]];
      fell = fell || value < mine;
      mine = std::min(mine, value);
    };
    std::vector<std::uint64_t> values(skin_.index.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = label[piece[skin_.index[k]]];
    const std::vector<std::uint64_t> shown = exchange(values, skin_.count);
    for (std::size_t k = 0; k < shown.size(); ++k) lower(own_ + k, shown[k]);
    values.resize(shown.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = label[piece[own_ + k]];
    const std::vector<std::uint64_t> back = exchange(values, copies_);
    for (std::size_t k = 0; k < back.size(); ++k) lower(skin_.index[k], back[k]);
    return comm_.any(fell);
  }

 private:
  [[nodiscard]] std::vector<std::uint64_t> exchange(const std::vector<std::uint64_t>& values,
                                                    const std::vector<std::uint64_t>& count) const {
    return comm_.exchange(std::span<const std::uint64_t>(values), std::span<const std::uint64_t>(count)).data;
  }

  const Skin& skin_;
  std::vector<std::uint64_t> copies_;  ///< (ranks) copies from each
  std::size_t own_;
  const Communicator& comm_;
};

/// The pieces of own particles that the skin's particles and the copies belong to.
std::vector<std::uint32_t> find_cut_pieces(const Skin& skin, std::span<const std::uint32_t> piece, std::size_t own) {
  std::vector<std::uint32_t> cut;
  for (const std::uint32_t i : skin.index) cut.push_back(piece[i]);
  for (const std::uint32_t p : piece.subspan(own))
    if (p < own) cut.push_back(p);
  std::ranges::sort(cut);
  cut.erase(std::unique(cut.begin(), cut.end()), cut.end());
  return cut;
}

/// Own positions, then those of the copies.
LargeArray<Vec3d> joined(std::span<const Vec3d> own, std::span<const Vec3d> copies) {
  LargeArray<Vec3d> all(own.size() + copies.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < own.size(); ++i) all[i] = own[i];
  std::ranges::copy(copies, all.begin() + static_cast<std::ptrdiff_t>(own.size()));
  return all;
}

}  // namespace

FriendGroups friends_of_friends(std::span<const Vec3d> position, std::span<const std::uint64_t> id,
                                const DomainMap& domains, const FriendsOptions& options, const Communicator& comm) {
  require(domains.ranks() == comm.size() && id.size() == position.size(), "friends_of_friends: domains or ids");
  const std::size_t own = position.size();
  Skin skin;
  Received<Vec3d> copies;
  LargeArray<Vec3d> own_and_copies;
  if (!comm.alone()) {
    skin = find_skin(position, domains, options, comm);
    std::vector<Vec3d> shown;
    for (const std::uint32_t i : skin.index) shown.push_back(position[i]);
    copies = comm.exchange(std::span<const Vec3d>(shown), std::span(skin.count));
    own_and_copies = joined(position, copies.data);
  }
  const std::span<const Vec3d> point = comm.alone() ? position : std::span<const Vec3d>(own_and_copies);
  FriendGroups groups;
  groups.piece = collectively(comm, [&] {
    require(point.size() < std::numeric_limits<std::uint32_t>::max(), "friends_of_friends: over 2^32 particles a rank");
    return link_points(point, options.linking_length, options.period);
  });
  groups.name.resize(point.size());
  fill_parallel(std::span(groups.name), std::numeric_limits<std::uint64_t>::max());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < own; ++i) lower_atomically(groups.name[groups.piece[i]], id[i]);
  if (!comm.alone()) {
    groups.cut = find_cut_pieces(skin, groups.piece, own);
    const LabelExchange exchange(skin, std::move(copies.count), own, comm);
    while (exchange.advance(groups.piece, groups.name)) {
    }
    groups.piece.resize(own);
    groups.name.resize(own);
  }
  return groups;
}

}  // namespace multiwalk
