// SPDX-License-Identifier: GPL-3.0-or-later
// Periodic cubic mesh of real values or of their Fourier modes, distributed over ranks in pencils (FFTW's serial
// plans).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>

#include "decomposition/mesh/pencil_grid.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// value(x) = sum over modes of mode(n) exp(2 pi i n.x / N), so modes carry no factor N^3. Modes with n_z < 0 are
/// implied by mode(-n) = conj(mode(n)). Results have the same bits for any number of ranks and threads. Constructor and
/// transforms are collective. Memory: 8 (N + 2) N^2 bytes over all ranks, and twice that during a transform on several
/// ranks.
class PencilMesh {
 public:
  /// All zero, as modes and as values. Throws SharedError if there is not enough memory for N = `cells`.
  PencilMesh(const Communicator& comm, std::uint32_t cells);

  [[nodiscard]] std::uint32_t cells() const { return cells_; }               ///< N, per side
  [[nodiscard]] std::uint32_t half_cells() const { return cells_ / 2 + 1; }  ///< modes along z
  [[nodiscard]] const Communicator& communicator() const { return comm_; }
  [[nodiscard]] const PencilGrid& grid() const { return grid_; }
  [[nodiscard]] const Pencil& pencil() const { return mine_; }  ///< what this rank holds

  /// x in value_x, y in value_y of the pencil, any z. Valid after to_values().
  [[nodiscard]] double& value(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return data_[value_place(x, y) + z];
  }
  [[nodiscard]] double value(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return data_[value_place(x, y) + z];
  }
  /// The N values of a line.
  [[nodiscard]] double* values_along_z(std::uint32_t x, std::uint32_t y) { return &data_[value_place(x, y)]; }
  [[nodiscard]] const double* values_along_z(std::uint32_t x, std::uint32_t y) const {
    return &data_[value_place(x, y)];
  }
  /// Any x, y in mode_y, z in mode_z of the pencil. Valid after construction, clear() and to_modes(), and once all
  /// modes are written.
  [[nodiscard]] std::complex<double>& mode(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return modes()[mode_place(x, y, z)];
  }
  [[nodiscard]] std::complex<double> mode(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return modes()[mode_place(x, y, z)];
  }

  /// Signed wavenumber of an index, and the index of a signed wavenumber.
  [[nodiscard]] std::int64_t wavenumber(std::uint32_t index) const {
    return 2 * index > cells_ ? static_cast<std::int64_t>(index) - cells_ : index;
  }
  [[nodiscard]] std::uint32_t index(std::int64_t wavenumber) const {
    return static_cast<std::uint32_t>(wavenumber < 0 ? wavenumber + cells_ : wavenumber);
  }
  /// True below the Nyquist wavenumber.
  [[nodiscard]] bool resolves(std::int64_t wavenumber) const { return 2 * std::abs(wavenumber) < cells_; }

  void to_values();
  void to_modes();
  /// Sets the values to those of the modes of `from` below its Nyquist wavenumber, times factor(n), n a Vec3 of
  /// wavenumbers. `from` has at most as many cells and the same communicator; modes that it lacks cost neither messages
  /// nor transforms.
  template <class Factor>
  void set_values(const PencilMesh& from, Factor factor) {
    take_values(from, [&factor](std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::complex<double>> run) {
      for (std::complex<double>& mode : run) mode *= factor(Vec3<std::int64_t>{x, y, z++});
    });
  }
  /// Sets the modes of `to`, which has at most as many cells, to those of these values, and to zero from its Nyquist
  /// wavenumber on. The values are lost.
  void give_modes(PencilMesh& to);
  /// Keeps the additional memory of a transform for the next one as long as the mesh lives.
  void keep_spare() { keeps_spare_ = true; }
  /// All zero, as modes and as values.
  void clear();

  /// Calls act(n_x, n_y, n_z, mode&) for this rank's modes, in parallel.
  template <class Act>
  void for_each_mode(Act act) {
    const IndexRange y_range = mine_.mode_y;
    const IndexRange z_range = mine_.mode_z;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint32_t x = 0; x < cells_; ++x) {
      for (std::uint32_t y = y_range.first; y < y_range.end(); ++y) {
        for (std::uint32_t z = z_range.first; z < z_range.end(); ++z)
          act(wavenumber(x), wavenumber(y), std::int64_t{z}, mode(x, y, z));
      }
    }
  }
  /// Calls act(value&, value of other at the same place) for this rank's cells, in parallel; both meshes hold values of
  /// the same number of cells on the same communicator.
  template <class Act>
  void combine(const PencilMesh& other, Act act) {
    const IndexRange x_range = mine_.value_x;
    const IndexRange y_range = mine_.value_y;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint32_t x = x_range.first; x < x_range.end(); ++x) {
      for (std::uint32_t y = y_range.first; y < y_range.end(); ++y) {
        for (std::uint32_t z = 0; z < cells_; ++z) act(value(x, y, z), other.value(x, y, z));
      }
    }
  }

 private:
  struct Free {
    void operator()(double* data) const;
  };
  using Data = std::unique_ptr<double[], Free>;
  /// Changes modes of rising n_z in place: act(n_x, n_y, first n_z, modes).
  using ModeRun = std::function<void(std::int64_t, std::int64_t, std::int64_t, std::span<std::complex<double>>)>;

  void take_values(const PencilMesh& from, const ModeRun& act);
  /// Modes from place (x, y, z) of this rank on: `act` (which may be null) for those below the Nyquist wavenumber; the
  /// others become zero.
  void change_run(std::size_t x, std::size_t y, std::size_t z, std::span<std::complex<double>> run,
                  const ModeRun& act) const;

  [[nodiscard]] std::size_t value_place(std::uint32_t x, std::uint32_t y) const {
    return (std::size_t{x - mine_.value_x.first} * mine_.value_y.count + (y - mine_.value_y.first)) * 2 * half_cells();
  }
  [[nodiscard]] std::size_t mode_place(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return (std::size_t{x} * mine_.mode_y.count + (y - mine_.mode_y.first)) * mine_.mode_z.count +
           (z - mine_.mode_z.first);
  }
  [[nodiscard]] std::complex<double>* modes() {
    return reinterpret_cast<std::complex<double>*>(data_.get());
  }
  [[nodiscard]] const std::complex<double>* modes() const {
    return reinterpret_cast<const std::complex<double>*>(data_.get());
  }

  Communicator comm_;
  std::uint32_t cells_;
  PencilGrid grid_;
  Pencil mine_;
  std::size_t capacity_;  ///< complex elements: the maximum over the stages of a transform
  Data data_, spare_;
  std::size_t spare_capacity_ = 0;
  bool keeps_spare_ = false;

  friend class PencilTransform;
  [[nodiscard]] Data allocate(std::size_t elements) const;
};

}  // namespace multiwalk
