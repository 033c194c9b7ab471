// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/maps/grid_output.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "run/files/partial_file.hpp"
#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

namespace {

/// A file in the making, on the rank that writes it.
class GridFile {
 public:
  GridFile(const std::string& path, std::uint32_t cells, Assignment assignment, const GridMoment& moment)
      : partial_(path),
        file_(hdf5::File::create(partial_.partial_path())),
        rows_{"Density",
              hdf5::native_type<float>(),
              std::uint64_t{cells} * cells,
              std::size_t{cells} * cells * sizeof(float),
              {},
              cells},
        density_(put_header(cells, assignment, moment).create_dataset(rows_, cells, hdf5::Storage::checked)) {}

  void add(std::uint32_t x, const std::vector<float>& plane) { density_.write_made_rows(rows_, plane.data(), 1, x); }
  void finish() {
    density_.finish_rows();
    file_.close();
    partial_.commit();
  }

 private:
  const hdf5::File& put_header(std::uint32_t cells, Assignment assignment, const GridMoment& moment) {
    const hdf5::Object header = file_.create_group("Header");
    header.write("Time", moment.time);
    header.write("Redshift", 1 / moment.time - 1);
    header.write("BoxSize", moment.box_size);
    header.write("Cells", cells);
    header.write_text("Assignment", std::string(assignment_names[static_cast<std::size_t>(assignment) - 2]));
    header.write("Mass", moment.mass);
    header.write("Omega0", moment.cosmology.omega_m);
    header.write("OmegaLambda", moment.cosmology.omega_lambda);
    header.write("HubbleParam", moment.cosmology.h);
    header.write("w0", moment.cosmology.w0);
    header.write("wa", moment.cosmology.wa);
    return file_;
  }

  PartialFile partial_;
  hdf5::File file_;
  hdf5::RowSource rows_;
  hdf5::Object density_;
};

/// This rank's values of a plane of constant x, in the order of y.
std::vector<float> own_lines(const PencilMesh& density, std::uint32_t x) {
  std::vector<float> lines;
  const Pencil& own = density.pencil();
  if (!own.value_x.contains(x)) return lines;
  for (std::uint32_t y = own.value_y.first; y < own.value_y.end(); ++y) {
    const double* const line = density.values_along_z(x, y);
    for (std::uint32_t z = 0; z < density.cells(); ++z) lines.push_back(static_cast<float>(line[z]));
  }
  return lines;
}

}  // namespace

void write_grid(const std::string& path, const PencilMesh& density, Assignment assignment, const GridMoment& moment) {
  const Communicator& comm = density.communicator();
  std::optional<GridFile> file;
  collectively(comm, [&] {
    if (comm.root()) file.emplace(path, density.cells(), assignment, moment);
  });
  for (std::uint32_t x = 0; x < density.cells(); ++x) {
    const std::vector<float> own = own_lines(density, x);
    const std::vector<float> plane = comm.gather(std::span<const float>(own), 0);  // rank order is that of y
    collectively(comm, [&] {
      if (file) file->add(x, plane);
    });
  }
  collectively(comm, [&] {
    if (file) file->finish();
  });
}

GridOutput::GridOutput(const Parameters& parameters, std::vector<double> times, Communicator comm, std::size_t next)
    : TimedOutput({"density grids", stem, std::move(times)}, next, std::move(comm)),
      parameters_(parameters.grids),
      directory_(parameters.run.directory),
      cosmology_(parameters.cosmology) {}

std::vector<std::string> GridOutput::make(const MappedMatter& matter, std::size_t number) {
  const Assignment assignment = parameters_.assignment;
  const PencilMesh density =
      density_mesh(matter.particles, matter.masses, parameters_.cells, {.assignment = assignment}, comm());
  std::string path = fmt::format("{}/grid_{:03d}.hdf5", directory_, number);
  write_grid(path, density, assignment,
             {matter.time, matter.particles.box_size, matter.masses.sum * matter.masses.heaviest, cosmology_});
  return {std::move(path)};
}

std::unique_ptr<Output> make_grid_output(const OutputSetup& setup) {
  const GridParameters& grids = setup.parameters.grids;
  if (!grids.wanted()) return nullptr;
  return std::make_unique<GridOutput>(setup.parameters, map_times(setup, "grids.redshifts", grids.redshifts),
                                      setup.comm, next_number(setup.record, GridOutput::stem));
}

}  // namespace multiwalk
