// Some planes of n_x at a time: every rank sends its runs along z to the ranks that hold them in the other mesh. Sender
// and receiver list the common wavenumbers in the same order, so messages carry no indices.
#include "decomposition/mode_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

using Complex = std::complex<double>;
constexpr std::size_t buffered_modes = std::size_t{1} << 18;  // about so many at a time on each rank

/// 0, 1, ..., top, -top, ..., -1.
std::vector<std::int64_t> common_wavenumbers(std::int64_t top) {
  std::vector<std::int64_t> n;
  for (std::int64_t i = 0; i <= top; ++i) n.push_back(i);
  for (std::int64_t i = -top; i < 0; ++i) n.push_back(i);
  return n;
}

/// The common modes that this rank holds in one mesh, by the ranks that hold them in the other.
class Shares {
 public:
  Shares(const PencilMesh& mine, const PencilMesh& other, const std::vector<std::int64_t>& common)
      : columns_(static_cast<std::size_t>(other.grid().columns)) {
    const PencilGrid& grid = other.grid();
    std::vector<std::size_t> rows_of(static_cast<std::size_t>(grid.rows), 0);
    for (const std::int64_t n : common) {
      if (!mine.pencil().mode_y.contains(mine.index(n))) continue;
      const auto owner = static_cast<std::size_t>(owner_row(other, n));
      line_.push_back({n, owner, rows_of[owner]++});
    }
    const IndexRange resolved{0, static_cast<std::uint32_t>(common.size() / 2 + 1)};
    for (int column = 0; column < grid.columns; ++column) {
      const IndexRange there = part_of(other.half_cells(), column, grid.columns);
      run_.push_back(overlap(overlap(mine.pencil().mode_z, there), resolved));
    }
    for (const std::size_t lines : rows_of) {
      for (const IndexRange& run : run_) per_plane_.push_back(lines * run.count);
    }
  }

  /// Modes for each rank in `planes` planes of n_x, and all of them.
  [[nodiscard]] std::vector<std::uint64_t> counts(std::size_t planes) const {
    std::vector<std::uint64_t> count(per_plane_.begin(), per_plane_.end());
    for (std::uint64_t& c : count) c *= planes;
    return count;
  }

  /// Calls act(plane, n_y, run of z, place of the run in the buffer) in parallel.
  template <class Act>
  void for_each_run(std::size_t planes, Act act) const {
    std::vector<std::size_t> start{0};
    for (const std::size_t modes : per_plane_) start.push_back(start.back() + modes * planes);
#pragma omp parallel for collapse(2) schedule(static)
    for (std::size_t plane = 0; plane < planes; ++plane) {
      for (std::size_t l = 0; l < line_.size(); ++l) {
        for (std::size_t column = 0; column < run_.size(); ++column) {
          const std::size_t rank = line_[l].owner * columns_ + column;
          const std::size_t place = start[rank] + plane * per_plane_[rank] + line_[l].place * run_[column].count;
          if (run_[column].count > 0) act(plane, line_[l].n_y, run_[column], place);
        }
      }
    }
  }

 private:
  struct Line {
    std::int64_t n_y;
    std::size_t owner, place;  ///< row of ranks in the other mesh, place among the lines that it and this rank share
  };

  static int owner_row(const PencilMesh& mesh, std::int64_t n_y) {
    int row = 0;
    while (!part_of(mesh.cells(), row, mesh.grid().rows).contains(mesh.index(n_y))) ++row;
    return row;
  }

  std::size_t columns_;
  std::vector<Line> line_;
  std::vector<IndexRange> run_;         ///< (columns) z shared with each column of ranks
  std::vector<std::size_t> per_plane_;  ///< (ranks)
};

}  // namespace

void copy_mode_runs(const PencilMesh& from, PencilMesh& to, const ModeRun& act) {
  const Communicator& comm = from.communicator();
  require(comm.size() == to.communicator().size(), "modes are copied between meshes of the same ranks");
  const std::int64_t top = (std::min(from.cells(), to.cells()) - 1) / 2;
  const std::vector<std::int64_t> common = common_wavenumbers(top);
  const Shares sent(from, to, common);
  const Shares received(to, from, common);
  const std::size_t plane_modes = common.size() * static_cast<std::size_t>(top + 1);
  const std::size_t planes =
      std::clamp(buffered_modes * static_cast<std::size_t>(comm.size()) / plane_modes, std::size_t{1}, common.size());

  to.clear();
  std::vector<Complex> buffer;
  for (std::size_t first = 0; first < common.size(); first += planes) {
    const std::size_t here = std::min(planes, common.size() - first);
    const std::vector<std::uint64_t> counts = sent.counts(here);
    buffer.resize(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    sent.for_each_run(here, [&](std::size_t plane, std::int64_t n_y, IndexRange z, std::size_t place) {
      const std::int64_t n_x = common[first + plane];
      const std::uint32_t x = from.index(n_x);
      const std::uint32_t y = from.index(n_y);
      Complex* const run = buffer.data() + place;
      for (std::uint32_t i = 0; i < z.count; ++i) run[i] = from.mode(x, y, z.first + i);
      act(n_x, n_y, z.first, std::span<Complex>(run, z.count));
    });
    if (!comm.alone()) buffer = comm.exchange(std::span<const Complex>(buffer), std::span(counts)).data;
    received.for_each_run(here, [&](std::size_t plane, std::int64_t n_y, IndexRange z, std::size_t place) {
      std::copy_n(buffer.data() + place, z.count, &to.mode(to.index(common[first + plane]), to.index(n_y), z.first));
    });
  }
}

}  // namespace multiwalk
