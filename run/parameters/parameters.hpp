// SPDX-License-Identifier: GPL-3.0-or-later
// Every run-time choice of the program: one TOML file, checked key by key before anything runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/pictures/render_image.hpp"
#include "analysis/sky/sky_view.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/mesh/mass_assignment.hpp"
#include "host/time/direct_integrator.hpp"
#include "host/tree/gravity_options.hpp"
#include "ic/models/model.hpp"
#include "ic/power/linear_power.hpp"
#include "run/parameters/box_force_parameters.hpp"

namespace multiwalk {

struct RunParameters {
  std::string directory = "run";
  std::string title = "Multiwalk run";
  std::string backend = "auto";   ///< auto, cpu, cuda, cuda-resident, direct, ewald
  bool deterministic = false;     ///< nothing is chosen by timing
  int threads = 0;                ///< of each rank; 0: its share of the machine's cores
  std::vector<int> devices;       ///< CUDA device numbers on each machine; empty: one per rank
  double wall_limit = 0;          ///< hours; 0: none
  double checkpoint_every = 0.5;  ///< hours of wall time; 0: only when the run ends
  int checkpoints_kept = 2;       ///< the newest: 1 or 2
  bool final_checkpoint = true;   ///< also where the run ends as planned
};

struct SofteningParameters {
  double softening = -1;              ///< kpc/h comoving (model units for isolated systems); < 0: mean spacing / 25
  double softening_max_physical = 0;  ///< kpc/h; 0: no cap
};

/// Units of model.file if it states none (run/formats/file_units.hpp); empty: not given.
struct FileUnitParameters {
  std::string length, mass, velocity;
};

/// Automatic: tree for leapfrog, else direct.
enum class ForceMethod { automatic, tree, direct };

/// Direct summation over all pairs.
struct DirectParameters {
  ForceMethod method = ForceMethod::automatic;
  DirectPrecision precision;
};

/// All particles together, or each on its own power-of-two part of a block, or (direct summation) all together by steps
/// of one length; automatic: block in boxes with a mesh and for Hermite's scheme, fixed for others with direct
/// summation, else global.
enum class Steps { automatic, global, block, fixed };

struct TimeParameters {
  DirectScheme integrator = DirectScheme::leapfrog;
  int iterations = 1;  ///< n of Hermite's P(EC)^n
  Steps steps = Steps::automatic;
  double z_end = 0;             ///< comoving runs
  double t_end = 1;             ///< isolated runs, model units
  double eta = 0.025;           ///< dt = sqrt(2 eta eps / |g|) (Power et al. 2003)
  double eta_start = 0.01;      ///< Hermite's first steps (host/time/hermite.hpp)
  double max_dlna = 0.05;       ///< longest step (or block) in ln a
  double max_dt = 0;            ///< longest step (or block) of an isolated run; 0: none. Fixed steps: their length
  std::uint64_t max_steps = 0;  ///< 0: no limit; the run ends with a checkpoint when it is reached
  double min_step = 0;          ///< shortest step (ln a, or time); 0: none
};

struct DecompositionParameters {
  std::vector<int> grid;              ///< domains along x, y and z; empty: chosen
  double max_memory_imbalance = 1.3;  ///< most particles of a rank / mean
};

struct OutputParameters {
  std::vector<double> redshifts;    ///< comoving runs; z_end is always an output
  std::vector<double> times;        ///< isolated runs; t_end is always an output
  std::uint32_t evenly_spaced = 0;  ///< further outputs at equal steps of ln a or time, first and last included
  bool snapshots = true;
  int files_per_snapshot = 1;
  bool accelerations = false;  ///< in snapshots
  bool images = true;
  std::uint32_t image_pixels = 800;
  double image_width = 0;            ///< side of the cube that is drawn; 0: chosen
  std::vector<double> image_centre;  ///< empty: the origin, or the middle of a box
  double image_slab = 0;             ///< thickness along the line of sight; 0: that of the cube, or chosen
  int image_axis = 2;                ///< line of sight
  Colours image_colours = Colours::inferno;
  std::vector<double> image_range;  ///< low, high of the colour scale, in the colour bar's unit; empty: chosen
  Lettered image_labels = Lettered::everything;
  bool image_stars = false;  ///< draw galaxies without their halos
  bool halos = false;
  std::uint32_t halo_images = 3;            ///< largest halos drawn at each output, if halos and images are on
  bool power = true;                        ///< power spectrum of a periodic box at each output
  std::uint32_t error_sample = 1000;        ///< particles compared with direct summation at each output; 0: none
  std::uint32_t final_error_sample = 1000;  ///< and at the last output
  std::uint32_t census_epochs = 4;          ///< epochs at which effective interactions are counted
  double diagnostics_every = 0;             ///< direct summation: model time between diagnostics; 0: t_end / 100
};

/// The past light cone of an observer at a = 1 (run/sky/light_cone.hpp).
struct LightConeParameters {
  bool particles = false;                 ///< write the particles that cross it
  bool halos = false;                     ///< find halos among these particles
  bool shells = false;                    ///< count them in the pixels of shells
  bool shell_velocities = false;          ///< and sum their radial velocities there
  std::vector<double> observer;           ///< Mpc/h in the box; empty: its centre (sphere: the origin)
  std::vector<double> pole{0, 0, 1};      ///< z axis of the sky, in the box
  std::vector<double> meridian{1, 0, 0};  ///< longitude 0
  SkyOpening opening = SkyOpening::full;
  std::vector<double> axis;  ///< of a cone, in the box; empty: the pole
  double half_angle = 10;    ///< of a cone, degrees
  double z_near = 0, z_far = 1;
  bool rotate_replicas = false, shift_replicas = false;  ///< of the box, each in its own way
  std::uint64_t replica_seed = 1;
  std::uint32_t nside = 512;
  std::uint32_t shell_count = 20;       ///< of equal thickness, if no borders are given
  std::vector<double> shell_redshifts;  ///< borders
  std::vector<double> shell_distances;  ///< borders, comoving Mpc/h

