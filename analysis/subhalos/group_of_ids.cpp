// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/group_of_ids.hpp"

#include <algorithm>
#include <cstddef>

#include "analysis/sums/sample_sort.hpp"
#include "analysis/sums/send_by_key.hpp"

namespace multiwalk {

namespace {

struct Listed {
  std::uint64_t id, group;
};

}  // namespace

std::vector<std::uint64_t> groups_of_ids(const GroupMembers& members, std::span<const std::uint64_t> id,
                                         std::span<const std::uint64_t> asked, const Communicator& comm) {
  std::vector<Listed> own;
  own.reserve(members.member.size());
  for (std::size_t piece = 0; piece < members.size(); ++piece)
    for (const std::uint32_t i : members.of(piece)) own.push_back({id[i], members.group[piece]});
  std::vector<Listed> listed = send_by_key(
                                   std::span<const Listed>(own), [](const Listed& item) { return item.id; }, comm)
                                   .data;
  own = {};
  sort_parallel(listed, [](const Listed& a, const Listed& b) { return a.id < b.id; });
  const KeyOrder order(asked, comm.size());
  const Received<std::uint64_t> questions =
      comm.exchange(std::span<const std::uint64_t>(order.sorted(asked)), std::span<const std::uint64_t>(order.count));
  std::vector<std::uint64_t> answers;
  for (const std::uint64_t question : questions.data) {
    const auto found = std::ranges::lower_bound(listed, question, {}, &Listed::id);
    answers.push_back(found != listed.end() && found->id == question ? found->group : no_group_name);
  }
  const std::vector<std::uint64_t> back =
      comm.exchange(std::span<const std::uint64_t>(answers), std::span<const std::uint64_t>(questions.count)).data;
  std::vector<std::uint64_t> result(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) result[i] = back[order.place[i]];
  return result;
}

}  // namespace multiwalk
