// SPDX-License-Identifier: GPL-3.0-or-later
// GADGET's binary files made byte by byte, in either byte order and with any mistake: nothing here is shared with the
// program's reader and writer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace multiwalk::test {

/// A file under construction.
class GadgetBytes {
 public:
  struct Particles {
    int type = 1;
    std::vector<double> x, v;  ///< three numbers each
    std::vector<std::uint64_t> id;
    std::vector<double> mass;  ///< empty: `table`
    double table = 0;
    [[nodiscard]] std::size_t size() const { return id.size(); }
  };

  int format = 1;
  bool big_endian = false, doubles = false, long_ids = false;
  double a = 0.25, z = 3, box = 100, omega_m = 0.3, omega_lambda = 0.7, h = 0.7;
  int files = 1;
  std::array<std::uint64_t, 6> total{};  ///< all zero: as in this file
  std::vector<Particles> particles;      ///< in the order of types

  [[nodiscard]] std::string make() {
    bytes_.clear();
    header();
    std::vector<double> x, v, mass;
    std::vector<std::uint64_t> id;
    for (const Particles& each : particles) {
      x.insert(x.end(), each.x.begin(), each.x.end());
      v.insert(v.end(), each.v.begin(), each.v.end());
      id.insert(id.end(), each.id.begin(), each.id.end());
      mass.insert(mass.end(), each.mass.begin(), each.mass.end());
    }
    reals("POS ", x);
    reals("VEL ", v);
    if (format == 2) record("XTRA", std::string(12, 'x'));  // readers pass over what they do not know
    std::string data;
    for (const std::uint64_t i : id) long_ids ? put(data, i) : put(data, static_cast<std::uint32_t>(i));
    record("ID  ", data);
    if (!mass.empty()) reals("MASS", mass);
    return bytes_;
  }

 private:
  template <class T>
  void put(std::string& to, T value) const {
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), &value, sizeof value);
    if (big_endian) std::ranges::reverse(raw);
    to.append(raw.data(), raw.size());
  }

  void record(const std::string& name, const std::string& data) {
    const auto length = static_cast<std::uint32_t>(data.size());
    if (format == 2) {
      put(bytes_, std::uint32_t{8});
      bytes_ += name;
      put(bytes_, length + 8);
      put(bytes_, std::uint32_t{8});
    }
    put(bytes_, length);
    bytes_ += data;
    put(bytes_, length);
  }

  void reals(const std::string& name, const std::vector<double>& values) {
    std::string data;
    for (const double value : values) doubles ? put(data, value) : put(data, static_cast<float>(value));
    record(name, data);
  }

  void header() {
    std::array<std::uint32_t, 6> here{};
    std::array<double, 6> table{};
    for (const Particles& each : particles) {
      here[each.type] = static_cast<std::uint32_t>(each.size());
      table[each.type] = each.table;
    }
    const bool own = std::ranges::all_of(total, [](std::uint64_t n) { return n == 0; });
    std::string data;
    for (const std::uint32_t n : here) put(data, n);
    for (const double m : table) put(data, m);
    put(data, a);
    put(data, z);
    put(data, std::int32_t{0});
    put(data, std::int32_t{0});
    for (int type = 0; type < 6; ++type) put(data, own ? here[type] : static_cast<std::uint32_t>(total[type]));
    put(data, std::int32_t{0});
    put(data, std::int32_t{files});
    for (const double value : {box, omega_m, omega_lambda, h}) put(data, value);
    put(data, std::int32_t{0});
    put(data, std::int32_t{0});
    for (int type = 0; type < 6; ++type) put(data, own ? 0U : static_cast<std::uint32_t>(total[type] >> 32));
    data.resize(256, '\0');
    record("HEAD", data);
  }

  std::string bytes_;
};

/// Four particles of type 1 with the mass that makes the density omega_m in a box of 100 Mpc/h.
inline GadgetBytes four_particles() {
  GadgetBytes file;
  GadgetBytes::Particles p;
  p.x = {1, 2, 3, 99.5, 0, 50, 25, 75, 12.5, 60, 61, 62};
  p.v = {100, -200, 300, 1, 2, 3, -4, 5, -6, 0.5, 0.25, 0.125};
  p.id = {4, 4000000000, 7, 9};
  p.table = 0.3 * 27.7536627 * 1e6 / 4;
  file.particles.push_back(p);
  return file;
}

}  // namespace multiwalk::test
