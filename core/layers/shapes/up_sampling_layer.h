// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/resampled_rows.h"

namespace cannery::layers {

/// What both up-samplings share: an image or a sequence that becomes larger by whole factors, as
/// tf.image.resize does (half-pixel centres, no antialias).
class UpSamplingLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override { m_rows.forward(step); }
    void backward(const StepContext& step) override { m_rows.backward(step); }
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }

protected:
    struct Options
    {
        std::string_view kind; ///< "up_sampling_2d"
        WindowsOver over = WindowsOver::Pixels;
        std::vector<std::int64_t> size; ///< factors: one or two numbers; none: 2
        spec::Interpolation::Kind interpolation = spec::Interpolation::nearest;
    };
    explicit UpSamplingLayer(Options options) : m_options(std::move(options)) {}

    const Options& options() const { return m_options; }

private:
    /// Down and to the right.
    std::array<std::int64_t, 2> factors() const;

    Options m_options;
    ResampledRows m_rows;
};

} // namespace cannery::layers
