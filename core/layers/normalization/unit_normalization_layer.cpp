// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/unit_normalization_layer.h"

#include "core/layers/row_axes.h"

namespace cannery::layers {

namespace {

constexpr std::string_view kUnitNormalization = "unit_normalization";

} // namespace

UnitNormalizationLayer::UnitNormalizationLayer(const spec::UnitNormalizationLayer& message)
    : NormalizingLayer({.kind = kUnitNormalization,
                        .rule = kernels::GroupNormRule::Length,
                        .epsilon = kernels::kLeastSquaredLength}),
      m_axes(message.axis().begin(), message.axis().end())
{}

Result<void> UnitNormalizationLayer::check(const graph::Value& input) const
{
    CANNERY_TRY(rowAxes(kUnitNormalization, input, m_axes));
    return {};
}

std::vector<kernels::GroupNormDimension>
UnitNormalizationLayer::dimensions(const std::vector<std::int64_t>& row) const
{
    std::vector<kernels::GroupNormDimension> result;
    for (const std::int64_t size : row) {
        result.push_back({.size = size});
    }
    for (const std::size_t axis : rowAxes(row.size(), m_axes)) {
        result[axis].isTogether = true;
    }
    return result;
}

/// It has no parameters.
Shape UnitNormalizationLayer::parameterShape(const std::vector<std::int64_t>& /*row*/) const
{
    return {};
}

std::unique_ptr<Layer> makeUnitNormalizationLayer(const spec::Layer& message)
{
    return std::make_unique<UnitNormalizationLayer>(message.unit_normalization());
}

} // namespace cannery::layers
