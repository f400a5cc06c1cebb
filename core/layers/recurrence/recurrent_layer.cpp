// SPDX-License-Identifier: Apache-2.0
#include "core/layers/recurrence/recurrent_layer.h"

#include "core/layers/recurrence/sequence_emission.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>

namespace cannery::layers {

void RecurrentLayer::setWidths(std::int64_t inputs)
{
    const std::int64_t width = m_options.gateWidth();
    const std::int64_t units = m_options.units;
    // What a cell has not got has width 0 and takes no memory: only an LSTM has states, only a GRU
    // that resets after the product a recurrent product apart from the gates.
    m_input.width = inputs;
    m_inputGrad.width = inputs;
    m_gates.width = width;
    m_kept.width = rule().isUsual() ? 0 : width;
    m_recurrent.width = isGru() && rule().resetAfter ? width : 0;
    m_reset.width = rule().resetsBefore() ? units : 0;
    m_states.width = isLstm() ? units : 0;
    m_carriedState.width = m_states.width;
    m_first.width = beginsWithZeros() ? 0 : m_states.width;
    m_product.width = isGru() ? units : 0;
    for (StepMatrix* matrix : {&m_outputs, &m_previous, &m_carried}) {
        matrix->width = units;
    }
}

Result<LayerSignature> RecurrentLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectRecurrentInputs(nameOf(rule().cell), inputs, m_options.units,
                                      m_options.stateCount()));
    return LayerSignature{
        .output = recurrentOutput(*inputs[0], m_options.units, m_options.returnSequences),
        .variables = recurrentVariables(m_options, *inputs[0])};
}

void RecurrentLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const bool isMasked = buffers.inputs.size() > 1 && buffers.inputs[1]->shape.size() == 2;
    m_mask = isMasked ? buffers.inputs[1] : nullptr;
    m_initial.assign(buffers.inputs.begin() + (isMasked ? 2 : 1), buffers.inputs.end());
    const ValueBuffer& input = *buffers.inputs[0];
    const std::int64_t channels =
        input.kind == graph::ValueKind::Sequence ? input.width : input.shape.back();
    const std::int64_t units = m_options.units;
    const std::int64_t width = m_options.gateWidth();
    const std::int64_t rows = buffers.maxRows;
    // The candidate of a GRU that resets before the product waits for the other two gates.
    const std::int64_t early = rule().resetsBefore() ? 2 * units : width;
    m_inputProduct = kernels::Matmul({.rows = rows, .depth = channels, .cols = width});
    m_recurrentProduct = kernels::Matmul({.rows = rows, .depth = units, .cols = early});
    if (early < width) {
        m_candidateProduct = kernels::Matmul({.rows = rows, .depth = units, .cols = units});
    }
    m_kernels = &kernels::recurrentKernels({.rows = rows, .units = units, .rule = rule()});
    m_biasGrad = &kernels::biasGradKernels({.rows = rows, .cols = width});
    m_segments.assign(buffers.variables.size(), 0);
    for (std::size_t variable = 0; variable < buffers.variables.size(); ++variable) {
        if (auto* gradient = buffers.variables[variable].gradient; gradient != nullptr) {
            m_segments[variable] = gradient->size();
            gradient->push_back({.rowCount = buffers.variables[variable].values.rows});
        }
    }
    setWidths(channels);
    // These hold one time, so at most all rows of a batch; the others grow with the steps
    // (makeRoom()).
    for (StepMatrix* matrix : {&m_carried, &m_product, &m_carriedState, &m_first}) {
        matrix->resize(rows);
    }
}

GradientSegment* RecurrentLayer::segment(std::size_t variable) const
{
    if (variable >= m_buffers.variables.size()) {
        return nullptr;
    }
    auto* gradient = m_buffers.variables[variable].gradient;
    return gradient == nullptr ? nullptr : &(*gradient)[m_segments[variable]];
}

std::span<const float> RecurrentLayer::biasRow(std::int64_t row) const
{
    if (!m_options.useBias) {
        return {};
    }
    return std::as_const(m_buffers.variables[kBias].values).row(row);
}

