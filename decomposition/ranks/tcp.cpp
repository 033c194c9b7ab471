// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ranks/tcp.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace multiwalk {

namespace {

constexpr double patience = 2;  // seconds

sockaddr_in socket_address(std::uint32_t host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = host;
  address.sin_port = port;
  return address;
}

/// The kernel regularly probes whether the other side exists; a stopped process still answers.
void break_when_the_host_dies(int socket) {
  const auto set = [&](int level, int option, int value) { setsockopt(socket, level, option, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

bool ready(int socket, short event, double seconds) {
  pollfd entry{socket, event, 0};
  int found = 0;
  do {
    found = poll(&entry, 1, static_cast<int>(1000 * seconds));
  } while (found < 0 && errno == EINTR);
  return found > 0;
}

/// Addresses of the active network interfaces; the loopback only if there are no others.
std::vector<std::uint32_t> own_addresses() {
  std::vector<std::uint32_t> addresses;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) == 0) {
    for (const ifaddrs* i = first; i != nullptr; i = i->ifa_next) {
      const bool up = (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_LOOPBACK) == 0;
      if (!up || i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
      addresses.push_back(reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr.s_addr);
    }
    freeifaddrs(first);
  }
  return addresses;
}

bool connect_within_patience(int socket, const sockaddr_in& address) {
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
  if (errno != EINPROGRESS || !ready(socket, POLLOUT, patience)) return false;
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

std::pair<Descriptor, TcpAddress> tcp_listen(bool one_host) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  TcpAddress where;
  sockaddr_in address = socket_address(htonl(one_host ? INADDR_LOOPBACK : INADDR_ANY), 0);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener || bind(listener.number(), generic, length) != 0 || listen(listener.number(), 16) != 0 ||
      getsockname(listener.number(), generic, &length) != 0) {
    return std::pair<Descriptor, TcpAddress>();
  }
  const std::vector<std::uint32_t> hosts =
      one_host ? std::vector<std::uint32_t>{htonl(INADDR_LOOPBACK)} : own_addresses();
  std::copy_n(hosts.begin(), std::min(hosts.size(), where.host.size()), where.host.begin());
  where.port = address.sin_port;
  return {std::move(listener), where};
}

Descriptor tcp_connect(const TcpAddress& address) {
  for (std::uint32_t host : address.host) {
    if (host == 0) break;
    Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!connection) break;
    break_when_the_host_dies(connection.number());
    if (connect_within_patience(connection.number(), socket_address(host, address.port))) return connection;
  }
  return Descriptor();
}

Descriptor tcp_accept(const Descriptor& listener, double seconds) {
  if (!listener || !ready(listener.number(), POLLIN, seconds)) return Descriptor();
  Descriptor connection(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (connection) break_when_the_host_dies(connection.number());
  return connection;
}

bool tcp_send(const Descriptor& to, const void* data, std::size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(to.number(), next, bytes, MSG_NOSIGNAL);
    if (sent > 0) {
      next += sent;
      bytes -= static_cast<std::size_t>(sent);
    } else if (errno != EINTR && (errno != EAGAIN || !ready(to.number(), POLLOUT, patience))) {
      return false;
    }
  }
  return true;
}

bool tcp_receive(const Descriptor& from, void* data, std::size_t bytes) {
  auto* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t received = recv(from.number(), next, bytes, 0);
    if (received > 0) {
      next += received;
      bytes -= static_cast<std::size_t>(received);
    } else if (received == 0 || (errno != EINTR && (errno != EAGAIN || !ready(from.number(), POLLIN, patience)))) {
      return false;
    }
  }
  return true;
}

}  // namespace multiwalk
