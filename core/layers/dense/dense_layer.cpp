// SPDX-License-Identifier: Apache-2.0
#include "core/layers/dense/dense_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/activations/activation_emission.h"
#include "core/layers/layer_errors.h"
#include "core/layers/recurrence/sequence_emission.h"
#include "core/layers/spec_options.h"
#include "kernels/device/row_blocks.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

/// Dense runs up to this width are summed along with the indicators: a separate product would spend
/// its time reading and writing sums.
constexpr std::int64_t kShallow = 32;
/// An input of more columns than this does not pass in parts, each of which needs a list of them.
constexpr std::size_t kMostColumnsByRows = 256;

} // namespace

DenseLayer::DenseLayer(const spec::DenseLayer& message)
    : m_units(message.units()), m_activation(activationOf(message.activation())),
      m_keepsInput(kernels::needsInput(m_activation)), m_usesBias(message.use_bias())
{}

Result<LayerSignature> DenseLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("dense", inputs, 1));
    const graph::Value& input = *inputs[0];
    const bool isSequence = input.kind == graph::ValueKind::Sequence;
    if (input.kind != graph::ValueKind::Columns && !isSequence) {
        CANNERY_TRY(expectDense("dense", input));
    }
    LayerSignature signature;
    signature.output.width = m_units;
    std::int64_t depth = input.width;
    if (isSequence) {
        signature.output.kind = graph::ValueKind::Sequence;
    } else if (input.shape.size() > 1) {
        signature.output.shape = input.shape;
        signature.output.shape.back() = m_units;
        depth = input.shape.back();
        signature.output.width = input.width / depth * m_units;
    }
    signature.variables = {
        {.suffix = "kernel", .shape = {depth, m_units}, .initializer = graph::glorotUniform()}};
    if (m_usesBias) {
        signature.variables.push_back(
            {.suffix = "bias", .shape = {m_units}, .initializer = graph::zeros()});
    }
    return signature;
}

void DenseLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_perRow = 1;
    if (buffers.inputs[0]->kind == graph::ValueKind::Dense && buffers.output->shape.size() > 1) {
        readByLastAxis();
    }
    m_slices.clear();
    const ValueBuffer* input = m_buffers.inputs[0];
    if (input->kind == graph::ValueKind::Columns) {
        for (const ColumnRun& run : input->runs) {
            addSlice(run.firstColumn, run.source);
        }
    } else {
        addSlice(0, input);
    }
    // Lookups first, then narrow dense runs, then products: sumColumns() takes the first two in one
    // pass.
    const auto products =
        std::stable_partition(m_slices.begin(), m_slices.end(),
                              [](const Slice& slice) { return !slice.matmul.isPlanned(); });
    m_lookups = static_cast<std::size_t>(products - m_slices.begin());
    const auto deep = std::stable_partition(products, m_slices.end(), [this](const Slice& slice) {
        return m_lookups > 0 && slice.source->width <= kShallow;
    });
    m_deep = static_cast<std::size_t>(deep - m_slices.begin());
    m_parts.assign(runsByRows() ? kMostRowParts : 1, std::vector<kernels::ColumnsPart>(m_deep));
    m_columnsProduct =
        &kernels::columnsProductKernels({.rows = m_buffers.maxRows, .cols = m_units});
    m_activationKernels = &kernels::activationKernels(
        {.rows = m_buffers.maxRows, .cols = m_units, .activation = m_activation});
    m_biasGrad = &kernels::biasGradKernels({.rows = m_buffers.maxRows, .cols = m_units});
    // Some gradients read the input of the activation, which its output then must not overwrite.
    if (m_keepsInput) {
        m_sums.resize(static_cast<std::size_t>(m_buffers.maxRows * m_units));
    }
    if (auto* gradient = biasGradient(); gradient != nullptr) {
        m_biasSegment = gradient->size();
        gradient->push_back({.rowCount = 1});
    }
}

