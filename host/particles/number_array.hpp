// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of the caller, in double or single precision, or one for all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "host/base/error.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// A view.
class NumberArray {
 public:
  NumberArray() = default;
  NumberArray(std::span<const double> numbers) : doubles_(numbers.data()), size_(numbers.size()) {}  // NOLINT
  NumberArray(std::span<const float> numbers) : floats_(numbers.data()), size_(numbers.size()) {}    // NOLINT
  NumberArray(double all, std::size_t size) : all_(all), size_(size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] double operator[](std::size_t i) const {
    if (doubles_ != nullptr) return doubles_[i];
    return floats_ != nullptr ? static_cast<double>(floats_[i]) : all_;
  }
  /// Numbers 3 i to 3 i + 2.
  [[nodiscard]] Vec3d point(std::size_t i) const { return {(*this)[3 * i], (*this)[3 * i + 1], (*this)[3 * i + 2]}; }
  /// `count` numbers from `first` on, where they are or written to `room`.
  [[nodiscard]] const double* doubles(std::size_t first, std::size_t count, double* room) const {
    if (doubles_ != nullptr) return doubles_ + first;
    if (floats_ != nullptr) {
      std::copy_n(floats_ + first, count, room);
    } else {
      std::fill_n(room, count, all_);
    }
    return room;
  }
  /// Only of an array in double precision.
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

}  // namespace multiwalk
