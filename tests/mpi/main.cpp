// SPDX-License-Identifier: GPL-3.0-or-later
// mpiexec -n P mpi_tests: every test on every rank. Rank 0 reports all tests, the others only failures. With
// MULTIWALK_TESTS_RUN set to a path, rank 0 writes there the name of each test that ran and was not skipped.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "decomposition/ranks/mpi_session.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {

namespace {

std::optional<MpiSession> session;

/// Tells this rank's failures. A rank that leaves a test early would leave the others waiting, so it ends the job.
class RankFailures : public testing::EmptyTestEventListener {
 public:
  RankFailures(int rank, bool tell) : rank_(rank), tell_(tell) {}

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    name_ = std::string(test.test_suite_name()) + "." + test.name();
  }

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    if (tell_) {
      std::fprintf(stderr, "rank %d, %s: %s:%d\n%s\n", rank_, name_.c_str(),
                   part.file_name() != nullptr ? part.file_name() : "?", part.line_number(), part.message());
    }
    if (part.fatally_failed()) {
      session->abort(1);
    }
  }

  /// The next test begins when all ranks are done with this one.
  void OnTestEnd(const testing::TestInfo&) override { session->world().barrier(); }

  int rank_;
  bool tell_;
  std::string name_ = "outside of tests";
};

/// Writes the names of the tests that ran to a new file, a line each.
class TestRecord : public testing::EmptyTestEventListener {
 public:
  explicit TestRecord(const char* path) : file_(path) {}

 private:
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Skipped()) file_ << test.test_suite_name() << '.' << test.name() << std::endl;
  }

  std::ofstream file_;
};

}  // namespace

const Communicator& world() {
  return session->world();
}

}  // namespace multiwalk

int main(int argc, char** argv) {
  using namespace multiwalk;
  session.emplace();
  testing::InitGoogleTest(&argc, argv);
  const int rank = world().rank();
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (!world().root()) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new RankFailures(rank, rank > 0));
  const char* record = std::getenv("MULTIWALK_TESTS_RUN");
  if (record != nullptr && world().root()) listeners.Append(new TestRecord(record));
  const bool failed = world().any(RUN_ALL_TESTS() != 0);
  session.reset();
  return failed ? 1 : 0;
}
