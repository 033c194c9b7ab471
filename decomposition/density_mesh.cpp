// Mass assignment. Particles are addressed to the ranks whose pencils their clouds touch and travel in rounds; the
// owner works out the shares.
#include "decomposition/density_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "decomposition/agree.hpp"
#include "decomposition/exact_sum.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr double all_mass = 0x1p51;  // in counts

struct Cloud {
  Vec3d place;    ///< mesh spacings, [0, cells) but for rounding
  double counts;  ///< mass
};

/// The nearest whole number, for sizes up to all_mass.
double whole(double counts) {
  constexpr double large = 0x1.8p52;
  return (counts + large) - large;
}

std::uint32_t wrapped(std::int64_t i, std::int64_t cells) {
  return static_cast<std::uint32_t>(i < 0 ? i + cells : i >= cells ? i - cells : i);
}

template <int order>
std::array<std::uint32_t, order> touched(const CloudShares<order>& shares, std::uint32_t cells) {
  std::array<std::uint32_t, order> points{};
  for (int i = 0; i < order; ++i) points[static_cast<std::size_t>(i)] = wrapped(shares.first + i, cells);
  return points;
}

class CloudMaker {
 public:
  CloudMaker(const PeriodicParticles& particles, std::uint32_t cells, const DensityOptions& options,
             const MassSums& masses)
      : particles_(particles),
        cells_(cells),
        shift_(options.mesh_shift),
        folding_(std::ldexp(1.0, options.fold)),
        counts_(all_mass / (masses.sum * masses.heaviest)) {}

  [[nodiscard]] Cloud operator()(std::size_t i) const {
    const Vec3d x = particles_.position[i];
    return {{place(x.x), place(x.y), place(x.z)}, counts_ * static_cast<double>(particles_.mass[i])};
  }

 private:
  [[nodiscard]] double place(double x) const {
    const double turns = x / particles_.box_size * folding_;
    const double place = (turns - std::floor(turns)) * cells_ - shift_;
    return place < 0 ? place + cells_ : place;
  }

  const PeriodicParticles& particles_;
  double cells_, shift_, folding_, counts_;
};

/// Adds what falls onto this rank's mesh points.
template <int order>
void deposit(PencilMesh& mesh, const Cloud& cloud) {
  const auto x = cloud_shares<order>(cloud.place.x);
  const auto y = cloud_shares<order>(cloud.place.y);
  const auto z = cloud_shares<order>(cloud.place.z);
  const auto x_points = touched(x, mesh.cells()), y_points = touched(y, mesh.cells()),
             z_points = touched(z, mesh.cells());
  for (std::size_t i = 0; i < order; ++i) {
    if (!mesh.pencil().value_x.contains(x_points[i])) continue;
    for (std::size_t j = 0; j < order; ++j) {
      if (!mesh.pencil().value_y.contains(y_points[j])) continue;
      const double counts = cloud.counts * (x.weight[i] * y.weight[j]);
      double* const line = &mesh.value(x_points[i], y_points[j], 0);
      for (std::size_t k = 0; k < order; ++k) {
        const double share = whole(counts * z.weight[k]);
#pragma omp atomic
        line[z_points[k]] += share;
      }
    }
  }
}

/// The ranks that hold the mesh points of a cloud.
class Owners {
 public:
  explicit Owners(const PencilMesh& mesh)
      : cells_(mesh.cells()), columns_(mesh.grid().columns), row_(cells_), column_(cells_) {
    name_parts(row_, mesh.grid().rows);
    name_parts(column_, mesh.grid().columns);
  }
  /// Calls act(rank) once for each.
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
  static void name_parts(std::vector<int>& names, int parts) {
    for (int part = 0; part < parts; ++part) {
      const IndexRange range = part_of(static_cast<std::uint32_t>(names.size()), part, parts);
      std::fill_n(names.begin() + range.first, range.count, part);
    }
  }
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

/// This rank's particles by the rank that they go to; one that goes to several is there for each.
struct Addressed {
  std::vector<std::uint64_t> count;  ///< (ranks)
  std::vector<std::uint64_t> first;  ///< (ranks) place of the first in `particle`
  std::vector<std::uint32_t> particle;

