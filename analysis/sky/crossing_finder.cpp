// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/crossing_finder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "host/base/host_device.hpp"
#include "host/base/separation.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t chunk_size = 64;       ///< particles
constexpr std::size_t block_size = 32;       ///< chunks, for which one thread first selects the images
constexpr std::size_t many_crossings = 256;  ///< which a sink counts at a time, while they are in the cache
constexpr std::size_t places_of_block = chunk_size * block_size;
constexpr double distance_margin = 1e-9;  ///< of distances, beyond all rounding

double square(double x) {
  return x * x;
}

/// Images that meet the light during a drift, a structure of arrays for vector units.
struct Meetings {
  std::size_t count = 0;
  std::array<std::uint32_t, chunk_size> particle;                ///< places in the chunk
  std::array<double, chunk_size> x, y, z;                        ///< before the drift, from the observer
  std::array<double, chunk_size> way_x, way_y, way_z;            ///< of the drift
  std::array<double, chunk_size> from2, along, way2;             ///< from^2, 2 from * way, way^2
  std::array<double, chunk_size> u, moving;                      ///< fraction of the drift; 0 if it is final
  std::array<double, chunk_size> at_x, at_y, at_z, distance, a;  ///< where they meet

  void add(std::size_t k, Vec3d from, Vec3d way) {
    particle[count] = static_cast<std::uint32_t>(k);
    x[count] = from.x, y[count] = from.y, z[count] = from.z;
    way_x[count] = way.x, way_y[count] = way.y, way_z[count] = way.z;
    ++count;
  }
};

/// The first guess of all meetings.
MULTIWALK_VECTOR_CLONES void guess_meetings(const LightRays& rays, Meetings& m) {
  const LightRays light = rays;
#pragma omp simd
  for (std::size_t k = 0; k < m.count; ++k) {
    const Approach image = Approach::of(m.x[k], m.y[k], m.z[k], m.way_x[k], m.way_y[k], m.way_z[k]);
    m.from2[k] = image.from2, m.along[k] = image.along, m.way2[k] = image.way2;
    m.u[k] = guessed_meeting(light, image);
    m.moving[k] = 1;
  }
}

/// One step of Newton's method for all meetings that are not final. Returns how many are not final after it.
MULTIWALK_VECTOR_CLONES double improve_meetings(const LightRays& path, Meetings& m) {
  const Cubic light = path.distance;
  double moving = 0;
#pragma omp simd reduction(+ : moving)
  for (std::size_t k = 0; k < m.count; ++k) {
    const double u = m.u[k], next = improved_meeting(light, {m.from2[k], m.along[k], m.way2[k]}, u);
    m.u[k] = m.moving[k] > 0 ? next : u;
    const double further = std::fabs(next - u) < close_guesses ? 0.0 : 1.0;
    m.moving[k] *= further;
    moving += m.moving[k];
  }
  return moving;
}

MULTIWALK_VECTOR_CLONES void place_meetings(const LightRays& light, Meetings& m) {
  const Cubic distance = light.distance, expansion = light.a;
#pragma omp simd
  for (std::size_t k = 0; k < m.count; ++k) {
    const double u = m.u[k];
    m.at_x[k] = m.x[k] + u * m.way_x[k];
    m.at_y[k] = m.y[k] + u * m.way_y[k];
    m.at_z[k] = m.z[k] + u * m.way_z[k];
    m.distance[k] = distance(u);
    m.a[k] = expansion(u);
  }
}

/// Where images meet the light, as meeting() finds it.
void meet(const LightRays& light, Meetings& m) {
  guess_meetings(light, m);
  for (int iteration = 0; iteration < most_improvements; ++iteration) {
    if (improve_meetings(light, m) == 0) break;
  }
  place_meetings(light, m);
}

/// Limits of the distances of crossings in a drift, whatever the rounding: end <= distance < begin.
double least_crossing(const LightPath& light) {
  return std::max(light.end, 0.0);
}
double most_crossing(const LightPath& light) {
  return std::nextafter(light.begin, 0.0);
}

/// The particles of a chunk before a drift.
struct Start {
  std::array<double, chunk_size> x, y, z;               ///< positions
  std::array<std::uint32_t, chunk_size + 1> candidate;  ///< places in the chunk
};

