// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/linear_model_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/placement.h"
#include "core/layers/spec_options.h"
#include "core/spec/tensorflow_names.h"
#include "kernels/device/plain_ids.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>

namespace cannery::layers {

namespace {

/// Cost of an id, in elements of a dense column: its weight is in a nearby cache, or in a table
/// that no cache near the core can hold.
constexpr std::int64_t kCostOfId = 8;
constexpr std::int64_t kCostOfFarId = 64;
constexpr std::int64_t kWeightsAtHand = 64 * 1024;

/// How many ids are looked up between asking for a far weight and reading it: enough for the time
/// that memory takes, and the lines of as many fit the nearest cache.
constexpr std::int64_t kIdsAhead = 128;

/// The same in columns of some rows.
std::size_t columnsAhead(std::int64_t rows)
{
    return static_cast<std::size_t>((kIdsAhead + rows - 1) / rows);
}

} // namespace

LinearModelLayer::LinearModelLayer(const spec::LinearModelLayer& message)
    : m_units(message.units()), m_combiner(combinerOf(message.sparse_combiner()))
{}

kernels::SparseCombineOptions LinearModelLayer::optionsFor(graph::ValueKind kind) const
{
    const bool indicator = kind == graph::ValueKind::Indicator;
    // An indicator counts its ids, whatever the combiner of the linear model says.
    return {.combiner = indicator ? kernels::Combiner::Sum : m_combiner};
}

Result<LayerSignature>
LinearModelLayer::signature(std::span<const graph::Value* const> inputs) const
{
    if (inputs.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoColumns, "linear model");
    }
    LayerSignature signature;
    signature.output.width = m_units;
    for (const graph::Value* input : inputs) {
        if (input->kind == graph::ValueKind::Columns) {
            return fail(ErrorCode::InvalidArgument, kInputKind, "linear_model",
                        graph::name(input->kind), input->name, "single columns");
        }
        // TensorFlow updates weights of ids sparsely, those of indicators densely.
        const bool ids = input->kind == graph::ValueKind::Ids;
        signature.variables.push_back(
            {.suffix = spec::scopeSafe(input->name) + "/weights",
             .shape = {input->width, m_units},
             .initializer = graph::zeros(),
             .gradient = ids ? graph::GradientKind::Sparse : graph::GradientKind::Dense});
    }
    signature.variables.push_back(
        {.suffix = "bias_weights", .shape = {m_units}, .initializer = graph::zeros()});
    return signature;
}

void LinearModelLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_columns.clear();
    m_columns.resize(buffers.inputs.size());
    m_rowCost = 0;
    for (std::size_t index = 0; index < m_columns.size(); ++index) {
        prepareColumn(index);
    }
    m_addBias = &kernels::activationKernels({.rows = buffers.maxRows, .cols = m_units});
    m_biasGrad = &kernels::biasGradKernels({.rows = buffers.maxRows, .cols = m_units});
    if (auto* gradient = buffers.variables.back().gradient; gradient != nullptr) {
        m_biasSegment = gradient->size();
        gradient->push_back({.rowCount = 1});
    }
}

void LinearModelLayer::prepareColumn(std::size_t index)
{
    Column& column = m_columns[index];
    column.source = m_buffers.inputs[index];
    column.weights = m_buffers.variables[index];
    const graph::ValueKind kind = column.source->kind;
    const std::int64_t width = column.weights.values.rows;
    const bool isDense = kind == graph::ValueKind::Dense;
    // One number times one weight: not worth a product's packing.
    column.isScalar = isDense && width == 1 && m_units == 1;
    // A table that fits the cache needs no prefetching.
    column.isFar = !isDense && width * m_units > kWeightsAtHand;
    if (!isDense) {
        column.lookup.prepare(optionsFor(kind), width, m_units);
    } else if (!column.isScalar) {
        column.matmul =
            kernels::Matmul({.rows = m_buffers.maxRows, .depth = width, .cols = m_units});
    }
    m_rowCost += m_units * (isDense ? width : column.isFar ? kCostOfFarId : kCostOfId);
    if (column.weights.gradient != nullptr) {
        column.segment = column.weights.gradient->size();
        GradientSegment& segment = column.weights.gradient->emplace_back();
        segment.rowCount = width;
        segment.sparse = kind == graph::ValueKind::Ids ||
                         (kind == graph::ValueKind::Indicator && column.weights.untouchedRowsStay);
        if (segment.sparse) {
            // One more row, see Lookup::touchRowZero().
            segment.rows.reserve(m_buffers.maxRows + 1, m_units);
        }
    }
}

