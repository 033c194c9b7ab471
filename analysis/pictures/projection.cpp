// SPDX-License-Identifier: GPL-3.0-or-later
// Surface density by triangular-shaped clouds (Hockney & Eastwood 1988) on a pyramid of increasingly coarse images: a
// particle is added to the two levels whose pixels are close to the local interparticle spacing, and coarse levels are
// refined by the cloud's own two-scale relation (quadratic B-spline), so that voids are smooth and halos sharp.
#include "analysis/pictures/projection.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/pictures/local_spacing.hpp"
#include "decomposition/mesh/cloud_stencil.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

/// Pixel size of a particle's level, in local spacings: wide at the mean density and below, where an initial lattice
/// must not show, and narrow in dense regions, which must stay sharp.
constexpr double widest = 1.35, narrowest = 0.85;
constexpr std::int64_t coarsest_in_width = 6;  ///< least number of the coarsest pixels across an image
constexpr std::uint32_t most_pixels = 16384;

/// Maps the region to the image, and holds integer masses that make sums independent of their order.
struct Canvas {
  int across, up;           ///< axes
  double left, top, pixel;  ///< length
  std::uint32_t width, height;
  double mass_quantum;  ///< mass of one count
};

struct Layer {
  std::int64_t width, height;
  std::vector<std::int64_t> count;  ///< (height, width)
};

bool usable(double mass) {
  return std::isfinite(mass) && mass > 0;
}

/// A region without extent along some axis is widened to its longest side.
Box widened(Box region) {
  Vec3d extent = region.hi - region.lo;
  const double longest = std::max({extent.x, extent.y, extent.z});
  const Vec3d centre = region.centre();
  const double scale = std::max({std::fabs(centre.x), std::fabs(centre.y), std::fabs(centre.z)});
  const double least = longest > 0 ? longest : std::max(1.0, 1e-6 * scale);
  for (int axis = 0; axis < 3; ++axis) {
    if (extent[axis] > 1e-12 * longest) continue;
    region.lo[axis] = centre[axis] - least / 2;
    region.hi[axis] = centre[axis] + least / 2;
  }
  return region;
}

bool drawable(const Box& region) {
  const Vec3d extent = region.hi - region.lo;
  return !region.empty() && std::isfinite(norm2(extent)) && std::isfinite(norm2(region.centre()));
}

/// Mass of one count, such that all ranks' mass inside the region makes 2^61. Computed from sums of integers, so that
/// neither threads nor ranks matter; 0 if there is no mass.
double choose_quantum(std::span<const Vec3d> position, std::span<const float> mass, const Box& region,
                      const Communicator& comm) {
  float heaviest = 0;
  std::uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(max : heaviest) reduction(+ : count)
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (!region.contains(position[i]) || !usable(mass[i])) continue;
    heaviest = std::max(heaviest, mass[i]);
    ++count;
  }
  const double most = static_cast<double>(comm.max(heaviest)) * static_cast<double>(comm.sum(count));
  if (!(most > 0)) return 0;
  const double quantum = std::ldexp(most, -61);
  std::int64_t quanta = 0;
#pragma omp parallel for schedule(static) reduction(+ : quanta)
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (region.contains(position[i]) && usable(mass[i])) quanta += std::llround(mass[i] / quantum);
  }
  return std::ldexp(static_cast<double>(comm.sum(quanta)) * quantum, -61);
}

/// Layers with pixels of 1, 2, 4, ... pixels of the image. The clouds of all particles in the image end before their
/// right and lower edges: a cloud reaches one pixel of its layer farther, and its refinement one more.
std::vector<Layer> make_layers(const Canvas& canvas) {
  std::int64_t coarsest = 1;
  while (2 * coarsest * coarsest_in_width <= std::max(canvas.width, canvas.height)) coarsest *= 2;
  const auto padded = [coarsest](std::int64_t size) {
    return (size + coarsest - 1) / coarsest * coarsest + 2 * coarsest;
  };
  std::vector<Layer> layers;
  for (std::int64_t pixel = 1; pixel <= coarsest; pixel *= 2) {
    const std::int64_t width = padded(canvas.width) / pixel, height = padded(canvas.height) / pixel;
    layers.push_back({width, height, std::vector<std::int64_t>(static_cast<std::size_t>(width * height))});
  }
  return layers;
}

/// Pixel size for a particle where the local spacing is `spacing`.
double smearing_length(double spacing, double mean_spacing) {
  return std::clamp(widest * std::sqrt(spacing / mean_spacing), narrowest, widest) * spacing;
}

/// Adds one triangular-shaped cloud; x and y in pixels of the layer.
void deposit(Layer& layer, double x, double y, double counts) {
  const CloudStencil across = cloud_stencil(x, layer.width), down = cloud_stencil(y, layer.height);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      const std::int64_t add = std::llround(counts * across.weight[i] * down.weight[j]);
      std::int64_t& pixel = layer.count[static_cast<std::size_t>(down.cell[j] * layer.width + across.cell[i])];
#pragma omp atomic
      pixel += add;
    }
  }
}

void deposit_particle(std::vector<Layer>& layers, const Canvas& canvas, Vec3d position, double mass, double smear) {
  const double x = (position[canvas.across] - canvas.left) / canvas.pixel;
  const double y = (canvas.top - position[canvas.up]) / canvas.pixel;
  const double counts = mass / canvas.mass_quantum;
  const double last = static_cast<double>(layers.size() - 1);
  const double level = std::clamp(std::log2(smear / canvas.pixel), 0.0, last);
  const auto fine = static_cast<std::size_t>(level);
  const double coarse_share = level - static_cast<double>(fine);
  const double scale = std::ldexp(1.0, -static_cast<int>(fine));
  if (coarse_share < 1) deposit(layers[fine], x * scale, y * scale, counts * (1 - coarse_share));
  if (coarse_share > 0) deposit(layers[fine + 1], x * scale / 2, y * scale / 2, counts * coarse_share);
}

