// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/normalization/normalizing_layer.h"

namespace cannery::layers {

/// Groups of neighbouring channels normalized over all pixels of a row, with a gamma and a beta for
/// each channel: tf.keras.layers.GroupNormalization (Wu and He 2018).
class GroupNormalizationLayer : public NormalizingLayer
{
public:
    explicit GroupNormalizationLayer(const spec::GroupNormalizationLayer& message);

protected:
    Result<void> check(const graph::Value& input) const override;
    std::vector<kernels::GroupNormDimension>
    dimensions(const std::vector<std::int64_t>& row) const override;
    Shape parameterShape(const std::vector<std::int64_t>& row) const override;

private:
    std::int64_t groupsOf(std::int64_t channels) const;

    std::int64_t m_groups; ///< as written: -1 is one for each channel
};

std::unique_ptr<Layer> makeGroupNormalizationLayer(const spec::Layer& message);

} // namespace cannery::layers
