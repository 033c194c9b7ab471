// SPDX-License-Identifier: GPL-3.0-or-later
// [lightcone]: the past light cone of an observer at a = 1 (run/sky/light_cone.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/sky/sky_view.hpp"
#include "host/base/vec3.hpp"
#include "run/parameters/parameter_key.hpp"
#include "run/parameters/sections/model.hpp"

namespace multiwalk {

struct LightConeParameters {
  bool particles = false, halos = false, shells = false, shell_velocities = false;
  std::vector<double> observer;           ///< Mpc/h in the box
  std::vector<double> pole{0, 0, 1};      ///< z axis of the sky, in the box
  std::vector<double> meridian{1, 0, 0};  ///< longitude 0
  SkyOpening opening = SkyOpening::full;
  std::vector<double> axis;  ///< of a cone, in the box
  double half_angle = 10;    ///< of a cone, degrees
  double z_near = 0, z_far = 1;
  bool rotate_replicas = false, shift_replicas = false;
  std::uint64_t replica_seed = 1;
  std::uint32_t nside = 512;
  std::uint32_t shell_count = 20;
  std::vector<double> shell_redshifts, shell_distances;

  [[nodiscard]] bool wanted() const { return particles || shells; }

  void describe(const auto& all) {
    const auto key = all.only(wanted(), "for lightcone.particles and lightcone.shells");
    all("lightcone.particles", particles,
        "write every image of a particle when it crosses the past light cone of an observer at z = 0, in GADGET-4's "
        "layout; the box is repeated as often as needed");
    key("lightcone.halos", halos,
        "find friends-of-friends groups among the particles of the light cone when it is complete; needs "
        "lightcone.particles");
    all("lightcone.shells", shells,
        "count these particles in the HEALPix pixels of shells, and write a FITS and an HDF5 file for each shell");
    key("lightcone.shell_velocities", shell_velocities,
        "also map the mean radial peculiar velocity of the particles in each pixel of the shells");
    describe_sky(key);
    key("lightcone.z_near", z_near, "redshift at which the light cone ends", Range::from(0));
    key("lightcone.z_far", z_far, "redshift at which the light cone begins", Range::above(0));
    key("lightcone.rotate_replicas", rotate_replicas,
        "periodic boxes: rotate each copy of the box, but not the box itself, by one of the 24 rotations of a cube, so "
        "that structures do not repeat; they end at the faces of the copies");
    key("lightcone.shift_replicas", shift_replicas,
        "periodic boxes: shift each copy of the box periodically by a random vector");
    key("lightcone.replica_seed", replica_seed, "seed of these rotations and shifts")
        .only(rotate_replicas || shift_replicas, "for lightcone.rotate_replicas and shift_replicas");
    describe_shells(key.only(shells, "for lightcone.shells"));
  }

  void check(const auto& must) const {
    const auto& p = must.parameters();
    must(shells || !shell_velocities, {"lightcone.shell_velocities", "lightcone.shells"},
         "lightcone.shell_velocities needs lightcone.shells = true");
    must(particles || !halos, {"lightcone.halos", "lightcone.particles"},
         "lightcone.halos needs lightcone.particles = true");
    if (!wanted()) return;
    must(!is_newtonian(p.model.kind), {"lightcone.particles", "lightcone.shells"},
         "light cones are for comoving runs: this model is Newtonian");
    check_sky(must);
    must(z_near < z_far, {"lightcone.z_near", "lightcone.z_far"}, "lightcone.z_near must be less than z_far");
    must(z_near >= p.time.z_end, {"lightcone.z_near", "time.z_end", "lightcone.shells", "lightcone.particles"},
         "lightcone.z_near = {} is beyond the end of the run, time.z_end = {}", z_near, p.time.z_end);
    must(p.model.kind == ModelKind::file || z_far <= p.ic.z_start, {"lightcone.z_far", "ic.z_start"},
         "lightcone.z_far = {} is before the start of the run, ic.z_start = {}", z_far, p.ic.z_start);
    const bool box = may_be_periodic(p.model.kind);
    must(box || !rotate_replicas, {"lightcone.rotate_replicas"},
         "lightcone.rotate_replicas is for periodic boxes: this model has no copies");
    must(box || !shift_replicas, {"lightcone.shift_replicas"},
         "lightcone.shift_replicas is for periodic boxes: this model has no copies");
    check_shells(must);
  }

