// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/crossing_finder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "host/base/separation.hpp"
#include "host/particles/kick.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t chunk_size = 64;    ///< particles
constexpr std::size_t block_size = 32;    ///< chunks, for which one thread first selects the images
constexpr double distance_margin = 1e-9;  ///< of distances, beyond all rounding

double square(double x) {
  return x * x;
}

/// Where images meet the light during a drift.
class Meeting {
 public:
  explicit Meeting(const Cubic& light) : light_(light), begin_(signed_square(light(0))), end_(signed_square(light(1))) {
    const double half = signed_square(light(0.5));
    bend_ = begin_ > end_ ? 4 * (0.5 - (begin_ - half) / (begin_ - end_)) : 0;
  }

  /// The image at `from` + u `way` meets the light at this u in [0, 1]. Newton's method on the difference of the
  /// squared distances, which needs no square roots; it begins with the parabola that would be right for images at
  /// rest.
  [[nodiscard]] double operator()(Vec3d from, Vec3d way) const {
    const double from2 = norm2(from), along = 2 * dot(from, way), way2 = norm2(way);
    const double first = begin_ - from2, last = end_ - (from2 + along + way2);
    const double linear = first > last ? std::clamp(first / (first - last), 0.0, 1.0) : 1;
    double u = std::clamp(linear + bend_ * linear * (1 - linear), 0.0, 1.0);
    for (int iteration = 0; iteration < 40; ++iteration) {
      const double l = light_(u), ahead = signed_square(l) - (from2 + u * (along + u * way2));
      const double slope = 2 * std::fabs(l) * light_.slope(u) - (along + 2 * u * way2);
      const double next = slope < 0 ? std::clamp(u - ahead / slope, 0.0, 1.0) : u;
      const bool done = std::fabs(next - u) < 1e-5;  // the error is then about 1e-10 at most
      u = next;
      if (done) break;
    }
    return u;
  }

 private:
  static double signed_square(double x) { return x * std::fabs(x); }

  Cubic light_;
  double begin_, end_, bend_;
};

}  // namespace

/// The work of one thread.
class CrossingFinder::Search {
 public:
  Search(const CrossingFinder& finder, const ParticleStore& particles, const LightPath& light, double factor)
      : finder_(finder),
        particles_(particles),
        light_(light),
        meeting_(light.distance),
        factor_(factor),
        least_(std::max(light.end, 0.0)),
        most_(std::nextafter(light.begin, 0.0)) {}

  /// Puts the crossings of a block of chunks into `found`.
  void operator()(std::span<const Chunk> block, const std::vector<Image>& images, std::vector<Crossing>& found) {
    found.clear();
    Box box;
    for (const Chunk& chunk : block) box.include(chunk.box);
    near_images_.clear();
    for (const Image& image : images)
      if (finder_.may_cross(box, finder_.shift(image), light_)) near_images_.push_back(image);
    for (const Chunk& chunk : block) {
      bool ready = false;
      for (const Image& image : near_images_) {
        if (!finder_.may_cross(chunk.box, finder_.shift(image), light_)) continue;
        if (!ready) drift(chunk);
        ready = true;
        seek(chunk, image, found);
      }
    }
  }

 private:
  void drift(const Chunk& chunk) {
    double farthest2 = 0;
    for (std::size_t i = chunk.first, k = 0; i < chunk.last; ++i, ++k) {
      const Vec3d from = particles_.position[i], to = drifted(from, factor_, particles_.velocity[i]);
      const Vec3d end = wrapped(to, finder_.period_);
      const auto crossed = [&](double a, double b) {
        return finder_.period_ > 0 ? static_cast<int>(std::lround((a - b) / finder_.period_)) : 0;
      };
      x_[k] = from.x, y_[k] = from.y, z_[k] = from.z;
      end_[k] = end;
      moved_[k] = {crossed(to.x, end.x), crossed(to.y, end.y), crossed(to.z, end.z)};
      farthest2 = std::max(farthest2, norm2(to - from));
    }
    reach_ = std::sqrt(farthest2);
  }

