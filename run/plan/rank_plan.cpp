// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/rank_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "host/base/phase_timer.hpp"
#include "run/plan/plan.hpp"
#include "run/plan/realised_ranks.hpp"

namespace multiwalk {

namespace {

/// The second size from which the dependence on the size is measured, and the fewest particles of a rank in it.
constexpr std::uint64_t size_ratio = 4, fewest_particles = 512;

/// Latency of a message on a cluster's network, seconds.
constexpr double usual_latency = 2e-6;

/// Bytes copied per second, the best of a few.
double copy_bandwidth() {
  constexpr std::size_t size = std::size_t{64} << 20;
  std::vector<char> from(size, 1), to(size);
  double best = 1e30;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const double start = wall_time();
    std::memcpy(to.data(), from.data(), size);
    best = std::min(best, wall_time() - start);
    from[static_cast<std::size_t>(repeat)] = to[size - 1];
  }
  return static_cast<double>(size) / best;
}

/// Mean part of a domain's six faces that other domains touch.
double inner_faces(const DomainGrid& grid) {
  double outer = 0;
  for (const int n : grid) outer += 2.0 / n;
  return 1 - outer / 6;
}

/// a n^(2/3) + b n^(1/3), surface and edges, through two measured points; neither part is let below zero.
double at_size(double n, double n_large, double y_large, double n_small, double y_small) {
  const auto surface = [](double x) { return std::pow(x, 2.0 / 3); };
  const double u = surface(n_large), v = std::cbrt(n_large), p = surface(n_small), q = std::cbrt(n_small);
  const double determinant = u * q - v * p;
  double a = determinant != 0 ? (y_large * q - v * y_small) / determinant : y_large / u;
  double b = determinant != 0 ? (u * y_small - y_large * p) / determinant : 0;
  if (a < 0) {
    a = 0;
    b = y_large / v;
  } else if (b < 0) {
    a = y_large / u;
    b = 0;
  }
  return a * surface(n) + b * std::cbrt(n);
}

/// Figures that grow with a domain's surface, measured with many and with fewer particles, for `n` particles per rank.
void grow(SampledFigure& figure, const SampledFigure& fewer, double n_large, double n_small, double n, double faces) {
  const double grown = at_size(n, n_large, figure.mean, n_small, fewer.mean) * faces;
  const double factor = figure.mean > 0 ? grown / figure.mean : 0;
  const auto relative = [](const SampledFigure& f) { return f.mean > 0 ? f.error / f.mean : 0; };
  const double error = std::hypot(relative(figure), relative(fewer));
  figure = {grown, error * grown, figure.most * factor};
}

/// Figures that hardly depend on the size: between both measured sizes by the logarithm, held beyond.
double between(double n, double n_large, double y_large, double n_small, double y_small) {
  if (y_large <= 0 || y_small <= 0) return y_large;
  const double t = std::clamp(std::log(n / n_small) / std::log(n_large / n_small), 0.0, 1.0);
  return std::pow(y_small, 1 - t) * std::pow(y_large, t);
}

/// How many ranks to decompose for: if possible, as many as give a rank the same number of particles as in the run.
int ranks_to_realise(int ranks, double wanted_particles, const RealisedRanks& large, const RealisedRanks& small) {
  const double with_as_many = static_cast<double>(large.particles()) / std::max(wanted_particles, 1.0);
  int realised = 2 * all_send_to_all;  // at least: with fewer, all send to all
  while (2.0 * realised <= with_as_many || 2 * realised * fewest_particles <= small.particles()) realised *= 2;
  return std::min(ranks, realised);
}

/// Extrapolates both sizes to `ranks` ranks with N particles.
RankPlanRow extrapolate(const RankPlanRow& large, const RankPlanRow& small, int ranks, double particles, Vec3d extent) {
  RankPlanRow row = large;
  row.ranks = ranks;
  row.extrapolated = true;
  row.grid = ranks == large.ranks ? large.grid : choose_grid(ranks, extent);
  row.particles = particles / ranks;
  const double fullest = between(row.particles, large.particles, large.most_particles / large.particles,
                                 small.particles, small.most_particles / small.particles);
  row.most_particles = fullest * row.particles;
  const double faces = inner_faces(row.grid) / inner_faces(large.grid);
  VirtualExchange& e = row.exchange;
  const VirtualExchange& f = small.exchange;
  const auto grow_with = [&](SampledFigure& figure, const SampledFigure& fewer) {
    grow(figure, fewer, large.particles, small.particles, row.particles, faces);
  };
  const auto keep = [&](double y_large, double y_small) {
    return between(row.particles, large.particles, y_large, small.particles, y_small);
  };
  const auto keep_figure = [&](SampledFigure& figure, const SampledFigure& fewer) {
    figure.mean = keep(figure.mean, fewer.mean);
    figure.most = keep(figure.most, fewer.most);
  };
  keep_figure(e.readers, f.readers);
  keep_figure(e.early_messages, f.early_messages);
  row.work_imbalance = keep(large.work_imbalance, small.work_imbalance);
  const double bytes = e.bytes.mean;
  grow_with(e.nodes, f.nodes);
  grow_with(e.particles, f.particles);
  grow_with(e.bytes, f.bytes);
  grow_with(e.early_bytes, f.early_bytes);
  const double parts = e.nodes.mean * sizeof(EssentialNode) + e.particles.mean * sizeof(EssentialParticle);
  const double whole = parts > 0 ? e.bytes.mean / parts : 1;
  for (SampledFigure* figure : {&e.nodes, &e.particles}) {
    *figure = {whole * figure->mean, whole * figure->error, whole * figure->most};
  }
  e.cutting *= bytes > 0 ? e.bytes.mean / bytes : 1;
  e.gathered_bytes *= (ranks - 1.0) / std::max(1, large.ranks - 1);
  // The rest of the work is with others: a power law of the size, falling no faster than a surface's share.
  const double of_large = std::max(1 - large.local_share, 1e-6), of_small = std::max(1 - small.local_share, 1e-6);
  const double power =
      std::clamp(std::log(of_large / of_small) / std::log(large.particles / small.particles), -1.0 / 3, 0.0);
  const double outside = of_large * std::pow(row.particles / large.particles, power);
  row.local_share = std::clamp(1 - faces * outside, 0.0, 1.0);
  return row;
}

/// Received trees as they come and as they are walked, and sent ones.
double forest_bytes(const VirtualExchange& e) {
  constexpr double node = 2 * sizeof(EssentialNode) + sizeof(Node) + sizeof(Multipole) + 4 * sizeof(double);
  constexpr double particle = 2 * sizeof(EssentialParticle) + sizeof(Vec3d) + sizeof(float);
  return e.nodes.most * node + e.particles.most * particle;
}

void add_memory(const Parameters& parameters, RankPlanRow& row) {
  row.bytes_of_conditions = conditions_bytes(parameters, row.ranks);
  row.bytes_of_step = step_bytes(parameters, row.most_particles) + forest_bytes(row.exchange);
  if (const std::optional<BoxForces> forces = planned_box_forces(parameters))
    row.bytes_of_step += mesh_bytes(*forces, row.most_particles, row.ranks);
  row.bytes_of_step = std::max(row.bytes_of_step, census_bytes(parameters, row.most_particles));
}

/// `growth`: how much longer a particle's list is in the run than where the work was measured.
void add_seconds(const RankPlan& plan, double growth, RankPlanRow& row) {
  const VirtualExchange& e = row.exchange;
  const double walks = plan.cost.by_work * growth * row.particles * row.work_imbalance;
  row.compute = plan.cost.by_number * row.most_particles + walks + e.cutting / plan.threads;
  const double rounds = std::ceil(std::log2(row.ranks));
  row.early =
      (e.gathered_bytes + e.early_bytes.most) / plan.bandwidth + (3 * rounds + e.early_messages.most) * plan.latency;
  row.trees = e.bytes.most / plan.bandwidth + 3 * e.readers.most * plan.latency;
  row.alone = (plan.cost.by_number + plan.cost.by_work * growth) * static_cast<double>(plan.particles);
  row.hidden = std::min(row.trees, row.local_share * walks);
}

}  // namespace

