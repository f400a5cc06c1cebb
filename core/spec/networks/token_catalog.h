// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"
#include "core/spec/networks/network_blocks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::spec {

/// Where a token_embedding gets its ids; layers are indices of UnfoldedNetwork::layers.
struct TokenSource
{
    int layer = 0;           ///< the token_embedding
    std::vector<int> inputs; ///< input_layers whose numbers it reads, as they are
    /// A layer on the way that makes other numbers of them, so that nobody can tell whether they
    /// are ids; -1: none.
    int changedBy = -1;
};

/// In the order of the layers; none if the network has problems.
std::vector<TokenSource> tokenSourcesOf(const UnfoldedNetwork& network);

/// How many ids the numbers of a column have to be, whole and from 0 on, because token_embeddings
/// read them: the smallest input_dim. Nothing if none does.
std::optional<std::int64_t> tokenIdsOf(const Experiment& experiment, const std::string& column);

} // namespace cannery::spec
