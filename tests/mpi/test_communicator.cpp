// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/borrowed_communicator.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

/// Odd sizes on purpose: messages are cut anywhere.
struct Record {
  std::uint32_t from = 0, to = 0, index = 0;
  bool operator==(const Record&) const = default;
};

/// How many records go from one rank to another; many pairs have none.
std::uint64_t ragged(int from, int to) {
  const int n = (7 * from + 3 * to) % 5;
  return n < 2 ? 0 : static_cast<std::uint64_t>(n * n * n);
}

std::vector<Record> records(int from, int to, std::uint64_t count) {
  std::vector<Record> made(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    made[i] = {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(i)};
  }
  return made;
}

void append(std::vector<Record>& all, const std::vector<Record>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

/// The tests run once with messages whole, once cut into pieces of a few bytes.
class CommunicatorTest : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { whole_ = std::exchange(largest_message, GetParam()); }
  void TearDown() override { largest_message = whole_; }

  const Communicator& comm = world();
  int rank = comm.rank();
  int size = comm.size();

 private:
  std::size_t whole_ = 0;
};

TEST_P(CommunicatorTest, Reductions) {
  std::vector<double> values(23);
  std::vector<std::int32_t> least(23), most(23);
  for (int i = 0; i < 23; ++i) {
    values[static_cast<std::size_t>(i)] = 0.5 * i + rank;
    least[static_cast<std::size_t>(i)] = most[static_cast<std::size_t>(i)] = (rank + i) % size - 2;
  }
  comm.sum(std::span(values));
  comm.min(std::span(least));
  comm.max(std::span(most));
  for (int i = 0; i < 23; ++i) {
    EXPECT_EQ(values[static_cast<std::size_t>(i)], 0.5 * i * size + size * (size - 1) / 2);
    EXPECT_EQ(least[static_cast<std::size_t>(i)], -2);
    EXPECT_EQ(most[static_cast<std::size_t>(i)], size - 3);
  }
  comm.sum(std::span<double>());
  EXPECT_EQ(comm.sum(std::uint64_t{1} << 40), static_cast<std::uint64_t>(size) << 40);
  EXPECT_EQ(comm.max(static_cast<float>(rank)), static_cast<float>(size - 1));
  EXPECT_TRUE(comm.all(true));
  EXPECT_EQ(comm.all(rank != size - 1), false);
  EXPECT_TRUE(comm.any(rank == size - 1));
  EXPECT_FALSE(comm.any(false));
}

TEST_P(CommunicatorTest, SumBefore) {
  const auto r = static_cast<std::uint64_t>(rank);
  EXPECT_EQ(comm.sum_before(r + 1), r * (r + 1) / 2);
}

TEST_P(CommunicatorTest, BroadcastFromEveryRank) {
  for (int from = 0; from < size; ++from) {
    const std::vector<Record> sent = records(from, 0, 11);
    std::vector<Record> values = rank == from ? sent : std::vector<Record>(11);
    comm.broadcast(std::span(values), from);
    EXPECT_EQ(values, sent);
    const std::string text = "rank " + std::to_string(from) + std::string(static_cast<std::size_t>(from), '!');
    EXPECT_EQ(comm.broadcast(rank == from ? text : "something else, and longer", from), text);
    EXPECT_EQ(comm.broadcast(std::string(rank == from ? "" : "x"), from), "");
  }
}

TEST_P(CommunicatorTest, AllGather) {
  const std::vector<Record> all = comm.all_gather(Record{static_cast<std::uint32_t>(rank), 1, 2});
  ASSERT_EQ(all.size(), static_cast<std::size_t>(size));
  for (std::uint32_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r], (Record{r, 1, 2}));
}

TEST_P(CommunicatorTest, GatherOfRaggedShares) {
  for (int to = 0; to < size; ++to) {
    const std::vector<Record> mine = records(rank, to, ragged(rank, to));
    std::vector<Record> expected;
    for (int from = 0; rank == to && from < size; ++from) append(expected, records(from, to, ragged(from, to)));
    EXPECT_EQ(comm.gather(std::span<const Record>(mine), to), expected);
  }
  EXPECT_TRUE(comm.gather(std::span<const double>()).empty());
}

TEST_P(CommunicatorTest, ExchangeOfRaggedShares) {
  std::vector<Record> data, expected;
  std::vector<std::uint64_t> counts, expected_counts;
  std::uint64_t others = 0;
  for (int r = 0; r < size; ++r) {
    counts.push_back(ragged(rank, r));
    expected_counts.push_back(ragged(r, rank));
    append(data, records(rank, r, ragged(rank, r)));
    append(expected, records(r, rank, ragged(r, rank)));
    if (r != rank) others += ragged(rank, r);
  }
  const std::uint64_t before = Communicator::bytes_sent();
  const Received<Record> received =
      comm.exchange(std::span<const Record>(data), std::span<const std::uint64_t>(counts));
  EXPECT_EQ(received.data, expected);
  EXPECT_EQ(received.count, expected_counts);
  EXPECT_EQ(Communicator::bytes_sent() - before, others * sizeof(Record));
}

