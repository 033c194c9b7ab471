// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/essential_trees/essential_trees.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

constexpr int target_tag = 1, count_tag = 2, node_tag = 3, particle_tag = 4;
constexpr double poll_interval = 50e-6;

/// Level of the largest cells that ranks complete. With many ranks, cells much larger than a domain stay in pieces:
/// they are as accurate, and would concern every rank.
int first_shared_level(int ranks, int far_from) {
  return ranks <= far_from ? 0 : std::max(0, static_cast<int>(std::log2(ranks) / 3) - 1);
}

}  // namespace

Cube EssentialTrees::cube(const Box& mine, double box_size) {
  box_ = comm_.all_gather(mine);
  if (box_size > 0) return periodic_cube(box_size);
  Box all;
  for (const Box& box : box_) all.include(box);
  return enclosing_cube(all);
}

Need EssentialTrees::need(int owner, int reader) const {
  const auto from = static_cast<std::size_t>(owner), to = static_cast<std::size_t>(reader);
  if (domains_[from].particles == 0 || domains_[to].boxes == 0) return Need::nothing;
  const Need need = need_of(domains_[to].target, domains_[from].root, box_[from], rules_);
  return need == Need::cell && comm_.size() <= far_from_ ? Need::tree : need;
}

bool EssentialTrees::near(int owner, int reader) const {
  return need(owner, reader) == Need::tree;
}

std::vector<bool> EssentialTrees::all_near(int reader) const {
  std::vector<bool> all(domains_.size());
  for (int r = 0; r < comm_.size(); ++r) all[static_cast<std::size_t>(r)] = r == reader || near(r, reader);
  return all;
}

void EssentialTrees::describe_domains(const LocalTree& local, const std::vector<TargetBox>& mine) {
  Domain domain;
  domain.particles = local.tree.position.size();
  domain.boxes = mine.size();
  if (domain.particles > 0) {
    domain.target = enclosing_target(mine);
    domain.root = essential_root(local, box_[static_cast<std::size_t>(comm_.rank())]);
  }
  domains_ = comm_.all_gather(domain);
}

void EssentialTrees::find_shared_cells(const LocalTree& local) {
  shared_.find(comm_, local, box_, first_shared_level(comm_.size(), far_from_));
  statistics_.cells_shared = shared_.size();
}

std::vector<std::vector<TargetBox>> EssentialTrees::exchange_targets(const std::vector<TargetBox>& mine) {
  std::vector<std::vector<TargetBox>> targets(domains_.size());
  std::vector<Transfer> transfers;
  for (int r = 0; r < comm_.size(); ++r) {
    if (r == comm_.rank()) continue;
    std::vector<TargetBox>& theirs = targets[static_cast<std::size_t>(r)];
    if (near(comm_.rank(), r)) {
      theirs.resize(domains_[static_cast<std::size_t>(r)].boxes);
      transfers.push_back(comm_.receive(std::span<TargetBox>(theirs), r, target_tag));
    }
    if (near(r, comm_.rank())) transfers.push_back(comm_.send(std::span<const TargetBox>(mine), r, target_tag));
  }
  for (Transfer& transfer : transfers) transfer.wait();
  return targets;
}

void EssentialTrees::expect_cuts() {
  std::vector<Incoming> former = std::exchange(incoming_, {});
  for (int r = 0; r < comm_.size(); ++r) {
    if (r == comm_.rank() || !near(r, comm_.rank())) continue;
    Incoming& in = incoming_.emplace_back();
    in.rank = r;
    const auto same = std::ranges::find(former, r, &Incoming::rank);
    if (same == former.end()) continue;
    // Reuse their memory.
    in.node.swap(same->node);
    in.particle.swap(same->particle);
  }
  for (Incoming& in : incoming_) in.header = comm_.receive(std::span<Counts>(&in.counts, 1), in.rank, count_tag);
}

void EssentialTrees::gather_far(const GravityOptions& options) {
  std::vector<FarCell> cells;
  for (int r = 0; r < comm_.size(); ++r) {
    const Need part = need(r, comm_.rank());
    if (r != comm_.rank() && part == Need::nothing) ++statistics_.ranks_beyond;
    if (r == comm_.rank() || part != Need::cell) continue;
    FarCell far{domains_[static_cast<std::size_t>(r)].root, box_[static_cast<std::size_t>(r)]};
    far.cell.count = 0;
    cells.push_back(far);
  }
  statistics_.ranks_far = cells.size();
  far_ = merge_far_cells(cells, cube_, options);
}

