// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/normalization/normalizing_layer.h"

namespace cannery::layers {

/// Rows scaled to length 1 along one or several of their dimensions: x / sqrt(max(sum(x^2),
/// 1e-12)), tf.keras.layers.UnitNormalization.
class UnitNormalizationLayer : public NormalizingLayer
{
public:
    explicit UnitNormalizationLayer(const spec::UnitNormalizationLayer& message);

protected:
    Result<void> check(const graph::Value& input) const override;
    std::vector<kernels::GroupNormDimension>
    dimensions(const std::vector<std::int64_t>& row) const override;
    Shape parameterShape(const std::vector<std::int64_t>& row) const override;

private:
    std::vector<std::int64_t> m_axes; ///< as written
};

std::unique_ptr<Layer> makeUnitNormalizationLayer(const spec::Layer& message);

} // namespace cannery::layers
