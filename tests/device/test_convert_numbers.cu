// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers converted on a device, from its own and from page-locked memory, have the bits of a conversion on the host.
#include <cmath>
#include <limits>
#include <random>

#include "device/base/device_buffer.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/particles/convert_numbers.cuh"
#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {
namespace {

template <class T>
std::vector<T> brought_home(const DeviceBuffer<T>& from, std::size_t n, const Stream& stream) {
  std::vector<T> to(n);
  check_cuda(cudaMemcpyAsync(to.data(), from.data(), n * sizeof(T), cudaMemcpyDeviceToHost, stream.get()), "a copy");
  check_cuda(cudaStreamSynchronize(stream.get()), "a copy");
  return to;
}

class ConvertNumbers : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  }
  template <class T>
  [[nodiscard]] std::vector<T> numbers() const {
    std::mt19937_64 random(GetParam());
    std::lognormal_distribution<double> distribution(0, 5);
    std::vector<T> result(GetParam());
    for (T& value : result) value = static_cast<T>(distribution(random));
    return result;
  }
};

/// From memory of the device or of the host; `wrong`: how many must be found.
template <class To, class From>
void expect_converted(const std::vector<From>& given, bool page_locked, bool masses, int wrong) {
  DeviceMemory memory(0, 0);
  const Stream stream;
  DeviceBuffer<From> there(memory);
  PinnedBuffer<From> locked;
  DeviceBuffer<To> to(memory);
  DeviceBuffer<ConvertedPart> part(memory);
  const std::size_t n = given.size();
  ASSERT_TRUE(there.reserve(n, stream) && to.reserve(n, stream) && part.reserve(convert_parts, stream));
  std::copy(given.begin(), given.end(), locked.reserve(n));
  check_cuda(cudaMemcpyAsync(there.data(), locked.data(), n * sizeof(From), cudaMemcpyHostToDevice, stream.get()),
             "a copy");
  const std::span<const From> from(page_locked ? locked.data() : there.data(), n);
  constexpr double factor = 3.0 / 7;
  convert_numbers(NumberArray(from), factor, masses, to.data(), part.data(), stream);
  const std::vector<To> result = brought_home(to, n, stream);
  double sum = 0, most = 0;
  std::int64_t found = 0;
  for (const ConvertedPart& p : brought_home(part, convert_parts, stream)) {
    sum += p.sum;
    most = std::max(most, p.most);
    found += p.wrong;
  }
  EXPECT_EQ(found, wrong);
  double expected_sum = 0, expected_most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = static_cast<double>(given[i]);
    expected_sum += value;
    expected_most = std::fmax(expected_most, value);
    if (std::isfinite(value)) ASSERT_EQ(result[i], static_cast<To>(factor * value)) << i;
  }
  if (wrong > 0) return;
  EXPECT_NEAR(sum, expected_sum, 1e-12 * std::fabs(expected_sum));
  EXPECT_EQ(most, expected_most);
}

TEST_P(ConvertNumbers, HaveTheBitsOfTheHost) {
  for (const bool page_locked : {false, true}) {
    expect_converted<double>(numbers<double>(), page_locked, false, 0);
    expect_converted<float>(numbers<double>(), page_locked, true, 0);
    expect_converted<float>(numbers<float>(), page_locked, true, 0);
  }
}

TEST_P(ConvertNumbers, FindThoseThatCannotBeUsed) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), 1.1e100, -1.0}) {
    for (const std::size_t place : {std::size_t{0}, GetParam() - 1}) {
      std::vector<double> given = numbers<double>();
      given[place] = bad;
      expect_converted<float>(given, false, true, 1);
      expect_converted<double>(given, true, false, bad == -1.0 ? 0 : 1);
    }
  }
}

/// `given`: three numbers per acceleration, then the potentials.
template <class Point, class Number>
void expect_results(const std::vector<float>& given, bool finite) {
  const std::size_t n = given.size() / 4;
  DeviceMemory memory(0, 0);
  const Stream stream;
  DeviceBuffer<float> from(memory);
  DeviceBuffer<Point> acceleration(memory);
  DeviceBuffer<Number> potential(memory);
  DeviceBuffer<int> wrong(memory);
  ASSERT_TRUE(from.reserve(4 * n, stream) && acceleration.reserve(n, stream) && potential.reserve(n, stream) &&
              wrong.reserve(1, stream));
  check_cuda(cudaMemcpyAsync(from.data(), given.data(), 4 * n * sizeof(float), cudaMemcpyHostToDevice, stream.get()),
             "a copy");
  check_cuda(cudaMemsetAsync(wrong.data(), 0, sizeof(int), stream.get()), "cudaMemsetAsync");
  const double pull = 3.0 / 7, energy = -5.0 / 11;
  convert_results({reinterpret_cast<const Vec3f*>(from.data()),
                   from.data() + 3 * n,
                   pull,
                   energy,
                   {acceleration.data(), potential.data(), n}},
                  wrong.data(), stream);
  EXPECT_EQ(brought_home(wrong, 1, stream)[0], finite ? 0 : 1);
  const std::vector<Point> a = brought_home(acceleration, n, stream);
  const std::vector<Number> phi = brought_home(potential, n, stream);
  const auto expected = [](double factor, float value) {
    return static_cast<Number>(factor * static_cast<double>(value));
  };
  for (std::size_t i = 0; i < n; ++i) {
    const Point p{expected(pull, given[3 * i]), expected(pull, given[3 * i + 1]), expected(pull, given[3 * i + 2])};
    ASSERT_TRUE(a[i] == p) << i;
    ASSERT_EQ(phi[i], expected(energy, given[3 * n + i])) << i;
  }
}

TEST_P(ConvertNumbers, ResultsHaveTheBitsOfTheHost) {
  const std::size_t n = GetParam() / 4 + 1;
  std::vector<float> given = numbers<float>();
  given.resize(4 * n, 0.5F);
  for (const bool finite : {true, false}) {
    if (!finite) given[n] = std::numeric_limits<float>::infinity();
    expect_results<Vec3d, double>(given, finite);
    expect_results<Vec3f, float>(given, finite);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ConvertNumbers, testing::Values(1, 255, 65536, 300001));

}  // namespace
}  // namespace multiwalk::device_test