/// Asks for the first weights that these rows of a column read.
void LinearModelLayer::fetch(std::size_t index, kernels::BlockRange rows) const
{
    if (index < m_columns.size() && m_columns[index].isFar) {
        const Column& column = m_columns[index];
        rows.count = std::min(rows.count, kIdsAhead);
        Lookup::fetch(rowsOf(column.source->ids, rows), column.weights.values);
    }
}

/// dst += column * weights, for some rows.
void LinearModelLayer::addColumn(const StepContext& step, const Column& column,
                                 kernels::BlockRange rows, kernels::MatrixView dst) const
{
    if (column.isScalar) {
        const std::span<const float> values(column.source->data + rows.first,
                                            static_cast<std::size_t>(rows.count));
        kernels::vectorKernels().axpy(step.pool, *column.weights.values.data, values, dst.flat());
    } else if (column.matmul.isPlanned()) {
        // The scalar path, products and lookups all add to the sums that are there.
        column.matmul.forward(step.pool,
                              column.source->values(step.rows).slice(rows.first, rows.count),
                              column.weights.values, {.accumulate = true}, dst);
    } else {
        column.lookup.forward(step, rowsOf(column.source->ids, rows), column.weights.values, true,
                              dst);
    }
}

bool LinearModelLayer::isWorthThreads(const StepContext& step) const
{
    return m_columns.size() > 1 && step.rows * m_rowCost >= 4 * kernels::kBlockElements;
}

/// Whether each column of a large batch is a number per row from a table: then threads take
/// columns, and each has those of the backward pass and of the optimizer, whose lines of the tables
/// its cache has.
bool LinearModelLayer::isLookedUpByColumns(const StepContext& step) const
{
    return m_units == 1 && step.pool.threadCount() > 1 && isWorthThreads(step) &&
           std::ranges::all_of(m_columns, [](const Column& column) {
               return column.source->kind != graph::ValueKind::Dense &&
                      kernels::hasPlainIds(column.source->ids);
           });
}

void LinearModelLayer::lookUpByColumns(const StepContext& step, kernels::MatrixView dst)
{
    const auto count = static_cast<std::int64_t>(m_columns.size());
    // Grows once: later steps allocate nothing.
    m_found.resize(std::max(m_found.size(), static_cast<std::size_t>(count * m_buffers.maxRows)));
    const auto numbers = [&](std::int64_t index) {
        return kernels::MatrixView{m_found.data() + index * step.rows, step.rows, 1, 1};
    };
    m_blocks.parallelFor(step.pool, count, [&](std::int64_t index, int worker) {
        // A column further on is fetched while this one is summed.
        fetch(static_cast<std::size_t>(index) + columnsAhead(step.rows), {0, step.rows});
        const Column& column = m_columns[static_cast<std::size_t>(index)];
        column.lookup.forward(step.on(worker), column.source->ids, column.weights.values, false,
                              numbers(index));
    });
    // Added in the order of the columns, as the path by rows does: the same bits.
    std::ranges::fill(dst.flat(), 0.0F);
    for (std::int64_t index = 0; index < count; ++index) {
        kernels::vectorKernels().axpy(step.pool, 1.0F, numbers(index).flat(), dst.flat());
    }
    m_addBias->forward(step.pool, kernels::Activation::Linear, dst,
                       m_buffers.variables.back().values.flat(), dst);
}

