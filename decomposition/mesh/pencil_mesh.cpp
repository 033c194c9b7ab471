// SPDX-License-Identifier: GPL-3.0-or-later
// Transform along x, exchange within a column of ranks (x for y), transform along y, exchange within a row (y for z),
// transform along z; and back. Between two transforms each rank's memory is divided into one block per partner, so
// messages are whole blocks and no step only copies.
#include "decomposition/mesh/pencil_mesh.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/mesh/line_transform.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/large_memory.hpp"

namespace multiwalk {

namespace {

constexpr int transpose_tag = 32000;

/// Blocks of a stage: block p, for or from partner p, begins at start[p]; the last entry is the end.
using Blocks = std::vector<std::size_t>;

/// Ranks first, first + stride, ...
struct Partners {
  int first, stride;

  [[nodiscard]] int rank(std::size_t p) const { return first + static_cast<int>(p) * stride; }
};

template <class Value>
struct BlockArray {
  Value* data;
  const Blocks& start;

  [[nodiscard]] std::size_t size(std::size_t p) const { return start[p + 1] - start[p]; }
  [[nodiscard]] std::span<Value> operator[](std::size_t p) const { return {data + start[p], size(p)}; }
};

/// One block of `from` goes to each partner, one of `to` comes from each.
void exchange_blocks(const Communicator& comm, const Partners& with, const BlockArray<const ComplexValue>& from,
                     const BlockArray<ComplexValue>& to) {
  const auto partners = static_cast<int>(from.start.size()) - 1;
  const int own = (comm.rank() - with.first) / with.stride;
  std::vector<Transfer> transfers;
  for (int step = 1; step < partners; ++step) {
    const auto p = static_cast<std::size_t>((own + partners - step) % partners);
    if (to.size(p) > 0) transfers.push_back(comm.receive(to[p], with.rank(p), transpose_tag));
  }
  for (int step = 1; step < partners; ++step) {
    const auto p = static_cast<std::size_t>((own + step) % partners);
    if (from.size(p) > 0) transfers.push_back(comm.send(from[p], with.rank(p), transpose_tag));
  }
  const std::span<const ComplexValue> kept = from[static_cast<std::size_t>(own)];
  const std::span<ComplexValue> place = to[static_cast<std::size_t>(own)];
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < kept.size(); ++i) place[i] = kept[i];
  for (Transfer& transfer : transfers) transfer.wait();
}

/// Blocks of `size(p)` elements in sequence.
template <class Size>
Blocks blocks_of(int partners, Size size) {
  Blocks start{0};
  for (int p = 0; p < partners; ++p) start.push_back(start.back() + size(p));
  return start;
}

}  // namespace

/// One transform of a mesh of n cells a side with the waves of one of at most as many. Stages: modes (x, y, z of the
/// waves), which may lie in the other mesh; rows (x of n; y, z of the waves); after the first exchange `by_row`, blocks
/// p of (my x, y waves of row p, my z); before the second `by_column`, blocks p of (my x, y of column p, my z); after
/// it blocks p of (my x, my y, z waves of column p); values. With one row or one column two of them are the same, one
/// exchange falls away, and lines lie where the values will.
class PencilTransform {
 public:
  PencilTransform(PencilMesh& mesh, const PencilMesh& other)
      : mesh_(mesh), waves_(other.cells_), mode_y_(other.mine_.mode_y), mode_z_(other.mine_.mode_z) {
    require(waves_ <= mesh.cells_, "a mesh exchanges modes with one of at most as many cells");
    require(other.comm_.size() == mesh.comm_.size(), "meshes that exchange modes live on the same ranks");
    const std::size_t x = mesh.mine_.value_x.count, y = mode_y_.count, z = mode_z_.count;
    modes_blocks_ = blocks_of(mesh.grid_.rows, [&](int p) { return row_part(p).count * y * z; });
    by_row_blocks_ = blocks_of(mesh.grid_.rows, [&](int p) { return x * wave_row_part(p).count * z; });
    by_column_blocks_ = blocks_of(mesh.grid_.columns, [&](int p) { return x * column_part(p).count * z; });
    rows_blocks_ = blocks_of(mesh.grid_.columns, [&](int p) { return row_count() * wave_z_part(p).count; });
    if (!mesh.comm_.alone()) take_spare(std::max(by_row_blocks_.back(), several_columns() ? rows_blocks_.back() : 0));
    data_ = std::move(mesh.data_);
  }
  ~PencilTransform() {
    mesh_.data_ = std::move(data_);
    if (mesh_.keeps_spare_) mesh_.spare_ = std::move(spare_);
  }
  PencilTransform(const PencilTransform&) = delete;
  PencilTransform& operator=(const PencilTransform&) = delete;

  [[nodiscard]] ComplexValue* data() const { return reinterpret_cast<ComplexValue*>(data_.get()); }

