// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/essential_trees/virtual_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "host/base/phase_timer.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

namespace {

/// A figure per rank, from the drawn ranks.
SampledFigure sampled(const std::vector<double>& values, int ranks) {
  SampledFigure figure;
  const auto n = static_cast<double>(values.size());
  if (values.empty()) return figure;
  for (const double v : values) {
    figure.mean += v / n;
    figure.most = std::max(figure.most, v);
  }
  if (values.size() < 2) return figure;
  double variance = 0;
  for (const double v : values) variance += (v - figure.mean) * (v - figure.mean) / (n - 1);
  figure.error = std::sqrt(variance / n * (1 - n / ranks));
  return figure;
}

}  // namespace

/// A rank's tree at the beginning of its exchange.
struct VirtualRanks::Domain {
  ParticleStore store;
  Octree tree;
  std::vector<float> radius;
  std::vector<Group> groups;
  std::vector<double> smallest;
  VirtualShare share;
  SharedCells shared;

  [[nodiscard]] LocalTree local(const WalkSettings& walks) {
    return {walks, tree.view(), tree.multipole(), radius, groups, smallest};
  }
};

/// The facts that all ranks know about one rank, and its target boxes.
struct VirtualRanks::Known {
  std::vector<TargetBox> targets;
  TargetBox target;
  EssentialNode root;
  Box box;

  [[nodiscard]] bool empty() const { return targets.empty(); }
};

/// The data that one rank sends.
struct VirtualRanks::Sent {
  double nodes = 0, particles = 0, bytes = 0, readers = 0;
  double early_bytes = 0, early_messages = 0;
  double cutting = 0;
};

VirtualRanks::VirtualRanks(const ParticleStore& particles, const Cube& cube, int ranks, const VirtualOptions& options)
    : particles_(particles),
      cube_(cube),
      options_(options),
      rules_(cube, options.walks),
      map_(multisection({}, ranks, particles.position, particles.work, options.sections, nullptr)),
      work_(static_cast<std::size_t>(ranks)) {
  const std::size_t n = particles.size();
  std::vector<int> owner(n);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) owner[i] = map_.rank_of(particles.position[i]);
  ranked_.first.assign(static_cast<std::size_t>(ranks) + 1, 0);
  ranked_.box.resize(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = static_cast<std::size_t>(owner[i]);
    ++ranked_.first[r + 1];
    ranked_.box[r].include(particles.position[i]);
    work_[r] += static_cast<double>(particles.work[i]);
  }
  std::partial_sum(ranked_.first.begin(), ranked_.first.end(), ranked_.first.begin());
  ranked_.index.resize(n);
  ranked_.key.resize(n);
  std::vector<std::size_t> place(ranked_.first.begin(), ranked_.first.end() - 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = place[static_cast<std::size_t>(owner[i])]++;
    ranked_.index[k] = static_cast<std::uint32_t>(i);
    ranked_.key[k] = particles.key[i];
  }
}

std::uint64_t VirtualRanks::particles_of(int rank) const {
  const auto r = static_cast<std::size_t>(rank);
  return ranked_.first[r + 1] - ranked_.first[r];
}

ParticleStore VirtualRanks::store_of(int rank) const {
  const std::size_t first = ranked_.first[static_cast<std::size_t>(rank)];
  ParticleStore store;
  store.resize(particles_of(rank));
  for (std::size_t k = 0; k < store.size(); ++k) {
    const std::size_t i = ranked_.index[first + k];
    store.position[k] = particles_.position[i];
    store.mass[k] = particles_.mass[i];
    store.id[k] = particles_.id[i];
    store.acceleration[k] = particles_.acceleration[i];
    store.work[k] = particles_.work[i];
    store.key[k] = particles_.key[i];
  }
  return store;
}

