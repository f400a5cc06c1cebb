// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"
#include "core/plan/network.h"
#include "kernels/accelerator/program.h"

namespace cannery::plan {

/// What shards add up of a step: adds operations that replace the dense parts of the network and
/// its gradients of rows, as this member of a group of accelerators has placed them, by their sums
/// over all members. Each member has one shard, in order, and sums are the tree of plan::Sharding:
/// the same bits in each member, and in every run. Of the dense parts each member adds up its share
/// and then has the others'; the gradients of rows come together in each. After the backward pass
/// is placed, before what reads gradients. Dense parts travel in packs of these sizes, those first
/// that are complete first, while others are still computed. Does nothing for a member that is
/// alone.
void placeSums(kernels::AcceleratorProgram& program, Network& network,
               const graph::LayerGraph& graph, kernels::GroupRank member, const PackSizes& sizes);

} // namespace cannery::plan
