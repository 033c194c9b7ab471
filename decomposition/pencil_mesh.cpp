// Transform along x, exchange within a column of ranks (x for y), transform along y, exchange within a row (y for z),
// transform along z; and back. Between two transforms each rank's memory is cut into one block per partner, so whole
// blocks are messages and no step only copies.
#include "decomposition/pencil_mesh.hpp"

#include <fftw3.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/agree.hpp"
#include "decomposition/line_transform.hpp"

namespace multiwalk {

namespace {

constexpr int transpose_tag = 32000;

/// Blocks of a stage: block p, for or from partner p, begins at start[p]; the last entry is the end.
using Blocks = std::vector<std::size_t>;

/// Ranks first, first + stride, ...: one block of `from` goes to each, one of `to` comes from each.
void exchange_blocks(const Communicator& comm, int first, int stride, const ComplexValue* from,
                     const Blocks& from_blocks, ComplexValue* to, const Blocks& to_blocks) {
  const auto partners = static_cast<int>(from_blocks.size()) - 1;
  const int own = (comm.rank() - first) / stride;
  std::vector<Transfer> transfers;
  for (int step = 1; step < partners; ++step) {
    const auto p = static_cast<std::size_t>((own + partners - step) % partners);
    if (to_blocks[p + 1] == to_blocks[p]) continue;
    const std::span<ComplexValue> block(to + to_blocks[p], to_blocks[p + 1] - to_blocks[p]);
    transfers.push_back(comm.receive(block, first + static_cast<int>(p) * stride, transpose_tag));
  }
  for (int step = 1; step < partners; ++step) {
    const auto p = static_cast<std::size_t>((own + step) % partners);
    if (from_blocks[p + 1] == from_blocks[p]) continue;
    const std::span<const ComplexValue> block(from + from_blocks[p], from_blocks[p + 1] - from_blocks[p]);
    transfers.push_back(comm.send(block, first + static_cast<int>(p) * stride, transpose_tag));
  }
  const auto me = static_cast<std::size_t>(own);
  std::copy(from + from_blocks[me], from + from_blocks[me + 1], to + to_blocks[me]);
  for (Transfer& transfer : transfers) transfer.wait();
}

/// Blocks of `size(p)` elements one after the other.
template <class Size>
Blocks blocks_of(int partners, Size size) {
  Blocks start{0};
  for (int p = 0; p < partners; ++p) start.push_back(start.back() + size(p));
  return start;
}

}  // namespace

/// One transform of a mesh. Stages: modes (x, y, z); after the first exchange `by_row`, blocks p of (my x, y of row p,
/// my z); before the second `by_column`, blocks p of (my x, y of column p, my z); after it blocks p of (my x, my y, z
/// of column p); values. With one row or one column two of them are the same and one exchange falls away.
class PencilTransform {
 public:
  explicit PencilTransform(PencilMesh& mesh)
      : mesh_(mesh), spare_(mesh.comm_.alone() ? nullptr : mesh.allocate()), data_(std::move(mesh.data_)) {
    const std::size_t x = mesh.mine_.value_x.count;
    const std::size_t y = mesh.mine_.mode_y.count;
    const std::size_t z = mesh.mine_.mode_z.count;
    const std::size_t rows = x * mesh.mine_.value_y.count;
    modes_blocks_ = blocks_of(mesh.grid_.rows, [&](int p) { return row_part(p).count * y * z; });
    by_row_blocks_ = blocks_of(mesh.grid_.rows, [&](int p) { return x * row_part(p).count * z; });
    by_column_blocks_ = blocks_of(mesh.grid_.columns, [&](int p) { return x * column_part(p).count * z; });
    rows_blocks_ = blocks_of(mesh.grid_.columns, [&](int p) { return rows * z_part(p).count; });
  }
  ~PencilTransform() { mesh_.data_ = std::move(data_); }
  PencilTransform(const PencilTransform&) = delete;
  PencilTransform& operator=(const PencilTransform&) = delete;

  void to_values() {
    transform_x(FFTW_BACKWARD, 1);
    exchange_in_column(modes_blocks_, by_row_blocks_);
    transform_y(FFTW_BACKWARD, by_row_places(), by_column_places());
    exchange_in_row(by_column_blocks_, rows_blocks_);
    ComplexValue* const from = data();
    if (mesh_.grid_.columns > 1) std::swap(data_, spare_);
    transform_rows_to_values(mesh_.cells_, row_count(), from, row_pieces(), data_.get());
  }

  void to_modes() {
    const double* const from = data_.get();
    if (mesh_.grid_.columns > 1) std::swap(data_, spare_);
    transform_rows_to_modes(mesh_.cells_, row_count(), from, data(), row_pieces());
    exchange_in_row(rows_blocks_, by_column_blocks_);
    transform_y(FFTW_FORWARD, by_column_places(), by_row_places());
    exchange_in_column(by_row_blocks_, modes_blocks_);
    const auto n = static_cast<double>(mesh_.cells_);
    transform_x(FFTW_FORWARD, 1 / (n * n * n));
  }

