// SPDX-License-Identifier: GPL-3.0-or-later
// Two bodies on a circle: their jerks, by a handle of one's own with sums in double precision.
#include <multiwalk_direct.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

using Vectors = std::vector<std::array<double, 3>>;

const double (*in(const Vectors& v))[3] {
  return reinterpret_cast<const double(*)[3]>(v.data());
}
double (*out(Vectors& v))[3] {
  return reinterpret_cast<double(*)[3]>(v.data());
}

void check(int status) {
  if (status != MULTIWALK_DIRECT_OK) throw std::runtime_error(multiwalk_direct_message());
}

struct Destroy {
  void operator()(multiwalk_direct_handle* handle) const { multiwalk_direct_destroy(handle); }
};

int main() {
  const std::unique_ptr<multiwalk_direct_handle, Destroy> handle(multiwalk_direct_create());
  check(multiwalk_direct_set(handle.get(), "accumulation", "full"));
  check(multiwalk_direct_set(handle.get(), "threads", "1"));
  // Masses 1/2 at distance 1: the angular velocity is 1, a = -x, so the jerk is -v.
  const Vectors x{{0.5, 0, 0}, {-0.5, 0, 0}}, v{{0, 0.5, 0}, {0, -0.5, 0}};
  const std::vector<double> m{0.5, 0.5};
  Vectors a(2), jerk(2);
  std::vector<double> p(2);
  check(multiwalk_direct_sum(handle.get(), in(x), in(v), m.data(), in(x), in(v), 0, out(a), out(jerk), p.data(), 2, 2));
  const double error = std::hypot(a[0][0] + 0.5, a[0][1], jerk[0][1] + 0.5) + std::abs(p[1] + 0.5);
  std::printf("acceleration %.15f, jerk %.15f, potential %.15f\n", a[0][0], jerk[0][1], p[0]);
  if (multiwalk_direct_set(handle.get(), "accumulation", "best") == MULTIWALK_DIRECT_INVALID) {
    std::printf("as it should be, refused: %s\n", multiwalk_direct_message());
  }
  return error < 1e-14 ? 0 : 1;
}