std::vector<int> planned_ranks(int most) {
  std::vector<int> ranks;
  for (int p = 8; p < most; p *= 2) ranks.push_back(p);
  ranks.push_back(most);
  return ranks;
}

RankPlan plan_ranks(const RankPlanRequest& request, ForceBackend& backend) {
  const Parameters& parameters = request.parameters;
  RankPlan plan;
  plan.particles = planned_particles(parameters);
  plan.from_file = parameters.model.kind == ModelKind::file;
  plan.backend = backend.description();
  plan.latency = request.latency.value_or(usual_latency);
  plan.latency_given = request.latency.has_value();
  plan.bandwidth_is_copy = !request.bandwidth;
  plan.bandwidth = request.bandwidth ? *request.bandwidth : copy_bandwidth();
  const bool whole = plan.from_file || plan.particles <= request.realise;
  const RealisedRanks large(whole ? parameters : smaller_model(parameters, plan.particles, request.realise),
                            request.sample, backend);
  std::unique_ptr<RealisedRanks> small;
  plan.realised = {large.particles()};
  if (!whole) {
    small = std::make_unique<RealisedRanks>(smaller_model(parameters, plan.particles, request.realise / size_ratio),
                                            request.sample, backend);
    plan.realised.push_back(small->particles());
  }
  plan.redshift = large.redshift();
  plan.threads = large.threads();
  plan.cost = large.cost();
  plan.list = list_among(large.list(), growth_of(large.walks(), backend), static_cast<double>(large.particles()),
                         static_cast<double>(plan.particles));
  const double growth = plan.list.total() / large.list().total();
  std::map<int, std::pair<RankPlanRow, RankPlanRow>> realised;  // large and small
  const auto n = static_cast<double>(plan.particles);
  for (const int ranks : planned_ranks(request.most_ranks)) {
    RankPlanRow row;
    if (whole) {
      row = large.decompose(ranks);
    } else {
      const int fewer = ranks_to_realise(ranks, n / ranks, large, *small);
      if (realised.count(fewer) == 0) realised[fewer] = {large.decompose(fewer), small->decompose(fewer)};
      row = extrapolate(realised[fewer].first, realised[fewer].second, ranks, n, large.extent());
    }
    add_memory(parameters, row);
    add_seconds(plan, growth, row);
    plan.rows.push_back(row);
  }
  return plan;
}

}  // namespace multiwalk
