// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/layer_normalization_layer.h"

#include "core/layers/row_axes.h"

namespace cannery::layers {

namespace {

constexpr std::string_view kLayerNormalization = "layer_normalization";

} // namespace

LayerNormalizationLayer::LayerNormalizationLayer(const spec::LayerNormalizationLayer& message)
    : NormalizingLayer({.kind = kLayerNormalization,
                        .epsilon = message.epsilon(),
                        .scales = message.scale(),
                        .centers = message.center()}),
      m_axes(message.axis().begin(), message.axis().end())
{}

Result<void> LayerNormalizationLayer::check(const graph::Value& input) const
{
    CANNERY_TRY(rowAxes(kLayerNormalization, input, m_axes));
    return {};
}

std::vector<kernels::GroupNormDimension>
LayerNormalizationLayer::dimensions(const std::vector<std::int64_t>& row) const
{
    std::vector<kernels::GroupNormDimension> result;
    for (const std::int64_t size : row) {
        result.push_back({.size = size});
    }
    for (const std::size_t axis : rowAxes(row.size(), m_axes)) {
        result[axis].isTogether = true;
        result[axis].hasParameters = true;
    }
    return result;
}

Shape LayerNormalizationLayer::parameterShape(const std::vector<std::int64_t>& row) const
{
    Shape shape;
    for (const std::size_t axis : rowAxes(row.size(), m_axes)) {
        shape.dims.push_back(row[axis]);
    }
    return shape;
}

std::unique_ptr<Layer> makeLayerNormalizationLayer(const spec::Layer& message)
{
    return std::make_unique<LayerNormalizationLayer>(message.layer_normalization());
}

} // namespace cannery::layers
