// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/float_nodes.h"
#include "storage/tf/graphs/graph_def_reader.h"

#include <span>
#include <string_view>
#include <vector>

namespace cannery::exporting {

/// A node whose gradient is passed on to its inputs.
struct GradientCall
{
    const storage::FloatNodes& nodes;
    const storage::GraphNode& node;
    storage::NodeRef output; ///< the node's first
    storage::NodeRef grad;   ///< of that output
    /// By output, up to the last one that has a gradient; empty for an output without one.
    std::vector<storage::NodeRef> outputGrads;
    std::vector<storage::NodeRef> inputs;
    std::vector<bool> wanted;            ///< inputs whose gradient somebody needs
    std::vector<storage::NodeRef> grads; ///< to be set for those

    /// Sets the gradient of an input if it is wanted; `make` adds its nodes.
    template <typename Make>
    void give(std::size_t input, const Make& make)
    {
        if (wanted[input]) {
            grads[input] = make();
        }
    }
};

/// Returns whether it knows the node with these attributes.
using GradientFunction = bool (*)(GradientCall&);

struct GradientRow
{
    std::string_view key; ///< TensorFlow's name of the operation
    GradientFunction pass;
};

/// The rules of all operations that our layers emit, but for those that read variables.
std::span<const GradientRow> gradientRules();

/// Whether the gradient of an operation is 0 wherever it has one: comparisons, shapes, counts.
bool isFlat(std::string_view op);

} // namespace cannery::exporting
