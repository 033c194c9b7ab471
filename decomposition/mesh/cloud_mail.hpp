// SPDX-License-Identifier: GPL-3.0-or-later
// Sends clouds to the ranks that hold the mesh points they touch, and returns answers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/mesh/cloud.hpp"
#include "decomposition/mesh/pencil_mesh.hpp"
#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/buckets.hpp"
#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// The ranks that hold the mesh points of a cloud.
class CloudOwners {
 public:
  explicit CloudOwners(const PencilMesh& mesh);
  /// Calls act(rank) once for each owner, in rising order along each axis from the cloud's first point.
  template <int order, class Act>
  void for_each(const Cloud& cloud, Act act) const {
    const auto rows = distinct(row_, touched(cloud_shares<order>(cloud.place.x), cells_));
    const auto columns = distinct(column_, touched(cloud_shares<order>(cloud.place.y), cells_));
    for (const int row : rows) {
      if (row < 0) break;
      for (const int column : columns) {
        if (column < 0) break;
        const int rank = row * columns_ + column;
        act(static_cast<std::size_t>(rank));
      }
    }
  }

 private:
  /// The parts that the points belong to, each once, then -1.
  template <std::size_t order>
  static std::array<int, order> distinct(const std::vector<int>& part, const std::array<std::uint32_t, order>& points) {
    std::array<int, order> found;
    found.fill(-1);
    auto* end = found.begin();
    for (const std::uint32_t point : points) {
      if (std::find(found.begin(), end, part[point]) == end) *end++ = part[point];
    }
    return found;
  }

  std::uint32_t cells_;
  int columns_;
  std::vector<int> row_, column_;  ///< of each mesh index
};

/// This rank's particles by destination, in their order; one that goes to several ranks appears for each. Those of each
/// rank are divided into rounds, so that no rank sends or receives more than `in_flight` clouds per round, plus one for
/// each rank.
class CloudMail {
 public:
  /// Collective.
  template <int order>
  static CloudMail addressed(const CloudMaker& cloud, const PencilMesh& mesh, std::uint64_t in_flight) {
    const Communicator& comm = mesh.communicator();
    const auto ranks = static_cast<std::size_t>(comm.size());
    CloudMail mail = collectively(comm, [&] {
      if (ranks == 1) return CloudMail(sort_into_buckets(cloud.size(), 1, [](std::size_t, auto act) { act(0); }));
      const CloudOwners owners(mesh);
      return CloudMail(sort_into_buckets(cloud.size(), ranks,
                                         [&](std::size_t i, auto act) { owners.for_each<order>(cloud(i), act); }));
    });
    mail.choose_rounds(comm, in_flight);
    return mail;
  }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  [[nodiscard]] std::size_t ranks() const { return particles_.size(); }
  /// Particles that go to `rank` in a round.
  [[nodiscard]] std::span<const std::uint32_t> part(std::size_t rank, std::uint64_t round) const {
    const std::span<const std::uint32_t> all = particles_[rank];
    const std::uint64_t begin = all.size() * round / rounds_, end = all.size() * (round + 1) / rounds_;
    return all.subspan(begin, end - begin);
  }

 private:
  explicit CloudMail(Buckets particles) : particles_(std::move(particles)) {}
  void choose_rounds(const Communicator& comm, std::uint64_t in_flight);

  std::uint64_t rounds_ = 1;
  Buckets particles_;  ///< by rank
};

/// The mail that one round brings to this rank: clouds with mesh points here, by sender in rank order.
class CloudRound {
 public:
  /// Collective.
  CloudRound(const CloudMail& mail, const CloudMaker& cloud, std::uint64_t round, const Communicator& comm);

  [[nodiscard]] std::span<const Cloud> clouds() const {
    return mail_.ranks() == 1 ? std::span<const Cloud>(own_) : std::span<const Cloud>(received_.data);
  }
  /// Sends answers back, one `value` for each of clouds(). add(i, answer) is called for this rank's particle i once for
  /// each rank that holds points of it, in rank order; in parallel over the particles. Collective.
  template <class Add>
  void answer(std::span<const double> value, const Communicator& comm, Add add) const {
    std::vector<double> back;
    if (mail_.ranks() > 1) {
      back = comm.exchange(value, std::span<const std::uint64_t>(received_.count)).data;
      value = back;
    }
    for (std::size_t r = 0; r < mail_.ranks(); ++r) {
      const std::span<const std::uint32_t> particles = mail_.part(r, round_);
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < particles.size(); ++i) add(particles[i], value[i]);
      value = value.subspan(particles.size());
    }
  }

 private:
  const CloudMail& mail_;
  std::uint64_t round_;
  LargeArray<Cloud> own_;     ///< if there is one rank
  Received<Cloud> received_;  ///< if there are several
};

/// Brings the rounds of a mail, as often as requested; the last one stays available.
class CloudPost {
 public:
  CloudPost(const CloudMail& mail, const CloudMaker& cloud, const Communicator& comm)
      : mail_(mail), cloud_(cloud), comm_(comm) {}
  [[nodiscard]] std::uint64_t rounds() const { return mail_.rounds(); }
  /// Collective.
  const CloudRound& bring(std::uint64_t round) {
    if (!brought_ || round != at_hand_) {
      brought_.reset();
      brought_ = std::make_unique<CloudRound>(mail_, cloud_, round, comm_);
      at_hand_ = round;
    }
    return *brought_;
  }

 private:
  const CloudMail& mail_;
  const CloudMaker& cloud_;
  const Communicator& comm_;
  std::uint64_t at_hand_ = 0;
  std::unique_ptr<const CloudRound> brought_;
};

}  // namespace multiwalk
