// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/shell_files.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <utility>

#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

namespace {

/// The figures of a shell, in the order of both headers.
std::vector<std::pair<const char*, double>> shell_figures(const SkyShell& s) {
  return {{"Near", s.near},
          {"Far", s.far},
          {"RedshiftNear", s.z_near},
          {"RedshiftFar", s.z_far},
          {"MeanDensity", s.density},
          {"ParticleMass", s.mass},
          {"SolidAngle", s.seen},
          {"Omega0", s.cosmology.omega_m},
          {"OmegaLambda", s.cosmology.omega_lambda},
          {"HubbleParam", s.cosmology.h},
          {"w0", s.cosmology.w0},
          {"wa", s.cosmology.wa}};
}

std::vector<FitsKey> fits_keys(const SkyShell& s, const SkyCounts& counts, bool partial) {
  const auto last = static_cast<std::int64_t>(counts.pixels()) - 1;
  std::vector<FitsKey> keys{
      {"PIXTYPE", "HEALPIX", "HEALPix pixelisation"},
      {"ORDERING", "NESTED", "numbers of the pixels"},
      {"NSIDE", std::int64_t{counts.nside()}, "resolution"},
      {"FIRSTPIX", std::int64_t{0}, "first pixel of the sphere"},
      {"LASTPIX", last, "last pixel of the sphere"},
      {"INDXSCHM", partial ? "EXPLICIT" : "IMPLICIT", "whether pixels are listed"},
      {"OBJECT", partial ? "PARTIAL" : "FULLSKY", "part of the sphere"},
      {"SHELL", std::int64_t{s.number}, "number of the shell"},
      {"NPART", static_cast<std::int64_t>(s.particles), "particles in the shell"},
      {"EXPECTED", s.expected(counts.pixels()), "particles in a pixel of a homogeneous universe"}};
  constexpr const char* names[]{"CHINEAR",  "CHIFAR",  "ZNEAR",   "ZFAR",   "DENSITY", "PARTMASS",
                                "OMEGASKY", "OMEGA_M", "OMEGA_L", "HUBBLE", "W0",      "WA"};
  constexpr const char* comments[]{"Mpc/h, comoving",
                                   "Mpc/h, comoving",
                                   "redshift",
                                   "redshift",
                                   "particles/(Mpc/h)^3",
                                   "1e10 Msun/h",
                                   "steradian",
                                   "",
                                   "",
                                   "100 km/s/Mpc",
                                   "",
                                   ""};
  const auto values = shell_figures(s);
  for (std::size_t i = 0; i < values.size(); ++i) keys.push_back({names[i], values[i].second, comments[i]});
  return keys;
}

/// The datasets of the HDF5 file, in the order of the columns of the FITS file.
std::vector<hdf5::RowSource> hdf5_columns(const MapRows& rows) {
  std::vector<hdf5::RowSource> columns;
  const auto add = [&]<class T>(const char* name, T /*unused*/) {
    columns.push_back({name, hdf5::native_type<T>(), 1, sizeof(T), {}});
  };
  if (rows.partial()) add("Pixels", std::int64_t{});
  add("Counts", std::uint32_t{});
  if (rows.velocities()) add("RadialVelocities", double{});
  return columns;
}

/// Calls act(name, value) for the attributes of the header that differ between shells.
template <class Act>
void for_each_figure(const SkyShell& shell, const Act& act) {
  act("Shell", shell.number);
  act("NumPart", shell.particles);
  for (const auto& [name, value] : shell_figures(shell)) act(name, value);
}

}  // namespace

ShellFiles::ShellFiles(const std::string& stem, SkyShell shell, std::unique_ptr<const SkyMaps> maps,
                       const SeenPixels& seen, ShellForm& form)
    : shell_(shell), maps_(std::move(maps)), rows_(*maps_, seen), fits_(stem + ".fits"), h5_(stem + ".hdf5") {
  make_hdf5(form);
}

