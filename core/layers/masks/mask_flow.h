// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer_graph_builder.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cannery::layers {

/// Adds layers to a graph so that masks flow from layer to layer as in Keras: a layer that reads a
/// masked value gets the mask as a further input if it can use one, and its output has the mask
/// that mask_catalog.h says. Masks are values of rows of shape [steps], 1 where a step counts.
/// Their nodes are added when the first layer reads them, so a mask that nothing reads costs
/// nothing.
class MaskFlow
{
public:
    /// The builder outlives it.
    explicit MaskFlow(LayerGraphBuilder& builder) : m_builder(builder) {}
    MaskFlow(const MaskFlow&) = delete;
    MaskFlow& operator=(const MaskFlow&) = delete;

    /// As LayerGraphBuilder::addNode(); errors of the nodes of masks come on top.
    Result<graph::ValueId> addNode(const std::string& name, spec::Layer layer,
                                   std::vector<graph::ValueId> inputs, NodeOptions options = {});

    /// Adds the nodes of a mask, and gives its value; called once, when the mask is read.
    using Recipe = std::function<Result<graph::ValueId>()>;
    void setMask(graph::ValueId value, Recipe recipe);
    bool hasMask(graph::ValueId value) const { return m_masks.contains(value); }
    /// Of a value that has one.
    Result<graph::ValueId> maskOf(graph::ValueId value);

    LayerGraphBuilder& builder() const { return m_builder; }

private:
    struct Mask
    {
        Recipe recipe;
        std::optional<graph::ValueId> made;
    };
    LayerGraphBuilder& m_builder;
    std::map<graph::ValueId, Mask> m_masks; ///< by what they mask
};

} // namespace cannery::layers