std::vector<GradientSegment>* DenseLayer::biasGradient() const
{
    return m_usesBias ? m_buffers.variables[1].gradient : nullptr;
}

/// Rows of several dimensions are so many vectors of the last one. Such values are outputs of other
/// layers, whose memory stays in place.
void DenseLayer::readByLastAxis()
{
    m_input = *m_buffers.inputs[0];
    m_output = *m_buffers.output;
    m_perRow = m_output.width / m_units;
    m_input.width /= m_perRow;
    m_output.width = m_units;
    m_buffers.inputs[0] = &m_input;
    m_buffers.output = &m_output;
    m_buffers.maxRows *= m_perRow;
}

void DenseLayer::addSlice(std::int64_t firstRow, const ValueBuffer* source)
{
    const VariableBuffer& kernel = m_buffers.variables[0];
    Slice& slice = m_slices.emplace_back();
    slice.source = source;
    slice.kernel = kernel.values.slice(firstRow, source->width);
    const bool indicator = source->kind == graph::ValueKind::Indicator;
    // An indicator is never expanded: its product with the kernel is a sum of the kernel's rows.
    if (indicator) {
        slice.lookup.prepare({.combiner = kernels::Combiner::Sum}, source->width, m_units);
    } else {
        slice.matmul =
            kernels::Matmul({.rows = m_buffers.maxRows, .depth = source->width, .cols = m_units});
    }
    if (kernel.gradient != nullptr) {
        slice.segment = kernel.gradient->size();
        GradientSegment& segment = kernel.gradient->emplace_back();
        segment.firstRow = firstRow;
        segment.rowCount = source->width;
        // A sparse gradient leaves rows alone that no id names, which only some optimizers may.
        segment.sparse = indicator && kernel.untouchedRowsStay;
        if (segment.sparse) {
            segment.rows.reserve(m_buffers.maxRows, m_units);
        }
    }
}

/// The steps of a sequence are its rows, and so are the vectors of a row of several dimensions.
StepContext DenseLayer::contextOf(const StepContext& step) const
{
    StepContext result = step;
    result.rows *= m_perRow;
    result.rowBegin *= m_perRow;
    const ValueBuffer& input = *m_buffers.inputs[0];
    if (input.kind == graph::ValueKind::Sequence) {
        result.rows = input.stepCount();
    }
    return result;
}

/// Indicators, and narrow runs summed along with them.
void DenseLayer::sumColumns(const StepContext& step, std::span<const float> bias,
                            kernels::Activation activation, kernels::MatrixView dst)
{
    std::vector<kernels::ColumnsPart>& parts = m_parts[step.part];
    for (std::size_t index = 0; index < parts.size(); ++index) {
        const Slice& slice = m_slices[index];
        kernels::ColumnsPart& part = parts[index];
        part.weights = slice.kernel;
        if (index < m_lookups) {
            part.ids = rowsOf(slice.source->ids, step.range());
        } else {
            part.values = slice.source->values(step.range());
        }
    }
    const bool relu = activation == kernels::Activation::Relu;
    // ReLU is fused into the sum; other functions take a second pass.
    m_columnsProduct->forward(step.pool, parts, bias, relu, dst);
    if (!relu && activation != kernels::Activation::Linear) {
        m_activationKernels->forward(step.pool, activation, dst, {}, dst);
    }
}

void DenseLayer::multiply(const StepContext& step, kernels::MatrixView dst)
{
    const std::span<const float> bias =
        m_usesBias ? m_buffers.variables[1].values.flat() : std::span<float>();
    const kernels::Activation fused = m_keepsInput ? kernels::Activation::Linear : m_activation;
    if (m_deep == m_slices.size()) {
        sumColumns(step, bias, fused, dst);
    } else if (m_deep > 0) {
        sumColumns(step, {}, kernels::Activation::Linear, dst);
    }
    for (std::size_t index = m_deep; index < m_slices.size(); ++index) {
        const Slice& slice = m_slices[index];
        const bool accumulate = index > 0;
        if (index + 1 == m_slices.size()) {
            slice.matmul.forward(step.pool, slice.source->values(step.range()), slice.kernel,
                                 {.bias = bias, .activation = fused, .accumulate = accumulate},
                                 dst);
        } else {
            slice.matmul.forward(step.pool, slice.source->values(step.range()), slice.kernel,
                                 {.accumulate = accumulate}, dst);
        }
    }
}