  /// `modes`: data(), or that of the other mesh; `change` applies to them.
  void to_values(const ComplexValue* modes, LineChange change) {
    transform_x(FFTW_BACKWARD, 1, {modes, mode_places(std::move(change))}, {data(), x_places()});
    exchange_in_column(modes_blocks_, by_row_blocks_);
    transform_y(FFTW_BACKWARD, by_row_places(), by_column_places());
    exchange_in_row(by_column_blocks_, rows_blocks_);
    ComplexValue* const from = data();
    if (several_columns()) std::swap(data_, spare_);
    transform_rows_to_values(mesh_.cells_, row_count(), from, row_pieces(), data_.get());
  }

  void to_modes(ComplexValue* modes, LineChange change) {
    const double* const from = data_.get();
    if (several_columns()) std::swap(data_, spare_);
    transform_rows_to_modes(mesh_.cells_, row_count(), from, data(), row_pieces());
    exchange_in_row(rows_blocks_, by_column_blocks_);
    transform_y(FFTW_FORWARD, by_column_places(), by_row_places());
    exchange_in_column(by_row_blocks_, modes_blocks_);
    const auto n = static_cast<double>(mesh_.cells_);
    transform_x(FFTW_FORWARD, 1 / (n * n * n), {data(), x_places()}, {modes, mode_places(std::move(change))});
  }

 private:
  [[nodiscard]] ComplexValue* spare() const { return reinterpret_cast<ComplexValue*>(spare_.get()); }
  [[nodiscard]] bool several_columns() const { return mesh_.grid_.columns > 1; }
  [[nodiscard]] std::size_t row_count() const {
    return std::size_t{mesh_.mine_.value_x.count} * mesh_.mine_.value_y.count;
  }
  /// x as values and y as modes are divided in the same way among the rows of ranks; y as values and z as modes among
  /// the columns.
  [[nodiscard]] IndexRange row_part(int p) const { return part_of(mesh_.cells_, p, mesh_.grid_.rows); }
  [[nodiscard]] IndexRange column_part(int p) const { return part_of(mesh_.cells_, p, mesh_.grid_.columns); }
  [[nodiscard]] IndexRange wave_row_part(int p) const { return part_of(waves_, p, mesh_.grid_.rows); }
  [[nodiscard]] IndexRange wave_z_part(int p) const { return part_of(waves_ / 2 + 1, p, mesh_.grid_.columns); }
  /// Element of a line of the mesh, from the index of a wave.
  [[nodiscard]] std::uint32_t element(std::uint32_t wave) const {
    return 2 * wave > waves_ ? wave + (mesh_.cells_ - waves_) : wave;
  }

  void take_spare(std::size_t elements) {
    if (!mesh_.spare_ || mesh_.spare_capacity_ < elements) {
      mesh_.spare_.reset();
      mesh_.spare_ = mesh_.allocate(elements);
      mesh_.spare_capacity_ = elements;
    }
    spare_ = std::move(mesh_.spare_);
  }

  [[nodiscard]] LinePlaces mode_places(LineChange change) const {
    LinePlaces places;
    const std::size_t plane = std::size_t{mode_y_.count} * mode_z_.count;
    for (std::uint32_t wave = 0; wave < waves_; ++wave) places.add(element(wave), wave * plane, mode_z_.count);
    places.change = std::move(change);
    return places;
  }
  [[nodiscard]] LinePlaces x_places() const {
    const bool alone = mesh_.comm_.alone();
    const std::size_t y = alone ? mesh_.cells_ : mode_y_.count, z = alone ? mesh_.half_cells() : mode_z_.count;
    LinePlaces places;
    for (std::uint32_t x = 0; x < mesh_.cells_; ++x) places.add(x, x * y * z, z);
    return places;
  }
  /// Places of the y lines when blocks of y ranges follow each other, each (my x, its y, my z); of a single block if
  /// they lie where the values will.
  template <class Part>
  [[nodiscard]] LinePlaces y_places(const Blocks& blocks, bool as_values, Part part) const {
    LinePlaces places;
    const std::size_t z = as_values ? mesh_.half_cells() : mode_z_.count;
    for (std::size_t p = 0; p + 1 < blocks.size(); ++p) {
      const IndexRange y = part(static_cast<int>(p));
      const std::size_t plane = (as_values ? mesh_.cells_ : y.count) * z;
      for (std::uint32_t j = 0; j < y.count; ++j) places.add(y.first + j, blocks[p] + j * z, plane);
    }
    return places;
  }
  [[nodiscard]] LinePlaces by_row_places() const {
    LinePlaces places = y_places(by_row_blocks_, mesh_.comm_.alone(), [this](int p) { return wave_row_part(p); });
    for (std::uint32_t& y : places.element) y = element(y);
    return places;
  }
  [[nodiscard]] LinePlaces by_column_places() const {
    return y_places(by_column_blocks_, !several_columns(), [this](int p) { return column_part(p); });
  }
  [[nodiscard]] std::vector<RowPiece> row_pieces() const {
    std::vector<RowPiece> pieces;
    for (int p = 0; p < mesh_.grid_.columns; ++p) {
      const IndexRange z = wave_z_part(p);
      const std::size_t pitch = several_columns() ? z.count : mesh_.half_cells();
      pieces.push_back({rows_blocks_[static_cast<std::size_t>(p)], pitch, z.first, z.count});
    }
    return pieces;
  }

