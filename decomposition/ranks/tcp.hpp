// SPDX-License-Identifier: GPL-3.0-or-later
// TCP between the processes of a job (IPv4), reduced to what the watchdog needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace multiwalk {

/// A file descriptor that closes itself; -1 for none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

/// Where a process can be reached: its host's addresses (0: none) and a port, in network byte order.
struct TcpAddress {
  std::array<std::uint32_t, 8> host{};
  std::uint16_t port = 0;
};

/// A socket that listens at a free port, and its address. `one_host`: on the loopback only. No descriptor if the system
/// refuses one.
std::pair<Descriptor, TcpAddress> tcp_listen(bool one_host);

/// A connection to the first of the addresses that answers within two seconds, or none. If the other host dies, the
/// connection breaks within 40 seconds.
Descriptor tcp_connect(const TcpAddress& address);

/// The next connection made to `listener`, or none within `seconds`.
Descriptor tcp_accept(const Descriptor& listener, double seconds);

/// Sends or receives all of `bytes`; false if the connection breaks or makes no progress for two seconds.
bool tcp_send(const Descriptor& to, const void* data, std::size_t bytes);
bool tcp_receive(const Descriptor& from, void* data, std::size_t bytes);

}  // namespace multiwalk
