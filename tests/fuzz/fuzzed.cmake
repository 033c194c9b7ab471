# SPDX-License-Identifier: GPL-3.0-or-later
# The library `fuzzed`: the sources that fuzz targets need, with coverage.
set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
  -Wno-unknown-warning-option)
set(sources)
foreach(source
    host/base/gsl_check host/base/large_memory
    host/cosmology/expansion host/cosmology/growth host/base/particle_memory host/particles/particle_store
    decomposition/ranks/agree decomposition/ranks/communicator analysis/forces/cost
    ic/power/eisenstein_hu ic/power/linear_power ic/models/make_load ic/power/power_table
    run/files/atomic_file run/files/bodies_file run/files/nearest_word run/snapshots/checkpoint run/snapshots/checkpoint_file run/files/partial_file run/files/plain_file run/files/printable
    analysis/sky/crossing_finder analysis/sky/light_path analysis/sky/sky_counts analysis/sky/sky_pixels
    analysis/statistics/sample_statistics
    run/ensemble/ensemble_results run/ensemble/manifest run/ensemble/realisation run/ensemble/realisation_state
    run/ensemble/run_measurement run/files/tree_sizes_file
    run/sky/cone_rows run/sky/light_cone run/sky/shell_writer run/sky/sky_shell
    run/snapshots/halo_catalogue run/snapshots/snapshot_checksum run/trees/subhalo_file run/trees/track_file
    run/hdf5/hdf5_file run/hdf5/hdf5_storage run/formats/file_units run/formats/gadget_file run/formats/file_set
    run/snapshots/gadget_header run/snapshots/read_snapshot run/snapshots/snapshot_file run/snapshots/snapshot_header
    run/formats/species run/snapshots/unsaid
    run/parameters/gadget4_parameters run/parameters/parameter_checks run/parameters/parameter_name run/parameters/parameter_table run/parameters/parameter_value run/parameters/parameters
    run/pages/page run/records/diagnostics run/files/json_input run/files/json_output
    run/records/rank_timings run/records/run_record run/report/report run/report/report_check run/report/report_page
    run/report/run_figures run/report/short_report run/records/run_totals run/records/step_history run/parameters/toml_text run/machine/version)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/${source}.cpp)
endforeach()
list(APPEND sources ${page_files_source})
set(version ${PROJECT_SOURCE_DIR}/run/machine/version.cpp)
get_property(definitions SOURCE ${version} DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY COMPILE_DEFINITIONS)
set_property(SOURCE ${version} PROPERTY COMPILE_DEFINITIONS ${definitions})
add_library(fuzzed STATIC ${sources})
target_compile_options(fuzzed PUBLIC ${sanitizers} -g1 -O1 PRIVATE ${coverage})
target_include_directories(fuzzed PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/commit)
target_link_options(fuzzed PUBLIC ${sanitizers} -no-pie LINKER:--unresolved-symbols=ignore-all)
target_link_libraries(fuzzed PUBLIC GSL::gsl PkgConfig::FMT MPI::MPI_CXX PkgConfig::FFTW PNG::PNG
  HDF5::HDF5 PkgConfig::SPDLOG ZLIB::ZLIB Threads::Threads multiwalk_header_only)
add_dependencies(fuzzed multiwalk_commit)