  void transform_x(int sign, double factor, const PlacedLines<const ComplexValue>& from,
                   const PlacedLines<ComplexValue>& to) {
    transform_lines({mesh_.cells_, mode_y_.count, mode_z_.count}, sign, factor, from, to);
  }
  void transform_y(int sign, const LinePlaces& from_places, const LinePlaces& to_places) {
    const LineBlock block{mesh_.cells_, mesh_.mine_.value_x.count, mode_z_.count};
    const ComplexValue* const from = data();
    if (!mesh_.comm_.alone()) std::swap(data_, spare_);
    transform_lines(block, sign, 1, {from, from_places}, {data(), to_places});
  }
  void exchange_in_column(const Blocks& from, const Blocks& to) {
    if (mesh_.grid_.rows == 1) return;
    const int column = mesh_.grid_.column(mesh_.comm_.rank());
    exchange_blocks(mesh_.comm_, {column, mesh_.grid_.columns}, {data(), from}, {spare(), to});
    std::swap(data_, spare_);
  }
  void exchange_in_row(const Blocks& from, const Blocks& to) {
    if (!several_columns()) return;
    const int first = mesh_.grid_.row(mesh_.comm_.rank()) * mesh_.grid_.columns;
    exchange_blocks(mesh_.comm_, {first, 1}, {data(), from}, {spare(), to});
    std::swap(data_, spare_);
  }

  PencilMesh& mesh_;
  std::uint32_t waves_;
  IndexRange mode_y_, mode_z_;  ///< of the waves, this rank's
  PencilMesh::Data spare_, data_;
  Blocks modes_blocks_, by_row_blocks_, by_column_blocks_, rows_blocks_;
};

void PencilMesh::Free::operator()(double* data) const {
  std::free(data);
}

PencilMesh::Data PencilMesh::allocate(std::size_t elements) const {
  const std::size_t bytes = std::max<std::size_t>(elements, 1) * sizeof(ComplexValue);
  return collectively(comm_, [&] {
    Data data(static_cast<double*>(allocate_touched(bytes)));
    if (!data) {
      throw InputError("not enough memory for a mesh of " + std::to_string(cells_) + "^3 cells (" +
                       std::to_string(bytes >> 20) + " MiB on each of " + std::to_string(comm_.size()) +
                       " ranks); use fewer cells (ic.grid, --mesh) or more ranks");
    }
    return data;
  });
}

PencilMesh::PencilMesh(const Communicator& comm, std::uint32_t cells)
    : comm_(comm), cells_(cells), grid_(comm.size()), mine_(grid_, comm.rank(), cells) {
  require(cells > 0, "a mesh needs cells");
  // Parts are rounded up, so that the waves of a mesh with fewer cells fit too.
  const auto most = [](std::uint32_t n, int parts) { return (n + static_cast<std::size_t>(parts) - 1) / parts; };
  const std::size_t x = most(cells, grid_.rows), y = most(cells, grid_.columns), z = most(half_cells(), grid_.columns);
  capacity_ = std::max(cells_ * x * z, x * y * half_cells());
  data_ = allocate(capacity_);
}

void PencilMesh::clear() {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < 2 * capacity_; ++i) data_[i] = 0;
}

void PencilMesh::to_values() {
  PencilTransform transform(*this, *this);
  transform.to_values(transform.data(), nullptr);
}

void PencilMesh::to_modes() {
  PencilTransform transform(*this, *this);
  transform.to_modes(transform.data(), nullptr);
}

void PencilMesh::change_run(std::size_t x, std::size_t y, std::size_t z, std::span<std::complex<double>> run,
                            const ModeRun& act) const {
  const std::int64_t n_x = wavenumber(static_cast<std::uint32_t>(x));
  const std::int64_t n_y = wavenumber(mine_.mode_y.first + static_cast<std::uint32_t>(y));
  const std::size_t first = mine_.mode_z.first + z, end = (std::size_t{cells_} + 1) / 2;
  const std::size_t resolved = resolves(n_x) && resolves(n_y) && first < end ? std::min(run.size(), end - first) : 0;
  if (resolved > 0 && act) act(n_x, n_y, static_cast<std::int64_t>(first), run.first(resolved));
  std::ranges::fill(run.subspan(resolved), 0.0);
}

void PencilMesh::take_values(const PencilMesh& from, const ModeRun& act) {
  PencilTransform transform(*this, from);
  transform.to_values(from.modes(), [&](auto x, auto y, auto z, auto run) { from.change_run(x, y, z, run, act); });
}

void PencilMesh::give_modes(PencilMesh& to) {
  PencilTransform transform(*this, to);
  transform.to_modes(to.modes(), [&](auto x, auto y, auto z, auto run) { to.change_run(x, y, z, run, nullptr); });
}

}  // namespace multiwalk
