// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/essential/tree_sharing.cuh"

#include <algorithm>
#include <optional>

namespace multiwalk {

namespace {

/// Where the arrays of a part lie in a block of bytes.
struct PartLayout {
  TreeSize size;
  std::size_t node = 0, multipole = 0, position = 0, mass = 0, bytes = 0;

  explicit PartLayout(const TreeSize& part) : size(part) {
    const auto end = [](std::size_t begin, std::size_t bytes_of_array) {
      constexpr std::size_t alignment = 256;
      return (begin + bytes_of_array + alignment - 1) / alignment * alignment;
    };
    node = end(0, part.families * sizeof(WalkFamily));
    multipole = end(node, part.nodes * sizeof(Node));
    position = end(multipole, part.nodes * sizeof(Multipole));
    mass = end(position, part.particles * sizeof(Vec3d));
    bytes = end(mass, part.particles * sizeof(float));
  }

  [[nodiscard]] TreeArrays in(std::byte* block) const {
    return {reinterpret_cast<WalkFamily*>(block), reinterpret_cast<Node*>(block + node),
            reinterpret_cast<Multipole*>(block + multipole), reinterpret_cast<Vec3d*>(block + position),
            reinterpret_cast<float*>(block + mass)};
  }
  /// Enqueues the copy of the arrays from a block, wherever it lies.
  void copy(const std::byte* block, const TreeArrays& to, const Stream& stream) const {
    const auto copy_array = [&](auto* array, std::size_t begin, std::size_t count) {
      if (count == 0) return;
      check_cuda(cudaMemcpyAsync(array, block + begin, count * sizeof(*array), cudaMemcpyDefault, stream.get()),
                 "copying the part of another rank's tree");
    };
    copy_array(to.family, 0, size.families);
    copy_array(to.node, node, size.nodes);
    copy_array(to.multipole, multipole, size.nodes);
    copy_array(to.position, position, size.particles);
    copy_array(to.mass, mass, size.particles);
  }
};

using Matrix = std::vector<std::vector<TreeSize>>;

/// The number of elements in a reader's arrays before the part of `owner`.
TreeSize base_of(const Matrix& sizes, std::size_t reader, std::size_t owner) {
  TreeSize base = sizes[reader][reader];
  for (std::size_t r = 0; r < owner; ++r) {
    if (r != reader) base = base + sizes[r][reader];
  }
  return base;
}

/// Where the part for `reader` begins in its owner's block; ranks(): the block's size.
std::size_t offset_of(const Matrix& sizes, std::size_t owner, std::size_t reader) {
  std::size_t offset = 0;
  for (std::size_t r = 0; r < reader; ++r) {
    if (r != owner) offset += PartLayout(sizes[owner][r]).bytes;
  }
  return offset;
}

/// Whether all numbers of a reader's elements fit.
bool fits(const Matrix& sizes, std::size_t reader) {
  std::uint64_t nodes = 0, particles = 0;
  for (const std::vector<TreeSize>& of_owner : sizes) {
    nodes += of_owner[reader].nodes;
    particles += of_owner[reader].particles;
  }
  return nodes < UINT32_MAX && particles < UINT32_MAX;
}

ExchangedParts exchanged(const Matrix& sizes, std::size_t rank) {
  ExchangedParts parts;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r == rank) continue;
    parts.nodes_sent += sizes[rank][r].nodes;
    parts.particles_sent += sizes[rank][r].particles;
    parts.nodes_received += sizes[r][rank].nodes;
    parts.particles_received += sizes[r][rank].particles;
    parts.bytes_received += PartLayout(sizes[r][rank]).bytes;
  }
  parts.bytes_sent = offset_of(sizes, rank, sizes.size());
  return parts;
}

}  // namespace

void TreeSharing::release(const Stream& stream) {
  for (EssentialPart& part : part_) part.release(stream);
  box_.release(stream);
  before_.release(stream);
  scratch_.release(stream);
  root_.release(stream);
  roots_ = {};
}

std::vector<std::vector<GroupBox>> TreeSharing::gather_boxes(TreeExchange& others, const WalkSettings& walks,
                                                             const DeviceTree* tree, const ResidentArrays& arrays,
                                                             const Stream& stream) {
  std::optional<std::vector<GroupBox>> mine;
  if (tree != nullptr) {
    mine = finder_(tree->cut_tree(arrays), {tree->group(), tree->smallest_pull(), tree->group_count()}, walks.options,
                   stream);
  }
  // A rank that is too full has no boxes; a tree always has some.
  auto all = others.gather_arrays(std::span<const GroupBox>(mine.value_or(std::vector<GroupBox>())));
  if (std::ranges::any_of(all, [](const auto& boxes) { return boxes.empty(); })) return {};
  return all;
}

TreeSharing::Matrix TreeSharing::find_parts(TreeExchange& others, const std::vector<std::vector<GroupBox>>& boxes,
                                            const WalkSettings& walks, const CutTree& tree, const Stream& stream) {
  const std::size_t ranks = others.ranks();
  while (part_.size() < ranks) part_.emplace_back(*memory_);
  std::vector<TreeSize> sizes(ranks);
  sizes[others.rank()] = tree.size;
  bool found = true;
  for (std::size_t r = 0; r < ranks && found; ++r) {
    if (r == others.rank()) continue;
    const auto count = static_cast<std::uint32_t>(boxes[r].size());
    found = box_.reserve(count, stream);
    if (!found) break;
    check_cuda(
        cudaMemcpyAsync(box_.data(), boxes[r].data(), count * sizeof(GroupBox), cudaMemcpyHostToDevice, stream.get()),
        "cudaMemcpyAsync");
    found = part_[r].find(tree, walks, box_.data(), count, scratch_, stream);
  }
  for (std::size_t r = 0; r < ranks && found; ++r) {
    if (r != others.rank()) sizes[r] = part_[r].size(stream);
  }
  // A tree always has nodes.
  if (!found) sizes[others.rank()] = {};
  const std::vector<TreeSize> rows = others.gather_rows(std::span<const TreeSize>(sizes));
  Matrix all;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto row = std::span(rows).subspan(r * ranks, ranks);
    if (row[r].nodes == 0) return {};
    all.emplace_back(row.begin(), row.end());
  }
  return all;
}

