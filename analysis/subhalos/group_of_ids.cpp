// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/group_of_ids.hpp"

#include <atomic>
#include <bit>
#include <cstddef>

#include "analysis/sums/send_by_key.hpp"
#include "host/base/hash.hpp"

namespace multiwalk {

namespace {

struct Listed {
  std::uint64_t id, group;
};

/// The group of each id of a list: a hash table with open addressing, which several threads may fill and read.
class GroupTable {
 public:
  explicit GroupTable(std::span<const std::uint64_t> ids)
      : mask_(std::bit_ceil(2 * ids.size() + 1) - 1), slot_(mask_ + 1, Listed{no_group_name, no_group_name}) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < ids.size(); ++i) insert(ids[i]);
  }

  /// Ignores ids that are not in the list.
  void note(std::uint64_t id, std::uint64_t group) {
    Listed& found = slot_[place_of(id)];
    if (found.id == id) found.group = group;
  }
  [[nodiscard]] std::uint64_t group(std::uint64_t id) const {
    return slot_[place_of(id)].group;
  }

 private:
  void insert(std::uint64_t id) {
    for (std::size_t place = mix_bits(id) & mask_;; place = (place + 1) & mask_) {
      std::uint64_t there = no_group_name;
      if (std::atomic_ref(slot_[place].id).compare_exchange_strong(there, id) || there == id) return;
    }
  }

  /// The index of the slot with the id or, if the list lacks it, of an empty slot.
  [[nodiscard]] std::size_t place_of(std::uint64_t id) const {
    std::size_t place = mix_bits(id) & mask_;
    while (slot_[place].id != id && slot_[place].id != no_group_name) place = (place + 1) & mask_;
    return place;
  }

  std::size_t mask_;
  std::vector<Listed> slot_;
};

/// Calls act(id, group) for each member, on all threads.
template <class Act>
void for_members(const GroupMembers& members, std::span<const std::uint64_t> id, Act act) {
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t piece = 0; piece < members.size(); ++piece)
    for (const std::uint32_t i : members.of(piece)) act(id[i], members.group[piece]);
}

std::vector<std::uint64_t> look_up(const GroupTable& table, std::span<const std::uint64_t> asked) {
  std::vector<std::uint64_t> groups(asked.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < asked.size(); ++i) groups[i] = table.group(asked[i]);
  return groups;
}

}  // namespace

std::vector<std::uint64_t> groups_of_ids(const GroupMembers& members, std::span<const std::uint64_t> id,
                                         std::span<const std::uint64_t> asked, const Communicator& comm) {
  if (comm.alone()) {
    GroupTable table(asked);
    for_members(members, id, [&](std::uint64_t member, std::uint64_t group) { table.note(member, group); });
    return look_up(table, asked);
  }
  const KeyOrder order(asked, comm.size());
  const Received<std::uint64_t> questions =
      comm.exchange(std::span<const std::uint64_t>(order.sorted(asked)), std::span<const std::uint64_t>(order.count));
  GroupTable table(questions.data);
  std::vector<Listed> own;
  own.reserve(members.member.size());
  for (std::size_t piece = 0; piece < members.size(); ++piece)
    for (const std::uint32_t i : members.of(piece)) own.push_back({id[i], members.group[piece]});
  const std::vector<Listed> listed = send_by_key(
                                         std::span<const Listed>(own), [](const Listed& item) { return item.id; }, comm)
                                         .data;
  for (const Listed& item : listed) table.note(item.id, item.group);
  const std::vector<std::uint64_t> answers = look_up(table, questions.data);
  const std::vector<std::uint64_t> back =
      comm.exchange(std::span<const std::uint64_t>(answers), std::span<const std::uint64_t>(questions.count)).data;
  std::vector<std::uint64_t> result(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) result[i] = back[order.place[i]];
  return result;
}

}  // namespace multiwalk
