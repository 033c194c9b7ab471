// SPDX-License-Identifier: GPL-3.0-or-later
// The two files of a shell of a light cone. The HDF5 library, which only one thread may use at a time, only makes a
// file without values; values are then written without it, by several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/files/partial_file.hpp"
#include "run/hdf5/laid_out_file.hpp"
#include "run/sky/fits_rows.hpp"
#include "run/sky/map_rows.hpp"
#include "run/sky/sky_shell.hpp"

namespace multiwalk {

/// The form of the last HDF5 file, for others with the same number of rows.
struct ShellForm {
  std::uint64_t rows = 0;
  std::optional<hdf5::FileForm> file;
};

/// STEM.fits and STEM.hdf5: all pixels of a full sky; otherwise, with their numbers, the pixels whose centre is in view
/// or which have particles; with velocities their mean in each pixel, km/s. Without complete() no file is left under
/// the final names.
class ShellFiles {
 public:
  /// Makes the HDF5 file without values. `seen` must outlive it. Throws Error.
  ShellFiles(const std::string& stem, SkyShell shell, std::unique_ptr<const SkyMaps> maps, const SeenPixels& seen,
             ShellForm& form);
  /// Writes all values and gives the files their names, without the HDF5 library. Uses all threads. Throws Error.
  void complete();

 private:
  void make_hdf5(ShellForm& form);
  [[nodiscard]] FitsRows make_fits() const;
  /// Writes the rows of the chunk to both files.
  void write_chunk(std::uint64_t chunk, const FitsRows& table, const FileDescriptor& fits,
                   const FileDescriptor& h5) const;

  SkyShell shell_;
  std::unique_ptr<const SkyMaps> maps_;
  MapRows rows_;
  PartialFile fits_, h5_;
  std::vector<hdf5::LaidOutChunks> columns_;
};

}  // namespace multiwalk
