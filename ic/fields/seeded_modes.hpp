// SPDX-License-Identifier: GPL-3.0-or-later
// Random modes as made by N-GenIC and related codes: a table gives every column of k-space a seed of its own (Springel
// et al. 2005; GADGET-4: Springel et al. 2021).
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/mesh/pencil_mesh.hpp"
#include "ic/fields/gaussian_field.hpp"

namespace multiwalk {

/// Seeds of the columns (a, b), with |a| and |b| at most `highest`: uniform numbers of GSL's ranlxd1, assigned in rings
/// from the corners of k-space inwards, so that a column's seed does not depend on `highest`. 4 bytes per column.
class SeedTable {
 public:
  SeedTable(std::uint64_t seed, std::int64_t highest);
  [[nodiscard]] std::uint32_t operator()(std::int64_t a, std::int64_t b) const { return seed_[place(a, b)]; }

 private:
  [[nodiscard]] std::size_t place(std::int64_t a, std::int64_t b) const {
    return static_cast<std::size_t>((a < 0 ? a + side_ : a) * side_ + (b < 0 ? b + side_ : b));
  }

  std::int64_t side_;
  std::vector<std::uint32_t> seed_;
};

/// Sets this rank's modes below the Nyquist wavenumber to delta / sqrt(P/V): phase 2 pi U, squared modulus -ln U', with
/// the next two numbers of a ranlxd1 started with the column's seed (U' = 0 is drawn again). ngenic: a column is (n_x,
/// n_y), its modes n_z = 0, 1, ...; gadget4: (n_y, n_z), modes n_x = 0, -1, 1, -2, 2, ..., and with fixed amplitudes U'
/// is not drawn. The half n_x > 0, or n_x = 0 and n_y > 0, of the plane n_z = 0 determines the other half. The same for
/// every mesh. Each rank holds the whole table. Collective.
void set_seeded_modes(PencilMesh& field, const FieldOptions& options);

}  // namespace multiwalk
