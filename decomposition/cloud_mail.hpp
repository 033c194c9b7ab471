// Particles as a distributed mesh sees them, and which ranks hold the mesh points that they touch.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/agree.hpp"
#include "decomposition/buckets.hpp"
#include "decomposition/cloud_stencil.hpp"
#include "decomposition/communicator.hpp"
#include "decomposition/pencil_mesh.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// A rank's share of the particles of a periodic box, any of them, in any order and with any period added.
struct PeriodicParticles {
  std::span<const Vec3d> position;  ///< (N) in the unit of box_size
  std::span<const float> mass;      ///< (N) any unit
  double box_size = 0;
};

struct Cloud {
  Vec3d place;    ///< mesh spacings, [0, cells) but for rounding
  double weight;  ///< mass
};

/// Clouds of the particles on a mesh of `cells` a side whose point i stands at (i + shift) box_size / cells / 2^fold.
class CloudMaker {
 public:
  CloudMaker(const PeriodicParticles& particles, std::uint32_t cells, double shift, int fold, double weight_of_mass)
      : particles_(particles),
        cells_(cells),
        shift_(shift),
        folding_(std::ldexp(1.0, fold)),
        weight_of_mass_(weight_of_mass) {}

  [[nodiscard]] std::size_t size() const { return particles_.position.size(); }
  [[nodiscard]] Cloud operator()(std::size_t i) const {
    const Vec3d x = particles_.position[i];
    return {{place(x.x), place(x.y), place(x.z)}, weight_of_mass_ * static_cast<double>(particles_.mass[i])};
  }

 private:
  [[nodiscard]] double place(double x) const {
    const double turns = x / particles_.box_size * folding_;
    const double place = (turns - std::floor(turns)) * cells_ - shift_;
    return place < 0 ? place + cells_ : place;
  }

  PeriodicParticles particles_;
  double cells_, shift_, folding_, weight_of_mass_;
};

/// The mesh points of a cloud along an axis.
template <int order>
std::array<std::uint32_t, order> touched(const CloudShares<order>& shares, std::uint32_t cells) {
  std::array<std::uint32_t, order> points{};
  for (int i = 0; i < order; ++i) {
    const std::int64_t point = shares.first + i;
    points[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(point < 0        ? point + cells
                                                                     : point >= cells ? point - cells
                                                                                      : point);
  }
  return points;
}

/// Calls act(x, y, weight, along_z, z) for the lines along z of mesh points that a cloud touches and this rank holds:
/// the point z(k) of a line has the share weight * along_z[k], k < order.
template <int order, class Act>
void for_each_line(const PencilMesh& mesh, const Cloud& cloud, Act act) {
  const auto x = cloud_shares<order>(cloud.place.x);
  const auto y = cloud_shares<order>(cloud.place.y);
  const auto z = cloud_shares<order>(cloud.place.z);
  const auto x_points = touched(x, mesh.cells()), y_points = touched(y, mesh.cells());
  const auto z_points = touched(z, mesh.cells());
  const bool contiguous = z_points[order - 1] == z_points[0] + order - 1;
  for (std::size_t i = 0; i < order; ++i) {
    if (!mesh.pencil().value_x.contains(x_points[i])) continue;
    for (std::size_t j = 0; j < order; ++j) {
      if (!mesh.pencil().value_y.contains(y_points[j])) continue;
      const double weight = x.weight[i] * y.weight[j];
      if (contiguous) {
        const std::uint32_t first = z_points[0];
        act(x_points[i], y_points[j], weight, z.weight, [first](std::size_t k) { return first + k; });
      } else {
        act(x_points[i], y_points[j], weight, z.weight, [&](std::size_t k) { return std::size_t{z_points[k]}; });
      }
    }
  }
}

/// The ranks that hold the mesh points of a cloud.
class CloudOwners {
 public:
  explicit CloudOwners(const PencilMesh& mesh);
  /// Calls act(rank) once for each, in rising order along each axis from the cloud's first point.
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
  /// The parts of the points, each once, then -1.
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

/// This rank's particles by the rank that they go to, in their order; one that goes to several is there for each. Each
/// rank's are dealt into rounds, so that none sends or receives more than `in_flight` clouds in one, and one more for
/// each rank.
class CloudMail {
 public:
  /// Collective.
  template <int order>
  static CloudMail addressed(const CloudMaker& cloud, const PencilMesh& mesh, std::uint64_t in_flight) {
    const Communicator& comm = mesh.communicator();
    const auto ranks = static_cast<std::size_t>(comm.size());
    CloudMail mail = together(comm, [&] {
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

/// What one round brings to this rank: clouds with mesh points here, by sender in rank order.
class CloudRound {
 public:
  /// Collective.
  CloudRound(const CloudMail& mail, const CloudMaker& cloud, std::uint64_t round, const Communicator& comm);

  [[nodiscard]] std::span<const Cloud> clouds() const { return received_.data; }
  /// Sends answers back, `value` being one for each of clouds(). add(i, answer) is called for this rank's particle i
  /// once for each rank that holds points of it, in rank order. Collective.
  template <class Add>
  void answer(std::span<const double> value, const Communicator& comm, Add add) const {
    const std::vector<double> back = comm.exchange(value, std::span<const std::uint64_t>(received_.count)).data;
    const double* next = back.data();
    for (std::size_t r = 0; r < mail_.ranks(); ++r) {
      for (const std::uint32_t i : mail_.part(r, round_)) add(i, *next++);
    }
  }

 private:
  const CloudMail& mail_;
  std::uint64_t round_;
  Received<Cloud> received_;
};

/// Brings the rounds of a mail, as often as they are wanted; the last one stays at hand.
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
