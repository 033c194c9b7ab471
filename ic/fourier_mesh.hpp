// Periodic cubic mesh of real values or of their Fourier modes, in one buffer (FFTW, double precision).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace multiwalk {

/// value(x) = sum over modes of mode(n) exp(2 pi i n.x / N), so modes carry no factor N^3. Modes with n_z < 0 are
/// implied by mode(-n) = conj(mode(n)). Threads share the work in one-dimensional and planar transforms, each done by
/// one thread, so results do not depend on their number.
class FourierMesh {
 public:
  /// All zero. Throws InputError when the memory for N = `cells` is not there.
  explicit FourierMesh(std::uint32_t cells);

  [[nodiscard]] std::uint32_t cells() const { return cells_; }               ///< N, a side
  [[nodiscard]] std::uint32_t half_cells() const { return cells_ / 2 + 1; }  ///< modes stored along z

  /// 0 <= x, y, z < N. Valid after to_values().
  [[nodiscard]] double& value(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return data_[row(x, y) * 2 * half_cells() + z];
  }
  [[nodiscard]] double value(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return data_[row(x, y) * 2 * half_cells() + z];
  }
  /// 0 <= x, y < N, 0 <= z < half_cells(). Valid after to_modes() or when modes were set.
  [[nodiscard]] std::complex<double>& mode(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return modes()[row(x, y) * half_cells() + z];
  }
  [[nodiscard]] std::complex<double> mode(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return const_cast<FourierMesh*>(this)->mode(x, y, z);
  }

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

  /// Calls act(n_x, n_y, n_z, mode&) for every stored mode, in parallel.
  template <class Act>
  void for_each_mode(Act act) {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint32_t x = 0; x < cells_; ++x) {
      for (std::uint32_t y = 0; y < cells_; ++y) {
        for (std::uint32_t z = 0; z < half_cells(); ++z)
          act(wavenumber(x), wavenumber(y), wavenumber(z), mode(x, y, z));
      }
    }
  }
  /// Calls act(value&, value of other at the same place) for every cell, in parallel; both hold values.
  template <class Act>
  void combine(const FourierMesh& other, Act act) {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint32_t x = 0; x < cells_; ++x) {
      for (std::uint32_t y = 0; y < cells_; ++y) {
        for (std::uint32_t z = 0; z < cells_; ++z) act(value(x, y, z), other.value(x, y, z));
      }
    }
  }

 private:
  struct Free {
    void operator()(double* data) const;
  };

  [[nodiscard]] std::size_t row(std::uint32_t x, std::uint32_t y) const {
    return std::size_t{x} * cells_ + y;
  }
  [[nodiscard]] std::complex<double>* modes() {
    return reinterpret_cast<std::complex<double>*>(data_.get());
  }
  void transform_along_x(int sign);

  std::uint32_t cells_;
  std::unique_ptr<double[], Free> data_;
};

}  // namespace multiwalk
