// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/parameter_table.hpp"

#include <algorithm>
#include <array>

#include "run/parameters/force_names.hpp"
#include "run/parameters/published_runs.hpp"

namespace multiwalk {

namespace {

template <auto... Path>
auto& member(Parameters& p) {
  return (p.*....*Path);
}

/// An enumeration whose values follow the order of `names`.
template <auto... Path>
constexpr Choice enumeration(std::span<const std::string_view> names) {
  return {names, [](const Parameters& p) { return static_cast<std::size_t>((p.*....*Path)); },
          [](Parameters& p, std::size_t i) {
            auto& value = member<Path...>(p);
            value = static_cast<std::remove_reference_t<decltype(value)>>(i);
          }};
}

constexpr std::array<std::string_view, 6> backend_names{"auto", "cpu", "cuda", "cuda-resident", "direct", "ewald"};
constexpr std::array<std::string_view, 11> model_names{"sphere",   "box",    "hubble_lattice", "plummer",     "uniform",
                                                       "two_body", "galaxy", "galaxy_pair",    "kepler_disc", "bodies",
                                                       "file"};
constexpr std::array<std::string_view, 2> profile_names{"hernquist", "nfw"};
constexpr std::array<std::string_view, 4> steps_names{"auto", "global", "block", "fixed"};
/// In the order of DirectScheme.
constexpr std::array<std::string_view, 4> integrator_names{"tv", "tv_half_kicks", "leapfrog", "hermite"};
constexpr std::array<std::string_view, 3> method_names{"auto", "tree", "direct"};
constexpr std::array<std::string_view, 4> transfer_names{"eh98", "eh98_smooth", "efstathiou", "file"};
constexpr std::array<std::string_view, 3> load_names{"grid", "bcc", "glass"};
constexpr std::array<std::string_view, 3> opening_names{"full", "octant", "cone"};
constexpr std::array<std::string_view, 2> comparison_names{"none", published_runs[0].name};
constexpr std::array<std::string_view, 3> random_names{"philox", "ngenic", "gadget4"};

constexpr std::array<std::string_view, 3> axis_names{"x", "y", "z"};

constexpr Choice backend_choice{
    backend_names,
    [](const Parameters& p) {
      return static_cast<std::size_t>(std::ranges::find(backend_names, p.run.backend) - backend_names.begin());
    },
    [](Parameters& p, std::size_t i) { p.run.backend = backend_names[i]; }};

constexpr Choice comparison_choice{
    comparison_names,
    [](const Parameters& p) {
      return static_cast<std::size_t>(std::ranges::find(comparison_names, p.cost.compare_with) -
                                      comparison_names.begin());
    },
    [](Parameters& p, std::size_t i) { p.cost.compare_with = comparison_names[i]; }};

/// Options of the sums over pairs.
constexpr Choice accumulation_choice{
    accumulation_names, [](const Parameters& p) { return static_cast<std::size_t>(p.direct.precision.accumulation); },
    [](Parameters& p, std::size_t i) { p.direct.precision.accumulation = static_cast<Accumulation>(i); }};
constexpr Choice splitting_choice{
    splitting_names, [](const Parameters& p) { return static_cast<std::size_t>(p.direct.precision.splitting); },
    [](Parameters& p, std::size_t i) { p.direct.precision.splitting = static_cast<Splitting>(i); }};

template <auto part>
constexpr Choice assignment_choice{
    assignment_names, [](const Parameters& p) { return static_cast<std::size_t>((p.*part).assignment) - 2; },
    [](Parameters& p, std::size_t i) { (p.*part).assignment = static_cast<Assignment>(i + 2); }};

/// A table and Efstathiou's fit follow from transfer_file and shape_gamma; the checks refuse what disagrees with them.
constexpr Choice transfer_choice{transfer_names,
                                 [](const Parameters& p) -> std::size_t {
                                   if (!p.ic.transfer_file.empty()) return 3;
                                   if (p.cosmology.shape_gamma > 0) return 2;
                                   return p.cosmology.smooth_power ? 1 : 0;
                                 },
                                 [](Parameters& p, std::size_t i) { p.cosmology.smooth_power = i == 1; }};

constexpr Range positive{.lo = 0, .lo_open = true};
constexpr Range not_negative{.lo = 0};
constexpr Range between(double lo, double hi) {
  return {.lo = lo, .hi = hi};
}
constexpr Range above(double lo, double hi) {
  return {.lo = lo, .hi = hi, .lo_open = true};
}
constexpr Range galaxy_length = between(shortest_galaxy_length, longest_galaxy_length);

using P = Parameters;
using R = RunParameters;
using M = ModelOptions;
using N = FileUnitParameters;
using Y = GalaxyOptions;
using Q = GalaxyPairOptions;
using C = CosmologyParameters;
using I = IcOptions;
using G = GravityOptions;
using B = BoxForceParameters;
using F = DirectParameters;
using S = SofteningParameters;
using T = TimeParameters;
using D = DecompositionParameters;
using O = OutputParameters;
using L = LightConeParameters;
using GG = GridParameters;
using PP = PlaneParameters;
using H = TreeParameters;
using U = CostParameters;

const ParameterKey parameter_keys[] = {
    {"run.directory", &member<&P::run, &R::directory>, "directory that receives everything the run writes", Range{}, "",
     Quantity::path},
    {"run.title", &member<&P::run, &R::title>, "heading of the report"},
    {"run.backend", backend_choice,
     "back end that evaluates forces; cuda: the threads of the host walk, and GPUs evaluate; cuda-resident: a GPU also "
     "makes the walks and keeps the particles, if each rank has one GPU (several ranks: in a vacuum with global "
     "steps); auto: GPUs if they work and an evaluation has at least 100,000 pairs (cuda-resident for one GPU and one "
     "rank), else the CPU; direct and ewald (periodic boxes) sum over all pairs in double precision"},
    {"run.threads", &member<&P::run, &R::threads>,
     "OpenMP threads of each rank; auto: the cores of its machine, shared by the ranks there, minus one for messages "
     "if several ranks sum directly on GPUs",
     between(0, 65536), "", Quantity::plain, 0.0},
    {"run.deterministic", &member<&P::run, &R::deterministic>,
     "choose nothing by timing, so that a repeated run ends with the same bits"},
    {"run.devices", &member<&P::run, &R::devices>, "CUDA devices to use on each machine; []: one per rank",
     between(0, 1023)},
    {"run.wall_limit", &member<&P::run, &R::wall_limit>,
     "end with a checkpoint before this wall time, provided that no step (or block of steps) takes longer than the one "
     "before; 0: no limit",
     not_negative, "h", Quantity::hours},
    {"run.checkpoint_every", &member<&P::run, &R::checkpoint_every>,
     "wall time between checkpoints; 0: only when the run ends", not_negative, "h", Quantity::hours},
    {"run.checkpoints_kept", &member<&P::run, &R::checkpoints_kept>, "number of the newest checkpoints to keep",
     between(1, 2)},
    {"run.final_checkpoint", &member<&P::run, &R::final_checkpoint>,
     "write a checkpoint also at the last redshift or time, from which the run can go on if that is changed; a run "
     "that ends earlier, or makes a light cone or merger trees, always writes one"},

    {"model.kind", enumeration<&P::model, &M::kind>(model_names), "system to simulate"},
    {"model.particles", &member<&P::model, &M::particles>,
     "particles of the Newtonian models (plummer, uniform, galaxy, galaxy_pair, kepler_disc)", between(1, 1e12)},
    {"model.radius", &member<&P::model, &M::radius>,
     "radius of the sphere (sphere, hubble_lattice; uniform: in model units)", positive, "Mpc/h", Quantity::mpc_per_h},
    {"model.box_size", &member<&P::model, &M::box_size>,
     "side of the periodic realisation; auto: twice the radius of a sphere", between(0, 1e9), "Mpc/h",
     Quantity::mpc_per_h, 0.0},
    {"model.file", &member<&P::model, &M::file>,
     "snapshot to start from (kind = \"file\": HDF5, or GADGET's formats 1 and 2), or table of bodies (kind = "
     "\"bodies\"): text or CSV, one body per "
     "line, mass x y z vx vy vz",
     Range{}, "", Quantity::path},
    {"model.units.length", &member<&P::file_units, &N::length>,
     "unit of length in a snapshot that states none, such as GADGET's binary files; a number is in cm/h", Range{},
     "e.g. kpc/h", Quantity::unit_of_length},
    {"model.units.mass", &member<&P::file_units, &N::mass>, "unit of mass in such a snapshot; a number is in g/h",
     Range{}, "e.g. 1e10 Msun/h", Quantity::unit_of_mass},
    {"model.units.velocity", &member<&P::file_units, &N::velocity>,
     "unit of velocity in such a snapshot (in GADGET's files, of v / sqrt(a)); a number is in cm/s", Range{},
     "e.g. km/s", Quantity::unit_of_velocity},
    {"model.allow_mass_mismatch", &member<&P::model, &M::allow_mass_mismatch>,
     "start from a snapshot even if its total mass differs from that of omega_m by 1% or more"},
    {"model.seed", &member<&P::model, &M::seed>, "selects the random realisation", between(0, 9.2e18)},
    {"model.eccentricity", &member<&P::model, &M::eccentricity>, "eccentricity of the two_body orbit",
     Range{.lo = 0, .hi = 1, .hi_open = true}},
    {"model.disc_mass", &member<&P::model, &M::disc_mass>,
     "total mass of a kepler_disc without its central body, whose mass is 1", not_negative},
    {"model.jitter", &member<&P::model, &M::jitter>,
     "greatest random shift of hubble_lattice particles along each axis", between(0, 0.5), "lattice spacings"},

    {"galaxy.halo_profile", enumeration<&P::model, &M::galaxy, &Y::halo_profile>(profile_names),
     "density of the halo: Hernquist (1990), or Navarro, Frenk & White (1996)"},
    {"galaxy.halo_radius", &member<&P::model, &M::galaxy, &Y::halo_radius>,
     "scale radius of the halo, whose mass is what disc and bulge leave", galaxy_length, "model length"},
    {"galaxy.cut", &member<&P::model, &M::galaxy, &Y::cut>,
     "densities of halo and bulge are multiplied by exp(-(r / cut)^2), so that their masses are finite", galaxy_length,
     "model length"},
    {"galaxy.disc_mass", &member<&P::model, &M::galaxy, &Y::disc_mass>, "mass of the disc; 0: none", between(0, 1),
     "mass of the galaxy"},
    {"galaxy.disc_radius", &member<&P::model, &M::galaxy, &Y::disc_radius>, "exponential scale length R_d of the disc",
     galaxy_length, "model length"},
    {"galaxy.disc_height", &member<&P::model, &M::galaxy, &Y::disc_height>, "z_0 of the disc's density sech^2(z / z_0)",
     galaxy_length, "model length"},
    {"galaxy.toomre_q", &member<&P::model, &M::galaxy, &Y::toomre_q>,
     "Toomre's Q of the disc at 2 R_d, which sets its radial velocity dispersion; below 1 it is unstable",
     between(0, 100)},
    {"galaxy.bulge_mass", &member<&P::model, &M::galaxy, &Y::bulge_mass>, "mass of the Hernquist bulge; 0: none",
     between(0, 1), "mass of the galaxy"},
    {"galaxy.bulge_radius", &member<&P::model, &M::galaxy, &Y::bulge_radius>, "scale radius of the bulge",
     galaxy_length, "model length"},

    {"pair.mass_ratio", &member<&P::model, &M::pair, &Q::mass_ratio>,
     "mass of the second galaxy over that of the first; the first has the radii of [galaxy], those of the second are "
     "multiplied by the cube root of this ratio",
     above(0, 1)},
    {"pair.pericentre", &member<&P::model, &M::pair, &Q::pericentre>,
     "smallest distance between the centres if the galaxies were points", galaxy_length, "model length"},
    {"pair.eccentricity", &member<&P::model, &M::pair, &Q::eccentricity>,
     "eccentricity of the orbit of these points; 1: parabola", between(0, 1e6)},
    {"pair.separation", &member<&P::model, &M::pair, &Q::separation>,
     "distance between the centres at the start, before pericentre", galaxy_length, "model length"},
    {"pair.inclination1", &member<&P::model, &M::pair, &Q::inclination1>,
     "angle between the spin of the first galaxy and that of the orbit; above 90: retrograde", between(-360, 360),
     "degrees"},
    {"pair.node1", &member<&P::model, &M::pair, &Q::node1>,
     "angle from the pericentre of the first galaxy to the ascending node of its disc, the line on which the disc "
     "rises through the orbital plane",
     between(-360, 360), "degrees"},
    {"pair.inclination2", &member<&P::model, &M::pair, &Q::inclination2>, "inclination1 for the second galaxy",
     between(-360, 360), "degrees"},
    {"pair.node2", &member<&P::model, &M::pair, &Q::node2>,
     "node1 for the second galaxy, also from the first one's pericentre", between(-360, 360), "degrees"},

    {"cosmology.omega_m", &member<&P::cosmology, &C::omega_m>,
     "matter density today; for a curved universe give omega_lambda, too", above(0, 10)},
    {"cosmology.omega_lambda", &member<&P::cosmology, &C::omega_lambda>, "dark energy density today", between(-10, 10)},
    {"cosmology.omega_b", &member<&P::cosmology, &C::omega_b>, "baryon density today, part of omega_m", between(0, 10)},
    {"cosmology.h", &member<&P::cosmology, &C::h>, "Hubble constant", above(0, 10), "100 km/s/Mpc"},
    {"cosmology.n_s", &member<&P::cosmology, &C::n_s>, "slope of the primordial power spectrum", between(-5, 5)},
    {"cosmology.sigma8", &member<&P::cosmology, &C::sigma8>,
     "rms of today's linear density contrast in spheres of 8 Mpc/h", above(0, 100)},
    {"cosmology.a_s", &member<&P::cosmology, &C::a_s>,
     "primordial amplitude at k = 0.05/Mpc, in place of sigma8; 0: not used", between(0, 1)},
    {"cosmology.w0", &member<&P::cosmology, &C::w0>, "dark energy equation of state today", between(-10, 1)},
    {"cosmology.wa", &member<&P::cosmology, &C::wa>, "change of the equation of state: w = w0 + wa (1 - a)",
     between(-10, 10)},
    {"cosmology.radiation", &member<&P::cosmology, &C::radiation>,
     "include photons and massless neutrinos in H(a); without them growth from z = 49 to 0 differs by 0.94% from a "
     "Boltzmann code's"},
    {"cosmology.t_cmb", &member<&P::cosmology, &C::t_cmb>, "temperature of the microwave background", above(0, 100),
     "K"},
    {"cosmology.transfer", transfer_choice,
     "linear power: Eisenstein & Hu (1998) with or without baryon wiggles, Efstathiou, Bond & White (1992) with "
     "shape_gamma, or from transfer_file"},
    {"cosmology.shape_gamma", &member<&P::cosmology, &C::shape_gamma>,
     "shape parameter Gamma (transfer = \"efstathiou\"); 0: not used", between(0, 10)},
    {"cosmology.transfer_file", &member<&P::ic, &I::transfer_file>,
     "k, P(k) table or CAMB transfer file at z = 0 (transfer = \"file\")", Range{}, "", Quantity::path},

    {"ic.z_start", &member<&P::ic, &I::z_start>, "redshift at which the simulation starts", above(0, 1e5)},
    {"ic.grid", &member<&P::ic, &I::grid>,
     "FFT cells per side of the realisation, and particles per side (bcc: twice grid^3 particles)", between(2, 65535)},
    {"ic.load", enumeration<&P::ic, &I::load>(load_names),
     "arrangement of particles before they are displaced: a cubic or a body-centred lattice, or a glass made from the "
     "seed"},
    {"ic.glass_tiles", &member<&P::ic, &I::glass_tiles>,
     "copies of the glass along each side, each with grid / glass_tiles particles per side; auto: as few as leave at "
     "most 32 particles per side",
     between(0, 65536), "", Quantity::plain, 0.0},
    {"ic.lpt_order", &member<&P::ic, &I::lpt_order>,
     "order of the Lagrangian displacements; 1: Zel'dovich, 2: 2LPT, 3: 3LPT", between(1, 3)},
    {"ic.random", enumeration<&P::ic, &I::random>(random_names),
     "how a seed is turned into random modes: as in Multiwalk (philox), N-GenIC or GADGET-4"},
    {"ic.fixed_amplitude", &member<&P::ic, &I::fixed_amplitude>, "give every mode exactly the amplitude sqrt(P/V)"},
    {"ic.paired", &member<&P::ic, &I::paired>,
     "use the opposite sign of the density contrast: the partner of the run with the same seed"},

    {"force.method", enumeration<&P::direct, &F::method>(method_names),
     "tree, or direct summation over all pairs of bodies of a Newtonian model; auto: tree for leapfrog, otherwise "
     "direct"},
    {"force.accumulation", accumulation_choice,
     "direct summation: how single-precision pairs are added: plainly, in partial sums (chamomile), with compensation, "
     "or (mixed) in double precision after 128 pairs; full: pairs in double precision too"},
    {"force.splitting", splitting_choice,
     "direct summation: coordinates in single-precision pairs, rounded (single) or as the sum of two numbers, nearly "
     "as good as double precision (hi_lo)"},
    {"force.theta", &member<&P::force, &G::theta>,
     "opening angle; with mac = \"relative\", used only for the very first forces", above(0, 2)},
    {"force.alpha", &member<&P::force, &G::alpha>,
     "tolerance of the relative criterion; periodic boxes: set by accuracy unless custom", above(0, 1)},
    {"force.mac", enumeration<&P::force, &G::mac>(mac_names),
     "multipole acceptance criterion; barnes90 if theta is given but neither mac nor alpha; periodic boxes: relative "
     "unless accuracy is custom. Where forces nearly cancel, their errors add up: radii of a cold lattice sphere "
     "(26,000 particles) that collapses to 0.55 of its comoving size are off by up to 0.12% with relative (alpha "
     "0.005), and with barnes90 by 0.4% (theta 0.4), 0.9% (0.5), 3.7% (0.6) or 4.8% (0.8)"},
    {"force.multipole", enumeration<&P::force, &G::multipole>(multipole_names),
     "order of a cell's multipole expansion; periodic boxes: quadrupole unless accuracy is custom"},
    {"force.group_size", &member<&P::force, &G::group_size>,
     "maximum number of particles that share a walk; auto: found by timing during the run, with leaf_size, from "
     "100,000 particles per rank on",
     between(0, 65536), "", Quantity::plain, 0.0},
    {"force.leaf_size", &member<&P::force, &G::leaf_size>, "maximum number of particles in a leaf of the tree",
     between(1, 65536)},
    {"force.expansion", &member<&P::force, &G::expansion>,
     "order of the Taylor expansions by which far cells act on a whole group at once; 0: none", between(0, 6)},
    {"force.accuracy", enumeration<&P::box_force, &B::accuracy>(accuracy_names),
     "periodic boxes: total force error to aim at (99% within 1e-2, 2e-3 or 2e-4); chooses mesh, split, cutoff and the "
     "walks' criterion (relative, alpha 0.01, 0.002 or 0.0002), which custom leaves to mac, theta and alpha"},
    {"force.mesh", &member<&P::box_force, &B::mesh>, "periodic boxes: cells per side of the mesh; 0: set by accuracy",
     between(0, 65536)},
    {"force.split", &member<&P::box_force, &B::split>,
     "periodic boxes: scale of the Gaussian that splits forces, in cells of the mesh; 0: set by accuracy",
     between(0, 10)},
    {"force.cutoff", &member<&P::box_force, &B::cutoff>,
     "periodic boxes: cut-off of pair forces, in scales of the split, at least 3; 0: set by accuracy", between(0, 8)},
    {"force.softening", &member<&P::softening, &S::softening>,
     "Plummer softening length, comoving (Newtonian models: model units); auto: mean spacing / 25; direct summation "
     "needs a value",
     not_negative, "kpc/h", Quantity::kpc_per_h, -1.0},
    {"force.softening_max_physical", &member<&P::softening, &S::softening_max_physical>,
     "cap on the physical softening length; 0: none", not_negative, "kpc/h", Quantity::kpc_per_h},

    {"time.integrator", enumeration<&P::time, &T::integrator>(integrator_names),
     "leapfrog (kick, drift, kick), Hermite's fourth order P(EC)^n, or Kavanagh's T+V (drift, then kick), which half "
     "kicks turn into leapfrog; all but leapfrog need direct summation"},
    {"time.iterations", &member<&P::time, &T::iterations>,
     "n of Hermite's P(EC)^n, the number of evaluations and corrections", between(1, 10)},
    {"time.steps", enumeration<&P::time, &T::steps>(steps_names),
     "global: all particles step together; block: each by its own power-of-two fraction of a block; fixed (direct "
     "summation): all by max_dt; auto: block in periodic boxes and for hermite, fixed for other integrators with "
     "direct summation, otherwise global"},
    {"time.z_end", &member<&P::time, &T::z_end>, "last redshift of a comoving run",
     Range{.lo = -1, .hi = 1e5, .lo_open = true}},
    {"time.t_end", &member<&P::time, &T::t_end>, "last time of a Newtonian run", positive, "model time"},
    {"time.eta", &member<&P::time, &T::eta>,
     "accuracy parameter of the step, dt = sqrt(2 eta eps / |g|); hermite: Aarseth's, dt = sqrt(eta (|a||a2| + |j|^2) "
     "/ (|j||a3| + |a2|^2))",
     above(0, 1)},
    {"time.eta_start", &member<&P::time, &T::eta_start>,
     "hermite: accuracy parameter of the first steps, dt = eta_start |a| / |j|; bodies at rest: dt = eta_start "
     "sqrt|potential| / |a|",
     above(0, 1)},
    {"time.max_dlna", &member<&P::time, &T::max_dlna>,
     "longest step (block: longest block, in boxes at most 0.03) of a comoving run", above(0, 1), "ln a"},
    {"time.max_dt", &member<&P::time, &T::max_dt>,
     "longest step (block: longest block) of a Newtonian run; 0: none; fixed steps: their length, shortened so that "
     "each output, and diagnostics_every if given, is a whole number of steps away",
     not_negative, "model time"},
    {"time.max_steps", &member<&P::time, &T::max_steps>,
     "end with a checkpoint after this number of steps; 0: no limit", not_negative},
    {"time.min_step", &member<&P::time, &T::min_step>, "shortest step; 0: none", not_negative, "ln a or model time"},

    {"decomposition.grid", &member<&P::decomposition, &D::grid>,
     "domains along x, y and z, e.g. [8, 4, 4], one for each rank; []: chosen automatically", between(1, 1e6)},
    {"decomposition.max_memory_imbalance", &member<&P::decomposition, &D::max_memory_imbalance>,
     "largest allowed number of particles on a rank / mean", above(1, 1e6)},

    {"output.redshifts", &member<&P::output, &O::redshifts>, "outputs of a comoving run; z_end is always one",
     Range{.lo = -1, .hi = 1e5, .lo_open = true}},
    {"output.times", &member<&P::output, &O::times>, "outputs of a Newtonian run; t_end is always one", not_negative,
     "model time"},
    {"output.evenly_spaced", &member<&P::output, &O::evenly_spaced>,
     "this number of outputs at equal steps of ln a, or of time in Newtonian runs, from the start to the end of the "
     "run, "
     "besides those listed; 0: none",
     between(0, 100000)},
    {"output.snapshots", &member<&P::output, &O::snapshots>, "write a snapshot at each output"},
    {"output.accelerations", &member<&P::output, &O::accelerations>,
     "write accelerations into snapshots; comoving ones are a^2 times the physical ones"},
    {"output.files_per_snapshot", &member<&P::output, &O::files_per_snapshot>,
     "number of files into which a snapshot is split", between(1, 4096)},
    {"output.images", &member<&P::output, &O::images>, "draw the projected density at each output"},
    {"output.image_pixels", &member<&P::output, &O::image_pixels>, "width of the images", between(16, 16384), "pixels"},
    {"output.image_width", &member<&P::output, &O::image_width>,
     "side of the cube that images show, the same in every image; auto: a whole box or sphere, otherwise a "
     "cube that holds 95% of the particles at that time",
     not_negative, "Mpc/h", Quantity::mpc_per_h, 0.0},
    {"output.image_centre",
     &member<&P::output, &O::image_centre>,
     "centre of the images, [x, y, z]; []: the origin, or the middle of a periodic box",
     {},
     "Mpc/h",
     Quantity::mpc_per_h},
    {"output.image_slab", &member<&P::output, &O::image_slab>,
     "thickness along the line of sight of the region that images show; auto: image_width, a quarter of a periodic "
     "box, or a third of a sphere's radius",
     not_negative, "Mpc/h", Quantity::mpc_per_h, 0.0},
    {"output.image_axis", enumeration<&P::output, &O::image_axis>(axis_names), "line of sight of the images"},
    {"output.image_colours", enumeration<&P::output, &O::image_colours>(colours_names), "colour map of the images"},
    {"output.image_range", &member<&P::output, &O::image_range>,
     "[low, high]: densities between which the colours of every image are logarithmic, in the unit of the colour bar; "
     "high is the brightest colour, and colours fade below low; []: chosen for each image",
     positive},
    {"output.image_labels", enumeration<&P::output, &O::image_labels>(lettered_names),
     "what is written over images; scale: caption and scale bar; all: also a colour bar"},
    {"output.image_stars", &member<&P::output, &O::image_stars>,
     "images show the discs and bulges of galaxies, without their halos"},
    {"output.halos", &member<&P::output, &O::halos>,
     "find halos at each output of a comoving run, write a catalogue and sort the snapshot by halo"},
    {"output.halo_images", &member<&P::output, &O::halo_images>,
     "number of the most massive halos to draw at each output, if halos and images are true", between(0, 1000)},
    {"output.power", &member<&P::output, &O::power>,
     "periodic boxes: measure the power spectrum at each output, write a table, and show charts in the report"},
    {"output.error_sample", &member<&P::output, &O::error_sample>,
     "particles compared with direct summation at each output; 0: none; not given: at most 1000, in 0.6% of the run",
     between(0, 1e6)},
    {"output.final_error_sample", &member<&P::output, &O::final_error_sample>,
     "the same at the last output; not given: error_sample, or 1000 if the run has time for them", between(0, 1e6)},
    {"output.census_epochs", &member<&P::output, &O::census_epochs>,
     "epochs at which effective interactions are counted; not given: at most 4, in 0.9% of the run", between(0, 1000)},
    {"output.diagnostics_every", &member<&P::output, &O::diagnostics_every>,
     "direct summation: time between rows of diagnostics.hdf5 (energy, angular momentum, Lagrangian radii, core); "
     "auto: about t_end / 100, and a whole number of steps if they are fixed",
     not_negative, "model time", Quantity::plain, 0.0},

    {"lightcone.particles", &member<&P::lightcone, &L::particles>,
     "write every image of a particle when it crosses the past light cone of an observer at z = 0, in GADGET-4's "
     "layout; "
     "the box is repeated as often as needed"},
    {"lightcone.halos", &member<&P::lightcone, &L::halos>,
     "find friends-of-friends groups among the particles of the light cone when it is complete; needs "
     "lightcone.particles"},
    {"lightcone.shells", &member<&P::lightcone, &L::shells>,
     "count these particles in the HEALPix pixels of shells, and write a FITS and an HDF5 file for each shell"},
    {"lightcone.shell_velocities", &member<&P::lightcone, &L::shell_velocities>,
     "also map the mean radial peculiar velocity of the particles in each pixel of the shells"},
    {"lightcone.observer", &member<&P::lightcone, &L::observer>,
     "place of the observer in the box; []: its centre (sphere: the origin)", between(-1e9, 1e9), "Mpc/h"},
    {"lightcone.pole", &member<&P::lightcone, &L::pole>, "direction of the sky's north pole (z axis) in the box",
     between(-1e9, 1e9)},
    {"lightcone.meridian", &member<&P::lightcone, &L::meridian>,
     "direction in the box that lies on the sky's meridian of longitude 0, with x > 0", between(-1e9, 1e9)},
    {"lightcone.opening", enumeration<&P::lightcone, &L::opening>(opening_names),
     "the part of the sky: all, the octant x, y, z >= 0 of the sky's axes, or a cone"},
    {"lightcone.axis", &member<&P::lightcone, &L::axis>, "direction of a cone's axis in the box; []: the pole",
     between(-1e9, 1e9)},
    {"lightcone.half_angle", &member<&P::lightcone, &L::half_angle>, "angle between a cone's axis and its border",
     above(0, 180), "degrees"},
    {"lightcone.z_near", &member<&P::lightcone, &L::z_near>, "redshift at which the light cone ends", not_negative},
    {"lightcone.z_far", &member<&P::lightcone, &L::z_far>, "redshift at which the light cone begins", positive},
    {"lightcone.rotate_replicas", &member<&P::lightcone, &L::rotate_replicas>,
     "periodic boxes: rotate each copy of the box, but not the box itself, by one of the 24 rotations of a cube, so "
     "that "
     "structures do not repeat; they end at the faces of the copies"},
    {"lightcone.shift_replicas", &member<&P::lightcone, &L::shift_replicas>,
     "periodic boxes: shift each copy of the box periodically by a random vector"},
    {"lightcone.replica_seed", &member<&P::lightcone, &L::replica_seed>, "seed of these rotations and shifts"},
    {"lightcone.nside", &member<&P::lightcone, &L::nside>,
     "HEALPix resolution of the shells, a power of 2; the sky has 12 nside^2 pixels", between(1, 16384)},
    {"lightcone.shell_count", &member<&P::lightcone, &L::shell_count>,
     "number of shells of equal comoving thickness between z_near and z_far, if no borders are given",
     between(1, 10000)},
    {"lightcone.shell_redshifts", &member<&P::lightcone, &L::shell_redshifts>,
     "borders of the shells by redshift, rising, between z_near and z_far", not_negative},
    {"lightcone.shell_distances", &member<&P::lightcone, &L::shell_distances>,
     "borders of the shells by comoving distance, rising, between those of z_near and z_far", not_negative, "Mpc/h"},

    {"grids.cells", &member<&P::grids, &GG::cells>,
     "periodic boxes: write the density on a grid with this many cells per side (grid_NNN.hdf5); 0: none",
     between(0, 65535)},
    {"grids.assignment", assignment_choice<&P::grids>,
     "mass assignment: clouds in cells, triangular-shaped clouds or piecewise cubic splines"},
    {"grids.redshifts", &member<&P::grids, &GG::redshifts>,
     "redshifts of the grids, that of the start included; []: at every output", not_negative},
    {"planes.pixels", &member<&P::planes, &PP::pixels>,
     "periodic boxes: write projected slabs with this many pixels per side as density planes of LensTools; 0: none",
     between(0, 65535)},
    {"planes.assignment", assignment_choice<&P::planes>, "mass assignment in the plane, as in grids.assignment"},
    {"planes.slabs", &member<&P::planes, &PP::slabs>, "equal slabs into which the box is cut along each normal",
     between(1, 10000)},
    {"planes.normals", &member<&P::planes, &PP::normals>, "axes along which matter is projected; 0: x, 1: y, 2: z",
     between(0, 2)},
    {"planes.redshifts", &member<&P::planes, &PP::redshifts>,
     "redshifts of the planes, that of the start included; []: at every output before z = 0", positive},

    {"trees.outputs", &member<&P::trees, &H::outputs>,
     "follow subhalos through this number of tree outputs, evenly spaced in ln a, each at the end of the first step "
     "that reaches its time; write a catalogue at each, and merger trees at the end; 0: none",
     between(0, 100000)},
    {"trees.first_redshift", &member<&P::trees, &H::first_redshift>,
     "redshift of the first of these outputs; a run that begins later has its first one at the start",
     Range{.lo = -1, .hi = 1e5, .lo_open = true}},
    {"trees.redshifts", &member<&P::trees, &H::redshifts>, "further tree outputs, at exactly these redshifts",
     Range{.lo = -1, .hi = 1e5, .lo_open = true}},
    {"trees.min_particles", &member<&P::trees, &H::min_particles>,
     "smallest number of particles in a group, and of bound particles in a subhalo", between(10, 1e9)},

    {"cost.currency", &member<&P::cost, &U::currency>, "currency of the prices"},
    {"cost.machine_price", &member<&P::cost, &U::machine_price>, "purchase price without devices and network",
     not_negative, "currency"},
    {"cost.device_price", &member<&P::cost, &U::device_price>, "purchase price of one device", not_negative,
     "currency"},
    {"cost.network_price", &member<&P::cost, &U::network_price>, "purchase price of the network", not_negative,
     "currency"},
    {"cost.hourly_price", &member<&P::cost, &U::hourly_price>, "price per hour of the whole machine", not_negative,
     "currency/h"},
    {"cost.date", &member<&P::cost, &U::date>, "date of the prices"},
    {"cost.compare_with", comparison_choice, "published run with which the report compares this one"},
};

}  // namespace

std::span<const ParameterKey> parameter_table() {
  return parameter_keys;
}

const ParameterKey* find_parameter(std::string_view name) {
  const auto* found = std::ranges::find(parameter_keys, name, &ParameterKey::name);
  return found == std::end(parameter_keys) ? nullptr : found;
}

}  // namespace multiwalk
