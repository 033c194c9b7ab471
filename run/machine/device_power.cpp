// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/device_power.hpp"

#include <dlfcn.h>

#include <cmath>

#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

// The few declarations of NVML's stable binary interface that are used; every function returns 0 for success.
using Device = struct nvmlDevice_st*;

/// libnvidia-ml, initialised; closed again at the end.
class Library {
 public:
  Library() : handle_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    load(init_, "nvmlInit_v2");
    load(shutdown_, "nvmlShutdown");
    load(count, "nvmlDeviceGetCount_v2");
    load(by_index, "nvmlDeviceGetHandleByIndex_v2");
    load(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
    load(energy, "nvmlDeviceGetTotalEnergyConsumption");
    load(name, "nvmlDeviceGetName");
    ready_ = complete_ && init_() == 0;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (ready_) shutdown_();
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  [[nodiscard]] bool ready() const { return ready_; }

  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, Device*) = nullptr;
  int (*by_bus_id)(const char*, Device*) = nullptr;
  int (*energy)(Device, unsigned long long*) = nullptr;  ///< millijoules since the driver was loaded
  int (*name)(Device, char*, unsigned) = nullptr;

 private:
  template <class Function>
  void load(Function& function, const char* symbol) {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(handle_, symbol));
    complete_ = complete_ && function != nullptr;
  }

  void* handle_;
  bool complete_ = true, ready_ = false;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
};

}  // namespace

class DevicePower::Nvml {
 public:
  explicit Nvml(const std::vector<std::string>& bus_ids) {
    if (!library_.ready()) return;
    for (const std::string& bus_id : bus_ids) {
      Device board = nullptr;
      if (library_.by_bus_id(bus_id.c_str(), &board) != 0) return;
      boards_.push_back(board);
    }
    start_ = total();
  }

  [[nodiscard]] std::optional<double> joules(double oldest) {
    if (const double now = wall_time(); !(now - read_at_ < oldest)) {
      last_ = total();
      read_at_ = now;
    }
    if (boards_.empty() || !last_ || !start_) return std::nullopt;
    return *last_ - *start_;
  }

 private:
  [[nodiscard]] std::optional<double> total() const {
    double sum = 0;
    for (Device board : boards_) {
      unsigned long long millijoules = 0;
      if (library_.energy(board, &millijoules) != 0) return std::nullopt;
      sum += 1e-3 * static_cast<double>(millijoules);
    }
    return sum;
  }

  Library library_;
  std::vector<Device> boards_;
  std::optional<double> start_, last_;
  double read_at_ = -INFINITY;
};

DevicePower::DevicePower(const std::vector<std::string>& bus_ids) {
  if (!bus_ids.empty()) nvml_ = std::make_unique<Nvml>(bus_ids);
}
DevicePower::~DevicePower() = default;
DevicePower::DevicePower(DevicePower&&) noexcept = default;
DevicePower& DevicePower::operator=(DevicePower&&) noexcept = default;

std::optional<double> DevicePower::joules(double oldest) const {
  return nvml_ ? nvml_->joules(oldest) : std::nullopt;
}

std::vector<std::string> gpu_names() {
  const Library library;
  std::vector<std::string> names;
  unsigned count = 0;
  if (!library.ready() || library.count(&count) != 0) return names;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    char name[128] = {};
    if (library.by_index(i, &device) == 0 && library.name(device, name, sizeof name) == 0) names.emplace_back(name);
  }
  return names;
}

}  // namespace multiwalk
