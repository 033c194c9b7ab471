// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/crossing_finder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "host/base/separation.hpp"
#include "host/particles/kick.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t chunk_size = 64;
constexpr double distance_margin = 1e-9;  ///< of distances, beyond all rounding

double square(double x) {
  return x * x;
}

/// Where the image at `from` + u `way` meets the light; it does so at one u in [0, 1].
double meeting(Vec3d from, Vec3d way, const Cubic& light) {
  const double ahead = light(0) - norm(from), behind = norm(from + way) - light(1);
  double u = ahead + behind > 0 ? ahead / (ahead + behind) : 1;
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Vec3d at = from + u * way;
    const double distance = norm(at);
    const double speed = light.slope(u) - (distance > 0 ? dot(at, way) / distance : 0);
    const double next = std::clamp(u - (light(u) - distance) / speed, 0.0, 1.0);
    const bool done = std::fabs(next - u) < 1e-13;
    u = next;
    if (done) break;
  }
  return u;
}

}  // namespace

/// The work on one chunk.
class CrossingFinder::Search {
 public:
  Search(const CrossingFinder& finder, const ParticleStore& particles, const LightPath& light, double factor)
      : finder_(finder), particles_(particles), light_(light), factor_(factor) {}

  /// Puts the crossings of the chunk into `found`.
  void operator()(const Chunk& chunk, const std::vector<Image>& images, std::vector<Crossing>& found) {
    found.clear();
    bool ready = false;
    for (const Image& image : images) {
      if (!finder_.may_cross(chunk.box, finder_.shift(image.x, image.y, image.z), light_)) continue;
      if (!ready) drift(chunk);
      ready = true;
      seek(chunk, image, found);
    }
  }

 private:
  void drift(const Chunk& chunk) {
    for (std::size_t i = chunk.first; i < chunk.last; ++i) {
      const Vec3d to = drifted(particles_.position[i], factor_, particles_.velocity[i]);
      Vec3d& end = end_[i - chunk.first] = wrapped(to, finder_.period_);
      const auto crossed = [&](double a, double b) {
        return finder_.period_ > 0 ? static_cast<int>(std::lround((a - b) / finder_.period_)) : 0;
      };
      moved_[i - chunk.first] = {crossed(to.x, end.x), crossed(to.y, end.y), crossed(to.z, end.z)};
    }
  }

  void seek(const Chunk& chunk, const Image& image, std::vector<Crossing>& found) {
    const Vec3d shift = finder_.shift(image.x, image.y, image.z);
    const double before = square(light_.begin), after = square(light_.end);
    for (std::size_t i = chunk.first; i < chunk.last; ++i) {
      const Vec3d from = particles_.position[i] + shift;
      if (!(norm2(from) < before)) continue;
      const Image& moved = moved_[i - chunk.first];
      const Vec3d to = end_[i - chunk.first] + finder_.shift(image.x + moved.x, image.y + moved.y, image.z + moved.z);
      if (light_.end > 0 && !(norm2(to) >= after)) continue;
      take(i, from, found);
    }
  }

  void take(std::size_t i, Vec3d from, std::vector<Crossing>& found) {
    const Vec3d way = factor_ * widened(particles_.velocity[i]);
    const double u = meeting(from, way, light_.distance);
    const Vec3d at = finder_.view_.frame.to_sky(from + u * way);
    // A drift has the crossings of end <= distance < begin, whatever the rounding.
    const double distance = std::clamp(norm(at), std::fmax(light_.end, 0), std::nextafter(light_.begin, 0.0));
    if (!(distance >= finder_.near_ && distance < finder_.far_) || !finder_.view_.contains(at)) return;
    const Vec3d p = finder_.view_.frame.to_sky(widened(particles_.velocity[i]));
    found.push_back({at,
                     distance,
                     light_.a(u),
                     {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)},
                     particles_.mass[i],
                     particles_.id[i]});
  }

  const CrossingFinder& finder_;
  const ParticleStore& particles_;
  const LightPath& light_;
  double factor_;
  std::array<Vec3d, chunk_size> end_{};    ///< positions after the drift, in the box
  std::array<Image, chunk_size> moved_{};  ///< boxes by which wrapping moves them back
};