/// Chooses the particles whose image has least2 <= distance^2 < before2. Returns their number. There are few of
/// them, so groups without any are skipped.
MULTIWALK_VECTOR_CLONES std::size_t choose_candidates(Start& start, Vec3d shift, std::size_t size, double least2,
                                                      double before2) {
  constexpr std::size_t group = 8;
  const double sx = shift.x, sy = shift.y, sz = shift.z;
  std::array<std::int64_t, chunk_size> chosen;
#pragma omp simd
  for (std::size_t k = 0; k < size; ++k) {
    const double x = start.x[k] + sx, y = start.y[k] + sy, z = start.z[k] + sz;
    const double r2 = x * x + y * y + z * z;
    chosen[k] = (r2 < before2 ? 1 : 0) & (r2 >= least2 ? 1 : 0);
  }
  for (std::size_t k = size; k < chunk_size; ++k) chosen[k] = 0;
  std::size_t candidates = 0;
  for (std::size_t first = 0; first < size; first += group) {
    std::int64_t any = 0;
    for (std::size_t k = first; k < first + group; ++k) any |= chosen[k];
    if (any == 0) continue;
    for (std::size_t k = first; k < first + group; ++k) {
      start.candidate[candidates] = static_cast<std::uint32_t>(k);
      candidates += static_cast<std::size_t>(chosen[k]);
    }
  }
  return candidates;
}

}  // namespace

/// Blocks of neighbours in the store.
class CrossingFinder::Blocks {
 public:
  Blocks(const CrossingFinder& finder, const SoughtParticles& particles, double factor)
      : period_(finder.period_), particles_(particles), factor_(factor) {
    boxes_.resize((place_after(particles.size()) + places_of_block - 1) / places_of_block);
#pragma omp parallel for schedule(static)
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      const std::size_t end = first_of(b + 1);
      for (std::size_t i = first_of(b); i < end; ++i) include(i, boxes_[b]);
    }
  }
  [[nodiscard]] std::size_t size() const {
    return boxes_.size();
  }
  [[nodiscard]] const Box& box(std::size_t block) const {
    return boxes_[block];
  }

  /// The chunks of a block that are not empty.
  void chunks_of(std::size_t block, std::vector<Chunk>& chunks) const {
    chunks.clear();
    const std::size_t end = first_of(block + 1);
    for (std::size_t i = first_of(block); i < end;) {
      Chunk chunk{i, i, {}};
      for (const std::size_t number = place(i) / chunk_size; i < end && place(i) / chunk_size == number; ++i) {
        include(i, chunk.box);
      }
      chunk.last = i;
      chunks.push_back(chunk);
    }
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t i) const {
    return particles_.index.empty() ? i : particles_.index[i];
  }
  [[nodiscard]] std::size_t place_after(std::size_t n) const {
    return n == 0 ? 0 : place(n - 1) + 1;
  }
  /// The first particle that is in this block or a later one.
  [[nodiscard]] std::size_t first_of(std::size_t block) const {
    const std::size_t least = block * places_of_block;
    if (particles_.index.empty()) return std::min(least, particles_.size());
    return static_cast<std::size_t>(std::ranges::lower_bound(particles_.index, least) - particles_.index.begin());
  }
  void include(std::size_t i, Box& box) const {
    const Vec3d from = in_box(particles_.position[i], period_);
    box.include(from);
    box.include(drifted(from, factor_, particles_.velocity[i]));
  }

  double period_;
  const SoughtParticles& particles_;
  double factor_;
  std::vector<Box> boxes_;  ///< that enclose the drifts of a block's particles
};

/// The work of one thread.
class CrossingFinder::Search {
 public:
  Search(const CrossingFinder& finder, const SoughtParticles& particles, const LightPath& light, double factor)
      : finder_(finder),
        particles_(particles),
        light_(light),
        rays_(light.distance, light.a),
        factor_(factor),
        window_(finder.view_.window()),
        least_(least_crossing(light)),
        most_(most_crossing(light)) {}

  /// Puts the crossings of a block into `found`, and calls act() whenever there are many.
  template <class Act>
  void operator()(const Blocks& blocks, std::size_t block, const std::vector<Copy>& copies,
                  std::vector<Crossing>& found, Act act) {
    found.clear();
    const Box& box = blocks.box(block);
    if (box.empty()) return;
    near_copies_.clear();
    for (const Copy& copy : copies) {
      if (finder_.may_cross(finder_.placed(box, copy.replica), finder_.shift(copy.image), light_)) {
        near_copies_.push_back(copy);
      }
    }
    if (near_copies_.empty()) return;
    blocks.chunks_of(block, chunks_);
    for (const Chunk& chunk : chunks_) {
      bool ready = false;  // in the box itself
      for (const Copy& copy : near_copies_) {
        if (!finder_.may_cross(finder_.placed(chunk.box, copy.replica), finder_.shift(copy.image), light_)) continue;
        replica_ = copy.replica;
        if (!ready || replica_.changed) drift(chunk);
        ready = !replica_.changed;
        seek(chunk, copy.image, found);
        if (found.size() >= many_crossings) act();
      }
    }
  }