StepPlaces RecurrentLayer::placesOf(std::int64_t rows) const
{
    const ValueBuffer& input = *m_buffers.inputs[0];
    StepPlaces places{.rows = rows,
                      .mask = m_mask == nullptr ? nullptr : m_mask->data,
                      .backwards = m_options.goBackwards,
                      .inOrder = !m_options.isDirection};
    if (input.kind == graph::ValueKind::Sequence) {
        places.offsets = input.stepOffsets;
    } else {
        places.length = input.shape.front();
    }
    return places;
}

void RecurrentLayer::makeRoom()
{
    for (StepMatrix* matrix : {&m_input, &m_gates, &m_kept, &m_recurrent, &m_reset, &m_outputs,
                               &m_previous, &m_states}) {
        // With what a mask leaves out now, as it may be in a later batch.
        matrix->resize(m_steps.places().total());
    }
}

void RecurrentLayer::gatherInput(const StepContext& step)
{
    const kernels::MatrixView target = m_input.rows(0, m_steps.total());
    const kernels::ConstMatrixView source{m_buffers.inputs[0]->data, m_steps.places().total(),
                                          target.cols, target.cols};
    kernels::forEachRowBlock(
        step.pool, target.rows, target.cols, [&](kernels::BlockRange rows, int) {
            for (std::int64_t at = rows.first; at < rows.first + rows.count; ++at) {
                const auto from = source.row(m_steps.inputPlace(at));
                std::copy(from.begin(), from.end(), target.at(at));
            }
        });
}

/// What comes before time 0, for the rows that have a step then.
void RecurrentLayer::takeInitialStates(const StepContext& step)
{
    const kernels::MatrixView previous = m_previous.rows(0, m_steps.rowsAt(0));
    if (beginsWithZeros()) {
        kernels::vectorKernels().fill(step.pool, previous.flat(), 0.0F);
        return;
    }
    for (std::int64_t rank = 0; rank < previous.rows; ++rank) {
        const auto gather = [&](std::size_t state, const kernels::MatrixView& target) {
            const auto from = m_initial[state]->values(step.rows).row(m_steps.row(rank));
            std::copy(from.begin(), from.end(), target.at(rank));
        };
        gather(0, previous);
        if (isLstm()) {
            gather(1, m_first.rows(0, previous.rows));
        }
    }
}

kernels::RecurrentStep RecurrentLayer::stepAt(std::size_t time)
{
    const std::int64_t first = m_steps.start(time);
    const std::int64_t rows = m_steps.rowsAt(time);
    const kernels::MatrixView previous = m_previous.rows(first, rows);
    // At the first time, the previous outputs are zeros unless they are given, and so are the
    // states of an LSTM.
    const kernels::MatrixView before = beginsWithZeros() ? previous : m_first.rows(0, rows);
    return {.gates = m_gates.rows(first, rows),
            .recurrent = m_recurrent.rows(first, rows),
            .previousOutput = previous,
            .previousState = time == 0 ? before : m_states.rows(m_steps.start(time - 1), rows),
            .output = m_outputs.rows(first, rows),
            .state = m_states.rows(first, rows),
            .kept = m_kept.rows(first, rows),
            .reset = m_reset.rows(first, rows)};
}

/// The products with the recurrent kernel.
void RecurrentLayer::addRecurrent(const StepContext& step, std::size_t time)
{
    const kernels::RecurrentStep now = stepAt(time);
    const kernels::ConstMatrixView recurrentKernel = m_buffers.variables[kRecurrentKernel].values;
    const std::int64_t units = m_options.units;
    if (rule().resetsBefore()) {
        m_recurrentProduct.forward(step.pool, now.previousOutput,
                                   recurrentKernel.columns(0, 2 * units), {.accumulate = true},
                                   now.gates.columns(0, 2 * units));
        m_kernels->reset(step.pool, rule(), now);
        m_candidateProduct.forward(step.pool, now.reset, recurrentKernel.columns(2 * units, units),
                                   {.accumulate = true}, now.gates.columns(2 * units, units));
        // A GRU's late reset gate multiplies this product, so it stays apart. It is computed at
        // time 0, too, as its bias counts even where the output before is zero.
    } else if (isGru()) {
        m_recurrentProduct.forward(step.pool, now.previousOutput, recurrentKernel,
                                   {.bias = biasRow(1)}, now.recurrent);
        // Zeros times the kernel add nothing, and there is no second bias.
    } else if (time > 0 || !beginsWithZeros()) {
        m_recurrentProduct.forward(step.pool, now.previousOutput, recurrentKernel,
                                   {.accumulate = true}, now.gates);
    }
}

