// SPDX-License-Identifier: Apache-2.0
#include "core/layers/recurrent_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/sequence_emission.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>
#include <numeric>

namespace cannery::layers {

namespace {

std::string_view nameOf(kernels::RecurrentCell cell)
{
    constexpr std::string_view kNames[] = {"simple_rnn", "lstm", "gru"};
    return kNames[static_cast<std::size_t>(cell)];
}

} // namespace

Result<LayerSignature> RecurrentLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(nameOf(m_cell), inputs, 1));
    const graph::Value& input = *inputs[0];
    if (input.kind != graph::ValueKind::Sequence) {
        return fail(ErrorCode::InvalidArgument, kInputKind, nameOf(m_cell), graph::name(input.kind),
                    input.name, "a sequence");
    }
    const std::int64_t width = kernels::gateCount(m_cell) * m_units;
    LayerSignature signature;
    signature.output.width = m_units;
    if (m_returnSequences) {
        signature.output.kind = graph::ValueKind::Sequence;
    }
    signature.variables = {
        {.suffix = "kernel", .shape = {input.width, width}, .initializer = graph::glorotUniform()},
        {.suffix = "recurrent_kernel",
         .shape = {m_units, width},
         .initializer = graph::zeros(),
         .pattern = graph::InitialPattern::Orthogonal},
        {.suffix = "bias",
         // Keras's GRU with reset_after has a second row, the bias of the recurrent product.
         .shape = isGru() ? Shape{2, width} : Shape{width},
         .initializer = graph::zeros(),
         // unit_forget_bias of Keras: the forget gate begins with a bias of 1.
         .pattern =
             isLstm() ? graph::InitialPattern::ForgetGateOpen : graph::InitialPattern::None}};
    return signature;
}

void RecurrentLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const std::int64_t inputs = buffers.inputs[0]->width;
    const std::int64_t width = kernels::gateCount(m_cell) * m_units;
    m_inputProduct = kernels::Matmul({.rows = buffers.maxRows, .depth = inputs, .cols = width});
    m_recurrentProduct =
        kernels::Matmul({.rows = buffers.maxRows, .depth = m_units, .cols = width});
    m_steps = &kernels::recurrentKernels({.rows = buffers.maxRows, .units = m_units});
    m_biasGrad = &kernels::biasGradKernels({.rows = buffers.maxRows, .cols = width});
    m_segments.assign(kVariables, 0);
    for (std::size_t variable = 0; variable < kVariables; ++variable) {
        if (auto* gradient = buffers.variables[variable].gradient; gradient != nullptr) {
            m_segments[variable] = gradient->size();
            gradient->push_back({.rowCount = buffers.variables[variable].values.rows});
        }
    }
    // What a cell has not got has width 0 and takes no memory: only an LSTM has states, only a GRU
    // a recurrent product apart from the gates.
    m_input.width = inputs;
    m_inputGrad.width = inputs;
    m_gates.width = width;
    m_recurrent.width = isGru() ? width : 0;
    m_states.width = isLstm() ? m_units : 0;
    m_carriedState.width = m_states.width;
    m_product.width = isGru() ? m_units : 0;
    for (StepMatrix* matrix : {&m_outputs, &m_previous, &m_carried}) {
        matrix->width = m_units;
    }
    // These hold one time, so at most all rows of a batch; the others grow with the steps
    // (makeRoom()).
    for (StepMatrix* matrix : {&m_carried, &m_product, &m_carriedState}) {
        matrix->resize(buffers.maxRows);
    }
    m_order.reserve(static_cast<std::size_t>(buffers.maxRows));
}

GradientSegment* RecurrentLayer::segment(std::size_t variable) const
{
    auto* gradient = m_buffers.variables[variable].gradient;
    return gradient == nullptr ? nullptr : &(*gradient)[m_segments[variable]];
}

std::span<const float> RecurrentLayer::biasRow(std::int64_t row) const
{
    return std::as_const(m_buffers.variables[kBias].values).row(row);
}