  [[nodiscard]] bool wanted() const { return particles || shells; }
};

constexpr std::array<std::string_view, 3> assignment_names{"cic", "tsc", "pcs"};  ///< of the orders 2, 3 and 4

/// Density grids of a periodic box (run/maps/grid_output.hpp).
struct GridParameters {
  std::uint32_t cells = 0;  ///< per side; 0: no grids
  Assignment assignment = Assignment::cic;
  std::vector<double> redshifts;  ///< empty: at every output

  [[nodiscard]] bool wanted() const { return cells > 0; }
};

/// Projected slabs of a periodic box (run/maps/plane_output.hpp).
struct PlaneParameters {
  std::uint32_t pixels = 0;  ///< per side; 0: no planes
  Assignment assignment = Assignment::cic;
  std::uint32_t slabs = 1;            ///< into which the box is cut along each normal
  std::vector<int> normals{0, 1, 2};  ///< axes along which matter is projected
  std::vector<double> redshifts;      ///< empty: at every output before z = 0

  [[nodiscard]] bool wanted() const { return pixels > 0; }
};

/// Subhalos followed through time, and their merger trees (comoving runs).
struct TreeParameters {
  std::uint32_t outputs = 0;         ///< evenly spaced in ln a; 0: none but those of `redshifts`
  double first_redshift = 20;        ///< of the first of them
  std::vector<double> redshifts;     ///< further ones, at exactly these redshifts
  std::uint32_t min_particles = 20;  ///< of groups, and bound ones of subhalos

  [[nodiscard]] bool wanted() const { return outputs > 0 || !redshifts.empty(); }
};

struct CostParameters {
  std::string currency = "USD";
  std::optional<double> machine_price;
  std::optional<double> device_price;  ///< each
  std::optional<double> network_price;
  std::optional<double> hourly_price;
  std::string date;
  std::string compare_with = "none";  ///< a name of run/parameters/published_runs.hpp
};

/// The default criterion of runs, and of commands that measure forces.
constexpr Mac default_mac(bool theta_given, bool alpha_given) {
  return theta_given && !alpha_given ? Mac::barnes90 : Mac::relative;
}

/// The forces of runs and commands if nothing is given.
inline GravityOptions default_force() {
  GravityOptions force;
  force.mac = default_mac(false, false);
  force.expansion = 5;
  return force;
}

struct Parameters {
  RunParameters run;
  ModelOptions model;
  FileUnitParameters file_units;
  CosmologyParameters cosmology;
  IcOptions ic;
  GravityOptions force = default_force();
  BoxForceParameters box_force;
  DirectParameters direct;
  SofteningParameters softening;
  TimeParameters time;
  DecompositionParameters decomposition;
  OutputParameters output;
  LightConeParameters lightcone;
  GridParameters grids;
  PlaneParameters planes;
  TreeParameters trees;
  CostParameters cost;
  std::optional<PowerFacts> power;   ///< not a key: what the run's linear power depends on, once that is known
  std::set<std::string_view> given;  ///< names of the keys that a file or a setting gave
};

/// Whether forces are summed directly over all pairs of bodies (run/driver/direct_evolution.hpp), with no tree.
bool is_direct(const Parameters& parameters);

/// Whether a tree run makes blocks of steps; `periodic`: in a box whose forces are split.
bool takes_block_steps(const Parameters& parameters, bool periodic);

/// Where the particles come from, for messages: a file, or "[model]".
std::string model_name(const Parameters& parameters);

/// The options of a direct run's integrator.
DirectOptions direct_options(const Parameters& parameters);

/// Reads and checks a parameter file, then applies `settings` ("section.key=value"). Only rank 0 reads. Throws
/// SharedError naming file, line, key and the nearest valid key. Collective.
Parameters read_parameters(const std::string& path, const std::vector<std::string>& settings = {},
                           const Communicator& comm = {});

/// Reads and checks TOML text; `name` is used as the file name in messages, `how` before settings.
Parameters parse_parameters(const std::string& text, const std::string& name,
                            const std::vector<std::string>& settings = {}, const std::string& how = "--set ");

/// Every key with its value, as TOML that read_parameters accepts.
std::string to_toml(const Parameters& parameters);

/// Every key that is set, "section.key", with its value in TOML.
std::vector<std::pair<std::string, std::string>> parameter_values(const Parameters& parameters);

/// A value as a number, a string or a list.
using ParameterData = std::variant<double, std::int64_t, std::string, std::vector<double>>;

/// The same values for data files: numbers and strings without TOML's syntax, booleans as 0 or 1, no empty lists.
std::vector<std::pair<std::string, ParameterData>> parameter_data(const Parameters& parameters);

/// One row of the parameter page.
struct ParameterHelp {
  std::string key;  ///< "section.key"
  std::string unit;
  std::string default_value;
  std::string range;
  std::string help;
};
std::vector<ParameterHelp> parameter_help();

}  // namespace multiwalk
