// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/light_cone.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "analysis/halos/halo_finder.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"
#include "host/particles/kick.hpp"
#include "run/files/json_input.hpp"
#include "run/parameters/parameter_table.hpp"
#include "run/sky/cone_halos.hpp"

namespace multiwalk {

namespace {

/// All settings of the light cone, as text.
std::string settings_of(Parameters parameters) {
  std::string text;
  for (const ParameterKey& row : parameter_keys(parameters)) {
    if (row.section() == "lightcone") text += fmt::format("{} = {}\n", row.name, format_parameter(row));
  }
  return text;
}

/// The bytes of a checkpoint are words: the number of a shell, with this bit set for velocities, the number of a block,
/// and its sums; for all blocks in turn.
constexpr std::uint32_t velocity_block = 0x80000000U;

constexpr std::size_t most_ranks = 1U << 16;  ///< that ever wrote rows

[[noreturn]] void damaged() {
  throw InputError("the light cone in the checkpoint is damaged: continue from an older checkpoint");
}

template <class T>
void put(std::span<const T> values, std::vector<std::byte>& bytes) {
  const std::span<const std::byte> added = std::as_bytes(values);
  bytes.insert(bytes.end(), added.begin(), added.end());
}

template <class T>
void put_blocks(const SkySums<T>& sums, std::uint32_t mark, std::vector<std::byte>& bytes) {
  for (std::uint64_t b = 0; b < sums.blocks(); ++b) {
    const std::span<const T> block = sums.block(b);
    if (block.empty()) continue;
    put<std::uint32_t>(std::array{mark, static_cast<std::uint32_t>(b)}, bytes);
    put(block, bytes);
  }
}

/// Fills `values` from the first bytes and returns those after them.
template <class T>
std::span<const std::byte> take(std::span<const std::byte> bytes, std::span<T> values) {
  if (bytes.size() < values.size_bytes()) damaged();
  std::memcpy(values.data(), bytes.data(), values.size_bytes());
  return bytes.subspan(values.size_bytes());
}

/// Returns the bytes after the block.
template <class T>
std::span<const std::byte> take_block(SkySums<T>& sums, std::uint32_t block, std::span<const std::byte> bytes) {
  std::vector<T> values(std::min<std::uint64_t>(sums.pixels(), SkySums<T>::block_pixels));
  const std::span<const std::byte> rest = take(bytes, std::span(values));
  sums.add_block(block, values);
  return rest;
}

double distance_at(const Expansion& expansion, double z) {
  return light_distance(expansion, 1 / (1 + z));
}

}  // namespace

LightCone::LightCone(const Parameters& parameters, const ParticleSystem& system, const Communicator& comm,
                     const OutputState* stored, Tell tell)
    : comm_(comm),
      parameters_(parameters.lightcone),
      directory_(parameters.run.directory),
      settings_(settings_of(parameters)),
      tell_(std::move(tell)),
      expansion_(parameters.cosmology),
      view_(sky_view(parameters_, period_of(system))),
      near_(distance_at(expansion_, parameters_.z_near)),
      far_(distance_at(expansion_, parameters_.z_far)),
      finder_(view_, period_of(system), near_, far_,
              {parameters_.rotate_replicas, parameters_.shift_replicas, parameters_.replica_seed}),
      pixels_(parameters_.nside),
      box_size_(system.box_size),
      spacing_(system.spacing),
      box_particles_(comm_.sum(static_cast<std::uint64_t>(system.particles.size()))) {
  if (parameters_.halos) require_halos(system);
  if (parameters_.shells) describe(system);
  maps_.resize(shells_.size());
  open_ = shells_.size();
  if (stored != nullptr) {
    collectively(comm_, [&] { values_from("the light cone in the checkpoint", [&] { resume(*stored); }); });
  } else {
    collectively(comm_, [&] { begin(system); });
  }
}

void LightCone::describe(const ParticleSystem& system) {
  const ParticleStore& particles = system.particles;
  const auto [least, most] = std::ranges::minmax_element(particles.mass);
  const bool any = !particles.empty();
  const float smallest = comm_.min(any ? *least : INFINITY), largest = comm_.max(any ? *most : 0.0F);
  if (smallest < largest) {
    throw SharedError(
        fmt::format("lightcone.shells counts particles, which must have one mass, but these have {:g} to {:g} x 1e10 "
                    "Msun/h: use lightcone.particles",
                    smallest, largest));
  }
  const auto number = static_cast<double>(comm_.sum(static_cast<std::uint64_t>(particles.size())));
  const double radius = system.sphere_radius;
  const double volume =
      system.boundary == Boundary::periodic ? std::pow(box_size_, 3) : 4 * M_PI / 3 * std::pow(radius, 3);
  const std::vector<double> borders = collectively(comm_, [&] { return shell_borders(parameters_, expansion_); });
  for (std::uint32_t i = 0; i + 1 < borders.size(); ++i) {
    const auto z_of = [&](double distance) { return 1 / departure(expansion_, distance) - 1; };
    shells_.push_back({i, borders[i], borders[i + 1], z_of(borders[i]), z_of(borders[i + 1]), 0,
                       volume > 0 ? number / volume : 0, static_cast<double>(largest), solid_angle(view_),
                       expansion_.parameters()});
  }
}

void LightCone::begin(const ParticleSystem& system) {
  constexpr double rounding = 1e-9;
  if (light_distance(expansion_, system.time) < far_ * (1 - rounding)) {
    throw InputError(fmt::format("the light cone begins at lightcone.z_far = {:g}, before the particles' redshift {:g}",
                                 parameters_.z_far, 1 / system.time - 1));
  }
  open_rows({});
}

void LightCone::resume(const OutputState& stored) {
  const nlohmann::json& json = stored.json;
  if (json.at("settings") != settings_) {
    throw InputError("[lightcone] differs from the checkpoint's: a restart cannot change a light cone");
  }
  open_ = whole_number(json.at("open"));
  particles_written_ = json.at("particles_written").get<bool>();
  const nlohmann::json& files = json.at("rows");
  if (open_ > shells_.size() || files.size() > most_ranks) damaged();
  std::vector<StoredRows> rows;
  for (const nlohmann::json& file : files) {
    rows.push_back({whole_number(file.at("rows")), static_cast<std::uint32_t>(whole_number(file.at("checksum")))});
  }
  open_rows(rows);
  if (!comm_.root()) return;
  for (std::span<const std::byte> bytes = stored.bytes; !bytes.empty();) {
    std::array<std::uint32_t, 2> mark_and_block{};
    bytes = take(bytes, std::span<std::uint32_t>(mark_and_block));
    const auto [mark, block] = mark_and_block;
    if ((mark & ~velocity_block) >= open_) damaged();
    SkyMaps& maps = maps_of(mark & ~velocity_block);
    const bool velocities = (mark & velocity_block) != 0;
    if (velocities && !maps.velocities) damaged();
    bytes = velocities ? take_block(*maps.velocities, block, bytes) : take_block(maps.counts, block, bytes);
  }
}

void LightCone::open_rows(const std::vector<StoredRows>& rows) {
  if (!parameters_.particles) return;
  const auto rank = static_cast<std::size_t>(comm_.rank()), ranks = static_cast<std::size_t>(comm_.size());
  if (!particles_written_) {
    rows_.emplace(cone_rows_path(directory_, rank), rank < rows.size() ? rows[rank] : StoredRows{});
    for (std::size_t k = ranks; k < rows.size(); ++k) {
      earlier_rows_.push_back(rows[k]);
      if (comm_.root()) ConeRows(cone_rows_path(directory_, k), rows[k]);
    }
  }
}

bool LightCone::watches(const Drift& drift) const {
  return (open_ > 0 || rows_) && light_distance(expansion_, drift.begin) > 0 &&
         light_distance(expansion_, drift.end) <= far_;
}

void LightCone::before_drift(const ParticleStore& particles, const Drift& drift) {
  end_search();
  beside_ = false;
  const double began = wall_time();
  const LightPath light(expansion_, drift);
  make_maps(light);
  finder_.find(particles, light, drift.factor, *this);
  write_after_search(light.end);
  seconds_ += wall_time() - began;
}

std::optional<Passage> LightCone::passage(const Drift& drift) {
  end_search();
  return finder_.passage(LightPath(expansion_, drift), drift.factor);
}

void LightCone::before_passage(const std::shared_ptr<const PassingParticles>& passing, const ParticleStore& store,
                               const Drift& drift) {
  end_search();
  beside_ = true;
  const double began = wall_time();
  const LightPath light(expansion_, drift);
  collectively(comm_, [&] {
    make_maps(light);
    passing_ = passing;
    name_passing(store);
    const SoughtParticles sought{passing_->position, passing_->velocity, mass_, id_, passing_->index};
    const int threads = std::max(1, omp_get_max_threads() - 1);  // one is left to the run
    search_ = std::async(std::launch::async, [this, sought, light, factor = drift.factor, threads] {
      omp_set_num_threads(threads);
      finder_.find(sought, light, factor, *this);
    });
  });
  light_after_ = light.end;
  seconds_ += wall_time() - began;
}

bool LightCone::count_kept(SkyCounter* counter, const Drift& drift) {
  if (rows_ || comm_.any(counter == nullptr)) return false;
  end_search();
  beside_ = true;
  const double began = wall_time();
  const LightPath light(expansion_, drift);
  std::vector<SkyRange> reached;
  for (std::uint32_t i = 0; i < open_; ++i) {
    if (light.end < shells_[i].far) reached.push_back({i, shells_[i].near, shells_[i].far});
  }
  bool opened = false;
  collectively(comm_, [&] { opened = counter->open(reached, {parameters_.nside, parameters_.shell_velocities}); });
  if (comm_.any(!opened)) return false;
  counter_ = counter;
  collectively(comm_, [&] {
    const double started = wall_time();
    make_maps(light);
    const UncountedCrossings left = counter->count(finder_.search(light, drift.factor));
    count(left.in_doubt);
    const FastParticles& fast = left.fast;
    finder_.find({fast.position, fast.velocity, {}, {}, fast.index}, light, drift.factor, *this);
    counting_ += wall_time() - started;
  });
  write_after_search(light.end);
  seconds_ += wall_time() - began;
  return true;
}

void LightCone::take_counted(std::size_t shell) {
  if (counter_ == nullptr) return;
  const double began = wall_time();
  SkyMaps& maps = maps_of(shell);
  counter_->take(static_cast<std::uint32_t>(shell),
                 [&](std::uint64_t first, std::span<const std::uint32_t> counts,
                     std::span<const std::int64_t> velocities) { maps.add_pixels(first, counts, velocities); });
  taking_ += wall_time() - began;
}

void LightCone::name_passing(const ParticleStore& store) {
  mass_.clear();
  id_.clear();
  if (!rows_) return;
  const std::span<const std::uint32_t> index = passing_->index;
  mass_.resize(index.size());
  id_.resize(index.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < index.size(); ++k) {
    mass_[k] = store.mass[index[k]];
    id_[k] = store.id[index[k]];
  }
}

void LightCone::end_search() {
  if (!light_after_) return;
  const double began = wall_time();
  const double distance = *light_after_;
  light_after_.reset();
  collectively(comm_, [&] { search_.get(); });
  passing_.reset();
  write_after_search(distance);
  seconds_ += wall_time() - began;
}

void LightCone::make_maps(const LightPath& light) {
  for (std::size_t i = 0; i < open_; ++i) {
    if (light.end < shells_[i].far) maps_of(i);
  }
}

void LightCone::write_after_search(double distance) {
  collectively(comm_, [&] {
    if (failure_) std::rethrow_exception(failure_);
  });
  writer_.report();
  write_complete(distance);
  if (rows_ && distance <= near_) write_particles();
}

void LightCone::count(std::span<const Crossing> crossings) {
  if (open_ == 0) return;
  try {
    constexpr std::size_t few = SkyPixels::at_once;
    for (std::size_t first = 0; first < crossings.size(); first += few) {
      count_few(crossings.subspan(first, std::min(few, crossings.size() - first)));
    }
  } catch (...) {
    const std::lock_guard lock(failing_);
    failure_ = std::current_exception();
  }
}

void LightCone::count_few(std::span<const Crossing> crossings) {
  constexpr std::size_t few = SkyPixels::at_once;
  std::array<double, few> x{}, y{}, z{};
  std::array<std::uint64_t, few> pixel;
  for (std::size_t k = 0; k < crossings.size(); ++k) {
    const Vec3d at = crossings[k].position;
    x[k] = at.x, y[k] = at.y, z[k] = at.z;
  }
  pixels_.find(x.data(), y.data(), z.data(), crossings.size(), pixel.data());
  for (std::size_t first = 0, end = 0; first < crossings.size(); first = end) {
    const std::size_t shell = shell_at(crossings[first].distance);
    const auto within = [&](double distance) {
      return shell < open_ ? distance >= shells_[shell].near && distance < shells_[shell].far
                           : shell_at(distance) == open_;
    };
    for (end = first + 1; end < crossings.size() && within(crossings[end].distance);) ++end;
    if (shell == open_) continue;
    const std::span<const std::uint64_t> pixels = std::span(pixel).subspan(first, end - first);
    maps_[shell]->counts.add(pixels);
    if (maps_[shell]->velocities) add_velocities(*maps_[shell], crossings.subspan(first, end - first), pixels);
  }
}

void LightCone::add_velocities(SkyMaps& maps, std::span<const Crossing> crossings,
                               std::span<const std::uint64_t> pixels) {
  std::array<std::int64_t, SkyPixels::at_once> velocity;
  for (std::size_t k = 0; k < crossings.size(); ++k) {
    const Crossing& c = crossings[k];
    const double radial = dot(widened(c.momentum), c.position) / (norm(c.position) * c.a);
    velocity[k] = std::llrint(radial / sky_velocity_unit);
  }
  maps.velocities->add(pixels, std::span(velocity).first(crossings.size()));
}

SkyMaps& LightCone::maps_of(std::size_t shell) {
  if (!maps_[shell]) maps_[shell] = std::make_unique<SkyMaps>(parameters_.nside, parameters_.shell_velocities);
  return *maps_[shell];
}

std::size_t LightCone::shell_at(double distance) const {
  const auto end = shells_.begin() + static_cast<std::ptrdiff_t>(open_);
  const auto beyond = [&](const SkyShell& shell) { return shell.far <= distance; };
  const auto shell = std::partition_point(shells_.begin(), end, beyond);
  return shell == end || distance < shell->near ? open_ : static_cast<std::size_t>(shell - shells_.begin());
}

void LightCone::append(std::span<const Crossing> crossings) {
  if (!rows_) return;
  try {
    for (const Crossing& c : crossings) {
      const auto factor = static_cast<float>(std::pow(c.a, -1.5));
      rows_->add({c.position, c.a, c.id, factor * c.momentum, c.mass});
    }
  } catch (...) {
    const std::lock_guard lock(failing_);
    failure_ = std::current_exception();
  }
}

void LightCone::write_complete(double distance) {
  while (open_ > 0 && distance <= shells_[open_ - 1].near) {
    SkyShell& shell = shells_[open_ - 1];
    SkyMaps& maps = maps_of(open_ - 1);
    collectively(comm_, [&] {
      take_counted(open_ - 1);
      shell.particles = maps.counts.total();
    });
    shell.particles = comm_.sum(shell.particles);
    maps.move_to_root(comm_);
    writer_.begin(shell, std::move(maps_[open_ - 1]), beside_);
    --open_;
  }
  if (!beside_) writer_.await();
}

std::vector<StoredRows> LightCone::rows_of_all() const {
  if (!rows_) return {};
  std::vector<StoredRows> rows = comm_.all_gather(rows_->stored());
  rows.insert(rows.end(), earlier_rows_.begin(), earlier_rows_.end());
  return rows;
}

void LightCone::write_particles() {
  collectively(comm_, [&] { rows_->sync(); });
  const std::vector<StoredRows> rows = rows_of_all();
  const CosmologyParameters& c = expansion_.parameters();
  const std::vector<std::pair<std::string, double>> header{{"Omega0", c.omega_m},
                                                           {"OmegaLambda", c.omega_lambda},
                                                           {"OmegaBaryon", c.omega_b},
                                                           {"HubbleParam", c.h},
                                                           {"BoxSize", box_size_},
                                                           {"ObserverX", view_.observer.x},
                                                           {"ObserverY", view_.observer.y},
                                                           {"ObserverZ", view_.observer.z},
                                                           {"RedshiftNear", parameters_.z_near},
                                                           {"RedshiftFar", parameters_.z_far}};
  const std::string path = directory_ + "/lightcone_particles.hdf5";
  collectively(comm_, [&] {
    if (comm_.root()) write_cone_file(path, directory_, rows, header);
  });
  std::uint64_t particles = 0;
  for (const StoredRows& part : rows) particles += part.rows;
  tell_(fmt::format("light cone: wrote {}, {} particles", path, particles));
  if (parameters_.halos) write_halos(rows, header);
  rows_.reset();
  particles_written_ = true;
}

void LightCone::write_halos(const std::vector<StoredRows>& rows,
                            std::span<const std::pair<std::string, double>> header) {
  constexpr double widest_halo = 10;  // Mpc/h; slices overlap further where groups are wider
  const HaloOptions usual;
  const auto ranks = static_cast<std::size_t>(comm_.size());
  std::vector<ConePart> own;
  for (auto k = static_cast<std::size_t>(comm_.rank()); k < rows.size(); k += ranks) {
    own.push_back({cone_rows_path(directory_, k), rows[k].rows});
  }
  const std::vector<Halo> halos = find_cone_halos(
      own, {near_, far_, usual.linking * spacing_, usual.min_particles, box_particles_, widest_halo}, comm_);
  const std::string path = directory_ + "/lightcone_halos.hdf5";
  collectively(comm_, [&] {
    if (comm_.root()) write_cone_halos(path, halos, expansion_, header);
  });
  tell_(fmt::format("light cone: wrote {}, {} halos", path, halos.size()));
}

std::string LightCone::finish() {
  end_search();
  writer_.await();
  if (counter_ != nullptr) {
    tell_(
        fmt::format("light cone: {:.2f} s for counting on the device, {:.2f} s for copying its maps, {:.2f} s for "
                    "making files, {:.2f} s for waiting until they were written",
                    counting_, taking_, writer_.making(), writer_.waiting()));
  }
  return fmt::format("light cone: {} of {} shells are complete", shells_.size() - open_, shells_.size());
}

OutputState LightCone::save(std::uint64_t /*step*/) {
  end_search();
  writer_.await();
  collectively(comm_, [&] {
    if (rows_) rows_->sync();
  });
  OutputState state{{{"settings", settings_},
                     {"open", open_},
                     {"particles_written", particles_written_},
                     {"rows", nlohmann::json::array()}}};
  for (const StoredRows& file : rows_of_all())
    state.json["rows"].push_back({{"rows", file.rows}, {"checksum", file.checksum}});
  for (std::size_t i = 0; i < open_; ++i) {
    if (!comm_.any(maps_[i] != nullptr)) continue;
    SkyMaps& maps = maps_of(i);
    collectively(comm_, [&] { take_counted(i); });
    maps.move_to_root(comm_);
    if (!comm_.root()) continue;
    const auto shell = static_cast<std::uint32_t>(i);
    put_blocks(maps.counts, shell, state.bytes);
    if (maps.velocities) put_blocks(*maps.velocities, shell | velocity_block, state.bytes);
  }
  return state;
}

void LightCone::checkpoint_written() {
  if (!particles_written_ || !comm_.root()) return;
  std::error_code ignored;
  std::size_t part = 0;
  while (std::filesystem::remove(cone_rows_path(directory_, part), ignored)) ++part;
}

std::unique_ptr<Output> make_light_cone(const OutputSetup& setup) {
  if (setup.parameters.lightcone.wanted()) {
    return std::make_unique<LightCone>(setup.parameters, setup.system, setup.comm, setup.stored, setup.tell);
  }
  if (setup.stored == nullptr) return nullptr;
  throw SharedError("the checkpoint has a light cone, which a restart cannot leave out: see [lightcone]");
}

}  // namespace multiwalk