  /// Most images are rejected by their distance at the beginning alone.
  void seek(const Chunk& chunk, const Image& image, std::vector<Crossing>& found) {
    const Vec3d shift = finder_.shift(image);
    const std::size_t size = chunk.last - chunk.first;
    for (std::size_t k = 0; k < size; ++k) distance2_[k] = norm2(Vec3d{x_[k], y_[k], z_[k]} + shift);
    const double before = square(light_.begin), after = square(light_.end);
    const double least = square(std::max(0.0, light_.end * (1 - distance_margin) - reach_ * (1 + distance_margin)));
    std::size_t candidates = 0;
    for (std::size_t k = 0; k < size; ++k) {
      candidate_[candidates] = static_cast<std::uint32_t>(k);
      candidates += static_cast<std::size_t>(distance2_[k] < before) & static_cast<std::size_t>(distance2_[k] >= least);
    }
    for (std::size_t c = 0; c < candidates; ++c) {
      const std::size_t k = candidate_[c];
      const Image& moved = moved_[k];
      const Vec3d to = end_[k] + finder_.shift({image.x + moved.x, image.y + moved.y, image.z + moved.z});
      if (light_.end > 0 && !(norm2(to) >= after)) continue;
      take(chunk.first + k, Vec3d{x_[k], y_[k], z_[k]} + shift, found);
    }
  }

  void take(std::size_t i, Vec3d from, std::vector<Crossing>& found) {
    const Vec3d way = factor_ * widened(particles_.velocity[i]);
    const double u = meeting_(from, way);
    const Vec3d at = finder_.view_.frame.to_sky(from + u * way);
    // A drift has the crossings of end <= distance < begin, whatever the rounding.
    const double distance = std::clamp(light_.distance(u), least_, most_);
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
  Meeting meeting_;
  double factor_, least_, most_;                           ///< distances of crossings
  std::vector<Image> near_images_;                         ///< of the block
  std::array<double, chunk_size> x_{}, y_{}, z_{};         ///< positions before the drift
  std::array<double, chunk_size> distance2_{};             ///< of one image, from the observer
  std::array<std::uint32_t, chunk_size + 1> candidate_{};  ///< places in the chunk
  std::array<Vec3d, chunk_size> end_{};                    ///< positions after the drift, in the box
  std::array<Image, chunk_size> moved_{};                  ///< boxes by which wrapping moves them back
  double reach_ = 0;                                       ///< the longest way of a particle of the chunk
};

CrossingFinder::CrossingFinder(const SkyView& view, double period, double near, double far)
    : view_(view), period_(period), near_(near), far_(far) {}

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
    nearest2 += square(std::max(0.0, std::max(lo, -hi)));
    farthest2 += square(std::max(-lo, hi));
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
        if (may_cross(box, shift({x, y, z}), light)) images.push_back({x, y, z});
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
  const std::size_t blocks = (chunks.size() + block_size - 1) / block_size;
  const auto block = [&](std::size_t b) {
    const std::size_t first = b * block_size;
    return std::span(chunks).subspan(first, std::min(block_size, chunks.size() - first));
  };
#pragma omp parallel
  {
    Search search(*this, particles, light, factor);
    std::vector<Crossing> found;
    if (!sink.in_order()) {  // NOLINT(bugprone-branch-clone): the check does not see that the loops differ
#pragma omp for schedule(dynamic, 1)
      for (std::size_t b = 0; b < blocks; ++b) {
        search(block(b), images, found);
        sink.count(found);
      }
    } else {
#pragma omp for schedule(static, 1) ordered
      for (std::size_t b = 0; b < blocks; ++b) {
        search(block(b), images, found);
        if (found.empty()) continue;
        sink.count(found);
#pragma omp ordered
        sink.append(found);
      }
    }
  }
}

}  // namespace multiwalk
