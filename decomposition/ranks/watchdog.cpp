// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ranks/watchdog.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "decomposition/ranks/tcp.hpp"

namespace multiwalk {

namespace {

constexpr double meeting_seconds = 20;       // for all neighbours to connect
constexpr double word_seconds = 2;           // for the rank that should report a death
constexpr int launcher_milliseconds = 3000;  // for the launcher to end this process
constexpr unsigned char goodbye = 'g';
constexpr unsigned char the_end = 'x';

/// The message that every rank sends to all others at the start.
struct Invitation {
  std::array<char, 64> host{};
  TcpAddress address;
  std::uint64_t token = 0;  ///< rank 0's is used by all: strangers do not know it
};

/// The first bytes of a connection.
struct Hello {
  std::uint64_t token = 0;
  std::int64_t rank = 0;
};

struct Message {
  unsigned char kind = 0;
  unsigned char exit_code = 0;
};

struct Neighbour {
  int rank = 0;
  Descriptor connection;
  bool said_goodbye = false;
  bool closed = false;
};

std::vector<int> without_repeats(std::vector<int> ranks, int size) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::erase_if(ranks, [&](int rank) { return rank < 0 || rank >= size; });
  return ranks;
}

/// The ranks that this one connects to, and those that connect to it.
std::vector<int> ranks_above(int rank, int size) {
  return rank == 0 ? std::vector<int>{} : without_repeats({rank - 1, (rank - 1) / 2}, size);
}
std::vector<int> ranks_below(int rank, int size) {
  return without_repeats({rank + 1, 2 * rank + 1, 2 * rank + 2}, size);
}

Invitation invite(const TcpAddress& address) {
  Invitation mine;
  gethostname(mine.host.data(), mine.host.size() - 1);
  mine.address = address;
  std::random_device random;
  mine.token = std::uint64_t{random()} << 32 | random();
  return mine;
}

/// True when all neighbours are connected.
bool meet(int rank, const std::vector<Invitation>& ranks, const Descriptor& listener,
          std::vector<Neighbour>& neighbours) {
  const int size = static_cast<int>(ranks.size());
  const std::uint64_t token = ranks[0].token;
  for (int above : ranks_above(rank, size)) {
    Descriptor connection = tcp_connect(ranks[static_cast<std::size_t>(above)].address);
    const Hello hello{token, rank};
    if (!connection || !tcp_send(connection, &hello, sizeof hello)) return false;
    neighbours.push_back({above, std::move(connection)});
  }
  std::vector<int> missing = ranks_below(rank, size);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(meeting_seconds);
  while (!missing.empty()) {
    const std::chrono::duration<double> left = deadline - std::chrono::steady_clock::now();
    Descriptor connection = tcp_accept(listener, std::max(left.count(), 0.0));
    if (!connection) return false;
    Hello hello;
    if (!tcp_receive(connection, &hello, sizeof hello) || hello.token != token) continue;
    const int from = static_cast<int>(hello.rank);
    if (std::erase(missing, from) > 0) neighbours.push_back({from, std::move(connection)});
  }
  return true;
}

}  // namespace

/// The connections of a rank and the thread that listens to them.
class Watchdog::Watch {
 public:
  Watch(int rank, std::vector<Invitation> ranks, std::vector<Neighbour> neighbours)
      : rank_(rank), ranks_(std::move(ranks)), neighbours_(std::move(neighbours)), stop_(eventfd(0, EFD_CLOEXEC)) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are handled by the thread that runs the program
    thread_ = std::thread([this] { listen_until_stopped(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    eventfd_write(stop_.number(), 1);
    thread_.join();
  }

  void tell(Message message) {
    for (const Neighbour& neighbour : neighbours_) tcp_send(neighbour.connection, &message, sizeof message);
  }

 private:
  void listen_until_stopped() {
    while (wait_for_words(-1)) {
      for (Neighbour& neighbour : neighbours_) hear(neighbour);
      const auto dead = std::find_if(neighbours_.begin(), neighbours_.end(),
                                     [](const Neighbour& n) { return n.closed && !n.said_goodbye; });
      if (dead != neighbours_.end()) end_for(*dead);
    }
  }

  /// Blocks until a neighbour has sent something; false if it is time to stop, or after `seconds` (< 0: never).
  bool wait_for_words(double seconds) {
    std::vector<pollfd> entries{{stop_.number(), POLLIN, 0}};
    for (const Neighbour& neighbour : neighbours_) {
      if (!neighbour.closed) entries.push_back({neighbour.connection.number(), POLLIN, 0});
    }
    int ready = 0;
    do {
      ready = poll(entries.data(), entries.size(), seconds < 0 ? -1 : static_cast<int>(1000 * seconds));
    } while (ready < 0 && errno == EINTR);
    return ready > 0 && entries[0].revents == 0;
  }

  /// Reads what the neighbour has sent so far.
  void hear(Neighbour& neighbour) {
    Message message;
    while (!neighbour.closed) {
      const ssize_t received = recv(neighbour.connection.number(), &message, sizeof message, MSG_DONTWAIT);
      if (received < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (received != sizeof message) {
        neighbour.closed = true;
      } else if (message.kind == goodbye) {
        neighbour.said_goodbye = true;
      } else {
        leave(message.exit_code);
      }
    }
  }

  /// The rank before the dead one reports its death; the others report it only if they hear nothing.
  [[noreturn]] void end_for(const Neighbour& dead) {
    const bool speak = rank_ == (dead.rank > 0 ? dead.rank - 1 : 1);
    while (!speak && wait_for_words(word_seconds)) {
      for (Neighbour& neighbour : neighbours_) hear(neighbour);
    }
    dprintf(STDERR_FILENO,
            "multiwalk: rank %d on %s has died: the job ends; continue a run from its checkpoint with --restart\n",
            dead.rank, ranks_[static_cast<std::size_t>(dead.rank)].host.data());
    leave(1);
  }

  [[noreturn]] void leave(int exit_code) {
    tell({the_end, static_cast<unsigned char>(exit_code)});
    std::this_thread::sleep_for(std::chrono::milliseconds(launcher_milliseconds));
    _exit(exit_code);
  }

  int rank_;
  std::vector<Invitation> ranks_;
  std::vector<Neighbour> neighbours_;
  Descriptor stop_;
  std::thread thread_;
};

Watchdog::Watchdog(const Communicator& comm) {
  if (comm.alone()) return;
  const bool one_host = comm.on_this_host().size() == comm.size();
  const auto [listener, address] = tcp_listen(comm.all(one_host));
  std::vector<Invitation> ranks = comm.all_gather(invite(address));
  std::vector<Neighbour> neighbours;
  if (comm.all(meet(comm.rank(), ranks, listener, neighbours))) {
    watch_ = std::make_unique<Watch>(comm.rank(), std::move(ranks), std::move(neighbours));
  } else if (comm.root()) {
    std::fputs(
        "multiwalk: WARNING: no TCP between the ranks: if one dies and the launcher does not end the job, end it\n",
        stderr);
  }
}

Watchdog::~Watchdog() = default;

void Watchdog::say_goodbye() {
  if (watch_) watch_->tell({goodbye, 0});
}

void Watchdog::end_others(int exit_code) {
  if (watch_) watch_->tell({the_end, static_cast<unsigned char>(exit_code)});
}

}  // namespace multiwalk
