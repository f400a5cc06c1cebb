// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/normalization/normalizing_layer.h"

namespace cannery::layers {

/// Rows normalized along one or several of their dimensions, which gamma and beta have, too:
/// tf.keras.layers.LayerNormalization (Ba et al. 2016).
class LayerNormalizationLayer : public NormalizingLayer
{
public:
    explicit LayerNormalizationLayer(const spec::LayerNormalizationLayer& message);

protected:
    Result<void> check(const graph::Value& input) const override;
    std::vector<kernels::GroupNormDimension>
    dimensions(const std::vector<std::int64_t>& row) const override;
    Shape parameterShape(const std::vector<std::int64_t>& row) const override;

private:
    std::vector<std::int64_t> m_axes; ///< as written
};

std::unique_ptr<Layer> makeLayerNormalizationLayer(const spec::Layer& message);

} // namespace cannery::layers