void ShellFiles::make_hdf5(ShellForm& form) {
  const std::string& path = h5_.partial_path();
  if (form.file && form.rows == rows_.rows()) {
    form.file->make(path);
    columns_ = form.file->columns();
    hdf5::File file = hdf5::File::open_to_fill(path);
    {
      const auto header = file.group("Header");
      for_each_figure(shell_, [&](const char* name, auto value) { header->change(name, value); });
    }
    file.close();
    return;
  }
  hdf5::File file = hdf5::File::create(path);
  {
    const hdf5::Object header = file.create_group("Header");
    header.write("Nside", maps_->counts.nside());
    header.write_text("Ordering", "NESTED");
    for_each_figure(shell_, [&](const char* name, auto value) { header.write(name, value); });
    for (const hdf5::RowSource& column : hdf5_columns(rows_)) {
      const hdf5::Object dataset = file.create_dataset(column, rows_.rows(), hdf5::Storage::checked);
      columns_.push_back(hdf5::lay_out(dataset, column, rows_.rows()));
    }
  }
  file.close();
  form.file.emplace(path, columns_);
  form.rows = rows_.rows();
}

FitsRows ShellFiles::make_fits() const {
  const bool partial = rows_.partial();
  std::vector<FitsColumn> columns;
  std::size_t row_bytes = sizeof(std::uint32_t);
  if (partial) columns.push_back({"PIXEL", "K"}), row_bytes += sizeof(std::int64_t);
  columns.push_back({"COUNT", "J"});
  if (rows_.velocities()) columns.push_back({"VRADIAL", "D"}), row_bytes += sizeof(double);
  std::vector<FitsKey> keys = fits_keys(shell_, maps_->counts, partial);
  if (rows_.velocities()) keys.push_back({"BAD_DATA", unseen_sky, "VRADIAL (km/s) of pixels without particles"});
  return FitsRows::make(fits_.partial_path(), "SHELL", columns, keys, rows_.rows(), row_bytes);
}

void ShellFiles::write_chunk(std::uint64_t chunk, const FitsRows& table, const FileDescriptor& fits,
                             const FileDescriptor& h5) const {
  const std::uint64_t first = chunk * columns_.front().rows_per_chunk;
  const std::uint64_t count = std::min(columns_.front().rows_per_chunk, rows_.rows() - first);
  const MapRows::Rows rows = rows_.read(first, count);
  std::vector<std::byte> bytes(count * table.row_bytes);
  std::byte* to = bytes.data();
  for (std::size_t k = 0; k < count; ++k) {
    if (!rows.pixel.empty()) to = put_big_endian(rows.pixel[k], to);
    to = put_big_endian(rows.count[k], to);
    if (!rows.velocity.empty()) to = put_big_endian(rows.velocity[k], to);
  }
  fits.write_at(table.data + first * table.row_bytes, bytes.data(), bytes.size());
  auto column = columns_.begin();
  const auto write = [&](const auto& values) {
    if (values.empty()) return;
    hdf5::seal_chunk(*column, std::as_bytes(std::span(values)), bytes);
    h5.write_at(column->place[chunk], bytes.data(), bytes.size());
    ++column;
  };
  write(rows.pixel);
  write(rows.count);
  write(rows.velocity);
}

void ShellFiles::complete() {
  const FitsRows table = make_fits();
  FileDescriptor fits = FileDescriptor::open(fits_.partial_path()), h5 = FileDescriptor::open(h5_.partial_path());
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t chunk = 0; chunk < columns_.front().place.size(); ++chunk) {
    try {
      write_chunk(chunk, table, fits, h5);
    } catch (...) {
#pragma omp critical(multiwalk_shell_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  h5.close();
  fits.close();
  std::future<void> other = std::async(std::launch::async, [this] { h5_.sync(); });
  fits_.sync();
  other.get();
  fits_.commit();
  h5_.commit();
}

}  // namespace multiwalk