void RecurrentLayer::forward(const StepContext& step)
{
    m_steps.sort(placesOf(step.rows));
    makeRoom();
    gatherInput(step);
    // The inputs of all times in one product; only the recurrent one has to wait for the time
    // before.
    m_inputProduct.forward(step.pool, m_input.rows(0, m_steps.total()),
                           m_buffers.variables[kKernel].values, {.bias = biasRow(0)},
                           m_gates.rows(0, m_steps.total()));
    for (std::size_t time = 0; time < m_steps.times(); ++time) {
        const std::int64_t rows = m_steps.rowsAt(time);
        if (time == 0) {
            takeInitialStates(step);
        } else {
            kernels::vectorKernels().copy(step.pool, m_outputs.rows(m_steps.start(time - 1), rows),
                                          m_previous.rows(m_steps.start(time), rows));
        }
        addRecurrent(step, time);
        m_kernels->forward(step.pool, rule(), stepAt(time));
    }
    writeOutput(step);
}

/// Back from the order by time to the order of the output.
void RecurrentLayer::writeSteps()
{
    ValueBuffer& output = *m_buffers.output;
    if (output.kind == graph::ValueKind::Sequence) {
        m_memory.bind(m_buffers.inputs[0]->stepOffsets, output);
    }
    const std::int64_t units = m_options.units;
    const kernels::MatrixView all{output.writable, m_steps.places().total(), units, units};
    for (std::int64_t at = 0; at < m_steps.total(); ++at) {
        const auto from = m_outputs.rows(at, 1).row(0);
        std::copy(from.begin(), from.end(), all.at(m_steps.outputPlace(at)));
    }
    m_steps.forEachSkipped(false, [&](std::int64_t place, std::int64_t before) {
        float* target = all.at(place);
        if (before < 0 || m_options.isDirection) {
            std::fill(target, target + units, 0.0F);
        } else {
            std::copy(all.at(before), all.at(before) + units, target);
        }
    });
}

void RecurrentLayer::writeOutput(const StepContext& step)
{
    if (m_options.returnSequences) {
        writeSteps();
        return;
    }
    const kernels::MatrixView last = m_buffers.output->output(step.rows);
    std::int64_t rank = step.rows;
    // The shortest rows end first.
    for (std::size_t time = 0; time <= m_steps.times(); ++time) {
        while (rank > m_steps.rowsAt(time)) {
            --rank;
            float* target = last.at(m_steps.row(rank));
            // A row without a step has an output of zeros.
            if (time == 0) {
                std::fill(target, target + m_options.units, 0.0F);
            } else {
                const auto from = m_outputs.rows(m_steps.start(time - 1) + rank, 1).row(0);
                std::copy(from.begin(), from.end(), target);
            }
        }
    }
}

/// The gradient of a skipped step's output is that of the output which it repeats.
void RecurrentLayer::spreadOutputGradient()
{
    if (!m_options.returnSequences || m_options.isDirection) {
        return;
    }
    const std::int64_t units = m_options.units;
    const kernels::MatrixView grads{m_buffers.output->grad, m_steps.places().total(), units, units};
    m_steps.forEachSkipped(true, [&](std::int64_t place, std::int64_t before) {
        for (std::int64_t unit = 0; before >= 0 && unit < units; ++unit) {
            grads.at(before)[unit] += grads.at(place)[unit];
        }
    });
}

