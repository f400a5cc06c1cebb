// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/input_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/placement.h"
#include "core/spec/tensorflow_names.h"
#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kBareCategorical{
    "layers.bare_categorical",
    "The categorical column '{}' cannot feed a dense layer by itself; wrap it in an "
    "indicator_column or an embedding_column."};

} // namespace

Result<LayerSignature> InputLayer::signature(std::span<const graph::Value* const> inputs) const
{
    if (inputs.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoColumns, "input layer");
    }
    LayerSignature signature;
    signature.output.kind = graph::ValueKind::Columns;
    for (const graph::Value* input : inputs) {
        // As TensorFlow's DenseFeatures does.
        if (input->kind == graph::ValueKind::Ids) {
            return fail(ErrorCode::InvalidArgument, kBareCategorical, input->name);
        }
        if (input->kind == graph::ValueKind::Columns) {
            return fail(ErrorCode::InvalidArgument, kInputKind, "input_layer",
                        graph::name(input->kind), input->name, "dense and indicator values");
        }
        signature.output.parts.push_back({signature.output.width, input->width, input->kind});
        signature.output.width += input->width;
    }
    return signature;
}

void InputLayer::prepare(const LayerBuffers& buffers)
{
    // Adjacent dense columns form one run; an indicator is a run by itself.
    std::vector<std::vector<const ValueBuffer*>> groups;
    for (const ValueBuffer* input : buffers.inputs) {
        const bool joins = !groups.empty() && input->kind == graph::ValueKind::Dense &&
                           groups.back().back()->kind == graph::ValueKind::Dense;
        if (!joins) {
            groups.emplace_back();
        }
        groups.back().push_back(input);
    }
    m_packs.clear();
    // Reserved, since runs hold pointers to packs.
    m_packs.reserve(groups.size()); // runs point into it
    buffers.output->runs.clear();
    std::int64_t column = 0;
    for (const auto& group : groups) {
        // A single column is read where it lies; only several are copied side by side.
        const ValueBuffer* source =
            group.size() == 1 ? group.front() : &makePack(group, buffers.maxRows);
        buffers.output->runs.push_back({column, source});
        column += source->width;
    }
}

const ValueBuffer& InputLayer::makePack(const std::vector<const ValueBuffer*>& columns,
                                        std::int64_t maxRows)
{
    Pack& pack = m_packs.emplace_back();
    pack.columns = columns;
    for (const ValueBuffer* column : columns) {
        pack.packed.width += column->width;
        pack.wantsGradient = pack.wantsGradient || column->grad != nullptr;
    }
    const auto size = static_cast<std::size_t>(pack.packed.width * maxRows);
    pack.values.resize(size);
    pack.packed.data = pack.values.data();
    pack.packed.writable = pack.values.data();
    if (pack.wantsGradient) {
        pack.grads.resize(size);
        pack.packed.grad = pack.grads.data();
    }
    return pack.packed;
}

void InputLayer::forward(const StepContext& step)
{
    const kernels::VectorKernels& kernels = kernels::vectorKernels();
    for (Pack& pack : m_packs) {
        std::int64_t first = 0;
        for (const ValueBuffer* column : pack.columns) {
            kernels.copy(step.pool, column->values(step.range()),
                         pack.packed.output(step.range()).columns(first, column->width));
            first += column->width;
        }
    }
}

void InputLayer::backward(const StepContext& step)
{
    const kernels::VectorKernels& kernels = kernels::vectorKernels();
    for (Pack& pack : m_packs) {
        if (!pack.wantsGradient) {
            continue;
        }
        // Every column was copied to one place, so its gradient is copied back from there.
        std::int64_t first = 0;
        for (const ValueBuffer* column : pack.columns) {
            if (column->grad != nullptr) {
                kernels.copy(step.pool,
                             pack.packed.gradient(step.range()).columns(first, column->width),
                             column->gradient(step.range()));
            }
            first += column->width;
        }
    }
}

Result<void> InputLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    for (Pack& pack : m_packs) {
        placeOwn(program, std::span<float>(pack.values));
        placeOwn(program, std::span<float>(pack.grads));
        const kernels::MatrixView packed = program.at(pack.packed.output(placement.rows));
        std::int64_t first = 0;
        for (const ValueBuffer* column : pack.columns) {
            program.add(kernels::CopyValues{.src = program.at(column->values(placement.rows)),
                                            .dst = packed.columns(first, column->width)},
                        placement.label);
            first += column->width;
        }
    }
    return {};
}

Result<void> InputLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    for (const Pack& pack : m_packs) {
        if (!pack.wantsGradient) {
            continue;
        }
        const kernels::MatrixView packed = program.at(pack.packed.gradient(placement.rows));
        std::int64_t first = 0;
        for (const ValueBuffer* column : pack.columns) {
            if (column->grad != nullptr) {
                program.add(
                    kernels::CopyValues{.src = packed.columns(first, column->width),
                                        .dst = program.at(column->gradient(placement.rows))},
                    placement.label);
            }
            first += column->width;
        }
    }
    return {};
}

storage::EmittedValue InputLayer::emit(const EmitContext& context) const
{
    std::vector<storage::NodeRef> columns;
    for (std::size_t index = 0; index < context.inputs.size(); ++index) {
        const graph::Value& value = context.layers.value(context.node.inputs[index]);
        // The scopes of TensorFlow's input layer: one for each column.
        auto scope = context.graph.enterScope(spec::scopeSafe(value.name));
        columns.push_back(value.kind == graph::ValueKind::Indicator
                              ? emitIndicator(context, context.inputs[index], value.width)
                              : nodeRef(context.inputs[index].dense));
    }
    // TensorFlow has a node "concat" whatever the number of columns.
    if (columns.size() == 1) {
        return {.dense = context.graph.identity("concat", columns.front(), DType::Float32).input()};
    }
    const auto count = static_cast<std::int64_t>(columns.size());
    columns.push_back(context.graph.constant("concat/axis", std::int32_t{1}));
    const storage::NodeRef concatenated =
        context.graph.add("ConcatV2", "concat", columns,
                          {{"N", count}, {"T", DType::Float32}, {"Tidx", DType::Int32}});
    return {.dense = concatenated.input()};
}

std::unique_ptr<Layer> makeInputLayer(const spec::Layer&)
{
    return std::make_unique<InputLayer>();
}

} // namespace cannery::layers
