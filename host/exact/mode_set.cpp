// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/exact/mode_set.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/base/aligned_buffer.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t capacity = ModeBlock::capacity;
/// Particles are divided into at most this many parts, each of at least this many blocks; sums of parts are added in
/// order.
constexpr std::size_t most_parts = 128, least_blocks = 8;

std::size_t blocks_of(std::size_t particles) {
  return (particles + capacity - 1) / capacity;
}

/// A thread's block.
class BlockMaker {
 public:
  explicit BlockMaker(int harmonics) {
    const std::size_t waves = 2 * static_cast<std::size_t>(harmonics) * capacity;
    double* const memory = memory_.reserve(3 * waves + capacity);
    block_ = {harmonics, {memory, memory + waves, memory + 2 * waves}, memory + 3 * waves};
  }

  /// Particles from `first` on, as many as fit. If no masses are given, they are 0.
  const ModeBlock& operator()(std::span<const Vec3d> position, std::span<const float> mass, double box_size,
                              std::size_t first) {
    for (std::size_t j = 0; j < capacity; ++j) {
      const std::size_t i = first + j;
      const Vec3d x = i < position.size() ? position[i] : Vec3d{};
      block_.mass[j] = i < mass.size() ? static_cast<double>(mass[i]) : 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double turns = x[axis] / box_size, angle = 2 * std::numbers::pi * (turns - std::rint(turns));
        block_.wave[axis][2 * capacity + j] = std::cos(angle);
        block_.wave[axis][3 * capacity + j] = std::sin(angle);
      }
    }
    return block_;
  }

 private:
  AlignedBuffer<double> memory_;
  ModeBlock block_{};
};

}  // namespace

ModeSet::ModeSet(double reach, const SimdKernels& kernels)
    : kernels_(&kernels), harmonics_(static_cast<int>(reach) + 1) {
  if (!(reach >= 1 && reach <= 64)) throw InputError("a sum of Fourier modes reaches from h = 1 to 64");
  const double reach2 = reach * reach;
  std::uint64_t all = 0;
  for (int x = 0; x <= reach; ++x) {
    for (int y = 0; x * x + y * y <= reach2; ++y) {
      const int waves = static_cast<int>(std::sqrt(reach2 - x * x - y * y)) + 1;
      lines_.push_back({x, y, waves, numbers_});
      numbers_ += 8 * static_cast<std::size_t>(waves);
      all += static_cast<std::uint64_t>((x > 0 ? 2 : 1) * (y > 0 ? 2 : 1) * (2 * waves - 1));
    }
  }
  modes_ = all / 2;
}

std::vector<double> ModeSet::sums(const BoxMasses& masses) const {
  const std::size_t blocks = blocks_of(masses.position.size());
  const std::size_t parts = std::clamp<std::size_t>(blocks / least_blocks, 1, most_parts);
  std::vector<double> partial(parts * numbers_);
#pragma omp parallel
  {
    BlockMaker make(harmonics_);
#pragma omp for schedule(dynamic)
    for (std::size_t part = 0; part < parts; ++part) {
      for (std::size_t b = blocks * part / parts; b < blocks * (part + 1) / parts; ++b) {
        const ModeBlock& block = make(masses.position, masses.mass, masses.box_size, b * capacity);
        kernels_->add_modes(lines_.data(), lines_.size(), block, partial.data() + part * numbers_);
      }
    }
  }
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t k = 0; k < numbers_; ++k) partial[k] += partial[part * numbers_ + k];
  }
  partial.resize(numbers_);
  return partial;
}

void ModeSet::add_field(std::span<const double> amplitudes, std::span<const Vec3d> position, double box_size,
                        std::span<Vec3f> acceleration, std::span<float> potential) const {
  require(amplitudes.size() == numbers_, "amplitudes of other modes");
  const double fundamental = 2 * std::numbers::pi / box_size;
#pragma omp parallel
  {
    BlockMaker make(harmonics_);
    ModeField field;
#pragma omp for schedule(static)
    for (std::size_t b = 0; b < blocks_of(position.size()); ++b) {
      const std::size_t first = b * capacity, end = std::min(position.size(), first + capacity);
      const ModeBlock& block = make(position, {}, box_size, first);
      kernels_->sum_modes(lines_.data(), lines_.size(), block, amplitudes.data(), field);
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t j = i - first;
        const Vec3d slope{field.slope[0][j], field.slope[1][j], field.slope[2][j]};
        acceleration[i] -= Vec3f(fundamental * slope);
        potential[i] += static_cast<float>(field.value[j]);
      }
    }
  }
}

}  // namespace multiwalk