 private:
  void describe_sky(const auto& key) {
    const Range coordinate = Range::between(-1e9, 1e9);
    const auto cone = key.only(opening == SkyOpening::cone, "for lightcone.opening = \"cone\"");
    key("lightcone.observer", observer, "place of the observer in the box; []: its centre (sphere: the origin)",
        coordinate, "Mpc/h");
    key("lightcone.pole", pole, "direction of the sky's north pole (z axis) in the box", coordinate);
    key("lightcone.meridian", meridian,
        "direction in the box that lies on the sky's meridian of longitude 0, with x > 0", coordinate);
    key("lightcone.opening", opening, {"full", "octant", "cone"},
        "the part of the sky: all, the octant x, y, z >= 0 of the sky's axes, or a cone");
    cone("lightcone.axis", axis, "direction of a cone's axis in the box; []: the pole", coordinate);
    cone("lightcone.half_angle", half_angle, "angle between a cone's axis and its border", Range::above(0, 180),
         "degrees");
  }

  void describe_shells(const auto& key) {
    key("lightcone.nside", nside, "HEALPix resolution of the shells, a power of 2; the sky has 12 nside^2 pixels",
        Range::between(1, 16384));
    key("lightcone.shell_count", shell_count,
        "number of shells of equal comoving thickness between z_near and z_far, if no borders are given",
        Range::between(1, 10000));
    key("lightcone.shell_redshifts", shell_redshifts,
        "borders of the shells by redshift, rising, between z_near and z_far", Range::from(0));
    key("lightcone.shell_distances", shell_distances,
        "borders of the shells by comoving distance, rising, between those of z_near and z_far", Range::from(0),
        "Mpc/h");
  }

  void check_sky(const auto& must) const {
    const auto vector = [](const std::vector<double>& v) { return v.size() == 3 ? Vec3d{v[0], v[1], v[2]} : Vec3d{}; };
    must(observer.empty() || observer.size() == 3, {"lightcone.observer"},
         "lightcone.observer needs three coordinates");
    must(axis.empty() || norm(vector(axis)) > 0, {"lightcone.axis"},
         "lightcone.axis is not a direction such as [0, 0, 1]");
    must(norm(cross(vector(pole), vector(meridian))) > 0, {"lightcone.pole", "lightcone.meridian"},
         "lightcone.pole and meridian must be two different directions such as [0, 0, 1] and [1, 0, 0]");
  }

  void check_shells(const auto& must) const {
    must((nside & (nside - 1)) == 0, {"lightcone.nside"}, "lightcone.nside must be a power of 2");
    must(shell_redshifts.empty() || shell_distances.empty(), {"lightcone.shell_redshifts", "lightcone.shell_distances"},
         "lightcone.shell_redshifts and shell_distances are both given: keep one of them");
    for (const auto* borders : {&shell_redshifts, &shell_distances}) {
      const bool rise = std::ranges::is_sorted(*borders, std::ranges::less_equal{});
      must(borders->empty() || (borders->size() > 1 && rise),
           {"lightcone.shell_redshifts", "lightcone.shell_distances"},
           "the borders of shells must be two or more rising numbers");
    }
    must(shell_redshifts.empty() || (shell_redshifts.front() >= z_near && shell_redshifts.back() <= z_far),
         {"lightcone.shell_redshifts"}, "lightcone.shell_redshifts must lie between z_near and z_far");
  }
};

}  // namespace multiwalk
