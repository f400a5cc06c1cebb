// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/layers.pb.h"
#include "core/spec/types.pb.h"

#include <optional>
#include <string>

namespace cannery::features {

/// A table with one vector per id.
struct EmbeddingTable
{
    spec::EmbeddingLayer lookup;                  ///< how vectors are read and combined
    std::optional<spec::Initializer> initializer; ///< unset: a truncated normal, 1/sqrt(dimension)
    bool trainable = true;
    std::string checkpoint; ///< initial values come from this checkpoint's tensor, unless empty
    std::string tensorInCheckpoint;
    std::string collection; ///< shared by all columns that name it; the column's own if empty
};

/// How a model turns the ids of a wrapped column into numbers.
struct ColumnLookup
{
    std::optional<EmbeddingTable> table; ///< if unset, by counting them, one number per id
};

/// The table as described by the messages of both kinds of embedding.
template <typename Message>
EmbeddingTable embeddingTableOf(const Message& message)
{
    EmbeddingTable table;
    table.lookup.set_dimension(message.dimension());
    table.lookup.set_combiner(message.combiner());
    table.lookup.set_use_safe_embedding_lookup(message.use_safe_embedding_lookup());
    if (message.has_max_norm()) {
        table.lookup.set_max_norm(message.max_norm());
    }
    if (message.has_initializer()) {
        table.initializer = message.initializer();
    }
    table.trainable = message.trainable();
    table.checkpoint = message.ckpt_to_load_from();
    table.tensorInCheckpoint = message.tensor_name_in_ckpt();
    return table;
}

} // namespace cannery::features
