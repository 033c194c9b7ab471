// SPDX-License-Identifier: GPL-3.0-or-later
// Changes files as a stranger might, for tests of commands:
//   change_files virtual MASTER SOURCE        a copy whose particles are virtual datasets, those of SOURCE beside it
//   change_files scale FILE GROUP NAME FACTOR multiplies an attribute
//   change_files datasets FILE                prints the names of the particles' datasets
//   change_files masses FILE FACTOR           a dataset Masses in which every other mass is FACTOR times MassTable's
//   change_files anonymous CHECKPOINT         removes the run's number, as in files of older versions
//   change_files record CHECKPOINT            damages the record in the state of a run, with correct checksums
//   change_files format CHECKPOINT            gives that record an older format
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/snapshots/checkpoint.hpp"

namespace {

using namespace multiwalk;
namespace fs = std::filesystem;
using hdf5::Handle;

template <class Id>
Id worked(Id status) {
  require(status >= 0, "HDF5 failed: " + hdf5::error_text());
  return status;
}

hdf5::Object open_to_change(const std::string& path) {
  return {{worked(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)), H5Fclose}, path};
}

std::vector<std::string> datasets_of(const hdf5::Object& file) {
  std::vector<std::string> names;
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  worked(H5Literate(file.group("PartType1")->id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, keep, &names));
  return names;
}

void make_virtual(const std::string& master, const std::string& source) {
  fs::copy_file(source, master, fs::copy_options::overwrite_existing);
  const hdf5::Object file = open_to_change(master);
  for (const std::string& name : datasets_of(file)) {
    const std::string link = "/PartType1/" + name;
    const Handle old(worked(H5Dopen2(file.id(), link.c_str(), H5P_DEFAULT)), H5Dclose);
    const Handle space(worked(H5Dget_space(old.get())), H5Sclose), type(worked(H5Dget_type(old.get())), H5Tclose);
    const Handle properties(worked(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
    worked(
        H5Pset_virtual(properties.get(), space.get(), fs::path(source).filename().c_str(), link.c_str(), space.get()));
    worked(H5Ldelete(file.id(), link.c_str(), H5P_DEFAULT));
    const Handle made(worked(H5Dcreate2(file.id(), link.c_str(), type.get(), space.get(), H5P_DEFAULT, properties.get(),
                                        H5P_DEFAULT)),
                      H5Dclose);
  }
}

void scale_attribute(const std::string& path, const std::string& group, const std::string& name, double factor) {
  const hdf5::Object file = open_to_change(path);
  const auto object = file.group(group);
  std::vector<double> values = object->numbers(name).value();
  for (double& value : values) value *= factor;
  worked(H5Adelete(object->id(), name.c_str()));
  object->write(name, std::span<const double>(values));
}

void spread_masses(const std::string& path, double factor) {
  const double mass = open_to_change(path).group("Header")->numbers("MassTable").value().at(1);
  scale_attribute(path, "Header", "MassTable", 0);
  const hdf5::Object file = open_to_change(path);
  const auto particles = file.group("PartType1");
  const auto make = [&](std::uint64_t first, std::uint64_t count, float* out) {
    for (std::uint64_t i = first; i < first + count; ++i)
      *out++ = static_cast<float>(i % 2 == 0 ? mass : factor * mass);
  };
  const auto source = hdf5::RowSource::of<float>("Masses", 1, make);
  const std::uint64_t rows = particles->dataset_shape("ParticleIDs").rows;
  particles->create_dataset(source, rows, hdf5::Storage::checked).write_rows(source, 0, rows, 0);
}

void change_record(const std::string& path, const char* key, const nlohmann::json& value) {
  Checkpoint checkpoint = read_checkpoint(path);
  nlohmann::json state = nlohmann::json::parse(checkpoint.state);
  state.at("record")[key] = value;
  checkpoint.state = state.dump();
  write_checkpoint(fs::path(path).parent_path(), checkpoint);
}

void take_number(const std::string& path) {
  Checkpoint checkpoint = read_checkpoint(path);
  checkpoint.parameters.erase(0, checkpoint.parameters.find('\n') + 1);
  write_checkpoint(fs::path(path).parent_path(), checkpoint);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto asks = [&](const char* command, std::size_t arguments) {
    return !words.empty() && words[0] == command && words.size() == arguments + 1;
  };
  if (asks("virtual", 2)) {
    make_virtual(words[1], words[2]);
  } else if (asks("scale", 4)) {
    scale_attribute(words[1], words[2], words[3], std::strtod(words[4].c_str(), nullptr));
  } else if (asks("masses", 2)) {
    spread_masses(words[1], std::strtod(words[2].c_str(), nullptr));
  } else if (asks("anonymous", 1)) {
    take_number(words[1]);
  } else if (asks("record", 1)) {
    change_record(words[1], "steps", "many");
  } else if (asks("format", 1)) {
    change_record(words[1], "format", 1);
  } else if (asks("datasets", 1)) {
    for (const std::string& name : datasets_of(hdf5::File::open(words[1]))) std::printf("%s\n", name.c_str());
  } else {
    std::fprintf(stderr, "change_files: see the head of its source\n");
    return 1;
  }
  return 0;
}