CrossingFinder::CrossingFinder(const SkyView& view, double period, double near, double far)
    : view_(view), period_(period), near_(near), far_(far) {}

Vec3d CrossingFinder::shift(int x, int y, int z) const {
  return Vec3d{x * period_, y * period_, z * period_} - view_.observer;
}

std::vector<CrossingFinder::Chunk> CrossingFinder::chunks_of(const ParticleStore& particles, double factor) const {
  std::vector<Chunk> chunks((particles.size() + chunk_size - 1) / chunk_size);
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    Chunk& chunk = chunks[c];
    chunk.first = c * chunk_size;
    chunk.last = std::min(chunk.first + chunk_size, particles.size());
    for (std::size_t i = chunk.first; i < chunk.last; ++i) {
      chunk.box.include(particles.position[i]);
      chunk.box.include(drifted(particles.position[i], factor, particles.velocity[i]));
    }
  }
  return chunks;
}

bool CrossingFinder::may_cross(const Box& box, Vec3d shift, const LightPath& light) const {
  double nearest2 = 0, farthest2 = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double lo = box.lo[axis] + shift[axis], hi = box.hi[axis] + shift[axis];
    nearest2 += square(std::fmax(0, std::fmax(lo, -hi)));
    farthest2 += square(std::fmax(-lo, hi));
  }
  const double outer = std::fmin(light.begin, far_), inner = std::fmax(std::fmax(light.end, near_), 0);
  if (nearest2 > square(outer * (1 + distance_margin)) || farthest2 < square(inner * (1 - distance_margin)))
    return false;
  return view_.opening == SkyOpening::full ||
         view_.may_meet(view_.frame.to_sky(box.centre() + shift), norm(box.half_size()));
}

std::vector<CrossingFinder::Image> CrossingFinder::images_of(const Box& box, const LightPath& light) const {
  if (period_ == 0) return {{0, 0, 0}};
  const double reach = std::fmin(light.begin, far_) * (1 + distance_margin);
  const auto least = [&](int axis) {
    return static_cast<int>(std::floor((view_.observer[axis] - reach - box.hi[axis]) / period_));
  };
  const auto most = [&](int axis) {
    return static_cast<int>(std::ceil((view_.observer[axis] + reach - box.lo[axis]) / period_));
  };
  std::vector<Image> images;
  for (int x = least(0); x <= most(0); ++x) {
    for (int y = least(1); y <= most(1); ++y) {
      for (int z = least(2); z <= most(2); ++z) {
        if (may_cross(box, shift(x, y, z), light)) images.push_back({x, y, z});
      }
    }
  }
  return images;
}

void CrossingFinder::find(const ParticleStore& particles, const LightPath& light, double factor,
                          CrossingSink& sink) const {
  if (light.begin <= 0 || light.begin * (1 + distance_margin) < near_ || light.end * (1 - distance_margin) > far_)
    return;
  const std::vector<Chunk> chunks = chunks_of(particles, factor);
  Box all;
  for (const Chunk& chunk : chunks) all.include(chunk.box);
  if (all.empty()) return;
  const std::vector<Image> images = images_of(all, light);
#pragma omp parallel
  {
    Search search(*this, particles, light, factor);
    std::vector<Crossing> found;
    if (!sink.in_order()) {  // NOLINT(bugprone-branch-clone): the check does not see that the loops differ
#pragma omp for schedule(dynamic, 8)
      for (std::size_t c = 0; c < chunks.size(); ++c) {
        search(chunks[c], images, found);
        sink.count(found);
      }
    } else {
#pragma omp for schedule(static, 1) ordered
      for (std::size_t c = 0; c < chunks.size(); ++c) {
        search(chunks[c], images, found);
        if (found.empty()) continue;
        sink.count(found);
#pragma omp ordered
        sink.append(found);
      }
    }
  }
}

}  // namespace multiwalk