 private:
  void drift(const Chunk& chunk) {
    const double period = finder_.period_;
    double farthest2 = 0;
    for (std::size_t i = chunk.first, k = 0; i < chunk.last; ++i, ++k) {
      const WayInCopy way = way_in_copy(particles_.position[i], particles_.velocity[i], factor_, period, replica_);
      start_.x[k] = way.from.x, start_.y[k] = way.from.y, start_.z[k] = way.from.z;
      end_[k] = way.end;
      moved_[k] = {way.moved[0], way.moved[1], way.moved[2]};
      farthest2 = std::max(farthest2, way.length2);
    }
    reach_ = std::sqrt(farthest2);
  }

  /// The velocity of a particle in the copy.
  [[nodiscard]] Vec3d velocity(std::size_t i) const { return velocity_in_copy(particles_.velocity[i], replica_); }

  /// Most images are rejected by their distance at the beginning alone.
  void seek(const Chunk& chunk, const Image& image, std::vector<Crossing>& found) {
    const Vec3d shift = finder_.shift(image);
    const std::size_t size = chunk.last - chunk.first;
    const double after = square(light_.end);
    const double least = std::max(0.0, light_.end * (1 - distance_margin) - reach_ * (1 + distance_margin));
    const std::size_t candidates = choose_candidates(start_, shift, size, square(least), square(light_.begin));
    meetings_.count = 0;
    for (std::size_t c = 0; c < candidates; ++c) {
      const std::size_t k = start_.candidate[c];
      const Image& moved = moved_[k];
      const bool stays = moved.x == 0 && moved.y == 0 && moved.z == 0;
      const Vec3d to =
          end_[k] + (stays ? shift : finder_.shift({image.x + moved.x, image.y + moved.y, image.z + moved.z}));
      if (light_.end > 0 && !(norm2(to) >= after)) continue;
      meetings_.add(k, Vec3d{start_.x[k], start_.y[k], start_.z[k]} + shift, factor_ * velocity(chunk.first + k));
    }
    if (meetings_.count > 0) meet(rays_, meetings_);
    for (std::size_t m = 0; m < meetings_.count; ++m) take(chunk, m, found);
  }

  void take(const Chunk& chunk, std::size_t m, std::vector<Crossing>& found) {
    const double distance = std::clamp(meetings_.distance[m], least_, most_);
    if (!(distance >= finder_.near_ && distance < finder_.far_)) return;
    const Vec3d at = window_.to_sky({meetings_.at_x[m], meetings_.at_y[m], meetings_.at_z[m]});
    if (!window_.contains(at)) return;
    const std::size_t i = chunk.first + meetings_.particle[m];
    const Vec3d p = window_.to_sky(velocity(i));
    found.push_back({at,
                     distance,
                     meetings_.a[m],
                     {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)},
                     particles_.mass.empty() ? 0 : particles_.mass[i],
                     particles_.id.empty() ? 0 : particles_.id[i]});
  }

  const CrossingFinder& finder_;
  const SoughtParticles& particles_;
  const LightPath& light_;
  LightRays rays_;
  double factor_;
  SkyWindow window_;
  double least_, most_;            ///< limits of the distances of crossings
  std::vector<Copy> near_copies_;  ///< of the block
  std::vector<Chunk> chunks_;      ///< of the block
  Replica replica_;                ///< of the copy at hand
  Start start_{};
  std::array<Vec3d, chunk_size> end_{};    ///< positions after the drift, in the box
  std::array<Image, chunk_size> moved_{};  ///< boxes by which wrapping moves them back
  Meetings meetings_;
  double reach_ = 0;  ///< the longest way of a particle of the chunk
};

CrossingFinder::CrossingFinder(const SkyView& view, double period, double near, double far,
                               const ReplicaOptions& replicas)
    : view_(view), period_(period), near_(near), far_(far), replicas_(replicas) {}

bool CrossingFinder::may_cross(const Box& box, Vec3d shift, const LightPath& light) const {
  double nearest2 = 0, farthest2 = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double lo = box.lo[axis] + shift[axis], hi = box.hi[axis] + shift[axis];
    nearest2 += square(std::max(0.0, std::max(lo, -hi)));
    farthest2 += square(std::max(-lo, hi));
  }
  const double outer = std::fmin(light.begin, far_), inner = std::fmax(std::fmax(light.end, near_), 0);
  if (nearest2 > square(outer * (1 + distance_margin)) || farthest2 < square(inner * (1 - distance_margin)))
    return false;
  return view_.opening == SkyOpening::full ||
         view_.may_meet(view_.frame.to_sky(box.centre() + shift), norm(box.half_size()));
}

