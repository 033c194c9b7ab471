// Three-dimensional real transforms from FFTW's serial plans, spread over threads. FFTW_ESTIMATE: the same plan every
// time.
#include "ic/fourier_mesh.hpp"

#include <fftw3.h>

#include <algorithm>
#include <string>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, decltype(&fftw_destroy_plan)>;

Plan checked(fftw_plan plan, const char* call) {
  require(plan != nullptr, std::string(call) + " made no plan");
  return {plan, fftw_destroy_plan};
}

fftw_complex* as_fftw(std::complex<double>* modes) {
  return reinterpret_cast<fftw_complex*>(modes);
}

}  // namespace

void FourierMesh::Free::operator()(double* data) const {
  fftw_free(data);
}

FourierMesh::FourierMesh(std::uint32_t cells) : cells_(cells) {
  require(cells > 0, "a mesh needs cells");
  const std::size_t row_length = 2 * std::size_t{half_cells()};
  const std::size_t rows = row(cells, 0);
  data_.reset(static_cast<double*>(fftw_malloc(rows * row_length * sizeof(double))));
  if (!data_) {
    throw InputError("not enough memory for a mesh of " + std::to_string(cells) + "^3 cells (" +
                     std::to_string(rows * row_length * sizeof(double) >> 20) + " MiB); lower ic.grid");
  }
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < rows; ++r) std::fill_n(data_.get() + r * row_length, row_length, 0.0);
}

void FourierMesh::transform_along_x(int sign) {
  const int n = static_cast<int>(cells_);
  const int howmany = static_cast<int>(half_cells());
  const int stride = n * howmany;
  fftw_complex* data = as_fftw(modes());
  const Plan plan = checked(
      fftw_plan_many_dft(1, &n, howmany, data, nullptr, stride, 1, data, nullptr, stride, 1, sign, FFTW_ESTIMATE),
      "fftw_plan_many_dft");
#pragma omp parallel for schedule(static)
  for (std::uint32_t y = 0; y < cells_; ++y) {
    fftw_complex* column = as_fftw(&mode(0, y, 0));
    fftw_execute_dft(plan.get(), column, column);
  }
}

void FourierMesh::to_values() {
  transform_along_x(FFTW_BACKWARD);
  const int n = static_cast<int>(cells_);
  const Plan plan =
      checked(fftw_plan_dft_c2r_2d(n, n, as_fftw(modes()), data_.get(), FFTW_ESTIMATE), "fftw_plan_dft_c2r_2d");
#pragma omp parallel for schedule(static)
  for (std::uint32_t x = 0; x < cells_; ++x) fftw_execute_dft_c2r(plan.get(), as_fftw(&mode(x, 0, 0)), &value(x, 0, 0));
}

void FourierMesh::to_modes() {
  const int n = static_cast<int>(cells_);
  const Plan plan =
      checked(fftw_plan_dft_r2c_2d(n, n, data_.get(), as_fftw(modes()), FFTW_ESTIMATE), "fftw_plan_dft_r2c_2d");
#pragma omp parallel for schedule(static)
  for (std::uint32_t x = 0; x < cells_; ++x) fftw_execute_dft_r2c(plan.get(), &value(x, 0, 0), as_fftw(&mode(x, 0, 0)));
  transform_along_x(FFTW_FORWARD);
  const double norm = 1.0 / (static_cast<double>(cells_) * cells_ * cells_);
  for_each_mode([norm](auto, auto, auto, std::complex<double>& m) { m *= norm; });
}

}  // namespace multiwalk
