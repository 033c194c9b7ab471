// SPDX-License-Identifier: GPL-3.0-or-later
// Every rank writes its own rows through MPI-IO; metadata are left as they are.
#include "decomposition/ranks/agree.hpp"
#include "run/hdf5/hdf5_shared_file.hpp"

namespace multiwalk::hdf5 {

SharedFile::SharedFile(std::string path, Communicator comm) : comm_(std::move(comm)) {
  // All ranks take part whenever they wait for each other: first the communicator is duplicated, then the file opened.
  const Hold alone;
  std::optional<Handle> access;
  collectively(comm_, [&] {
    start_library();
    access.emplace(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    require_success(H5Pset_libver_bounds(access->get(), H5F_LIBVER_V110, H5F_LIBVER_V110), path);
    require_success(H5Pset_fclose_degree(access->get(), H5F_CLOSE_STRONG), path);  // closed on all ranks or none
  });
  collectively(comm_, [&] { require_success(H5Pset_fapl_mpio(access->get(), comm_.native(), MPI_INFO_NULL), path); });
  collectively(comm_, [&] { file_.emplace(File::open_to_fill(path, access->get())); });
}

SharedFile::~SharedFile() {
  if (file_) file_->abandon();
}

void SharedFile::write(const std::string& group, const RowSource& source, std::uint64_t first, std::uint64_t rows) {
  const std::uint64_t at = comm_.sum_before(rows);
  collectively(comm_, [&] { file_->dataset(group + "/" + source.link).write_rows(source, first, rows, at); });
}

void SharedFile::close() {
  collectively(comm_, [&] { file_->flush(); });  // so that after an error nobody waits for it in close
  collectively(comm_, [&] { file_->close(); });
}

}  // namespace multiwalk::hdf5