 private:
  [[nodiscard]] ComplexValue* data() const { return reinterpret_cast<ComplexValue*>(data_.get()); }
  [[nodiscard]] ComplexValue* spare() const { return reinterpret_cast<ComplexValue*>(spare_.get()); }
  [[nodiscard]] std::size_t row_count() const {
    return std::size_t{mesh_.mine_.value_x.count} * mesh_.mine_.value_y.count;
  }
  /// x as values and y as modes are cut alike among the rows of ranks; y as values and z as modes among the columns.
  [[nodiscard]] IndexRange row_part(int p) const { return part_of(mesh_.cells_, p, mesh_.grid_.rows); }
  [[nodiscard]] IndexRange column_part(int p) const { return part_of(mesh_.cells_, p, mesh_.grid_.columns); }
  [[nodiscard]] IndexRange z_part(int p) const { return part_of(mesh_.half_cells(), p, mesh_.grid_.columns); }

  /// Places of the y lines when blocks of y ranges follow each other, each (my x, its y, my z).
  template <class Part>
  [[nodiscard]] LinePlaces y_places(const Blocks& blocks, Part part) const {
    LinePlaces places;
    const std::size_t z = mesh_.mine_.mode_z.count;
    for (std::size_t p = 0; p + 1 < blocks.size(); ++p) {
      const IndexRange y = part(static_cast<int>(p));
      for (std::uint32_t j = 0; j < y.count; ++j) {
        places.start.push_back(blocks[p] + j * z);
        places.step.push_back(y.count * z);
      }
    }
    return places;
  }
  [[nodiscard]] LinePlaces by_row_places() const {
    return y_places(by_row_blocks_, [this](int p) { return row_part(p); });
  }
  [[nodiscard]] LinePlaces by_column_places() const {
    return y_places(by_column_blocks_, [this](int p) { return column_part(p); });
  }
  [[nodiscard]] std::vector<RowPiece> row_pieces() const {
    std::vector<RowPiece> pieces;
    for (int p = 0; p < mesh_.grid_.columns; ++p) {
      pieces.push_back({rows_blocks_[static_cast<std::size_t>(p)], z_part(p).first, z_part(p).count});
    }
    return pieces;
  }

  void transform_x(int sign, double factor) {
    const std::size_t plane = std::size_t{mesh_.mine_.mode_y.count} * mesh_.mine_.mode_z.count;
    LinePlaces places;
    for (std::size_t x = 0; x < mesh_.cells_; ++x) places.start.push_back(x * plane);
    places.step.assign(mesh_.cells_, mesh_.mine_.mode_z.count);
    const LineBlock block{mesh_.cells_, mesh_.mine_.mode_y.count, mesh_.mine_.mode_z.count};
    transform_lines(block, sign, factor, data(), places, data(), places);
  }
  void transform_y(int sign, const LinePlaces& from_places, const LinePlaces& to_places) {
    const LineBlock block{mesh_.cells_, mesh_.mine_.value_x.count, mesh_.mine_.mode_z.count};
    const ComplexValue* const from = data();
    if (!mesh_.comm_.alone()) std::swap(data_, spare_);
    transform_lines(block, sign, 1, from, from_places, data(), to_places);
  }
  void exchange_in_column(const Blocks& from, const Blocks& to) {
    if (mesh_.grid_.rows == 1) return;
    const int column = mesh_.grid_.column(mesh_.comm_.rank());
    exchange_blocks(mesh_.comm_, column, mesh_.grid_.columns, data(), from, spare(), to);
    std::swap(data_, spare_);
  }
  void exchange_in_row(const Blocks& from, const Blocks& to) {
    if (mesh_.grid_.columns == 1) return;
    const int first = mesh_.grid_.row(mesh_.comm_.rank()) * mesh_.grid_.columns;
    exchange_blocks(mesh_.comm_, first, 1, data(), from, spare(), to);
    std::swap(data_, spare_);
  }

  PencilMesh& mesh_;
  PencilMesh::Data spare_, data_;
  Blocks modes_blocks_, by_row_blocks_, by_column_blocks_, rows_blocks_;
};

void PencilMesh::Free::operator()(double* data) const {
  fftw_free(data);
}

PencilMesh::Data PencilMesh::allocate() const {
  const std::size_t bytes = std::max<std::size_t>(capacity_, 1) * sizeof(ComplexValue);
  return together(comm_, [&] {
    Data data(static_cast<double*>(fftw_malloc(bytes)));
    if (!data) {
      throw InputError("not enough memory for a mesh of " + std::to_string(cells_) + "^3 cells (" +
                       std::to_string(bytes >> 20) + " MiB on each of " + std::to_string(comm_.size()) +
                       " ranks); take fewer cells (ic.grid, --mesh) or more ranks");
    }
    return data;
  });
}

PencilMesh::PencilMesh(const Communicator& comm, std::uint32_t cells)
    : comm_(comm), cells_(cells), grid_(comm.size()), mine_(grid_, comm.rank(), cells) {
  require(cells > 0, "a mesh needs cells");
  const std::size_t x = mine_.value_x.count;
  const std::size_t y = mine_.mode_y.count;
  const std::size_t z = mine_.mode_z.count;
  capacity_ = std::max({cells_ * y * z, x * cells_ * z, x * mine_.value_y.count * half_cells()});
  data_ = allocate();
  clear();
}

void PencilMesh::clear() {
  const std::size_t plane = std::size_t{mine_.mode_y.count} * mine_.mode_z.count;
#pragma omp parallel for schedule(static)
  for (std::uint32_t x = 0; x < cells_; ++x) std::fill_n(modes() + x * plane, plane, 0.0);
}

void PencilMesh::to_values() {
  PencilTransform(*this).to_values();
}

void PencilMesh::to_modes() {
  PencilTransform(*this).to_modes();
}

}  // namespace multiwalk