/// All columns of a block of rows, one after the other, while its sums are in the cache.
void LinearModelLayer::forward(const StepContext& step)
{
    const kernels::MatrixView dst = m_buffers.output->output(step.rows);
    if (isLookedUpByColumns(step)) {
        lookUpByColumns(step, dst);
        return;
    }
    kernels::forEachRowBlock(
        step.pool, step.rows, m_rowCost / 4, [&](kernels::BlockRange rows, int worker) {
            // Inside a block everything runs on one thread.
            const StepContext alone = step.on(worker);
            const kernels::MatrixView sums = dst.slice(rows.first, rows.count);
            std::ranges::fill(sums.flat(), 0.0F);
            const std::size_t ahead = std::min(columnsAhead(rows.count), m_columns.size());
            for (std::size_t index = 0; index < ahead; ++index) {
                fetch(index, rows);
            }
            for (std::size_t index = 0; index < m_columns.size(); ++index) {
                fetch(index + ahead, rows);
                addColumn(alone, m_columns[index], rows, sums);
            }
            m_addBias->forward(alone.pool, kernels::Activation::Linear, sums,
                               m_buffers.variables.back().values.flat(), sums);
        });
}

void LinearModelLayer::weightsGradient(const StepContext& step, const Column& column,
                                       kernels::ConstMatrixView grad) const
{
    GradientSegment& segment = (*column.weights.gradient)[column.segment];
    if (column.isScalar) {
        const kernels::ConstMatrixView values = column.source->values(step.rows);
        *segment.dense.data = static_cast<float>(
            kernels::vectorKernels().weightedSum(step.pool, values.flat(), grad.flat()));
    } else if (column.matmul.isPlanned()) {
        column.matmul.weightsGradient(step.pool, column.source->values(step.rows), grad,
                                      segment.dense);
    } else if (segment.sparse) {
        column.lookup.sparseGradient(step, *column.source, column.weights.values, grad,
                                     column.source->kind == graph::ValueKind::Ids, segment.rows);
    } else {
        column.lookup.denseGradient(step, column.source->ids, column.weights.values, grad,
                                    segment.dense);
    }
}

void LinearModelLayer::columnGradients(const StepContext& step, const Column& column,
                                       kernels::ConstMatrixView grad) const
{
    if (column.weights.gradient != nullptr) {
        weightsGradient(step, column, grad);
    }
    if (column.source->grad == nullptr) {
        return;
    }
    const kernels::MatrixView srcGrad = column.source->gradient(step.rows);
    if (column.isScalar) {
        // srcGrad = weight * grad.
        kernels::vectorKernels().fill(step.pool, srcGrad.flat(), 0.0F);
        kernels::vectorKernels().axpy(step.pool, *column.weights.values.data, grad.flat(),
                                      srcGrad.flat());
    } else if (column.matmul.isPlanned()) {
        column.matmul.srcGradient(step.pool, grad, column.weights.values, srcGrad);
    }
}

/// For a large batch, every column on a separate thread.
void LinearModelLayer::backward(const StepContext& step)
{
    const kernels::MatrixView grad = m_buffers.output->gradient(step.rows);
    const auto gradients = [&](std::int64_t index, int worker) {
        columnGradients(step.on(worker), m_columns[static_cast<std::size_t>(index)], grad);
    };
    if (isWorthThreads(step)) {
        m_blocks.parallelFor(step.pool, static_cast<std::int64_t>(m_columns.size()), gradients);
    } else {
        for (const Column& column : m_columns) {
            columnGradients(step, column, grad);
        }
    }
    if (auto* gradient = m_buffers.variables.back().gradient; gradient != nullptr) {
        m_biasGrad->run(step.pool, grad, (*gradient)[m_biasSegment].dense.flat());
    }
}

