// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/image_output.hpp"

#include "decomposition/ranks/agree.hpp"
#include "run/files/atomic_file.hpp"
#include "run/outputs/pictures.hpp"

namespace multiwalk {

void write_picture(const std::string& path, const std::vector<std::uint8_t>& png, const Communicator& comm) {
  collectively(comm, [&] {
    if (comm.root()) write_file_atomically(path, {reinterpret_cast<const char*>(png.data()), png.size()});
  });
}

nlohmann::json ImageOutput::write(const OutputMoment& moment, const nlohmann::json& /*earlier*/) const {
  if (!moment.parameters.output.images) return "";
  const std::string path = moment.path("image") + ".png";
  write_picture(path, draw_system(moment.system, moment.parameters.output.image_pixels, 2, moment.comm), moment.comm);
  return path;
}

}  // namespace multiwalk
