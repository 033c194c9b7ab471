// SPDX-License-Identifier: GPL-3.0-or-later
// The C functions: pointers become spans; exceptions become a status and the thread's message.
#include "run/library/multiwalk_direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <new>
#include <utility>

#include "host/base/error.hpp"
#include "run/library/direct_library.hpp"

struct multiwalk_direct_handle {  // NOLINT(readability-identifier-naming): the C name
  multiwalk::DirectLibrary library;
};

namespace multiwalk {

namespace {

/// A fixed array, so that nothing can go wrong while a failure is reported.
struct Message {
  char text[512] = "";

  void set(std::string_view what) {
    const std::size_t end = what.copy(text, sizeof text - 1);
    text[end] = '\0';
  }
};

Message& message() {
  thread_local Message text;
  return text;
}

int failed(int status, std::string_view what) {
  message().set(what);
  return status;
}

template <class Act>
int guarded(const Act& act) noexcept {
  try {
    act();
    return MULTIWALK_DIRECT_OK;
  } catch (const InputError& error) {
    return failed(MULTIWALK_DIRECT_INVALID, error.what());
  } catch (const UnavailableBackend& error) {
    return failed(MULTIWALK_DIRECT_UNAVAILABLE, error.what());
  } catch (const std::bad_alloc&) {
    return failed(MULTIWALK_DIRECT_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return failed(MULTIWALK_DIRECT_FAILED, error.what());
  } catch (...) {
    return failed(MULTIWALK_DIRECT_FAILED, "an unknown failure");
  }
}

/// Never destroyed: a thread may still call when the program ends.
DirectLibrary& default_library() {
  static auto* const library = new DirectLibrary;
  return *library;
}

DirectLibrary& library_of(multiwalk_direct_handle* handle) {
  return handle != nullptr ? handle->library : default_library();
}

/// One of the caller's arrays; `name`: given if it must not be null.
template <class T>
std::span<T> array(T* data, std::size_t n, const char* name) {
  if (data != nullptr) return {data, n};
  if (name != nullptr && n > 0) throw InputError(std::string(name) + " is a null pointer");
  return {};
}

static_assert(sizeof(Vec3d) == sizeof(double[3]) && alignof(Vec3d) == alignof(double));

std::span<const Vec3d> vectors(const double (*data)[3], std::size_t n, const char* name) {
  return array(reinterpret_cast<const Vec3d*>(data), n, name);
}
std::span<Vec3d> vectors(double (*data)[3], std::size_t n, const char* name) {
  return array(reinterpret_cast<Vec3d*>(data), n, name);
}

constexpr double most = 1e100;  // limit of eps2 and all inputs, up to which results stay finite

/// The components of an array of vectors or numbers.
template <class T>
std::span<const double> numbers_of(std::span<T> values) {
  return {reinterpret_cast<const double*>(values.data()), values.size_bytes() / sizeof(double)};
}

template <class T>
void require_in_range(std::span<const T> values, const char* name) {
  const auto is_out = [](double x) { return !(std::fabs(x) <= most); };
  const std::span<const double> numbers = numbers_of(values);
  if (std::count_if(numbers.begin(), numbers.end(), is_out) == 0) return;
  const auto at = static_cast<std::size_t>(std::find_if(numbers.begin(), numbers.end(), is_out) - numbers.begin());
  throw InputError(fmt::format("{}[{}] is {:g}, which is not within -1e100 to 1e100", name,
                               at * sizeof(double) / sizeof(T), numbers[at]));
}

void require_in_range(const DirectTask& task) {
  require_in_range(task.source_position, "xj");
  require_in_range(task.source_velocity, "vj");
  require_in_range(task.source_mass, "mj");
  if (task.target_position.data() != task.source_position.data()) require_in_range(task.target_position, "xi");
  if (task.target_velocity.data() != task.source_velocity.data()) require_in_range(task.target_velocity, "vi");
}

template <class T>
void require_finite(std::span<T> results, const char* name) {
  const std::span<const double> numbers = numbers_of(results);
  const auto is_none = [](double x) { return !std::isfinite(x); };
  if (std::count_if(numbers.begin(), numbers.end(), is_none) == 0) return;
  throw InputError(std::string(name) + " is not finite: bodies are too close, or units too far from 1");
}

struct DirectArrays {
  const double (*xj)[3];
  const double (*vj)[3];
  const double* mj;
  const double (*xi)[3];
  const double (*vi)[3];
  double eps2;
  double (*a)[3];
  double (*k)[3];
  double* p;
  int ni, nj;
};

std::size_t count(int n, const char* name) {
  if (n < 0) throw InputError(std::string(name) + " = " + std::to_string(n) + " is negative");
  return static_cast<std::size_t>(n);
}

DirectTask task_of(const DirectArrays& c) {
  const std::size_t sources = count(c.nj, "nj"), targets = count(c.ni, "ni");
  if (!(c.eps2 >= 0) || c.eps2 > most) throw InputError("eps2 is not within 0 to 1e100");
  if (c.xi == c.xj && targets > sources) {
    throw InputError("xi and xj are one array, but ni = " + std::to_string(targets) +
                     " is more than nj = " + std::to_string(sources));
  }
  const bool jerk = c.k != nullptr;
  DirectTask task;
  task.source_position = vectors(c.xj, sources, "xj");
  task.source_mass = array(c.mj, sources, "mj");
  task.target_position = vectors(c.xi, targets, "xi");
  if (jerk) {
    task.source_velocity = vectors(c.vj, sources, "vj");
    task.target_velocity = vectors(c.vi, targets, "vi");
  }
  if (c.xi == c.xj) task.target_mass = task.source_mass.first(targets);
  task.softening2 = c.eps2;
  task.acceleration = vectors(c.a, targets, nullptr);
  task.jerk = vectors(c.k, targets, nullptr);
  task.potential = array(c.p, targets, nullptr);
  return task;
}

void sum(DirectLibrary& library, const DirectArrays& arrays) {
  const DirectTask task = task_of(arrays);
  require_in_range(task);
  library.sum(task);
  require_finite(task.acceleration, "a");
  require_finite(task.jerk, "k");
  require_finite(task.potential, "p");
}

/// With the default options; none of the results may be null.
int sum(const DirectArrays& arrays, std::initializer_list<std::pair<const void*, const char*>> results) {
  return guarded([&] {
    for (const auto& [result, name] : results) {
      if (result == nullptr && arrays.ni > 0) throw InputError(std::string(name) + " is a null pointer");
    }
    sum(default_library(), arrays);
  });
}

}  // namespace

}  // namespace multiwalk

using multiwalk::guarded;

int multiwalk_direct_sum(multiwalk_direct_handle* handle, const double xj[][3], const double vj[][3], const double mj[],
                         const double xi[][3], const double vi[][3], double eps2, double a[][3], double k[][3],
                         double p[], int ni, int nj) {
  return guarded([&] { multiwalk::sum(multiwalk::library_of(handle), {xj, vj, mj, xi, vi, eps2, a, k, p, ni, nj}); });
}

int multiwalk_direct_force(const double xj[][3], const double mj[], const double xi[][3], double eps2, double a[][3],
                           int ni, int nj) {
  return multiwalk::sum({xj, nullptr, mj, xi, nullptr, eps2, a, nullptr, nullptr, ni, nj}, {{a, "a"}});
}

int multiwalk_direct_force_potential(const double xj[][3], const double mj[], const double xi[][3], double eps2,
                                     double a[][3], double p[], int ni, int nj) {
  return multiwalk::sum({xj, nullptr, mj, xi, nullptr, eps2, a, nullptr, p, ni, nj}, {{a, "a"}, {p, "p"}});
}

int multiwalk_direct_force_jerk_potential(const double xj[][3], const double vj[][3], const double mj[],
                                          const double xi[][3], const double vi[][3], double eps2, double a[][3],
                                          double k[][3], double p[], int ni, int nj) {
  return multiwalk::sum({xj, vj, mj, xi, vi, eps2, a, k, p, ni, nj}, {{a, "a"}, {k, "k"}, {p, "p"}});
}

multiwalk_direct_handle* multiwalk_direct_create() {
  multiwalk_direct_handle* handle = nullptr;
  guarded([&] { handle = new multiwalk_direct_handle; });
  return handle;
}

void multiwalk_direct_destroy(multiwalk_direct_handle* handle) {
  guarded([&] { delete handle; });
}

int multiwalk_direct_set(multiwalk_direct_handle* handle, const char* option, const char* value) {
  return guarded([&] {
    if (handle == nullptr)
      throw multiwalk::InputError("handle is a null pointer: the default options stay as they are");
    if (option == nullptr || value == nullptr) throw multiwalk::InputError("option or value is a null pointer");
    handle->library.set(option, value);
  });
}

const char* multiwalk_direct_description(multiwalk_direct_handle* handle) {
  thread_local std::string text;
  text.clear();
  guarded([&] { text = multiwalk::library_of(handle).description(); });
  return text.c_str();
}

const char* multiwalk_direct_message() {
  return multiwalk::message().text;
}
