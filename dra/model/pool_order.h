#pragma once
//
// The orders in which a scheduler up to 1.35 may look at the pools and slices of one node. Both are
// those of Go maps, and others for each pod: of pools for each node as well (GatherPools of
// structured/internal/experimental/pools_experimental.go:123 of v0.34.4, incubating/
// pools_incubating.go:113 of v0.35.4).
//
// Pure functions.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dra/model/features.h"
#include "dra/model/node_view.h"

namespace fedra::dra {

// A number for each device of a NodeView, by pool and position in it. Those of one number can stand
// for each other; 0: the device does not matter.
using DeviceKinds = std::vector<std::vector<uint32_t>>;

// Whether coming to this pool ends a search with an error.
bool IsFatal(const PoolView& pool, const AllocatorFeatures& features);

// What is left on the node, whatever names and order it has: equal for nodes whose pools and slices
// hold devices of the same kinds, slice by slice in the same order.
std::vector<std::vector<uint32_t>> ContentOf(const NodeView& view, const DeviceKinds& kinds,
                                             const AllocatorFeatures& features);

// The node in each order that makes a difference: what does not matter stays where it is, and pools
// and slices of one content are one. Empty: there are more than `most`.
std::vector<NodeView> OrdersThatDiffer(const NodeView& view, const DeviceKinds& kinds,
                                       const AllocatorFeatures& features, size_t most);

}  // namespace fedra::dra
