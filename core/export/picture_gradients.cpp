// SPDX-License-Identifier: Apache-2.0
#include "core/export/picture_gradients.h"

namespace cannery::exporting {

using storage::FloatNodes;
using storage::NodeRef;

namespace {

/// Those of the node: the operations of its gradient have the same.
storage::Attrs attrsOfNode(const GradientCall& call)
{
    storage::Attrs attrs;
    for (const auto& [name, value] : call.node.attrs) {
        attrs.emplace_back(name, value);
    }
    return attrs;
}

NodeRef int32Node(const FloatNodes& nodes, const char* op, const std::vector<NodeRef>& inputs)
{
    return nodes.graph().add(op, op, inputs, {{"T", DType::Int32}});
}

/// The first number of each pair.
NodeRef firstColumn(const FloatNodes& nodes, const NodeRef& pairs)
{
    constexpr std::int64_t kRows = 1; // of the masks: every row
    constexpr std::int64_t kColumns = 2;
    return nodes.graph().add("StridedSlice", "strided_slice",
                             {pairs, nodes.ints({0, 0}), nodes.ints({0, 1}), nodes.ints({1, 1})},
                             {{"T", DType::Int32},
                              {"Index", DType::Int32},
                              {"begin_mask", kRows},
                              {"end_mask", kRows},
                              {"shrink_axis_mask", kColumns}});
}

/// [height, width] of images.
NodeRef imageSize(const FloatNodes& nodes, const NodeRef& images)
{
    return nodes.graph().add("Slice", "Slice",
                             {nodes.shape(images), nodes.ints({1}), nodes.ints({2})},
                             {{"T", DType::Int32}, {"Index", DType::Int32}});
}

/// The inverses of projective maps [n, 8], each a matrix by rows without its last element, 1.
NodeRef inverseMaps(const FloatNodes& nodes, const NodeRef& maps)
{
    const NodeRef ones = nodes.apply("OnesLike", {nodes.slice(maps, {0, 0}, {-1, 1})});
    const NodeRef matrices = nodes.reshape(nodes.columns({maps, ones}), {-1, 3, 3});
    const NodeRef inverse = nodes.reshape(nodes.apply("MatrixInverse", {matrices}), {-1, 9});
    return nodes.divide(nodes.slice(inverse, {0, 0}, {-1, 8}),
                        nodes.slice(inverse, {0, 8}, {-1, 1}));
}

/// By an operation that takes the gradient and the images, which say what to go back to.
bool ofResize(GradientCall& call, const char* op)
{
    call.give(0, [&] {
        return call.nodes.graph().add(op, op, {call.grad, call.inputs[0]}, attrsOfNode(call));
    });
    return true;
}

} // namespace

bool gradientOfTranspose(GradientCall& call)
{
    call.give(0, [&] {
        const NodeRef back = int32Node(call.nodes, "InvertPermutation", {call.inputs[1]});
        return call.nodes.graph().add("Transpose", "transpose", {call.grad, back},
                                      {{"T", DType::Float32}, {"Tperm", DType::Int32}});
    });
    return true;
}

bool gradientOfPad(GradientCall& call)
{
    call.give(0, [&] {
        return call.nodes.graph().add(
            "Slice", "Slice",
            {call.grad, firstColumn(call.nodes, call.inputs[1]), call.nodes.shape(call.inputs[0])},
            {{"T", DType::Float32}, {"Index", DType::Int32}});
    });
    return true;
}

/// Each dimension becomes two, that of the copies first, over which the gradients are added.
bool gradientOfTile(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        storage::GraphDefBuilder& graph = nodes.graph();
        const NodeRef shape = nodes.shape(call.inputs[0]);
        const NodeRef pairs =
            graph.add("Pack", "stack", {call.inputs[1], shape},
                      {{"N", std::int64_t{2}}, {"T", DType::Int32}, {"axis", std::int64_t{1}}});
        const NodeRef split = graph.add("Reshape", "Reshape", {pairs, nodes.ints({-1})},
                                        {{"T", DType::Int32}, {"Tshape", DType::Int32}});
        const NodeRef zero = graph.constant("range/start", std::int32_t{0});
        const NodeRef two = graph.constant("range/delta", std::int32_t{2});
        const NodeRef copies =
            graph.add("Range", "range", {zero, int32Node(nodes, "Size", {split}), two},
                      {{"Tidx", DType::Int32}});
        return graph.add("Sum", "Sum", {nodes.reshape(call.grad, split), copies},
                         {{"T", DType::Float32}, {"Tidx", DType::Int32}});
    });
    return true;
}

bool gradientOfStridedSlice(GradientCall& call)
{
    call.give(0, [&] {
        return call.nodes.graph().add("StridedSliceGrad", "StridedSliceGrad",
                                      {call.nodes.shape(call.inputs[0]), call.inputs[1],
                                       call.inputs[2], call.inputs[3], call.grad},
                                      attrsOfNode(call));
    });
    return true;
}

bool gradientOfSpaceToBatch(GradientCall& call)
{
    call.give(0, [&] {
        return call.nodes.graph().add(
            "BatchToSpaceND", "BatchToSpaceND", {call.grad, call.inputs[1], call.inputs[2]},
            {{"T", DType::Float32}, {"Tblock_shape", DType::Int32}, {"Tcrops", DType::Int32}});
    });
    return true;
}

bool gradientOfBatchToSpace(GradientCall& call)
{
    call.give(0, [&] {
        return call.nodes.graph().add(
            "SpaceToBatchND", "SpaceToBatchND", {call.grad, call.inputs[1], call.inputs[2]},
            {{"T", DType::Float32}, {"Tblock_shape", DType::Int32}, {"Tpaddings", DType::Int32}});
    });
    return true;
}

bool gradientOfResizeNearestNeighbor(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        const NodeRef size = imageSize(nodes, call.inputs[0]);
        return nodes.graph().add("ResizeNearestNeighborGrad", "ResizeNearestNeighborGrad",
                                 {call.grad, size}, attrsOfNode(call));
    });
    return true;
}

bool gradientOfResizeBilinear(GradientCall& call)
{
    return ofResize(call, "ResizeBilinearGrad");
}

bool gradientOfResizeBicubic(GradientCall& call)
{
    return ofResize(call, "ResizeBicubicGrad");
}

/// TensorFlow's: the gradient of the result, transformed back.
bool gradientOfTransform(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        return nodes.graph().add("ImageProjectiveTransformV3", "ImageProjectiveTransformV3",
                                 {call.grad, inverseMaps(nodes, call.inputs[1]),
                                  imageSize(nodes, call.inputs[0]), nodes.number(0.0F)},
                                 attrsOfNode(call));
    });
    return true;
}

bool gradientOfConvolutionBack(GradientCall& call)
{
    storage::GraphDefBuilder& graph = call.nodes.graph();
    call.give(1, [&] {
        return graph.add("Conv2DBackpropFilter", "Conv2DBackpropFilter",
                         {call.grad, call.nodes.shape(call.inputs[1]), call.inputs[2]},
                         attrsOfNode(call));
    });
    call.give(2, [&] {
        return graph.add("Conv2D", "Conv2D", {call.grad, call.inputs[1]}, attrsOfNode(call));
    });
    return true;
}

} // namespace cannery::exporting
