// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/merging/merging_layer.h"

namespace cannery::layers {

/// The largest or the smallest of two or more dense values, number by number. Of equal ones the
/// first gets the whole gradient, as in TensorFlow; where the result is NaN, the last input does.
class ExtremeLayer : public MergingLayer
{
protected:
    /// The options share the gradient.
    explicit ExtremeLayer(const Options& options) : MergingLayer(options) {}

    void findGradient(const StepContext& step, std::size_t index,
                      kernels::MatrixView grad) override;
};

} // namespace cannery::layers
