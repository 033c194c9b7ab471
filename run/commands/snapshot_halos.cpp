// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/snapshot_halos.hpp"

#include <omp.h>

#include "decomposition/domains/domains.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"

namespace multiwalk {

void HaloArguments::add_to(CLI::App& command) {
  command.add_option("snapshot", snapshot, "snapshot file")->required();
  command
      .add_option("--linking", options.linking,
                  "linking length / mean interparticle spacing (of a periodic box side / N^(1/3), of a sphere "
                  "(particle mass / mean density)^(1/3))")
      ->check(number_between(0.001, 5))
      ->capture_default_str();
  command.add_option("--min-particles", options.min_particles, "smallest number of members")
      ->check(whole_number(1))
      ->capture_default_str();
  unsaid.add_to(command);
  add_output(command, "--csv", csv, "write a table to this file", csv_names);
  add_json_output(command, json);
  add_output(command, "--html", html, "write a page with charts to this file", html_names);
}

SnapshotHalos find_in_snapshot(const HaloArguments& arguments, const Communicator& comm) {
  omp_set_num_threads(default_threads(comm));
  SnapshotHalos found;
  found.info = look_at_snapshot(arguments.snapshot, comm, arguments.unsaid.resolve(comm));
  require_halos(found.info.system);
  const std::string warning = warning_of_unequal_masses(found.info.system, comm);
  if (comm.root()) warn_on_stderr(warning);
  Domains domains(comm, {});
  if (!comm.alone()) domains.distribute(found.info.system.particles);
  found.catalogue =
      find_halos(found.info.system, domains.map().value_or(DomainMap()), found.info.cosmology, arguments.options, comm);
  return found;
}

}  // namespace multiwalk
