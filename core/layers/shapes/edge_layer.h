// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/windows/image_window.h"
#include "kernels/ops/strided_copy.h"

#include <vector>

namespace cannery::layers {

/// What zero padding and cropping share: the same pixels in the middle of an image, or steps of a
/// sequence, with more or less around them. Each is the adjoint of the other.
class EdgeLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

protected:
    enum class Change
    {
        Pad,
        Crop,
    };
    struct Options
    {
        std::string_view kind;  ///< "zero_padding_2d"
        std::string_view field; ///< "padding"
        Change change = Change::Pad;
        WindowsOver over = WindowsOver::Pixels;
        /// As the message has them: {all}, {height, width} or {top, bottom, left, right}; over
        /// steps {both} or {before, after}.
        std::vector<std::int64_t> numbers;
        std::int64_t unset = 0; ///< what no number means
    };
    explicit EdgeLayer(Options options) : m_options(std::move(options)) {}

private:
    struct Edges
    {
        std::int64_t top = 0;
        std::int64_t bottom = 0;
        std::int64_t left = 0;
        std::int64_t right = 0;
    };
    Edges edges() const;
    Result<void> checkNumberOfEdges() const;
    /// From rows without the edges to rows with them.
    void spread(const StepContext& step, kernels::ConstMatrixView inner,
                kernels::MatrixView outer) const;
    /// And back.
    void cut(const StepContext& step, kernels::ConstMatrixView outer,
             kernels::MatrixView inner) const;

    Options m_options;
    LayerBuffers m_buffers;
    kernels::StridedCopyProblem m_spread;
    const kernels::StridedCopyKernels* m_kernels = nullptr;
};

/// Pixels [begin, end) down and to the right of images, or steps of sequences; all of their
/// channels.
storage::NodeRef emitPart(storage::GraphDefBuilder& graph, const storage::NodeRef& input,
                          const std::vector<std::int64_t>& begin,
                          const std::vector<std::int64_t>& end);

} // namespace cannery::layers