/// Adds the gradient of the outputs at this time to m_carried; rows that end here begin with it.
void RecurrentLayer::takeOutputGradient(const StepContext& step, std::size_t time)
{
    const std::int64_t rows = m_steps.rowsAt(time);
    const std::int64_t goOn = m_steps.rowsAt(time + 1);
    const bool everyStep = m_options.returnSequences;
    const kernels::ConstMatrixView grads{m_buffers.output->grad,
                                         everyStep ? m_steps.places().total() : step.rows,
                                         m_options.units, m_options.units};
    for (std::int64_t rank = everyStep ? 0 : goOn; rank < rows; ++rank) {
        const auto from = grads.row(everyStep ? m_steps.outputPlace(m_steps.start(time) + rank)
                                              : m_steps.row(rank));
        float* carried = m_carried.rows(rank, 1).data;
        for (std::size_t unit = 0; unit < from.size(); ++unit) {
            carried[unit] = rank < goOn ? carried[unit] + from[unit] : from[unit];
        }
    }
    // No gradient reaches the state after a row's last step.
    const kernels::MatrixView newStates = m_carriedState.rows(goOn, rows - goOn);
    kernels::vectorKernels().fill(step.pool, newStates.flat(), 0.0F);
}

/// From the gradients of the sums to that of the previous output.
void RecurrentLayer::passRecurrentBack(const StepContext& step, std::size_t time)
{
    const std::int64_t rows = m_steps.rowsAt(time);
    const kernels::RecurrentStep now = stepAt(time);
    const kernels::ConstMatrixView recurrentKernel = m_buffers.variables[kRecurrentKernel].values;
    const kernels::MatrixView carried = m_carried.rows(0, rows);
    const kernels::MatrixView product = m_product.rows(0, rows);
    const std::int64_t units = m_options.units;
    // Even of zeros: the gradient of the reset gate's sums is missing.
    if (rule().resetsBefore()) {
        m_candidateProduct.srcGradient(step.pool, now.gates.columns(2 * units, units),
                                       recurrentKernel.columns(2 * units, units), product);
        m_kernels->resetBackward(step.pool, rule(), now, {.output = carried, .reset = product});
    }
    // Before the first step are constant zeros, which take no gradient.
    if (time == 0 && beginsWithZeros()) {
        return;
    }
    if (!isGru()) {
        m_recurrentProduct.srcGradient(step.pool, now.gates, recurrentKernel, carried);
        return;
    }
    const std::int64_t cols = rule().resetsBefore() ? 2 * units : 3 * units;
    m_recurrentProduct.srcGradient(
        step.pool, (rule().resetsBefore() ? now.gates : now.recurrent).columns(0, cols),
        recurrentKernel.columns(0, cols), product);
    kernels::vectorKernels().add(step.pool, product, carried);
}

void RecurrentLayer::goBack(const StepContext& step, std::size_t time)
{
    const std::int64_t rows = m_steps.rowsAt(time);
    takeOutputGradient(step, time);
    // Gates and recurrent products are overwritten by their gradients, so memory is needed once.
    m_kernels->backward(step.pool, rule(), stepAt(time),
                        {.output = m_carried.rows(0, rows), .state = m_carriedState.rows(0, rows)});
    passRecurrentBack(step, time);
}

void RecurrentLayer::recurrentKernelGradient(const StepContext& step, kernels::MatrixView gradient)
{
    const kernels::MatrixView gates = m_gates.rows(0, m_steps.total());
    const kernels::MatrixView previous = m_previous.rows(0, m_steps.total());
    const std::int64_t units = m_options.units;
    if (!rule().resetsBefore()) {
        m_recurrentProduct.weightsGradient(
            step.pool, previous, isGru() ? m_recurrent.rows(0, m_steps.total()) : gates, gradient);
        return;
    }
    m_recurrentProduct.weightsGradient(step.pool, previous, gates.columns(0, 2 * units),
                                       gradient.columns(0, 2 * units));
    m_candidateProduct.weightsGradient(step.pool, m_reset.rows(0, m_steps.total()),
                                       gates.columns(2 * units, units),
                                       gradient.columns(2 * units, units));
}

