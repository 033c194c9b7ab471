// What this machine is, for reports and --version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace multiwalk {

struct Machine {
  std::string cpu;           ///< model name
  unsigned cores = 0;        ///< logical cores this process may use
  std::uint64_t memory = 0;  ///< bytes
  std::vector<std::string> gpus;
  std::string system;    ///< distribution and kernel
  std::string compiler;  ///< that built this program
};

Machine this_machine();

/// One line, e.g. "AMD EPYC 9654, 2 cores, 16 GiB; 8 x NVIDIA H200; Debian GNU/Linux 12, Linux 6.1; g++ 12.2.0".
std::string describe(const Machine& machine);

/// describe(this_machine()).
std::string machine_description();

}  // namespace multiwalk
