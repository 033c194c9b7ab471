// SPDX-License-Identifier: GPL-3.0-or-later
// The caller's numbers, in double or single precision, or one number for all elements; in memory of the host or a
// device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "host/base/error.hpp"
#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// The largest size of a position, a mass or an old acceleration: squares and sums stay finite.
inline constexpr double largest_number = 1e100;

/// A view. Elements are read by the side that can reach them.
class NumberArray {
 public:
  NumberArray() = default;
  NumberArray(std::span<const double> numbers) : doubles_(numbers.data()), size_(numbers.size()) {}  // NOLINT
  NumberArray(std::span<const float> numbers) : floats_(numbers.data()), size_(numbers.size()) {}    // NOLINT
  NumberArray(double all, std::size_t size) : all_(all), size_(size) {}

  [[nodiscard]] MULTIWALK_HOST_DEVICE std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] MULTIWALK_HOST_DEVICE double operator[](std::size_t i) const {
    if (doubles_ != nullptr) return doubles_[i];
    return floats_ != nullptr ? static_cast<double>(floats_[i]) : all_;
  }
  /// Numbers 3 i to 3 i + 2.
  [[nodiscard]] Vec3d point(std::size_t i) const { return {(*this)[3 * i], (*this)[3 * i + 1], (*this)[3 * i + 2]}; }
  /// `count` numbers from `first` on: in the array itself or, if it is not in double precision, copied to `room`.
  [[nodiscard]] const double* doubles(std::size_t first, std::size_t count, double* room) const {
    if (doubles_ != nullptr) return doubles_ + first;
    if (floats_ != nullptr) {
      std::copy_n(floats_ + first, count, room);
    } else {
      std::fill_n(room, count, all_);
    }
    return room;
  }
  /// The address of the first element; null if there is one number for all elements.
  [[nodiscard]] const void* data() const {
    return doubles_ != nullptr ? static_cast<const void*>(doubles_) : static_cast<const void*>(floats_);
  }
  [[nodiscard]] std::size_t element_bytes() const { return doubles_ != nullptr ? sizeof(double) : sizeof(float); }
  /// A view like this one, whose `size` elements begin at `data`.
  [[nodiscard]] NumberArray at(const void* data, std::size_t size) const {
    if (doubles_ != nullptr) return std::span(static_cast<const double*>(data), size);
    if (floats_ != nullptr) return std::span(static_cast<const float*>(data), size);
    return {all_, size};
  }
  /// Only for arrays in double precision.
  [[nodiscard]] std::span<const double> all_doubles() const {
    require(doubles_ != nullptr || empty(), "the numbers are not in double precision");
    return {doubles_, size_};
  }

 private:
  const double* doubles_ = nullptr;
  const float* floats_ = nullptr;
  double all_ = 0;
  std::size_t size_ = 0;
};

/// The caller's arrays for accelerations and potentials: both in double precision or both in single.
class ResultArrays {
 public:
  ResultArrays() = default;
  ResultArrays(Vec3d* acceleration, double* potential, std::size_t size)
      : acceleration_(acceleration), potential_(potential), size_(size) {}
  ResultArrays(Vec3f* acceleration, float* potential, std::size_t size)
      : acceleration_(acceleration), potential_(potential), size_(size), single_(true) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool single() const { return single_; }
  [[nodiscard]] void* acceleration() const { return acceleration_; }
  [[nodiscard]] void* potential() const { return potential_; }
  [[nodiscard]] std::size_t number_bytes() const { return single_ ? sizeof(float) : sizeof(double); }
  /// Calls act(accelerations, potentials) with the pointers of their type.
  template <class Act>
  auto with_type(const Act& act) const {
    return single_ ? act(static_cast<Vec3f*>(acceleration_), static_cast<float*>(potential_))
                   : act(static_cast<Vec3d*>(acceleration_), static_cast<double*>(potential_));
  }
  /// Arrays like these at other addresses.
  [[nodiscard]] ResultArrays at(void* acceleration, void* potential) const {
    ResultArrays moved = *this;
    moved.acceleration_ = acceleration;
    moved.potential_ = potential;
    return moved;
  }
  /// The accelerations, for reading.
  [[nodiscard]] NumberArray numbers() const {
    if (single_) return std::span(static_cast<const float*>(acceleration_), 3 * size_);
    return std::span(static_cast<const double*>(acceleration_), 3 * size_);
  }

 private:
  void* acceleration_ = nullptr;
  void* potential_ = nullptr;
  std::size_t size_ = 0;
  bool single_ = false;
};

}  // namespace multiwalk
