// SPDX-License-Identifier: GPL-3.0-or-later
// The frames of a movie from snapshots of one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "run/outputs/pictures.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

struct MoviePlan {
  std::vector<std::string> snapshots;  ///< at least two, in the order of time
  std::uint32_t frames = 500;          ///< at least two, at frame_times()
  std::string folder;                  ///< receives them
};

/// The times of at least two frames, from the first to the last snapshot: equal steps of ln a if comoving, of time
/// otherwise.
std::vector<double> frame_times(Frame frame, double begin, double end, std::uint32_t number);

/// FOLDER/frame_NNNNN.png
std::string frame_path(const std::string& folder, std::size_t number);
inline constexpr std::uint32_t most_frames = 100000;

/// Makes an empty folder for frames, with a mark by which it is known again: frames that an earlier movie left in a
/// marked folder are removed. Throws InputError, and touches nothing, if a folder without the mark has the name, or a
/// file or a link, or if it holds one of the `sources`.
void prepare_frames(const std::string& folder, const std::vector<std::string>& sources);
/// Removes the frames and the mark, and the folder if nothing else is in it.
void remove_frames(const std::string& folder);

/// Draws all frames in one region and, unless the view has a colour scale, on one chosen for the first, the middle and
/// the last snapshot together. Particles move between two snapshots as in particle_paths.hpp; where these hold
/// different particles frames show the nearer of both, and the result is false. `drawn` is told the number of finished
/// frames. Throws InputError if snapshots are not in the order of time, or their reader's errors.
bool draw_movie(const MoviePlan& plan, const std::function<SnapshotInfo(const std::string&)>& read,
                const std::function<View(const SnapshotInfo&)>& view_of, const std::function<void(std::size_t)>& drawn);

}  // namespace multiwalk