Box CrossingFinder::placed(const Box& box, const Replica& replica) const {
  if (!replica.changed) return box;
  const Vec3d size = replica.turned(box.hi - box.lo), corner = replica.turned(box.lo);
  Box result;
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = std::fabs(size[axis]) + distance_margin * period_;
    const double low = std::fmin(corner[axis], corner[axis] + size[axis]) + replica.shift[axis];
    const double start = wrapped(low, period_);
    const bool whole = start + extent > period_ || start < distance_margin * period_;  // it may be cut by a face
    result.lo[axis] = whole ? -extent : start - distance_margin * period_;
    result.hi[axis] = whole ? period_ + extent : start + extent;
  }
  return result;
}

std::vector<CrossingFinder::Copy> CrossingFinder::copies_of(const Box& box, const LightPath& light) const {
  if (period_ == 0) return {{{0, 0, 0}, {}}};
  const double reach = std::fmin(light.begin, far_) * (1 + distance_margin);
  Box widest = box;
  if (replicas_.rotate || replicas_.shift) {
    const Vec3d sides{period_, period_, period_};
    widest.include(-1.0 * sides);
    widest.include(2.0 * sides);
  }
  const auto least = [&](int axis) {
    return static_cast<int>(std::floor((view_.observer[axis] - reach - widest.hi[axis]) / period_));
  };
  const auto most = [&](int axis) {
    return static_cast<int>(std::ceil((view_.observer[axis] + reach - widest.lo[axis]) / period_));
  };
  std::vector<Copy> copies;
  for (int x = least(0); x <= most(0); ++x) {
    for (int y = least(1); y <= most(1); ++y) {
      for (int z = least(2); z <= most(2); ++z) {
        const Replica replica = replica_at(x, y, z, period_, replicas_);
        if (may_cross(placed(box, replica), shift({x, y, z}), light)) copies.push_back({{x, y, z}, replica});
      }
    }
  }
  return copies;
}

bool CrossingFinder::reaches(const LightPath& light) const {
  return !(light.begin <= 0 || light.begin * (1 + distance_margin) < near_ || light.end * (1 - distance_margin) > far_);
}

Passage CrossingFinder::passage(const LightPath& light, double factor) const {
  constexpr double error_of_meetings = 1e-6;  // of the light's way; see improve_meetings
  Passage passage;
  if (!reaches(light)) return passage;
  LightSweep& sweep = passage.light;
  sweep.period = period_;
  sweep.factor = factor;
  sweep.begin = light.begin;
  sweep.inner = std::max({light.end, near_, 0.0});
  sweep.outer = far_;
  sweep.light_way = light.begin - light.end;
  sweep.slack = distance_margin * (light.begin + period_ + norm(view_.observer)) + error_of_meetings * sweep.light_way;
  const SkyFrame& frame = view_.frame;
  if (view_.opening == SkyOpening::octant) {
    sweep.faces = 3;
    sweep.face[0] = frame.x, sweep.face[1] = frame.y, sweep.face[2] = frame.z;
  }
  if (view_.opening == SkyOpening::cone) {
    sweep.cone = true;
    sweep.axis = view_.axis.x * frame.x + view_.axis.y * frame.y + view_.axis.z * frame.z;
    sweep.cosine = std::cos(view_.half_angle);
    sweep.sine = std::sin(view_.half_angle);
  }
  Box box;
  box.include(-1.0 * Vec3d{sweep.light_way, sweep.light_way, sweep.light_way});
  box.include(Vec3d{period_, period_, period_} - box.lo);
  for (const Copy& copy : copies_of(box, light)) {
    const auto [x, y, z] = copy.image;
    passage.copies.push_back({shift(copy.image), {x, y, z}, copy.replica});
  }
  return passage;
}

SkySearch CrossingFinder::search(const LightPath& light, double factor) const {
  Passage passes = passage(light, factor);
  return {{passes.light, LightRays(light.distance, light.a), light.end, near_, far_, least_crossing(light),
           most_crossing(light), view_.observer, view_.window()},
          std::move(passes.copies)};
}

void CrossingFinder::find(const SoughtParticles& particles, const LightPath& light, double factor,
                          CrossingSink& sink) const {
  if (!reaches(light) || particles.size() == 0) return;
  const Blocks blocks(*this, particles, factor);
  Box all;
  for (std::size_t b = 0; b < blocks.size(); ++b) all.include(blocks.box(b));
  const std::vector<Copy> copies = copies_of(all, light);
#pragma omp parallel
  {
    Search search(*this, particles, light, factor);
    std::vector<Crossing> found;
    if (!sink.in_order()) {  // NOLINT(bugprone-branch-clone): the check does not see that the loops differ
#pragma omp for schedule(dynamic, 1)
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        search(blocks, b, copies, found, [&] {
          sink.count(found);
          found.clear();
        });
        sink.count(found);
      }
    } else {
#pragma omp for schedule(static, 1) ordered
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        search(blocks, b, copies, found, [] {});
        if (found.empty()) continue;
        sink.count(found);
#pragma omp ordered
        sink.append(found);
      }
    }
  }
}

}  // namespace multiwalk