TEST_P(CommunicatorTest, ExchangeOfOneValueEach) {
  std::vector<Record> mine, expected;
  for (int r = 0; r < size; ++r) {
    append(mine, records(rank, r, 1));
    append(expected, records(r, rank, 1));
  }
  EXPECT_EQ(comm.exchange_each(std::span<const Record>(mine)), expected);
  mine.pop_back();
  EXPECT_THROW(static_cast<void>(comm.exchange_each(std::span<const Record>(mine))), Error);
}

TEST_P(CommunicatorTest, MessagesAroundTheRing) {
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (std::uint64_t count : {0, 1, 100}) {
    const std::vector<Record> sent = records(rank, next, count);
    std::vector<Record> first(count), second(count);
    Transfer in = comm.receive(std::span(first), last, 5);
    Transfer in_too = comm.receive(std::span(second), last, 6);
    Transfer out = comm.send(std::span(sent), next, 6);
    const Transfer out_too = comm.send(std::span(sent), next, 5);
    while (!in.done()) {
    }
    in_too.wait();
    out.wait();
    EXPECT_EQ(first, records(last, rank, count));
    EXPECT_EQ(second, first);
    EXPECT_TRUE(in.done());
  }
}

TEST_P(CommunicatorTest, PartsOfTheRanks) {
  const Communicator odd_or_even = comm.split(rank % 2);
  EXPECT_EQ(odd_or_even.rank(), rank / 2);
  EXPECT_EQ(odd_or_even.size(), (size + 1 - rank % 2) / 2);
  int sum = 0;
  for (int r = rank % 2; r < size; r += 2) sum += r;
  EXPECT_EQ(odd_or_even.sum(rank), sum);
  EXPECT_EQ(comm.on_this_host().size(), size);
}

INSTANTIATE_TEST_SUITE_P(Pieces, CommunicatorTest, testing::Values(std::size_t{1} << 30, 1, 5, 64),
                         [](const auto& pieces) { return "of_" + std::to_string(pieces.param); });

TEST(CommunicatorErrors, AMessageNobodySendsIsGivenUpOnAnException) {
  std::vector<int> never(10);
  try {
    const Transfer transfer = world().receive(std::span(never), world().rank(), 7);
    throw std::runtime_error("here");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(world().sum(1), world().size());
}

TEST(CommunicatorErrors, OneLineOfMpi) {
  std::vector<int> data(1);
  try {
    Transfer transfer = world().send(std::span<const int>(data), world().size(), 0);
    ADD_FAILURE() << "sent to a rank that is not there";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("MPI_Isend: "), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(CommunicatorErrors, CountsMustFitTheData) {
  const std::vector<int> data(3);
  const std::vector<std::uint64_t> counts(static_cast<std::size_t>(world().size()), 4);
  EXPECT_THROW((void)world().exchange(std::span<const int>(data), std::span<const std::uint64_t>(counts)), Error);
}

TEST(BorrowedCommunicator, OfTheSameMpiOnly) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  MPI_Comm theirs = MPI_COMM_WORLD;
  const Communicator borrowed = borrow_communicator(&theirs, version.data());
  EXPECT_EQ(borrowed.size(), world().size());
  EXPECT_EQ(borrowed.sum(1), borrowed.size());
  EXPECT_THROW(borrow_communicator(&theirs, "Another MPI 1.0"), InputError);
  MPI_Comm none = MPI_COMM_NULL;
  EXPECT_THROW(borrow_communicator(&none, version.data()), InputError);
}

TEST(CommunicatorAlone, WorksWithoutMpi) {
  const Communicator alone;
  const std::vector<int> data{1, 2, 3};
  EXPECT_EQ(alone.sum(4), 4);
  EXPECT_EQ(alone.sum_before(4), 0U);
  EXPECT_EQ(alone.all_gather(4), std::vector<int>{4});
  EXPECT_EQ(alone.gather(std::span<const int>(data)), data);
  const std::uint64_t count = 3;
  EXPECT_EQ(alone.exchange(std::span<const int>(data), std::span(&count, 1)).data, data);
  EXPECT_EQ(alone.split(3).size(), 1);
  EXPECT_THROW((void)alone.send(std::span<const int>(data), 0, 0), Error);
}

TEST(Agree, TheLowestRanksMessageOnAllRanks) {
  const int lowest = world().size() / 2;
  try {
    collectively(world(), [&] {
      if (world().rank() >= lowest) throw std::runtime_error("from " + std::to_string(world().rank()));
    });
    ADD_FAILURE() << "no exception";
  } catch (const SharedError& error) {
    EXPECT_EQ(std::string(error.what()), "from " + std::to_string(lowest));
  }
  EXPECT_EQ(collectively(world(), [] { return 3; }), 3);
}

TEST(Agree, TextOfTheFirstRank) {
  EXPECT_EQ(text_from_root(world(), [] { return "rank " + std::to_string(world().rank()); }), "rank 0");
  EXPECT_THROW(text_from_root(world(), []() -> std::string { throw InputError("no such file"); }), SharedError);
}

}  // namespace
}  // namespace multiwalk