/// Rows of equal length keep their order, so that the sums of a batch always have the same one.
void RecurrentLayer::sortSteps(std::int64_t rows)
{
    const std::span<const std::int64_t> offsets = m_buffers.inputs[0]->stepOffsets;
    const auto lengthOf = [&](std::int64_t row) {
        return offsets[static_cast<std::size_t>(row) + 1] - offsets[static_cast<std::size_t>(row)];
    };
    m_order.resize(static_cast<std::size_t>(rows));
    std::iota(m_order.begin(), m_order.end(), 0);
    // std::stable_sort would allocate, which a step must not do.
    std::sort(m_order.begin(), m_order.end(), [&](std::int64_t left, std::int64_t right) {
        const std::int64_t more = lengthOf(left) - lengthOf(right);
        return more != 0 ? more > 0 : left < right;
    });
    m_starts.assign(1, 0);
    m_places.clear();
    // Rows are sorted by length, so the rows that have a step at a time are the first ones.
    std::size_t active = m_order.size();
    for (std::int64_t time = 0;; ++time) {
        while (active > 0 && lengthOf(m_order[active - 1]) <= time) {
            --active;
        }
        if (active == 0) {
            return;
        }
        for (std::size_t rank = 0; rank < active; ++rank) {
            m_places.push_back(offsets[static_cast<std::size_t>(m_order[rank])] + time);
        }
        m_starts.push_back(static_cast<std::int64_t>(m_places.size()));
    }
}

void RecurrentLayer::makeRoom()
{
    for (StepMatrix* matrix :
         {&m_input, &m_gates, &m_recurrent, &m_outputs, &m_previous, &m_states}) {
        matrix->resize(stepTotal());
    }
}

void RecurrentLayer::gatherInput(const StepContext& step)
{
    const kernels::ConstMatrixView source = m_buffers.inputs[0]->values(stepTotal());
    const kernels::MatrixView target = m_input.rows(0, stepTotal());
    kernels::forEachRowBlock(
        step.pool, target.rows, target.cols, [&](kernels::BlockRange rows, int) {
            for (std::int64_t at = rows.first; at < rows.first + rows.count; ++at) {
                const auto from = source.row(m_places[static_cast<std::size_t>(at)]);
                std::copy(from.begin(), from.end(), target.at(at));
            }
        });
}

kernels::RecurrentStep RecurrentLayer::stepAt(std::size_t time)
{
    const std::int64_t first = m_starts[time];
    const std::int64_t rows = rowsAt(time);
    const kernels::MatrixView previous = m_previous.rows(first, rows);
    return {.gates = m_gates.rows(first, rows),
            .recurrent = m_recurrent.rows(first, rows),
            .previousOutput = previous,
            // At the first time, the previous outputs are zeros, and so are the states of an LSTM.
            .previousState = time == 0 ? previous : m_states.rows(m_starts[time - 1], rows),
            .output = m_outputs.rows(first, rows),
            .state = m_states.rows(first, rows)};
}

void RecurrentLayer::forward(const StepContext& step)
{
    sortSteps(step.rows);
    makeRoom();
    gatherInput(step);
    // The inputs of all times in one product; only the recurrent one has to wait for the time
    // before.
    m_inputProduct.forward(step.pool, m_input.rows(0, stepTotal()),
                           m_buffers.variables[kKernel].values, {.bias = biasRow(0)},
                           m_gates.rows(0, stepTotal()));
    const kernels::VectorKernels& vectors = kernels::vectorKernels();
    const kernels::ConstMatrixView recurrentKernel = m_buffers.variables[kRecurrentKernel].values;
    for (std::size_t time = 0; time + 1 < m_starts.size(); ++time) {
        const std::int64_t rows = rowsAt(time);
        const kernels::MatrixView previous = m_previous.rows(m_starts[time], rows);
        if (time == 0) {
            vectors.fill(step.pool, previous.flat(), 0.0F);
        } else {
            vectors.copy(step.pool, m_outputs.rows(m_starts[time - 1], rows), previous);
        }
        const kernels::RecurrentStep now = stepAt(time);
        // A GRU's reset gate multiplies this product, so it stays apart. It is computed at time 0,
        // too, as its bias counts even where the output before is zero.
        if (isGru()) {
            m_recurrentProduct.forward(step.pool, previous, recurrentKernel, {.bias = biasRow(1)},
                                       now.recurrent);
            // Zeros times the kernel add nothing, and there is no second bias.
        } else if (time > 0) {
            m_recurrentProduct.forward(step.pool, previous, recurrentKernel, {.accumulate = true},
                                       now.gates);
        }
        m_steps->forward(step.pool, m_cell, now);
    }
    writeOutput(step);
}

