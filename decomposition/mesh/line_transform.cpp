// SPDX-License-Identifier: GPL-3.0-or-later
// Lines are gathered in bundles two cache lines wide, so that strided memory is read and written completely.
// FFTW_ESTIMATE makes the same plan every time.
#include "decomposition/mesh/line_transform.hpp"

#include <fftw3.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "host/base/aligned_buffer.hpp"
#include "host/base/error.hpp"
#include "host/threads/fork.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t bundle = 8;

/// Several threads at once may call only those of FFTW's functions that execute a plan.
ForkSafeMutex& planner() {
  static auto* const mutex = new ForkSafeMutex;
  return *mutex;
}

struct PlanDestroyer {
  void operator()(fftw_plan plan) const {
    const std::lock_guard lock(planner());
    fftw_destroy_plan(plan);
  }
};

using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, PlanDestroyer>;

template <class Make>
Plan planned(const char* call, const Make& make) {
  const std::lock_guard lock(planner());
  const fftw_plan plan = make();
  require(plan != nullptr, std::string(call) + " made no plan");
  return Plan(plan);
}

fftw_complex* as_fftw(ComplexValue* modes) {
  return reinterpret_cast<fftw_complex*>(modes);
}

/// Memory for `lines` lines per thread, each aligned to 64 bytes and long enough for `cells` complex elements. The same
/// elements of several lines are used at once, so the lines are not a multiple of 4 KiB apart.
class Scratch {
 public:
  Scratch(std::uint32_t cells, std::size_t lines)
      : pitch_(((std::size_t{cells} + 3) / 4 | 1) * 4),
        lines_(lines),
        data_(memory_.reserve(lines * pitch_ * threads())) {}

  [[nodiscard]] ComplexValue* line(std::size_t l, int thread = omp_get_thread_num()) const {
    return data_ + (static_cast<std::size_t>(thread) * lines_ + l) * pitch_;
  }
  [[nodiscard]] double* reals(std::size_t l) const { return reinterpret_cast<double*>(line(l)); }

 private:
  static std::size_t threads() { return static_cast<std::size_t>(omp_get_max_threads()); }

  std::size_t pitch_, lines_;
  AlignedBuffer<ComplexValue> memory_;
  ComplexValue* data_;
};

bool all_zero(const ComplexValue* line, std::size_t n) {
  return std::all_of(line, line + n, [](const ComplexValue& element) { return element == 0.0; });
}

/// Up to `bundle` neighbouring lines of a plane, in scratch memory.
struct Bundle {
  std::size_t plane, column, width;
  ComplexValue* line;
  std::size_t pitch;
};

void read(const Bundle& lines, std::size_t n, const ComplexValue* from, const LinePlaces& places) {
  if (places.element.size() < n) {
    for (std::size_t c = 0; c < lines.width; ++c) std::fill_n(lines.line + c * lines.pitch, n, 0.0);
  }
  std::array<ComplexValue, bundle> changed;
  for (std::size_t j = 0; j < places.element.size(); ++j) {
    const ComplexValue* place = from + places.start[j] + lines.plane * places.step[j] + lines.column;
    if (places.change) {
      for (std::size_t c = 0; c < bundle; ++c) changed[c] = c < lines.width ? place[c] : 0.0;
      places.change(j, lines.plane, lines.column, std::span(changed).first(lines.width));
      place = changed.data();
    }
    ComplexValue* const into = lines.line + places.element[j];
    for (std::size_t c = 0; c < lines.width; ++c) into[c * lines.pitch] = place[c];
  }
}

void write(const Bundle& lines, double factor, ComplexValue* to, const LinePlaces& places) {
  for (std::size_t j = 0; j < places.element.size(); ++j) {
    ComplexValue* const place = to + places.start[j] + lines.plane * places.step[j] + lines.column;
    const ComplexValue* const from = lines.line + places.element[j];
    for (std::size_t c = 0; c < lines.width; ++c) place[c] = from[c * lines.pitch] * factor;
    if (places.change) places.change(j, lines.plane, lines.column, std::span(place, lines.width));
  }
}

}  // namespace

void transform_lines(const LineBlock& block, int sign, double factor, const PlacedLines<const ComplexValue>& from,
                     const PlacedLines<ComplexValue>& to) {
  const std::size_t n = block.cells;
  const Scratch scratch(block.cells, 2 * bundle);
  const Plan plan = planned("fftw_plan_dft_1d", [&] {
    return fftw_plan_dft_1d(static_cast<int>(n), as_fftw(scratch.line(0, 0)), as_fftw(scratch.line(bundle, 0)), sign,
                            FFTW_ESTIMATE);
  });
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t i = 0; i < block.planes; ++i) {
    for (std::size_t first = 0; first < block.columns; first += bundle) {
      const std::size_t width = std::min(bundle, block.columns - first);
      const std::size_t pitch = static_cast<std::size_t>(scratch.line(1) - scratch.line(0));
      const Bundle in{i, first, width, scratch.line(0), pitch}, out{i, first, width, scratch.line(bundle), pitch};
      read(in, n, from.data, from.places);
      for (std::size_t c = 0; c < width; ++c) {
        if (all_zero(in.line + c * pitch, n)) {
          std::copy_n(in.line + c * pitch, n, out.line + c * pitch);
        } else {
          fftw_execute_dft(plan.get(), as_fftw(in.line + c * pitch), as_fftw(out.line + c * pitch));
        }
      }
      write(out, factor, to.data, to.places);
    }
  }
}

void transform_rows_to_values(std::uint32_t cells, std::size_t rows, const ComplexValue* modes,
                              std::span<const RowPiece> pieces, double* values) {
  const std::size_t stride = 2 * (std::size_t{cells} / 2 + 1);
  const Scratch scratch(cells + 2, 2);
  const Plan plan = planned("fftw_plan_dft_c2r_1d", [&] {
    return fftw_plan_dft_c2r_1d(static_cast<int>(cells), as_fftw(scratch.line(0, 0)),
                                reinterpret_cast<double*>(scratch.line(1, 0)), FFTW_ESTIMATE);
  });
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < rows; ++r) {
    ComplexValue* const in = scratch.line(0);
    std::uint32_t end = 0;
    for (const RowPiece& p : pieces) {
      std::copy_n(modes + p.start + r * p.pitch, p.count, in + p.first);
      end = p.first + p.count;
    }
    std::fill(in + end, in + cells / 2 + 1, 0.0);
    fftw_execute_dft_c2r(plan.get(), as_fftw(in), scratch.reals(1));
    std::copy_n(scratch.reals(1), cells, values + r * stride);
  }
}

void transform_rows_to_modes(std::uint32_t cells, std::size_t rows, const double* values, ComplexValue* modes,
                             std::span<const RowPiece> pieces) {
  const std::size_t stride = 2 * (std::size_t{cells} / 2 + 1);
  const Scratch scratch(cells + 2, 2);
  const Plan plan = planned("fftw_plan_dft_r2c_1d", [&] {
    return fftw_plan_dft_r2c_1d(static_cast<int>(cells), reinterpret_cast<double*>(scratch.line(0, 0)),
                                as_fftw(scratch.line(1, 0)), FFTW_ESTIMATE);
  });
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(values + r * stride, cells, scratch.reals(0));
    ComplexValue* const out = scratch.line(1);
    fftw_execute_dft_r2c(plan.get(), scratch.reals(0), as_fftw(out));
    for (const RowPiece& p : pieces) std::copy_n(out + p.first, p.count, modes + p.start + r * p.pitch);
  }
}

}  // namespace multiwalk
