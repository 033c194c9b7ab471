// Periodic cubic mesh of real values or of their Fourier modes, spread over ranks in pencils (FFTW's serial plans).
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "decomposition/communicator.hpp"

namespace multiwalk {

/// A run of indices [first, first + count).
struct IndexRange {
  std::uint32_t first = 0, count = 0;
  [[nodiscard]] bool contains(std::uint32_t i) const { return i - first < count; }
};

/// The `part`-th of `parts` nearly equal runs of 0..n-1.
IndexRange part_of(std::uint32_t n, int part, int parts);

/// value(x) = sum over modes of mode(n) exp(2 pi i n.x / N), so modes carry no factor N^3. Modes with n_z < 0 are
/// implied by mode(-n) = conj(mode(n)). As values, a rank holds (x range, y range, all z); as modes (all x, y range, z
/// range). Every one-dimensional transform is the same plan on contiguous data, so results are bitwise the same for any
/// number of ranks and threads. Constructor, to_values, to_modes and copy_modes are collective.
class PencilMesh {
 public:
  /// All zero, as modes. Throws InputError when the memory for N = `cells` is not there.
  PencilMesh(const Communicator& comm, std::uint32_t cells);

  [[nodiscard]] std::uint32_t cells() const { return cells_; }               ///< N, a side
  [[nodiscard]] std::uint32_t half_cells() const { return cells_ / 2 + 1; }  ///< modes along z
  [[nodiscard]] const Communicator& communicator() const { return comm_; }
  [[nodiscard]] IndexRange value_x() const { return value_x_; }
  [[nodiscard]] IndexRange value_y() const { return value_y_; }
  [[nodiscard]] IndexRange mode_y() const { return mode_y_; }
  [[nodiscard]] IndexRange mode_z() const { return mode_z_; }

  /// x in value_x(), y in value_y(), any z. Valid after to_values().
  [[nodiscard]] double& value(std::uint32_t x, std::uint32_t y, std::uint32_t z);
  [[nodiscard]] double value(std::uint32_t x, std::uint32_t y, std::uint32_t z) const;
  /// Any x, y in mode_y(), z in mode_z(). Valid after construction and to_modes().
  [[nodiscard]] std::complex<double>& mode(std::uint32_t x, std::uint32_t y, std::uint32_t z);
  [[nodiscard]] std::complex<double> mode(std::uint32_t x, std::uint32_t y, std::uint32_t z) const;

  /// Signed wavenumber of an index, and the index of a signed wavenumber.
  [[nodiscard]] std::int64_t wavenumber(std::uint32_t index) const {
    return 2 * index > cells_ ? static_cast<std::int64_t>(index) - cells_ : index;
  }
  [[nodiscard]] std::uint32_t index(std::int64_t wavenumber) const {
    return static_cast<std::uint32_t>(wavenumber < 0 ? wavenumber + cells_ : wavenumber);
  }
  /// Below the Nyquist wavenumber.
  [[nodiscard]] bool resolves(std::int64_t wavenumber) const { return 2 * std::abs(wavenumber) < cells_; }

  void to_values();
  void to_modes();

 private:
  Communicator comm_;
  std::uint32_t cells_;
  IndexRange value_x_, value_y_, mode_y_, mode_z_;
};

}  // namespace multiwalk