void RecurrentLayer::writeOutput(const StepContext& step)
{
    ValueBuffer& output = *m_buffers.output;
    if (m_returnSequences) {
        m_memory.bind(m_buffers.inputs[0]->stepOffsets, output);
        const kernels::MatrixView all = output.output(stepTotal());
        // Back from the order by time to the order of the input.
        for (std::int64_t at = 0; at < stepTotal(); ++at) {
            const auto from = m_outputs.rows(at, 1).row(0);
            std::copy(from.begin(), from.end(), all.at(m_places[static_cast<std::size_t>(at)]));
        }
        return;
    }
    const kernels::MatrixView last = output.output(step.rows);
    const std::size_t times = m_starts.size() - 1;
    std::size_t rank = m_order.size();
    // The shortest rows end first.
    for (std::size_t time = 0; time <= times; ++time) {
        const auto goOn = static_cast<std::size_t>(time < times ? rowsAt(time) : 0);
        while (rank > goOn) {
            --rank;
            float* target = last.at(m_order[rank]);
            // A row without a step has an output of zeros.
            if (time == 0) {
                std::fill(target, target + m_units, 0.0F);
            } else {
                const auto from =
                    m_outputs.rows(m_starts[time - 1] + static_cast<std::int64_t>(rank), 1).row(0);
                std::copy(from.begin(), from.end(), target);
            }
        }
    }
}

/// Adds the gradient of the outputs at this time to m_carried; rows that end here begin with it.
void RecurrentLayer::takeOutputGradient(const StepContext& step, std::size_t time)
{
    const std::size_t times = m_starts.size() - 1;
    const std::int64_t rows = rowsAt(time);
    const std::int64_t goOn = time + 1 < times ? rowsAt(time + 1) : 0;
    const ValueBuffer& output = *m_buffers.output;
    const kernels::ConstMatrixView grads =
        output.gradient(m_returnSequences ? stepTotal() : step.rows);
    for (std::int64_t rank = m_returnSequences ? 0 : goOn; rank < rows; ++rank) {
        const auto from =
            grads.row(m_returnSequences ? m_places[static_cast<std::size_t>(m_starts[time] + rank)]
                                        : m_order[static_cast<std::size_t>(rank)]);
        float* carried = m_carried.rows(rank, 1).data;
        for (std::size_t unit = 0; unit < from.size(); ++unit) {
            carried[unit] = rank < goOn ? carried[unit] + from[unit] : from[unit];
        }
    }
    // No gradient reaches the state after a row's last step.
    const kernels::MatrixView newStates = m_carriedState.rows(goOn, rows - goOn);
    kernels::vectorKernels().fill(step.pool, newStates.flat(), 0.0F);
}