bool TreeSharing::write_parts(const Matrix& sizes, std::size_t rank, DeviceTree& tree, ResidentArrays& arrays,
                              const Stream& stream) {
  if (!fits(sizes, rank) || !outgoing_.reserve(offset_of(sizes, rank, sizes.size())) ||
      !tree.reserve_more(base_of(sizes, rank, sizes.size()), arrays, stream)) {
    return false;
  }
  const CutTree own = tree.cut_tree(arrays);
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r == rank) continue;
    const TreeArrays to = PartLayout(sizes[rank][r]).in(outgoing_.data() + offset_of(sizes, rank, r));
    if (!part_[r].write(own, base_of(sizes, r, rank), to, before_, scratch_, stream)) return false;
  }
  return true;
}

std::vector<const std::byte*> TreeSharing::open_peers(TreeExchange& others, std::span<const Written> written) {
  std::vector<const std::byte*> blocks(others.ranks(), nullptr);
  if (!others.on_one_host()) return {};
  std::vector<PeerAddress> addresses;
  for (const Written& one : written) addresses.push_back(one.address);
  peer_.resize(others.ranks());
  bool all = true;
  for (std::size_t r = 0; r < addresses.size(); ++r) {
    if (r == others.rank()) continue;
    blocks[r] = peer_[r].open(addresses[r]);
    all = all && blocks[r] != nullptr;
  }
  if (addresses != opened_) {
    const std::vector<bool> opened_all = [&] {
      const std::vector<char> each = others.gather(static_cast<char>(all));
      return std::vector<bool>(each.begin(), each.end());
    }();
    direct_ = std::ranges::all_of(opened_all, [](bool opened) { return opened; });
    opened_ = addresses;
  }
  if (!direct_) return {};
  return blocks;
}

void TreeSharing::receive_through_host(TreeExchange& others, const Matrix& sizes, const TreeArrays& to,
                                       const Stream& stream) {
  const std::size_t ranks = sizes.size(), rank = others.rank(), outgoing = offset_of(sizes, rank, ranks);
  std::byte* const sent = sent_.reserve(std::max<std::size_t>(outgoing, 1));
  check_cuda(cudaMemcpyAsync(sent, outgoing_.data(), outgoing, cudaMemcpyDeviceToHost, stream.get()),
             "cudaMemcpyAsync");
  std::size_t incoming = 0;
  for (std::size_t r = 0; r < ranks; ++r) incoming += r == rank ? 0 : PartLayout(sizes[r][rank]).bytes;
  std::byte* place = received_.reserve(std::max<std::size_t>(incoming, 1));
  std::vector<std::span<const std::byte>> out(ranks);
  std::vector<std::span<std::byte>> in(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    out[r] = {sent + offset_of(sizes, rank, r), PartLayout(sizes[rank][r]).bytes};
    in[r] = {place, PartLayout(sizes[r][rank]).bytes};
    place += in[r].size();
  }
  check_cuda(cudaStreamSynchronize(stream.get()), "copying parts of the tree to the host");
  others.transfer(out, in);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r != rank) PartLayout(sizes[r][rank]).copy(in[r].data(), to.from(base_of(sizes, rank, r)), stream);
  }
}

void TreeSharing::place_roots(const Matrix& sizes, std::size_t rank, const Stream& stream) {
  roots_ = {root_.data(), 0};
  std::uint32_t* const root = root_on_host_.reserve(sizes.size());
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r != rank) root[roots_.count++] = base_of(sizes, rank, r).families;
  }
  check_cuda(
      cudaMemcpyAsync(root_.data(), root, roots_.count * sizeof(std::uint32_t), cudaMemcpyHostToDevice, stream.get()),
      "cudaMemcpyAsync");
}

bool TreeSharing::operator()(TreeExchange& others, const WalkSettings& walks, DeviceTree* grown, ResidentArrays& arrays,
                             const Stream& stream) {
  const std::size_t rank = others.rank();
  const auto boxes = gather_boxes(others, walks, grown, arrays, stream);
  if (boxes.empty()) return false;
  DeviceTree& tree = *grown;
  const Matrix sizes = find_parts(others, boxes, walks, tree.cut_tree(arrays), stream);
  if (sizes.empty()) return false;
  const bool written = root_.reserve(sizes.size(), stream) && write_parts(sizes, rank, tree, arrays, stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "cutting parts of the tree for other ranks");
  const std::vector<Written> all_written = others.gather(Written{outgoing_.address(), written});
  if (!std::ranges::all_of(all_written, &Written::all)) return false;
  const TreeArrays own = tree.cut_tree(arrays).arrays;
  const std::vector<const std::byte*> blocks = open_peers(others, all_written);
  if (blocks.empty()) receive_through_host(others, sizes, own, stream);
  for (std::size_t r = 0; r < blocks.size(); ++r) {
    if (r == rank) continue;
    PartLayout(sizes[r][rank]).copy(blocks[r] + offset_of(sizes, r, rank), own.from(base_of(sizes, rank, r)), stream);
  }
  place_roots(sizes, rank, stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "receiving parts of other ranks' trees");
  tree.release_cut(stream);
  others.record(exchanged(sizes, rank));
  return true;
}

}  // namespace multiwalk
