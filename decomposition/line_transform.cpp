// Lines are gathered in bundles of two cache lines' width, so that strided memory is read and written whole.
// FFTW_ESTIMATE makes the same plan every time.
#include "decomposition/line_transform.hpp"

#include <fftw3.h>
#include <omp.h>

#include <algorithm>
#include <memory>
#include <string>

#include "host/base/aligned_buffer.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t bundle = 8;

using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, decltype(&fftw_destroy_plan)>;

Plan checked(fftw_plan plan, const char* call) {
  require(plan != nullptr, std::string(call) + " made no plan");
  return {plan, fftw_destroy_plan};
}

fftw_complex* as_fftw(ComplexValue* modes) {
  return reinterpret_cast<fftw_complex*>(modes);
}

/// `lines` lines of memory for every thread, each aligned to 64 bytes and long enough for `cells` complex elements.
class Scratch {
 public:
  Scratch(std::uint32_t cells, std::size_t lines)
      : pitch_((std::size_t{cells} + 3) / 4 * 4), lines_(lines), data_(memory_.reserve(lines * pitch_ * threads())) {}

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

}  // namespace

void transform_lines(const LineBlock& block, int sign, double factor, const ComplexValue* from,
                     const LinePlaces& from_places, ComplexValue* to, const LinePlaces& to_places) {
  const std::size_t n = block.cells;
  const Scratch scratch(block.cells, 2 * bundle);
  const Plan plan = checked(fftw_plan_dft_1d(static_cast<int>(n), as_fftw(scratch.line(0, 0)),
                                             as_fftw(scratch.line(bundle, 0)), sign, FFTW_ESTIMATE),
                            "fftw_plan_dft_1d");
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t i = 0; i < block.planes; ++i) {
    for (std::size_t first = 0; first < block.columns; first += bundle) {
      const std::size_t width = std::min(bundle, block.columns - first);
      ComplexValue* const in = scratch.line(0);
      const std::size_t pitch = static_cast<std::size_t>(scratch.line(1) - in);
      for (std::size_t j = 0; j < n; ++j) {
        const ComplexValue* place = from + from_places.start[j] + i * from_places.step[j] + first;
        for (std::size_t c = 0; c < width; ++c) in[c * pitch + j] = place[c];
      }
      ComplexValue* const out = scratch.line(bundle);
      for (std::size_t c = 0; c < width; ++c) {
        if (all_zero(in + c * pitch, n)) {
          std::copy_n(in + c * pitch, n, out + c * pitch);
        } else {
          fftw_execute_dft(plan.get(), as_fftw(in + c * pitch), as_fftw(out + c * pitch));
        }
      }
      for (std::size_t j = 0; j < n; ++j) {
        ComplexValue* place = to + to_places.start[j] + i * to_places.step[j] + first;
        for (std::size_t c = 0; c < width; ++c) place[c] = out[c * pitch + j] * factor;
      }
    }
  }
}

void transform_rows_to_values(std::uint32_t cells, std::size_t rows, const ComplexValue* modes,
                              std::span<const RowPiece> pieces, double* values) {
  const std::size_t stride = 2 * (std::size_t{cells} / 2 + 1);
  const Scratch scratch(cells + 2, 2);
  const Plan plan = checked(fftw_plan_dft_c2r_1d(static_cast<int>(cells), as_fftw(scratch.line(0, 0)),
                                                 reinterpret_cast<double*>(scratch.line(1, 0)), FFTW_ESTIMATE),
                            "fftw_plan_dft_c2r_1d");
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < rows; ++r) {
    ComplexValue* const in = scratch.line(0);
    for (const RowPiece& p : pieces) std::copy_n(modes + p.start + r * p.count, p.count, in + p.first);
    fftw_execute_dft_c2r(plan.get(), as_fftw(in), scratch.reals(1));
    std::copy_n(scratch.reals(1), cells, values + r * stride);
  }
}

void transform_rows_to_modes(std::uint32_t cells, std::size_t rows, const double* values, ComplexValue* modes,
                             std::span<const RowPiece> pieces) {
  const std::size_t stride = 2 * (std::size_t{cells} / 2 + 1);
  const Scratch scratch(cells + 2, 2);
  const Plan plan = checked(fftw_plan_dft_r2c_1d(static_cast<int>(cells), reinterpret_cast<double*>(scratch.line(0, 0)),
                                                 as_fftw(scratch.line(1, 0)), FFTW_ESTIMATE),
                            "fftw_plan_dft_r2c_1d");
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(values + r * stride, cells, scratch.reals(0));
    ComplexValue* const out = scratch.line(1);
    fftw_execute_dft_r2c(plan.get(), scratch.reals(0), as_fftw(out));
    for (const RowPiece& p : pieces) std::copy_n(out + p.first, p.count, modes + p.start + r * p.count);
  }
}

}  // namespace multiwalk
