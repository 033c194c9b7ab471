#include "run/backend_choice.hpp"

#include "host/base/error.hpp"
#include "host/force/simd_backend.hpp"

namespace multiwalk {

BackendChoice choose_backend(const std::string& name, const std::vector<int>& devices) {
  if (name == "direct") return {make_reference_backend(true), "direct summation in double precision, as asked", {}};
  if (name.rfind("cpu", 0) == 0 && (name.size() == 3 || name[3] == ':')) {
    return {make_simd_backend(name.size() > 4 ? name.substr(4) : ""), "the CPU, as asked", {}};
  }
  if (name != "auto" && name != "cuda") {
    throw InputError("unknown back end '" + name + "': use auto, cpu, cuda or direct");
  }
  BackendChoice choice = try_cuda(devices);
  if (choice.backend) return choice;
  if (name == "cuda") throw InputError("backend = \"cuda\" cannot be used: " + choice.why + "; use auto or cpu");
  return {make_simd_backend(), "the CPU, because " + choice.why, {}};
}

}  // namespace multiwalk