/// One dimension of the quadratic B-spline's two-scale relation; conserves mass, mirrors edges.
void refine_line(const double* coarse, std::int64_t size, std::int64_t stride, double* fine, std::int64_t fine_stride) {
  for (std::int64_t i = 0; i < size; ++i) {
    const double here = coarse[i * stride];
    const double before = coarse[std::max<std::int64_t>(i - 1, 0) * stride];
    const double after = coarse[std::min(i + 1, size - 1) * stride];
    fine[2 * i * fine_stride] = 0.375 * here + 0.125 * before;
    fine[(2 * i + 1) * fine_stride] = 0.375 * here + 0.125 * after;
  }
}

std::vector<double> refine(const std::vector<double>& coarse, std::int64_t width, std::int64_t height) {
  std::vector<double> wide(coarse.size() * 2), fine(coarse.size() * 4);
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < height; ++row) {
    refine_line(&coarse[static_cast<std::size_t>(row * width)], width, 1,
                &wide[static_cast<std::size_t>(row * 2 * width)], 1);
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t column = 0; column < 2 * width; ++column) {
    refine_line(&wide[static_cast<std::size_t>(column)], height, 2 * width, &fine[static_cast<std::size_t>(column)],
                2 * width);
  }
  return fine;
}

/// Counts of all layers at the resolution of the first.
std::vector<double> merge(const std::vector<Layer>& layers) {
  std::vector<double> sum(layers.back().count.begin(), layers.back().count.end());
  for (std::size_t l = layers.size() - 1; l-- > 0;) {
    sum = refine(sum, layers[l + 1].width, layers[l + 1].height);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(layers[l].count[i]);
  }
  return sum;
}

/// Crops to the image; what was smeared beyond its right and lower edges is mirrored there, as often as is necessary.
SurfaceDensity crop(const std::vector<double>& counts, const Layer& padded, const Canvas& canvas) {
  SurfaceDensity density{canvas.width, canvas.height, {}, canvas.width * canvas.pixel};
  std::vector<double> sum(std::size_t{canvas.width} * canvas.height);
  const auto mirrored = [](std::int64_t i, std::int64_t size) {
    const std::int64_t place = i % (2 * size);
    return place < size ? place : 2 * size - 1 - place;
  };
  for (std::int64_t row = 0; row < padded.height; ++row) {
    for (std::int64_t column = 0; column < padded.width; ++column) {
      const std::int64_t to = mirrored(row, canvas.height) * canvas.width + mirrored(column, canvas.width);
      sum[static_cast<std::size_t>(to)] += counts[static_cast<std::size_t>(row * padded.width + column)];
    }
  }
  const double scale = canvas.mass_quantum / (canvas.pixel * canvas.pixel);
  density.value.reserve(sum.size());
  for (double s : sum) density.value.push_back(static_cast<float>(s * scale));
  return density;
}

Canvas make_canvas(const Box& region, const ProjectionOptions& options) {
  Canvas canvas{};
  canvas.across = (options.axis + 1) % 3;
  canvas.up = (options.axis + 2) % 3;
  canvas.left = region.lo[canvas.across];
  canvas.top = region.hi[canvas.up];
  canvas.width = options.pixels;
  canvas.pixel = (region.hi[canvas.across] - canvas.left) / canvas.width;
  const double rows = std::round((canvas.top - region.lo[canvas.up]) / canvas.pixel);
  canvas.height = static_cast<std::uint32_t>(std::clamp<double>(rows, 1, most_pixels));
  return canvas;
}

SurfaceDensity empty_map(const Communicator& comm, std::uint32_t width, std::uint32_t height, double extent) {
  if (!comm.root()) return {};
  return {width, height, std::vector<float>(std::size_t{width} * height), extent};
}

}  // namespace

SurfaceDensity project_density(std::span<const Vec3d> position, std::span<const float> mass,
                               const ProjectionOptions& options, const Communicator& comm) {
  require(position.size() == mass.size(), "project_density: positions and masses differ in number");
  require(options.axis >= 0 && options.axis < 3, "project_density: axis is 0, 1 or 2");
  if (options.pixels < 1 || options.pixels > most_pixels) {
    throw InputError("image of " + std::to_string(options.pixels) + " pixels: choose 1 to " +
                     std::to_string(most_pixels));
  }
  if (!drawable(options.region)) return empty_map(comm, options.pixels, options.pixels, 0);

  const Box region = widened(options.region);
  Canvas canvas = make_canvas(region, options);
  canvas.mass_quantum = choose_quantum(position, mass, region, comm);
  if (!(canvas.mass_quantum > 0)) return empty_map(comm, canvas.width, canvas.height, canvas.width * canvas.pixel);
  const LocalSpacing spacing(position, region, canvas.pixel, comm);
  std::vector<Layer> layers = make_layers(canvas);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (!region.contains(position[i]) || !usable(mass[i])) continue;
    deposit_particle(layers, canvas, position[i], mass[i], smearing_length(spacing.at(position[i]), spacing.mean()));
  }
  for (Layer& layer : layers) comm.sum(std::span<std::int64_t>(layer.count));
  return comm.root() ? crop(merge(layers), layers.front(), canvas) : SurfaceDensity{};
}

}  // namespace multiwalk
