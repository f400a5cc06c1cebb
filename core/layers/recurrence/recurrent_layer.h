// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/inputs/sequence_memory.h"
#include "core/layers/layer.h"
#include "core/layers/recurrence/recurrent_options.h"
#include "core/layers/recurrence/recurrent_steps.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/matmul.h"
#include "kernels/ops/recurrent_cell.h"

#include <algorithm>

namespace cannery::layers {

/// What keras.layers.SimpleRNN, LSTM and GRU share: a cell that goes from step to step. Inputs: a
/// sequence, or rows of shape [time, channels]; of these, perhaps a mask of shape [time, 1], where
/// 0 skips a step; then perhaps vectors that the states begin with. The output is that of a row's
/// last step (zeros for a row without steps), or of every step; a skipped one repeats the output
/// before it, or zeros at first.
///
/// The steps of a batch are sorted by time, the longest rows first, so the rows of a step are the
/// first rows of the step before: the product with the kernel is one for all steps, that with the
/// recurrent kernel one for each point in time, and no row computes a step that it does not have.
class RecurrentLayer : public Layer
{
public:
    explicit RecurrentLayer(const RecurrentOptions& options) : m_options(options) {}

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
        kBias, ///< if there is one
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
    const kernels::RecurrentRule& rule() const { return m_options.rule; }
    bool isGru() const { return m_options.isGru(); }
    bool isLstm() const { return m_options.isLstm(); }
    bool beginsWithZeros() const { return m_initial.empty(); }
    std::span<const float> biasRow(std::int64_t row) const;
    StepPlaces placesOf(std::int64_t rows) const;
    void setWidths(std::int64_t inputs);
    void makeRoom();
    kernels::RecurrentStep stepAt(std::size_t time);
    void gatherInput(const StepContext& step);
    void takeInitialStates(const StepContext& step);
    void addRecurrent(const StepContext& step, std::size_t time);
    void writeOutput(const StepContext& step);
    void writeSteps();
    void spreadOutputGradient();
    void takeOutputGradient(const StepContext& step, std::size_t time);
    void passRecurrentBack(const StepContext& step, std::size_t time);
    void goBack(const StepContext& step, std::size_t time);
    void recurrentKernelGradient(const StepContext& step, kernels::MatrixView gradient);
    void parameterGradients(const StepContext& step);
    void inputGradient(const StepContext& step);
    void initialGradients(const StepContext& step);
    GradientSegment* segment(std::size_t variable) const;
    bool isPlaceable() const;
    kernels::RecurrentStep placedStep(std::int64_t rows, std::int64_t time) const;
    void placeRoom(const Placement& placement);
    void placeStep(const Placement& placement, std::int64_t time) const;
    kernels::RecurrentGradient placeLastGradient(const Placement& placement) const;
    void placeStepBack(const Placement& placement, std::int64_t time,
                       const kernels::RecurrentGradient& grad) const;
    void placeParameterGradients(const Placement& placement) const;

    RecurrentOptions m_options;
    LayerBuffers m_buffers;
    const ValueBuffer* m_mask = nullptr;
    std::vector<const ValueBuffer*> m_initial; ///< output, and state of an LSTM; or none
    std::vector<std::size_t> m_segments; ///< of the gradients of kernel, recurrent kernel and bias
    SequenceMemory m_memory;             ///< of the output, if it is a sequence
    kernels::Matmul m_inputProduct;
    kernels::Matmul m_recurrentProduct;
    kernels::Matmul m_candidateProduct; ///< Gru that resets before it
    const kernels::RecurrentKernels* m_kernels = nullptr;
    const kernels::BiasGradKernels* m_biasGrad = nullptr;

    RecurrentSteps m_steps;
    StepMatrix m_input;
    StepMatrix m_gates;
    StepMatrix m_kept;      ///< rules that are not usual: sums
    StepMatrix m_recurrent; ///< Gru that resets after the product: sums of the previous output
    StepMatrix m_reset;     ///< Gru that resets before it: what it is of
    StepMatrix m_outputs;
    StepMatrix m_previous; ///< outputs of the step before; at time 0 zeros or the initial ones
    StepMatrix m_states;   ///< Lstm
    StepMatrix m_inputGrad;
    StepMatrix m_first;   ///< Lstm, by rank: the initial states, if there are any
    StepMatrix m_carried; ///< by rank: gradient of the output at the current time
    StepMatrix m_product; ///< the same: its part through the recurrent kernel
    StepMatrix m_carriedState;
    Placed m_placed;
};

std::unique_ptr<Layer> makeSimpleRnnLayer(const spec::Layer& message);
std::unique_ptr<Layer> makeLstmLayer(const spec::Layer& message);
std::unique_ptr<Layer> makeGruLayer(const spec::Layer& message);

} // namespace cannery::layers
