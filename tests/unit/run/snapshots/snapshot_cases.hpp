// SPDX-License-Identifier: GPL-3.0-or-later
// Small particle systems and damaged files for the snapshot tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk::test {

/// A sphere at z = 3 (or a periodic box) with a potential; `n` particles of equal or random mass.
inline ParticleSystem random_system(std::size_t n, bool equal_masses = true, Boundary boundary = Boundary::vacuum) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  ParticleSystem system;
  system.boundary = boundary;
  system.time = 0.25;
  system.box_size = 120;
  system.sphere_radius = boundary == Boundary::vacuum ? 60 : 0;
  ParticleStore& p = system.particles;
  p.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d x{uniform(random), uniform(random), uniform(random)};
    p.position[i] = boundary == Boundary::vacuum ? 60.0 * x : 60.0 * (x + Vec3d{1, 1, 1});
    p.velocity[i] = Vec3f(300.0 * Vec3d{uniform(random), uniform(random), uniform(random)});
    p.mass[i] = static_cast<float>(equal_masses ? 25.5 : 25 + uniform(random));
    p.id[i] = n + 7 * i;
    p.potential[i] = static_cast<float>(1e5 * uniform(random));
  }
  return system;
}

/// Opens a finished file for changes.
inline void edit(const std::string& path, const std::function<void(const hdf5::Object&)>& change) {
  const hdf5::Object file({H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose}, path);
  ASSERT_GE(file.id(), 0);
  change(file);
}

template <class T>
void replace_attribute(const hdf5::Object& file, const std::string& group, const std::string& name,
                       const std::vector<T>& values) {
  const auto object = file.group(group);
  ASSERT_GE(H5Adelete(object->id(), name.c_str()), 0);
  object->write(name, std::span<const T>(values));
}

template <class T>
void put(const hdf5::Object& group, const std::string& name, std::uint64_t columns, const std::vector<T>& values) {
  if (group.has(name)) {
    ASSERT_GE(H5Ldelete(group.id(), name.c_str(), H5P_DEFAULT), 0);
  }
  const auto copy = [&](std::uint64_t first, std::uint64_t count, T* out) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first * columns), count * columns, out);
  };
  const auto source = hdf5::RowSource::of<T>(name, columns, copy);
  const std::uint64_t rows = values.size() / columns;
  group.create_dataset(source, rows, hdf5::Storage::checked).write_rows(source, 0, rows, 0);
}

/// The InputError that reading must throw names the file and `what`, on one line.
inline void expect_refused(const std::string& path, const std::string& what) {
  try {
    read_snapshot(path);
    ADD_FAILURE() << "accepted, should have been refused for: " << what;
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace multiwalk::test