void RecurrentLayer::goBack(const StepContext& step, std::size_t time)
{
    const std::int64_t rows = rowsAt(time);
    takeOutputGradient(step, time);
    const kernels::RecurrentStep now = stepAt(time);
    const kernels::MatrixView carried = m_carried.rows(0, rows);
    // Gates and recurrent products are overwritten by their gradients, so memory is needed once.
    m_steps->backward(step.pool, m_cell, now, {carried, m_carriedState.rows(0, rows)});
    // Before the first step are constant zeros, which take no gradient.
    if (time == 0) {
        return;
    }
    const kernels::ConstMatrixView recurrentKernel = m_buffers.variables[kRecurrentKernel].values;
    if (isGru()) {
        const kernels::MatrixView product = m_product.rows(0, rows);
        m_recurrentProduct.srcGradient(step.pool, now.recurrent, recurrentKernel, product);
        kernels::vectorKernels().add(step.pool, product, carried);
    } else {
        m_recurrentProduct.srcGradient(step.pool, now.gates, recurrentKernel, carried);
    }
}

void RecurrentLayer::parameterGradients(const StepContext& step)
{
    const kernels::MatrixView gates = m_gates.rows(0, stepTotal());
    const kernels::MatrixView recurrent = isGru() ? m_recurrent.rows(0, stepTotal()) : gates;
    if (GradientSegment* kernel = segment(kKernel)) {
        m_inputProduct.weightsGradient(step.pool, m_input.rows(0, stepTotal()), gates,
                                       kernel->dense);
    }
    if (GradientSegment* kernel = segment(kRecurrentKernel)) {
        m_recurrentProduct.weightsGradient(step.pool, m_previous.rows(0, stepTotal()), recurrent,
                                           kernel->dense);
    }
    if (GradientSegment* bias = segment(kBias)) {
        // Row 0 of a GRU's bias is added to the products of the input, row 1 to the recurrent ones.
        m_biasGrad->run(step.pool, gates, bias->dense.row(0));
        if (isGru()) {
            m_biasGrad->run(step.pool, recurrent, bias->dense.row(1));
        }
    }
}

void RecurrentLayer::inputGradient(const StepContext& step)
{
    const ValueBuffer& input = *m_buffers.inputs[0];
    if (input.grad == nullptr) {
        return;
    }
    m_inputGrad.resize(stepTotal());
    const kernels::MatrixView source = m_inputGrad.rows(0, stepTotal());
    m_inputProduct.srcGradient(step.pool, m_gates.rows(0, stepTotal()),
                               m_buffers.variables[kKernel].values, source);
    const kernels::MatrixView target = input.gradient(stepTotal());
    kernels::forEachRowBlock(
        step.pool, source.rows, source.cols, [&](kernels::BlockRange rows, int) {
            for (std::int64_t at = rows.first; at < rows.first + rows.count; ++at) {
                const auto from = source.row(at);
                std::copy(from.begin(), from.end(),
                          target.at(m_places[static_cast<std::size_t>(at)]));
            }
        });
}

void RecurrentLayer::backward(const StepContext& step)
{
    // When all times are done, m_gates holds the gradients of every step: then the kernel's
    // gradient is one product over all of them.
    for (std::size_t time = m_starts.size() - 1; time-- > 0;) {
        goBack(step, time);
    }
    parameterGradients(step);
    inputGradient(step);
}

storage::EmittedValue RecurrentLayer::emit(const EmitContext& context) const
{
    return emitRecurrent(context, {m_cell, m_units, m_returnSequences});
}

std::unique_ptr<Layer> makeSimpleRnnLayer(const spec::Layer& message)
{
    return std::make_unique<RecurrentLayer>(kernels::RecurrentCell::Simple,
                                            message.simple_rnn().units(),
                                            message.simple_rnn().return_sequences());
}

std::unique_ptr<Layer> makeLstmLayer(const spec::Layer& message)
{
    return std::make_unique<RecurrentLayer>(kernels::RecurrentCell::Lstm, message.lstm().units(),
                                            message.lstm().return_sequences());
}

std::unique_ptr<Layer> makeGruLayer(const spec::Layer& message)
{
    return std::make_unique<RecurrentLayer>(kernels::RecurrentCell::Gru, message.gru().units(),
                                            message.gru().return_sequences());
}

} // namespace cannery::layers
