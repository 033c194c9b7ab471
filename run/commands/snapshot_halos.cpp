// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/snapshot_halos.hpp"

#include <omp.h>

#include "decomposition/domains/domains.hpp"
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
      ->check(positive_number())
      ->capture_default_str();
  command.add_option("--min-particles", options.min_particles, "smallest number of members")
      ->check(whole_number(1))
      ->capture_default_str();
  unsaid.add_to(command);
  command.add_option("--csv", csv, "write a table to this file");
  command.add_option("--json", json, "write the figures to this file (- for standard output)");
  command.add_option("--html", html, "write a page with charts to this file");
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
