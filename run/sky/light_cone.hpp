// SPDX-License-Identifier: GPL-3.0-or-later
// The light cone of a run. It observes every drift, counts crossings in shells, stores the particles that cross, and
// writes each shell, and finally the particles, when they are complete.
#pragma once

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sky/crossing_finder.hpp"
#include "analysis/sky/sky_counts.hpp"
#include "analysis/sky/sky_pixels.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "run/outputs/output.hpp"
#include "run/parameters/parameters.hpp"
#include "run/sky/cone_rows.hpp"
#include "run/sky/shell_writer.hpp"
#include "run/sky/sky_shell.hpp"

namespace multiwalk {

/// Regular expression for the names of its files and of those of `multiwalk sky`, without the directory.
inline constexpr const char* light_cone_files =
    R"(lightcone_shell_\d+\.(fits|hdf5)|lightcone_(halos\.hdf5|particles(\.hdf5|_\d+\.rows))|sky_(kappa\.(fits|png)|spectra\.(csv|json))|sky\.html)";

/// The light passes the shells from the farthest to the nearest. A shell is written when the light has left it, and the
/// file of particles when the light has left the whole cone. All members are collective and throw SharedError.
class LightCone final : public Output, public DriftObserver, private CrossingSink {
 public:
  using Tell = std::function<void(const std::string&)>;

  /// `stored`: the state in the checkpoint, or null for a new run. `tell` is called with a line about each file.
  LightCone(const Parameters& parameters, const ParticleSystem& system, const Communicator& comm,
            const OutputState* stored, Tell tell);

  void before_drift(const ParticleStore& particles, const Drift& drift) override;
  std::optional<Passage> passage(const Drift& drift) override;
  /// The search goes on beside the run; it is complete before any other member returns.
  void before_passage(const std::shared_ptr<const PassingParticles>& passing, const ParticleStore& store,
                      const Drift& drift) override;

  /// If particles are not stored, the device finds the crossings and adds them to maps of its own.
  bool count_kept(SkyCounter* counter, const Drift& drift) override;

  [[nodiscard]] std::optional<OwnTimes> own_times() const override { return OwnTimes{}; }
  DriftObserver* drift_observer() override { return this; }
  [[nodiscard]] bool watches(const Drift& drift) const override;
  std::string finish() override;
  /// The bytes are sums of the shells that are not complete.
  OutputState save(std::uint64_t step) override;
  void checkpoint_written() override;

 private:
  void count(std::span<const Crossing> crossings) override;
  [[nodiscard]] bool in_order() const override { return rows_.has_value(); }
  void append(std::span<const Crossing> crossings) override;
  /// At most SkyPixels::at_once crossings.
  void count_few(std::span<const Crossing> crossings);
  /// The shell that is not complete and has this distance; open_ if there is none.
  [[nodiscard]] std::size_t shell_at(double distance) const;
  /// The maps of a shell, made if there are none.
  SkyMaps& maps_of(std::size_t shell);
  /// Crossings of one shell.
  void add_velocities(SkyMaps& maps, std::span<const Crossing> crossings, std::span<const std::uint64_t> pixels);

  void describe(const ParticleSystem& system);
  void resume(const OutputState& stored);
  void begin(const ParticleSystem& system);
  void open_rows(const std::vector<StoredRows>& rows);
  /// Makes the maps of the shells that the light reaches.
  void make_maps(const LightPath& light);
  /// Enters the masses and ids of particles that pass.
  void name_passing(const ParticleStore& store);
  /// Waits for the search that goes on beside the run, if any, and writes what is complete. Collective.
  void end_search();
  /// Writes the files that are complete when the light has reached `distance`. Throws what a thread has thrown.
  void write_after_search(double distance);
  /// Writes the shells that the light has left when it has reached `distance`.
  void write_complete(double distance);
  /// Adds what the device has counted in this shell to the shell's maps.
  void take_counted(std::size_t shell);
  void write_particles();
  /// `rows`: of all ranks and earlier ranks, as rows_of_all() has them.
  void write_halos(const std::vector<StoredRows>& rows, std::span<const std::pair<std::string, double>> header);
  [[nodiscard]] std::vector<StoredRows> rows_of_all() const;

  Communicator comm_;
  LightConeParameters parameters_;
  std::string directory_, settings_;
  Tell tell_;
  Expansion expansion_;
  SkyView view_;
  double near_, far_;
  CrossingFinder finder_;
  SkyPixels pixels_;
  std::vector<SkyShell> shells_;
  std::vector<std::unique_ptr<SkyMaps>> maps_;  ///< of the shells that the light has reached
  std::size_t open_ = 0;                        ///< the shells 0 ... open_ - 1 are not complete
  std::optional<ConeRows> rows_;
  std::vector<StoredRows> earlier_rows_;  ///< of the additional ranks that the run had before the restart
  bool particles_written_ = false;
  double box_size_ = 0, spacing_ = 0;
  std::uint64_t box_particles_ = 0;
  std::exception_ptr failure_;  ///< in a thread
  std::mutex failing_;
  // The search beside the run uses these:
  std::shared_ptr<const PassingParticles> passing_;
  std::vector<float> mass_;
  std::vector<std::uint64_t> id_;
  std::optional<double> light_after_;  ///< distance of the light after its drift; none: there is no such search
  std::future<void> search_;
  SkyCounter* counter_ = nullptr;     ///< may have maps of open shells
  double counting_ = 0, taking_ = 0;  ///< seconds for counting on the device and for copying its maps
  bool beside_ = false;               ///< a back end keeps the particles
  ShellWriter writer_{comm_, directory_, parameters_.nside, view_, tell_};
};

/// Null without [lightcone]. Throws SharedError if the checkpoint has a light cone then. Collective.
std::unique_ptr<Output> make_light_cone(const OutputSetup& setup);

}  // namespace multiwalk
