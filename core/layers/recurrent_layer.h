// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/sequence_memory.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/matmul.h"
#include "kernels/ops/recurrent_cell.h"

#include <algorithm>

namespace cannery::layers {

/// What keras.layers.SimpleRNN, LSTM and GRU share: a cell that goes from step to step. The output
/// is that of a row's last step (zeros for a row without steps), or of every step.
///
/// The steps of a batch are sorted by time, the longest rows first, so the rows of a step are the
/// first rows of the step before: the product with the kernel is one for all steps, that with the
/// recurrent kernel one for each point in time, and no row computes a step that it does not have.
class RecurrentLayer : public Layer
{
public:
    RecurrentLayer(kernels::RecurrentCell cell, std::int64_t units, bool returnSequences)
        : m_cell(cell), m_units(units), m_returnSequences(returnSequences)
    {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    enum VariableIndex : std::size_t
    {
        kKernel,
        kRecurrentKernel,
        kBias,
        kVariables,
    };
    /// A matrix with a row for each step, in order of time.
    struct StepMatrix
    {
        std::vector<float> values;
        std::int64_t width = 0;

        void resize(std::int64_t steps)
        {
            values.resize(std::max(values.size(), static_cast<std::size_t>(steps * width)));
        }
        kernels::MatrixView rows(std::int64_t first, std::int64_t count)
        {
            return {values.data() + first * width, count, width, width};
        }
    };
    /// The same on an accelerator, by time (kernels::DeviceSteps), all rows at each.
    struct Placed
    {
        kernels::MatrixView gates;
        kernels::MatrixView recurrent;
        kernels::MatrixView outputs; ///< of the step before the first one, zeros; then of all steps
        kernels::MatrixView states;  ///< the same
    };
    bool isGru() const { return m_cell == kernels::RecurrentCell::Gru; }
    bool isLstm() const { return m_cell == kernels::RecurrentCell::Lstm; }
    std::int64_t stepTotal() const { return m_starts.back(); }
    std::int64_t rowsAt(std::size_t time) const { return m_starts[time + 1] - m_starts[time]; }
    std::span<const float> biasRow(std::int64_t row) const;
    void sortSteps(std::int64_t rows);
    void makeRoom();
    kernels::RecurrentStep stepAt(std::size_t time);
    void gatherInput(const StepContext& step);
    void writeOutput(const StepContext& step);
    void takeOutputGradient(const StepContext& step, std::size_t time);
    void goBack(const StepContext& step, std::size_t time);
    void parameterGradients(const StepContext& step);
    void inputGradient(const StepContext& step);
    GradientSegment* segment(std::size_t variable) const;
    kernels::RecurrentStep placedStep(std::int64_t rows, std::int64_t time) const;
    void placeRoom(const Placement& placement);
    void placeStep(const Placement& placement, std::int64_t time) const;
    kernels::RecurrentGradient placeLastGradient(const Placement& placement) const;
    void placeStepBack(const Placement& placement, std::int64_t time,
                       const kernels::RecurrentGradient& grad) const;
    void placeParameterGradients(const Placement& placement) const;

    kernels::RecurrentCell m_cell;
    std::int64_t m_units;
    bool m_returnSequences;
    LayerBuffers m_buffers;
    std::vector<std::size_t> m_segments; ///< of the gradients of kernel, recurrent kernel and bias
    SequenceMemory m_memory;             ///< of the output, if it is a sequence
    kernels::Matmul m_inputProduct;
    kernels::Matmul m_recurrentProduct;
    const kernels::RecurrentKernels* m_steps = nullptr;
    const kernels::BiasGradKernels* m_biasGrad = nullptr;

    std::vector<std::int64_t> m_order;  ///< rows of the batch, the longest first
    std::vector<std::int64_t> m_starts; ///< by time: the first step of that time; then their number
    std::vector<std::int64_t> m_places; ///< by step in order of time: its place in the input
    StepMatrix m_input;
    StepMatrix m_gates;
    StepMatrix m_recurrent; ///< Gru: sums of the previous output
    StepMatrix m_outputs;
    StepMatrix m_previous; ///< outputs of the step before; zeros at time 0
    StepMatrix m_states;   ///< Lstm
    StepMatrix m_inputGrad;
    StepMatrix m_carried; ///< by row in m_order: gradient of the output at the current time
    StepMatrix m_product; ///< the same: its part through the recurrent kernel
    StepMatrix m_carriedState;
    Placed m_placed;
};

std::unique_ptr<Layer> makeSimpleRnnLayer(const spec::Layer& message);
std::unique_ptr<Layer> makeLstmLayer(const spec::Layer& message);
std::unique_ptr<Layer> makeGruLayer(const spec::Layer& message);

} // namespace cannery::layers