std::vector<int> VirtualRanks::draw(int count) const {
  std::vector<int> all(static_cast<std::size_t>(ranks())), drawn;
  std::iota(all.begin(), all.end(), 0);
  if (count >= ranks()) return all;
  std::mt19937_64 random(options_.seed);
  for (int k = 0; k < count; ++k) {
    const std::size_t left = all.size() - static_cast<std::size_t>(k);
    std::swap(all[static_cast<std::size_t>(k)], all[static_cast<std::size_t>(k) + random() % left]);
  }
  drawn.assign(all.begin(), all.begin() + count);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

void VirtualRanks::build(int rank, const VirtualCells& cells, Domain& domain) const {
  const GravityOptions& force = options_.walks.options;
  domain.store = store_of(rank);
  build_octree(domain.store, cube_, {force.leaf_size}, domain.tree);
  const TreeView tree = domain.tree.view();
  domain.groups = make_groups(tree, force.most_in_group(force.group_size));
  domain.smallest.clear();
  if (force.relative()) {
    domain.smallest = smallest_accelerations(tree, domain.groups, domain.store.acceleration, options_.walks.background);
  }
  if (cube_.periodic) {
    const auto position = [&](std::uint32_t place) { return domain.store.position[place]; };
    JudgedGroups cut = split_wide_groups(domain.groups, domain.smallest, largest_periodic_cell * cube_.side, position);
    if (!cut.groups.empty()) {
      domain.groups.swap(cut.groups);
      domain.smallest.swap(cut.smallest);
    }
  }
  make_opening_radii(tree, force, domain.radius);
  domain.share = cells.of(rank, tree);
  domain.shared.take(rank, domain.local(options_.walks), domain.share.matches,
                     first_shared_level(ranks(), options_.far_from));
}

std::vector<VirtualRanks::Known> VirtualRanks::known(const VirtualCells& cells) const {
  std::vector<Known> all(static_cast<std::size_t>(ranks()));
#pragma omp parallel
  {
    Domain domain;
#pragma omp for schedule(dynamic, 1)
    for (int r = 0; r < ranks(); ++r) {
      if (particles_of(r) == 0) continue;
      build(r, cells, domain);
      const LocalTree local = domain.local(options_.walks);
      Known& known = all[static_cast<std::size_t>(r)];
      known.targets = target_boxes(local, target_parts);
      if (!options_.walks.options.relative()) {
        for (const Box& box : domain.shared.widen_groups(local, ranked_.box)) known.targets.push_back({box, 0});
      }
      known.target = enclosing_target(known.targets);
      known.box = ranked_.box[static_cast<std::size_t>(r)];
      known.root = essential_root(local, known.box);
    }
  }
  return all;
}

bool VirtualRanks::near(const Known& owner, const Known& reader) const {
  if (owner.empty() || reader.empty()) return false;
  const Need need = need_of(reader.target, owner.root, owner.box, rules_);
  return need == Need::tree || (need == Need::cell && ranks() <= options_.far_from);
}

VirtualRanks::Sent VirtualRanks::send(int owner, const VirtualCells& cells, const std::vector<Known>& known) const {
  Sent sent;
  const Known& mine = known[static_cast<std::size_t>(owner)];
  if (mine.empty()) return sent;
  Domain domain;
  build(owner, cells, domain);
  sent.early_bytes = static_cast<double>(domain.share.pieces_sent * shared_piece_bytes);
  sent.early_messages = static_cast<double>(domain.share.messages);
  std::vector<int> sharers;
  for (const CellMatch& match : domain.share.matches) sharers.push_back(match.rank);
  std::sort(sharers.begin(), sharers.end());
  sharers.erase(std::unique(sharers.begin(), sharers.end()), sharers.end());
  const LocalTree local = domain.local(options_.walks);
  std::vector<bool> near_reader(known.size());
  for (int r = 0; r < ranks(); ++r) {
    const Known& reader = known[static_cast<std::size_t>(r)];
    if (r == owner) continue;
    if (near(reader, mine)) {
      sent.early_bytes += static_cast<double>(mine.targets.size() * sizeof(TargetBox));
      sent.early_messages += 1;
    }
    if (!near(mine, reader)) continue;
    for (const int s : sharers) {
      near_reader[static_cast<std::size_t>(s)] = s == r || near(known[static_cast<std::size_t>(s)], reader);
    }
    near_reader[static_cast<std::size_t>(owner)] = true;
    const double start = wall_time();
    domain.shared.show(local, near_reader);
    const EssentialCut cut = cut_essential_tree(local, reader.targets);
    sent.cutting += wall_time() - start;
    sent.readers += 1;
    sent.nodes += static_cast<double>(cut.node.size());
    sent.particles += static_cast<double>(cut.particle.size());
    sent.bytes += static_cast<double>(cut.bytes());
  }
  return sent;
}

VirtualExchange VirtualRanks::exchange() const {
  const VirtualCells cells(ranked_, particles_.position, particles_.mass, cube_, options_.walks.options.leaf_size,
                           first_shared_level(ranks(), options_.far_from));
  const std::vector<Known> all = known(cells);
  const std::vector<int> owners = draw(options_.owners);
  std::vector<Sent> sent(owners.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t k = 0; k < owners.size(); ++k) sent[k] = send(owners[k], cells, all);
  const auto figure = [&](double Sent::*which) {
    std::vector<double> values;
    for (const Sent& s : sent) values.push_back(s.*which);
    return sampled(values, ranks());
  };
  VirtualExchange exchange;
  exchange.sampled = static_cast<int>(owners.size());
  exchange.nodes = figure(&Sent::nodes);
  exchange.particles = figure(&Sent::particles);
  exchange.bytes = figure(&Sent::bytes);
  exchange.readers = figure(&Sent::readers);
  exchange.early_bytes = figure(&Sent::early_bytes);
  exchange.early_messages = figure(&Sent::early_messages);
  exchange.cutting = figure(&Sent::cutting).mean;
  const double gathered = sizeof(Box) + sizeof(TargetBox) + sizeof(EssentialNode) + 3 * sizeof(std::uint64_t);
  exchange.gathered_bytes = gathered * (ranks() - 1);
  return exchange;
}

}  // namespace multiwalk