void DenseLayer::forward(const StepContext& ofRows)
{
    const StepContext step = contextOf(ofRows);
    if (m_buffers.output->kind == graph::ValueKind::Sequence) {
        m_memory.bind(m_buffers.inputs[0]->stepOffsets, *m_buffers.output);
    }
    const kernels::MatrixView output = m_buffers.output->output(step.range());
    if (!m_keepsInput) {
        multiply(step, output);
        return;
    }
    const auto end = static_cast<std::size_t>((step.rowBegin + step.rows) * m_units);
    if (end > m_sums.size()) { // sequences may have more steps than planned
        m_sums.resize(end);
    }
    const kernels::MatrixView sums =
        kernels::matrixView(std::span<float>(m_sums), step.rowBegin + step.rows, m_units)
            .slice(step.rowBegin, step.rows);
    multiply(step, sums);
    m_activationKernels->forward(step.pool, m_activation, sums, {}, output);
}

void DenseLayer::weightsGradient(const StepContext& step, const Slice& slice,
                                 kernels::ConstMatrixView grad) const
{
    auto* gradient = m_buffers.variables[0].gradient;
    if (gradient == nullptr) {
        return;
    }
    GradientSegment& segment = (*gradient)[slice.segment];
    if (slice.matmul.isPlanned()) {
        slice.matmul.weightsGradient(step.pool, slice.source->values(step.rows), grad,
                                     segment.dense);
    } else if (segment.sparse) {
        slice.lookup.sparseGradient(step, *slice.source, slice.kernel, grad, false, segment.rows);
    } else {
        slice.lookup.denseGradient(step, slice.source->ids, slice.kernel, grad, segment.dense);
    }
}

void DenseLayer::inputGradient(const StepContext& step, const Slice& slice,
                               kernels::ConstMatrixView grad) const
{
    if (slice.source->grad != nullptr) {
        slice.matmul.srcGradient(step.pool, grad, slice.kernel,
                                 slice.source->gradient(step.range()));
    }
}

/// For a large batch, every indicator on a separate thread.
void DenseLayer::lookupGradients(const StepContext& step, kernels::ConstMatrixView grad) const
{
    const auto count = static_cast<std::int64_t>(m_lookups);
    // Below that, waking the threads costs more than they save.
    const bool cut = count > 1 && count * step.rows * m_units >= 4 * kernels::kBlockElements;
    if (!cut) {
        for (std::size_t index = 0; index < m_lookups; ++index) {
            weightsGradient(step, m_slices[index], grad);
        }
        return;
    }
    // Each worker takes whole slices: a weight's gradient is never summed across threads.
    const auto gradients = [&](std::int64_t index, int worker) {
        weightsGradient(step.on(worker), m_slices[static_cast<std::size_t>(index)], grad);
    };
    step.pool.parallelFor(count, gradients);
}

void DenseLayer::activationGradient(const StepContext& step, kernels::MatrixView grad)
{
    if (m_activation == kernels::Activation::Linear) {
        return;
    }
    const std::span<const float> sums(m_sums);
    m_activationKernels->backward(
        step.pool, m_activation,
        {.src = m_keepsInput ? kernels::matrixView(sums, step.rowBegin + step.rows, m_units)
                                   .slice(step.rowBegin, step.rows)
                             : kernels::ConstMatrixView{},
         .dst = m_buffers.output->values(step.range()),
         .dstGrad = grad,
         .srcGrad = grad});
}

