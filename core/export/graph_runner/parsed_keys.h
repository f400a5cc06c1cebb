// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "storage/tf/graphs/graph_def_reader.h"
#include "storage/tf/tensor.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::exporting {

/// A feature of the tf.Examples that a graph takes.
struct ParsedFeature
{
    std::string key;
    DType dtype = DType::Invalid; ///< String, Float32 or Int64
    bool isList = false;          ///< any number of values; none where it is left out
    Shape shape;                  ///< of one that is not a list
    /// What it is where it is left out, of one that is not a list; without it, it must be there.
    std::optional<storage::HostTensor> fallback;

    bool isRequired() const { return !isList && !fallback; }
};

/// In the order of their keys; empty if the graph parses none.
std::vector<ParsedFeature> parsedFeatures(std::span<const storage::GraphNode> nodes);

/// Keys that a graph parses from tf.Examples, with the expected type of each; empty if it parses
/// none.
std::map<std::string, DType> parsedKeys(std::span<const storage::GraphNode> nodes);

} // namespace cannery::exporting