  /// The `round`-th of `rounds` nearly equal parts of what goes to `rank`.
  [[nodiscard]] std::span<const std::uint32_t> part(std::size_t rank, std::uint64_t round, std::uint64_t rounds) const {
    const std::uint64_t begin = count[rank] * round / rounds, end = count[rank] * (round + 1) / rounds;
    return std::span(particle).subspan(first[rank] + begin, end - begin);
  }
};

template <int order>
Addressed address(const CloudMaker& cloud, std::size_t particles, const Owners& owners, std::size_t ranks) {
  Addressed mail{std::vector<std::uint64_t>(ranks, 0), std::vector<std::uint64_t>(ranks, 0), {}};
  for (std::size_t i = 0; i < particles; ++i) {
    owners.for_each<order>(cloud(i), [&](std::size_t rank) { ++mail.count[rank]; });
  }
  for (std::size_t r = 1; r < ranks; ++r) mail.first[r] = mail.first[r - 1] + mail.count[r - 1];
  mail.particle.resize(mail.first.back() + mail.count.back());
  std::vector<std::uint64_t> next = mail.first;
  for (std::size_t i = 0; i < particles; ++i) {
    owners.for_each<order>(cloud(i),
                           [&](std::size_t rank) { mail.particle[next[rank]++] = static_cast<std::uint32_t>(i); });
  }
  return mail;
}

/// So many that no rank sends or receives more than `in_flight` clouds in one, and one for each other rank.
std::uint64_t choose_rounds(const Addressed& mail, std::uint64_t in_flight, const Communicator& comm) {
  std::vector<std::uint64_t> coming = mail.count;
  comm.sum(std::span(coming));
  const std::uint64_t most = std::max<std::uint64_t>(*std::ranges::max_element(coming), mail.particle.size());
  return comm.max(most) / in_flight + 1;
}

template <int order>
void deposit_over_ranks(PencilMesh& mesh, const CloudMaker& cloud, std::size_t particles, std::uint64_t in_flight) {
  const Communicator& comm = mesh.communicator();
  const auto ranks = static_cast<std::size_t>(comm.size()), own = static_cast<std::size_t>(comm.rank());
  const Addressed mail = together(comm, [&] { return address<order>(cloud, particles, Owners(mesh), ranks); });
  const std::uint64_t rounds = choose_rounds(mail, in_flight, comm);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<Cloud> sent;
    std::vector<std::uint64_t> counts(ranks, 0);
    for (std::size_t r = 0; r < ranks; ++r) {
      if (r == own) continue;
      const auto part = mail.part(r, round, rounds);
      counts[r] = part.size();
      for (const std::uint32_t i : part) sent.push_back(cloud(i));
    }
    const std::vector<Cloud> received =
        comm.exchange(std::span<const Cloud>(sent), std::span<const std::uint64_t>(counts)).data;
    const auto mine = mail.part(own, round, rounds);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < mine.size(); ++i) deposit<order>(mesh, cloud(mine[i]));
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < received.size(); ++i) deposit<order>(mesh, received[i]);
  }
}

template <int order>
void deposit_all(PencilMesh& mesh, const CloudMaker& cloud, std::size_t particles, std::uint64_t in_flight) {
  if (!mesh.communicator().alone()) return deposit_over_ranks<order>(mesh, cloud, particles, in_flight);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles; ++i) deposit<order>(mesh, cloud(i));
}

/// Calls act(value&) for this rank's values, in parallel.
template <class Act>
void for_each_value(PencilMesh& mesh, Act act) {
  const Pencil& mine = mesh.pencil();
#pragma omp parallel for collapse(2) schedule(static)
  for (std::uint32_t x = mine.value_x.first; x < mine.value_x.end(); ++x) {
    for (std::uint32_t y = mine.value_y.first; y < mine.value_y.end(); ++y) {
      for (std::uint32_t z = 0; z < mesh.cells(); ++z) act(mesh.value(x, y, z));
    }
  }
}

void check_particles(const PeriodicParticles& particles) {
  const std::size_t n = particles.position.size();
  require(n == particles.mass.size(), "positions and masses differ in number");
  require(n <= std::numeric_limits<std::uint32_t>::max(), "more particles than a rank may hold");
  bool usable = true;
#pragma omp parallel for schedule(static) reduction(&& : usable)
  for (std::size_t i = 0; i < n; ++i) {
    usable = usable && std::isfinite(norm2(particles.position[i])) && std::isfinite(particles.mass[i]) &&
             particles.mass[i] >= 0;
  }
  if (!usable) throw InputError("a density needs finite positions and masses, and no mass below 0");
}

}  // namespace

MassSums sum_masses(const PeriodicParticles& particles, const Communicator& comm) {
  together(comm, [&] { check_particles(particles); });
  const std::span<const float> mass = particles.mass;
  const float own = mass.empty() ? 0.0F : *std::ranges::max_element(mass);
  MassSums sums;
  sums.particles = comm.sum(static_cast<std::uint64_t>(mass.size()));
  sums.heaviest = comm.max(own);
  if (!(sums.heaviest > 0)) throw SharedError("a density needs particles with mass");
  ExactSum sum, squares;
  for (const float m : mass) {
    const double share = m / sums.heaviest;
    sum.add(share);
    squares.add(share * share);
  }
  sums.sum = sum.total(comm);
  sums.sum_of_squares = squares.total(comm);
  return sums;
}

PencilMesh density_mesh(const PeriodicParticles& particles, std::uint32_t cells, const DensityOptions& options,
                        const Communicator& comm) {
  if (cells < 4) throw SharedError("a density mesh needs at least 4 cells a side");
  if (!(particles.box_size > 0)) throw SharedError("a density mesh needs a periodic box with a side above 0");
  require(options.mesh_shift >= 0 && options.mesh_shift < 1, "mesh_shift must lie between 0 and 1");
  require(options.in_flight > 0, "some clouds must travel at a time");
  const CloudMaker cloud(particles, cells, options, sum_masses(particles, comm));
  PencilMesh mesh(comm, cells);
  for_each_value(mesh, [](double& value) { value = 0; });
  const std::size_t n = particles.position.size();
  switch (options.assignment) {
    case Assignment::cic:
      deposit_all<2>(mesh, cloud, n, options.in_flight);
      break;
    case Assignment::tsc:
      deposit_all<3>(mesh, cloud, n, options.in_flight);
      break;
    case Assignment::pcs:
      deposit_all<4>(mesh, cloud, n, options.in_flight);
      break;
  }
  const double relative = static_cast<double>(cells) * cells * cells / all_mass;
  for_each_value(mesh, [relative](double& value) { value *= relative; });
  return mesh;
}

}  // namespace multiwalk
