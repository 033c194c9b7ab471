// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/exact/walk_expansion.hpp"

namespace multiwalk {

namespace {

template <int order>
void sum_cells(const TreeView& sources, std::span<const std::uint32_t> cells, Vec3d centre, double softening2,
               ExpansionTerms& terms) {
  for (const std::uint32_t c : cells) {
    const Multipole& m = sources.multipole[c];
    add_expansion<order>(m.centre_of_mass - centre, static_cast<double>(m.mass), second_moment(m),
                         NewtonDerivatives<double>{softening2}, terms.data());
  }
}

template <int order>
ForceSum<double> force_at(const ExpansionTerms& terms, Vec3d u) {
  return expanded_force<order>(terms.data(), u);
}

constexpr decltype(&sum_cells<1>) sum_by_order[] = {sum_cells<1>, sum_cells<2>, sum_cells<3>,
                                                    sum_cells<4>, sum_cells<5>, sum_cells<6>};
constexpr decltype(&force_at<1>) force_by_order[] = {force_at<1>, force_at<2>, force_at<3>,
                                                     force_at<4>, force_at<5>, force_at<6>};

}  // namespace

ExpansionTerms expand_cells(int order, const TreeView& sources, std::span<const std::uint32_t> cells, Vec3d centre,
                            double softening2) {
  ExpansionTerms terms{};
  sum_by_order[order - least_expansion_order](sources, cells, centre, softening2, terms);
  return terms;
}

ForceSum<double> force_of_terms(int order, const ExpansionTerms& terms, Vec3d u) {
  return force_by_order[order - least_expansion_order](terms, u);
}

}  // namespace multiwalk