void EssentialTrees::send_cuts(const LocalTree& local, const std::vector<std::vector<TargetBox>>& targets) {
  outgoing_.resize(targets.size());
  // Each rank starts with the next one, so that not all ranks send to the same one at once.
  for (int step = 1; step < comm_.size(); ++step) {
    const int to = (comm_.rank() + step) % comm_.size();
    const std::vector<TargetBox>& boxes = targets[static_cast<std::size_t>(to)];
    if (boxes.empty()) continue;
    Outgoing& out = outgoing_[static_cast<std::size_t>(to)];
    shared_.show(local, all_near(to));
    cutter_.cut(local, boxes, out.cut);
    out.counts = {out.cut.node.size(), out.cut.particle.size()};
    out.transfers.clear();
    out.transfers.push_back(comm_.send(std::span<const Counts>(&out.counts, 1), to, count_tag));
    out.transfers.push_back(comm_.send(std::span<const EssentialNode>(out.cut.node), to, node_tag));
    out.transfers.push_back(comm_.send(std::span<const EssentialParticle>(out.cut.particle), to, particle_tag));
    statistics_.nodes_sent += out.cut.node.size();
    statistics_.particles_sent += out.cut.particle.size();
    statistics_.bytes_sent += out.cut.bytes();
    receive();
  }
}

std::span<const std::uint32_t> EssentialTrees::begin(const LocalTree& local) {
  statistics_ = {};
  cube_ = local.tree.cube;
  rules_ = {local.tree.cube, local.walks};
  arrived_ = given_ = false;
  began_ = wall_time();
  find_shared_cells(local);
  std::vector<TargetBox> mine = target_boxes(local, target_parts);
  if (!rules_.criterion.relative()) {
    // The errors of the relative criterion do not depend on the sizes of groups.
    for (const Box& box : shared_.widen_groups(local, box_)) mine.push_back({box, 0});
  }
  describe_domains(local, mine);
  expect_cuts();
  send_cuts(local, exchange_targets(mine));
  shared_.show(local, all_near(comm_.rank()));
  gather_far(local.walks.options);
  return shared_.changed();
}

/// Advances the exchange; true once every cut has arrived.
bool EssentialTrees::receive() {
  if (arrived_) return true;
  bool all = true;
  for (Incoming& in : incoming_) {
    if (in.data.empty()) {
      if (!in.header.done()) {
        all = false;
        continue;
      }
      in.node.clear();
      in.particle.clear();
      in.node.resize(in.counts.nodes);
      in.particle.resize(in.counts.particles);
      in.data.push_back(comm_.receive(std::span<EssentialNode>(in.node), in.rank, node_tag));
      in.data.push_back(comm_.receive(std::span<EssentialParticle>(in.particle), in.rank, particle_tag));
    }
    for (Transfer& transfer : in.data) all = transfer.done() && all;
  }
  if (all) {
    arrived_ = true;
    statistics_.in_flight = wall_time() - began_;
  }
  return all;
}

void EssentialTrees::progress() {
  const double now = wall_time();
  if (now - polled_ < poll_interval) return;
  polled_ = now;
  receive();
}

void EssentialTrees::assemble() {
  std::vector<EssentialForest::Tree> trees;
  statistics_.ranks_near = incoming_.size();
  for (const Incoming& in : incoming_) {
    trees.push_back({in.node, in.particle});
    statistics_.nodes_received += in.node.size();
    statistics_.particles_received += in.particle.size();
    statistics_.bytes_received +=
        in.node.size() * sizeof(EssentialNode) + in.particle.size() * sizeof(EssentialParticle);
  }
  if (!far_.empty()) trees.push_back({far_, {}});
  require(statistics_.nodes_received < UINT32_MAX / 2 && statistics_.particles_received < UINT32_MAX,
          "the essential trees of the other ranks have more than 2^31 nodes");
  forest_.assemble(trees, cube_, rules_.criterion, rules_.gravitational_constant);
}

const SourceTree* EssentialTrees::next() {
  if (given_) {
    for (Outgoing& out : outgoing_) {
      for (Transfer& transfer : out.transfers) transfer.wait();
    }
    return nullptr;
  }
  const double start = wall_time();
  PollBackoff patience;
  for (bool all = false; !all;) std::this_thread::sleep_for(patience.after([&] { all = receive(); }));
  statistics_.waited = wall_time() - start;
  given_ = true;
  if (incoming_.empty() && far_.empty()) return next();
  assemble();
  return &forest_.source();
}

}  // namespace multiwalk
