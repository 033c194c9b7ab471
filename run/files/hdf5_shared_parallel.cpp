// SPDX-License-Identifier: GPL-3.0-or-later
// Every rank writes its own rows through MPI-IO; metadata are left as they are.
#include "decomposition/ranks/agree.hpp"
#include "run/files/hdf5_shared_file.hpp"

namespace multiwalk::hdf5 {

SharedFile::SharedFile(std::string path, Communicator comm) : comm_(std::move(comm)) {
  together(comm_, [&] {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    require_success(H5Pset_fapl_mpio(access.get(), comm_.native(), MPI_INFO_NULL), path);
    require_success(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), path);
    file_.emplace(File::open_to_fill(path, access.get()));
  });
}

void SharedFile::write(const std::string& group, const RowSource& source, std::uint64_t first, std::uint64_t rows) {
  const std::uint64_t at = comm_.sum_before(rows);
  together(comm_, [&] { file_->dataset(group + "/" + source.link).write_rows(source, first, rows, at); });
}

void SharedFile::close() {
  together(comm_, [&] { file_->close(); });
}

}  // namespace multiwalk::hdf5
