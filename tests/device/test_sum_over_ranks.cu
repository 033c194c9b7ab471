// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of numbers of several ranks' devices against their sums on the host.
#include <cstdint>
#include <vector>

#include "device/mesh/sum_over_ranks.cuh"
#include "tests/device/kept/ranks_of_threads.hpp"
#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {
namespace {

using Number = SumOverRanks::Number;

/// A rank's number at a place: of all 61 bits that counts of masses may have on three ranks.
Number number_of(std::size_t rank, std::size_t place) {
  return (place + 1) * 0x9e3779b97f4a7c15U * (2 * rank + 1) >> 4;
}

class SumsOverRanks : public testing::TestWithParam<bool> {};

TEST_P(SumsOverRanks, AreThoseOfAllNumbers) {
  if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  constexpr std::size_t ranks = 3, several_pieces = (std::size_t{1} << 25) + 7;
  test::SharedBoard board(ranks, GetParam());
  test::on_ranks(ranks, [&](std::size_t rank) {
    test::ThreadTrees trees(board, rank);
    DeviceMemory memory(0, 0);
    memory.make_current();
    const Stream stream;
    SumOverRanks sum(memory);
    ASSERT_TRUE(sum.prepare(*trees.exchange()));
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{1000}, several_pieces}) {
      std::vector<Number> numbers(n);
      for (std::size_t i = 0; i < n; ++i) numbers[i] = number_of(rank, i);
      DeviceBuffer<Number> device(memory);
      ASSERT_TRUE(device.reserve(n, stream));
      check_cuda(
          cudaMemcpyAsync(device.data(), numbers.data(), n * sizeof(Number), cudaMemcpyHostToDevice, stream.get()),
          "a copy");
      sum.add_up(device.data(), n, *trees.exchange(), stream);
      check_cuda(
          cudaMemcpyAsync(numbers.data(), device.data(), n * sizeof(Number), cudaMemcpyDeviceToHost, stream.get()),
          "a copy");
      check_cuda(cudaStreamSynchronize(stream.get()), "a copy");
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (numbers[i] != number_of(0, i) + number_of(1, i) + number_of(2, i)) ++wrong;
      }
      EXPECT_EQ(wrong, 0u) << "of " << n << " on rank " << rank;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(ThroughDevicesAndHosts, SumsOverRanks, testing::Bool());

}  // namespace
}  // namespace multiwalk::device_test