void RecurrentLayer::parameterGradients(const StepContext& step)
{
    const kernels::MatrixView gates = m_gates.rows(0, m_steps.total());
    if (GradientSegment* kernel = segment(kKernel)) {
        m_inputProduct.weightsGradient(step.pool, m_input.rows(0, m_steps.total()), gates,
                                       kernel->dense);
    }
    if (GradientSegment* kernel = segment(kRecurrentKernel)) {
        recurrentKernelGradient(step, kernel->dense);
    }
    if (GradientSegment* bias = segment(kBias)) {
        // Row 0 of a GRU's bias is added to the products of the input, row 1 to the recurrent ones.
        m_biasGrad->run(step.pool, gates, bias->dense.row(0));
        if (m_recurrent.width > 0) {
            m_biasGrad->run(step.pool, m_recurrent.rows(0, m_steps.total()), bias->dense.row(1));
        }
    }
}

void RecurrentLayer::inputGradient(const StepContext& step)
{
    const ValueBuffer& input = *m_buffers.inputs[0];
    if (input.grad == nullptr) {
        return;
    }
    m_inputGrad.resize(m_steps.places().total());
    const kernels::MatrixView source = m_inputGrad.rows(0, m_steps.total());
    m_inputProduct.srcGradient(step.pool, m_gates.rows(0, m_steps.total()),
                               m_buffers.variables[kKernel].values, source);
    const kernels::MatrixView target{input.grad, m_steps.places().total(), source.cols,
                                     source.cols};
    if (target.rows > source.rows) {
        kernels::vectorKernels().fill(step.pool, target.flat(), 0.0F);
    }
    kernels::forEachRowBlock(
        step.pool, source.rows, source.cols, [&](kernels::BlockRange rows, int) {
            for (std::int64_t at = rows.first; at < rows.first + rows.count; ++at) {
                const auto from = source.row(at);
                std::copy(from.begin(), from.end(), target.at(m_steps.inputPlace(at)));
            }
        });
}

/// What time 0 leaves; zeros for a row without steps, whose output does not show them.
void RecurrentLayer::initialGradients(const StepContext& step)
{
    for (std::size_t state = 0; state < m_initial.size(); ++state) {
        if (m_initial[state]->grad == nullptr) {
            continue;
        }
        const kernels::MatrixView target = m_initial[state]->gradient(step.rows);
        StepMatrix& carried = state == 0 ? m_carried : m_carriedState;
        kernels::vectorKernels().fill(step.pool, target.flat(), 0.0F);
        for (std::int64_t rank = 0; rank < m_steps.rowsAt(0); ++rank) {
            const auto from = carried.rows(rank, 1).row(0);
            std::copy(from.begin(), from.end(), target.at(m_steps.row(rank)));
        }
    }
    if (m_mask != nullptr && m_mask->grad != nullptr) {
        kernels::vectorKernels().fill(step.pool, m_mask->gradient(step.rows).flat(), 0.0F);
    }
}

void RecurrentLayer::backward(const StepContext& step)
{
    spreadOutputGradient();
    // When all times are done, m_gates holds the gradients of every step: then the kernel's
    // gradient is one product over all of them.
    for (std::size_t time = m_steps.times(); time-- > 0;) {
        goBack(step, time);
    }
    parameterGradients(step);
    inputGradient(step);
    initialGradients(step);
}

storage::EmittedValue RecurrentLayer::emit(const EmitContext& context) const
{
    return emitRecurrent(context, m_options);
}

std::unique_ptr<Layer> makeSimpleRnnLayer(const spec::Layer& message)
{
    return std::make_unique<RecurrentLayer>(recurrentOptionsOf(message.simple_rnn()));
}

std::unique_ptr<Layer> makeLstmLayer(const spec::Layer& message)
{
    return std::make_unique<RecurrentLayer>(recurrentOptionsOf(message.lstm()));
}

std::unique_ptr<Layer> makeGruLayer(const spec::Layer& message)
{
    return std::make_unique<RecurrentLayer>(recurrentOptionsOf(message.gru()));
}

} // namespace cannery::layers