Result<void> LinearModelLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView output = m_buffers.output->output(placement.rows);
    const kernels::MatrixView dst = program.at(output);
    for (const Column& column : m_columns) {
        const bool accumulate = &column != &m_columns.front();
        if (column.source->kind == graph::ValueKind::Dense) {
            program.add(kernels::Product{.a = program.at(column.source->values(placement.rows)),
                                         .b = program.at(column.weights.values),
                                         .accumulate = accumulate,
                                         .precision = placement.precision,
                                         .dst = dst},
                        placement.label);
        } else {
            column.lookup.placeForward(placement, column.source->placedIds, column.weights.values,
                                       accumulate, dst);
        }
    }
    program.add(kernels::Activate{.src = dst,
                                  .bias = program.at(m_buffers.variables.back().values.data),
                                  .dst = dst},
                placement.label);
    return {};
}

void LinearModelLayer::placeWeightsGradient(const Placement& placement, const Column& column) const
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView grad = m_buffers.output->gradient(placement.rows);
    GradientSegment& segment = (*column.weights.gradient)[column.segment];
    if (column.source->kind == graph::ValueKind::Dense) {
        program.add(kernels::Product{.kind = kernels::ProductKind::WeightsGradient,
                                     .a = program.at(column.source->values(placement.rows)),
                                     .b = program.at(grad),
                                     .precision = placement.precision,
                                     .dst = program.at(segment.dense)},
                    placement.label);
    } else {
        column.lookup.placeGradient(placement, column.source->placedIds, column.weights.values,
                                    program.at(grad), column.source->kind == graph::ValueKind::Ids,
                                    segment);
    }
}

Result<void> LinearModelLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    for (const Column& column : m_columns) {
        if (column.weights.gradient != nullptr) {
            placeWeightsGradient(placement, column);
        }
        if (column.source->grad != nullptr) {
            program.add(
                kernels::Product{.kind = kernels::ProductKind::SrcGradient,
                                 .a = program.at(m_buffers.output->gradient(placement.rows)),
                                 .b = program.at(column.weights.values),
                                 .precision = placement.precision,
                                 .dst = program.at(column.source->gradient(placement.rows))},
                placement.label);
        }
    }
    if (auto* gradient = m_buffers.variables.back().gradient; gradient != nullptr) {
        placeBiasGradient(placement, *m_buffers.output, (*gradient)[m_biasSegment]);
    }
    return {};
}

storage::EmittedValue LinearModelLayer::emit(const EmitContext& context) const
{
    storage::GraphDefBuilder& graph = context.graph;
    std::vector<storage::NodeRef> sums;
    for (std::size_t index = 0; index < context.inputs.size(); ++index) {
        const graph::Value& value = context.layers.value(context.node.inputs[index]);
        const storage::EmittedValue& input = context.inputs[index];
        const storage::GraphVariable& weights = *context.variables[index];
        auto scope = graph.enterScope(spec::scopeSafe(value.name));
        if (value.kind == graph::ValueKind::Dense) {
            sums.push_back(graph.add("MatMul", "weighted_sum", {nodeRef(input.dense), weights.read},
                                     {{"T", DType::Float32}}));
        } else {
            sums.push_back(emitLookup(context, input, weights, optionsFor(value.kind)));
        }
    }
    const auto count = static_cast<std::int64_t>(sums.size());
    const storage::NodeRef sum = count == 1 ? sums.front()
                                            : graph.add("AddN", "weighted_sum_no_bias", sums,
                                                        {{"N", count}, {"T", DType::Float32}});
    return {.dense = graph
                         .add("BiasAdd", "weighted_sum", {sum, context.variables.back()->read},
                              {{"T", DType::Float32}})
                         .input()};
}

std::unique_ptr<Layer> makeLinearModelLayer(const spec::Layer& message)
{
    return std::make_unique<LinearModelLayer>(message.linear_model());
}

} // namespace cannery::layers
