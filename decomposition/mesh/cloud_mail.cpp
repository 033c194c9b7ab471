// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/mesh/cloud_mail.hpp"

namespace multiwalk {

namespace {

/// The part that each of the mesh's indices belongs to.
std::vector<int> parts_of(std::uint32_t cells, int parts) {
  std::vector<int> part_of_index(cells);
  for (int part = 0; part < parts; ++part) {
    const IndexRange range = part_of(cells, part, parts);
    std::fill_n(part_of_index.begin() + range.first, range.count, part);
  }
  return part_of_index;
}

}  // namespace

CloudOwners::CloudOwners(const PencilMesh& mesh)
    : cells_(mesh.cells()),
      columns_(mesh.grid().columns),
      row_(parts_of(cells_, mesh.grid().rows)),
      column_(parts_of(cells_, mesh.grid().columns)) {}

void CloudMail::choose_rounds(const Communicator& comm, std::uint64_t in_flight) {
  std::vector<std::uint64_t> coming(ranks());
  for (std::size_t r = 0; r < ranks(); ++r) coming[r] = particles_[r].size();
  comm.sum(std::span(coming));
  const std::uint64_t most = std::max<std::uint64_t>(*std::ranges::max_element(coming), particles_.item.size());
  rounds_ = comm.max(most) / in_flight + 1;
}

CloudRound::CloudRound(const CloudMail& mail, const CloudMaker& cloud, std::uint64_t round, const Communicator& comm)
    : mail_(mail), round_(round) {
  std::vector<std::uint64_t> counts;
  LargeArray<Cloud> sent;
  for (std::size_t r = 0; r < mail.ranks(); ++r) {
    const auto part = mail.part(r, round);
    const std::size_t before = sent.size();
    counts.push_back(part.size());
    sent.resize(before + part.size());
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < part.size(); ++i) sent[before + i] = cloud(part[i]);
  }
  if (mail.ranks() == 1) {
    own_ = std::move(sent);
  } else {
    received_ = comm.exchange(std::span<const Cloud>(sent), std::span<const std::uint64_t>(counts));
  }
}

}  // namespace multiwalk