void DenseLayer::backward(const StepContext& ofRows)
{
    const StepContext step = contextOf(ofRows);
    const kernels::MatrixView grad = m_buffers.output->gradient(step.rows);
    activationGradient(step, grad);
    if (auto* gradient = biasGradient(); gradient != nullptr) {
        m_biasGrad->run(step.pool, grad, (*gradient)[m_biasSegment].dense.flat());
    }
    lookupGradients(step, grad);
    for (std::size_t index = m_lookups; index < m_slices.size(); ++index) {
        weightsGradient(step, m_slices[index], grad);
        inputGradient(step, m_slices[index], grad);
    }
}

bool DenseLayer::runsByRows() const
{
    return m_buffers.output->kind == graph::ValueKind::Dense &&
           m_slices.size() <= kMostColumnsByRows;
}

void DenseLayer::backwardRows(const StepContext& ofRows)
{
    const StepContext part = contextOf(ofRows);
    const kernels::MatrixView grad = m_buffers.output->gradient(part.range());
    activationGradient(part, grad);
    for (std::size_t index = m_lookups; index < m_slices.size(); ++index) {
        inputGradient(part, m_slices[index], grad);
    }
}

/// One for each slice, the last one for the bias.
std::vector<std::int64_t> DenseLayer::weightTasks() const
{
    std::vector<std::int64_t> costs;
    for (std::size_t index = 0; index < m_slices.size(); ++index) {
        costs.push_back(index < m_lookups ? m_units : m_slices[index].source->width * m_units);
    }
    costs.push_back(m_units);
    return costs;
}

void DenseLayer::backwardWeights(const StepContext& ofRows, std::size_t task)
{
    const StepContext step = contextOf(ofRows);
    const kernels::ConstMatrixView grad = m_buffers.output->gradient(step.rows);
    if (task < m_slices.size()) {
        weightsGradient(step, m_slices[task], grad);
    } else if (auto* gradient = biasGradient(); gradient != nullptr) {
        m_biasGrad->run(step.pool, grad, (*gradient)[m_biasSegment].dense.flat());
    }
}

std::string_view DenseLayer::implementation() const
{
    return m_deep == m_slices.size() ? std::string_view() : m_slices.back().matmul.implementation();
}

storage::EmittedValue DenseLayer::emit(const EmitContext& context) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const graph::Value& value = context.layers.value(context.node.inputs[0]);
    const bool isSequence = value.kind == graph::ValueKind::Sequence;
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    const auto reshaped = [&](const storage::NodeRef& rows, std::vector<std::int64_t> shape) {
        shape.insert(shape.begin(), -1);
        return storage::FloatNodes(graph).reshape(
            rows, std::vector<std::int32_t>(shape.begin(), shape.end()));
    };
    storage::NodeRef vectors = isSequence ? emitFlatSteps(graph, input, value.width) : input;
    if (value.shape.size() > 1) {
        vectors = reshaped(input, {value.shape.back()});
    }
    storage::NodeRef product = graph.add("MatMul", "MatMul", {vectors, context.variables[0]->read},
                                         {{"T", DType::Float32}});
    if (value.shape.size() > 1) {
        product = reshaped(product, context.layers.value(context.node.output).shape);
    }
    if (m_usesBias) {
        product = graph.add("BiasAdd", "BiasAdd", {product, context.variables[1]->read},
                            {{"T", DType::Float32}});
    }
    const storage::NodeRef result = emitActivation(graph, m_activation, product);
    if (!isSequence) {
        return {.dense = result.input()};
    }
    return {.dense = emitPaddedSteps(context, input, result, m_units).input(),
            .stepCounts = context.inputs[0].stepCounts};
}

std::unique_ptr<Layer> makeDenseLayer(const spec::Layer& message)
{
    return std::make_unique<DenseLayer>(message.dense());
}

} // namespace cannery::layers
