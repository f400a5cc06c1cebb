// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

namespace cannery::layers {

/// The columns of an input layer side by side in one matrix, an indicator as its counts: the rows
/// as k-means sees them. With `unitLength` each row is divided by its length
/// (tf.nn.l2_normalize). Nothing before it is trained.
class PointsLayer : public Layer
{
public:
    explicit PointsLayer(bool unitLength) : m_unitLength(unitLength) {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    Result<void> placeForward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    bool m_unitLength;
    LayerBuffers m_buffers;
};

/// Divides rows by their lengths: x / sqrt(max(|x|^2, 1e-12)), as tf.nn.l2_normalize.
void divideByLength(kernels::MatrixView rows);
/// The same on an accelerator, into memory of the program: rows there, divided.
kernels::MatrixView placeUnitLength(const Placement& placement, kernels::ConstMatrixView rows);
/// The same in a TensorFlow graph, for a matrix.
storage::NodeRef emitUnitLength(storage::GraphDefBuilder& graph, const storage::NodeRef& rows);

} // namespace cannery::layers
