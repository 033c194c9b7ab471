// SPDX-License-Identifier: GPL-3.0-or-later
// One-dimensional transforms of many lines of a mesh (FFTW's serial plans).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace multiwalk {

using ComplexValue = std::complex<double>;

/// Changes what is read from or written to place j of the lines, in a plane and some columns from `column` on.
using LineChange = std::function<void(std::size_t j, std::size_t plane, std::size_t column, std::span<ComplexValue>)>;

/// Where complex lines are: element element[j] of the line in plane i and column c is at start[j] + i step[j] + c.
/// Elements without a place are read as zero and not written. `change` may be null.
struct LinePlaces {
  std::vector<std::uint32_t> element;
  std::vector<std::size_t> start, step;
  LineChange change;

  void add(std::uint32_t of, std::size_t at, std::size_t by) {
    element.push_back(of);
    start.push_back(at);
    step.push_back(by);
  }
};

/// A run of every row: element `first` + m of row r is at start + r pitch + m, m < count.
struct RowPiece {
  std::size_t start = 0, pitch = 0;
  std::uint32_t first = 0, count = 0;
};

/// Transforms each of planes x columns lines of `cells` elements with exp(sign 2 pi i jn/N), times `factor`. `from` and
/// `to` may be the same memory if a line is written only where lines of its plane and column, or nothing, were read.
/// Every line passes through the same plan in equally aligned scratch memory, so its result depends neither on its
/// place nor on the number of threads. Lines of zeros stay as they are.
struct LineBlock {
  std::uint32_t cells = 0;
  std::size_t planes = 0, columns = 0;
};
template <class Value>
struct PlacedLines {
  Value* data;
  const LinePlaces& places;
};
void transform_lines(const LineBlock& block, int sign, double factor, const PlacedLines<const ComplexValue>& from,
                     const PlacedLines<ComplexValue>& to);

/// Transforms rows between half a complex line (cells/2 + 1 modes, in pieces of rising elements; missing ones are zero,
/// or omitted) and real values (stride 2 (cells/2 + 1)). `modes` and `values` may be the same memory if there is one
/// piece of half that pitch.
void transform_rows_to_values(std::uint32_t cells, std::size_t rows, const ComplexValue* modes,
                              std::span<const RowPiece> pieces, double* values);
void transform_rows_to_modes(std::uint32_t cells, std::size_t rows, const double* values, ComplexValue* modes,
                             std::span<const RowPiece> pieces);

}  // namespace multiwalk
