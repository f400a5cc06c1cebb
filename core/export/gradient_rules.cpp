// SPDX-License-Identifier: Apache-2.0
#include "core/export/gradient_rules.h"

#include "core/export/picture_gradients.h"
#include "core/export/product_gradients.h"
#include "core/export/step_gradients.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace cannery::exporting {

using storage::FloatNodes;
using storage::NodeRef;

namespace {

/// Adds up what an input was broadcast over.
NodeRef unbroadcast(const GradientCall& call, std::size_t input, const NodeRef& grad)
{
    const FloatNodes& nodes = call.nodes;
    const std::array shapes{nodes.shape(call.inputs[0]), nodes.shape(call.inputs[1])};
    const NodeRef axes = nodes.graph().add("BroadcastGradientArgs", "BroadcastGradientArgs",
                                           {shapes[0], shapes[1]}, {{"T", DType::Int32}});
    const NodeRef sum = nodes.graph().add("Sum", "Sum", {grad, axes.at(static_cast<int>(input))},
                                          {{"T", DType::Float32}, {"Tidx", DType::Int32}});
    // The sum drops the axes of size 1, which the input has.
    return nodes.reshape(sum, shapes[input]);
}

template <typename Left, typename Right>
bool binary(GradientCall& call, const Left& left, const Right& right)
{
    call.give(0, [&] { return unbroadcast(call, 0, left()); });
    call.give(1, [&] { return unbroadcast(call, 1, right()); });
    return true;
}

bool ofSum(GradientCall& call)
{
    const auto same = [&] { return call.grad; };
    return binary(call, same, same);
}

bool ofDifference(GradientCall& call)
{
    return binary(
        call, [&] { return call.grad; }, [&] { return call.nodes.apply("Neg", {call.grad}); });
}

/// Only what leads to a variable is emitted, hence the functions instead of nodes.
bool ofProduct(GradientCall& call)
{
    return binary(
        call, [&] { return call.nodes.multiply(call.grad, call.inputs[1]); },
        [&] { return call.nodes.multiply(call.inputs[0], call.grad); });
}

/// x / y; DivNoNan has the gradient 0 where y is 0.
template <NodeRef (FloatNodes::*kDivide)(const NodeRef&, const NodeRef&) const>
bool ofQuotient(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    return binary(
        call, [&] { return (nodes.*kDivide)(call.grad, call.inputs[1]); },
        [&] {
            // d(x / y) / dy = -(x / y) / y, with the quotient that is there already.
            const NodeRef slope =
                (nodes.*kDivide)(nodes.apply("Neg", {call.output}), call.inputs[1]);
            return nodes.multiply(call.grad, slope);
        });
}

/// All of it for x where the comparison holds, else for y.
/// At equality, maximum and minimum give the whole gradient to x, as TensorFlow does.
bool ofChoice(GradientCall& call, const char* comparison)
{
    const FloatNodes& nodes = call.nodes;
    const NodeRef isFirst = nodes.truth(comparison, call.inputs[0], call.inputs[1]);
    return binary(
        call, [&] { return nodes.multiply(call.grad, isFirst); },
        [&] { return nodes.multiply(call.grad, nodes.subtract(nodes.number(1.0F), isFirst)); });
}
bool ofMaximum(GradientCall& call)
{
    return ofChoice(call, "GreaterEqual");
}
bool ofMinimum(GradientCall& call)
{
    return ofChoice(call, "LessEqual");
}

bool ofBiasAdd(GradientCall& call)
{
    call.give(0, [&] { return call.grad; });
    call.give(1, [&] { return call.nodes.apply("BiasAddGrad", {call.grad}); });
    return true;
}

/// Of op(a) op(b), where op may transpose: a penalty of rows multiplies a matrix by its own
/// transpose. An attribute that is set is true: nothing emits the default.
bool ofMatMul(GradientCall& call)
{
    const bool turnsA = call.node.attrs.contains("transpose_a");
    const bool turnsB = call.node.attrs.contains("transpose_b");
    call.give(0, [&] {
        return turnsA ? call.nodes.product(call.inputs[1], call.grad, turnsB, true)
                      : call.nodes.product(call.grad, call.inputs[1], false, !turnsB);
    });
    call.give(1, [&] {
        return turnsB ? call.nodes.product(call.grad, call.inputs[0], true, turnsA)
                      : call.nodes.product(call.inputs[0], call.grad, !turnsA, false);
    });
    return true;
}

bool ofAddN(GradientCall& call)
{
    for (std::size_t input = 0; input < call.inputs.size(); ++input) {
        call.give(input, [&] { return call.grad; });
    }
    return true;
}

/// The last input is the dimension.
bool ofConcat(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    std::vector<NodeRef> inputs{call.inputs.back()};
    for (std::size_t input = 0; input + 1 < call.inputs.size(); ++input) {
        inputs.push_back(nodes.shape(call.inputs[input]));
    }
    // ConcatOffset needs the shapes of all inputs, as their lengths are known only when it runs.
    const NodeRef offsets =
        nodes.graph().add("ConcatOffset", "ConcatOffset", inputs,
                          {{"N", static_cast<std::int64_t>(inputs.size() - 1)}});
    for (std::size_t input = 0; input + 1 < call.inputs.size(); ++input) {
        call.give(input, [&] {
            return nodes.graph().add(
                "Slice", "Slice",
                {call.grad, offsets.at(static_cast<int>(input)), inputs[input + 1]},
                {{"T", DType::Float32}, {"Index", DType::Int32}});
        });
    }
    return true;
}

bool ofReshape(GradientCall& call)
{
    call.give(0, [&] { return call.nodes.reshape(call.grad, call.nodes.shape(call.inputs[0])); });
    return true;
}

bool ofIdentity(GradientCall& call)
{
    call.give(0, [&] { return call.grad; });
    return true;
}

/// Over dimensions given as a constant, which the sum may have dropped.
bool ofReduction(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        const NodeRef shape = nodes.shape(call.inputs[0]);
        // Without keep_dims the reduced axis is gone, so it is put back before broadcasting.
        NodeRef kept = call.grad;
        if (!call.node.attrs.contains("keep_dims")) {
            const NodeRef axis =
                nodes.graph().add("Squeeze", "Squeeze", {call.inputs[1]}, {{"T", DType::Int32}});
            kept = nodes.graph().add("ExpandDims", "ExpandDims", {call.grad, axis},
                                     {{"T", DType::Float32}, {"Tdim", DType::Int32}});
        }
        return nodes.graph().add("BroadcastTo", "BroadcastTo", {kept, shape},
                                 {{"T", DType::Float32}, {"Tidx", DType::Int32}});
    });
    return true;
}

bool ofSegmentSum(GradientCall& call)
{
    call.give(0, [&] {
        const NodeRef axis = call.nodes.graph().constant("axis", std::int32_t{0});
        return call.nodes.graph().add(
            "GatherV2", "GatherV2", {call.grad, call.inputs[1], axis},
            {{"Tparams", DType::Float32}, {"Tindices", DType::Int64}, {"Taxis", DType::Int32}});
    });
    return true;
}

/// TensorFlow's own operation for it: of (output, gradient), (gradient, output) or (gradient,
/// input).
template <const char* kOp>
bool byOutput(GradientCall& call)
{
    call.give(0, [&] { return call.nodes.apply(kOp, {call.output, call.grad}); });
    return true;
}
template <const char* kOp>
bool byGradAndOutput(GradientCall& call)
{
    call.give(0, [&] { return call.nodes.apply(kOp, {call.grad, call.output}); });
    return true;
}
template <const char* kOp>
bool byGradAndInput(GradientCall& call)
{
    call.give(0, [&] { return call.nodes.apply(kOp, {call.grad, call.inputs[0]}); });
    return true;
}

constexpr char kEluGrad[] = "EluGrad";
constexpr char kRelu6Grad[] = "Relu6Grad";
constexpr char kReluGrad[] = "ReluGrad";
constexpr char kRsqrtGrad[] = "RsqrtGrad";
constexpr char kSeluGrad[] = "SeluGrad";
constexpr char kSigmoidGrad[] = "SigmoidGrad";
constexpr char kSoftplusGrad[] = "SoftplusGrad";
constexpr char kSoftsignGrad[] = "SoftsignGrad";
constexpr char kTanhGrad[] = "TanhGrad";

bool ofLeakyRelu(GradientCall& call)
{
    const auto alpha = call.node.attrs.find("alpha");
    if (alpha == call.node.attrs.end()) {
        return false;
    }
    // LeakyReluGrad's own default for alpha may differ from that of the layer, so it is copied.
    call.give(0, [&] {
        return call.nodes.graph().add("LeakyReluGrad", "LeakyReluGrad", {call.grad, call.inputs[0]},
                                      {{"T", DType::Float32}, {"alpha", alpha->second}});
    });
    return true;
}

bool ofExp(GradientCall& call)
{
    call.give(0, [&] { return call.nodes.multiply(call.grad, call.output); });
    return true;
}

/// 2 / sqrt(pi) e^-x²
bool ofErf(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        const NodeRef square = nodes.apply("Square", {call.inputs[0]});
        const NodeRef bell = nodes.apply("Exp", {nodes.apply("Neg", {square})});
        const auto height = static_cast<float>(2.0 * std::numbers::inv_sqrtpi);
        return nodes.multiply(call.grad, nodes.multiply(nodes.number(height), bell));
    });
    return true;
}

bool ofSquare(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        return nodes.multiply(call.grad, nodes.multiply(nodes.number(2.0F), call.inputs[0]));
    });
    return true;
}

/// Of 0 it is 0 here: the norm of a row of zeros, which is never clipped.
bool ofSqrt(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        return nodes.divideOrZero(nodes.multiply(call.grad, nodes.number(0.5F)), call.output);
    });
    return true;
}

/// Those of the node: the operations of its gradient have the same.
storage::Attrs attrsOf(const GradientCall& call)
{
    storage::Attrs attrs;
    for (const auto& [name, value] : call.node.attrs) {
        attrs.emplace_back(name, value);
    }
    return attrs;
}

/// Of the images and of the kernel, each by an operation of TensorFlow's own that takes the other.
bool ofConvolutionBy(GradientCall& call, const std::string& op)
{
    storage::GraphDefBuilder& graph = call.nodes.graph();
    call.give(0, [&] {
        return graph.add(op + "BackpropInput", op + "BackpropInput",
                         {call.nodes.shape(call.inputs[0]), call.inputs[1], call.grad},
                         attrsOf(call));
    });
    call.give(1, [&] {
        return graph.add(op + "BackpropFilter", op + "BackpropFilter",
                         {call.inputs[0], call.nodes.shape(call.inputs[1]), call.grad},
                         attrsOf(call));
    });
    return true;
}
bool ofConvolution(GradientCall& call)
{
    return ofConvolutionBy(call, "Conv2D");
}
bool ofDepthwise(GradientCall& call)
{
    return ofConvolutionBy(call, "DepthwiseConv2dNative");
}

bool ofMaxPool(GradientCall& call)
{
    call.give(0, [&] {
        return call.nodes.graph().add("MaxPoolGrad", "MaxPoolGrad",
                                      {call.inputs[0], call.output, call.grad}, attrsOf(call));
    });
    return true;
}
bool ofAvgPool(GradientCall& call)
{
    call.give(0, [&] {
        return call.nodes.graph().add("AvgPoolGrad", "AvgPoolGrad",
                                      {call.nodes.shape(call.inputs[0]), call.grad}, attrsOf(call));
    });
    return true;
}

/// Of a global pooling, over height and width: back in the shape of the image.
NodeRef overPixels(const GradientCall& call, const NodeRef& reduced)
{
    const FloatNodes& nodes = call.nodes;
    NodeRef kept = reduced;
    if (!call.node.attrs.contains("keep_dims")) {
        const NodeRef axis = nodes.graph().constant("axis", std::int32_t{1});
        for (int dimension = 0; dimension < 2; ++dimension) {
            kept = nodes.graph().add("ExpandDims", "ExpandDims", {kept, axis},
                                     {{"T", DType::Float32}, {"Tdim", DType::Int32}});
        }
    }
    return nodes.graph().add("BroadcastTo", "BroadcastTo", {kept, nodes.shape(call.inputs[0])},
                             {{"T", DType::Float32}, {"Tidx", DType::Int32}});
}

bool ofMean(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        const NodeRef pixels =
            nodes.divideOrZero(nodes.count(call.inputs[0]), nodes.count(call.output));
        return nodes.divideOrZero(overPixels(call, call.grad), pixels);
    });
    return true;
}

/// Pixels that share the largest number share its gradient.
bool ofMax(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        const NodeRef isLargest =
            nodes.truth("Equal", call.inputs[0], overPixels(call, call.output));
        const NodeRef ties =
            nodes.graph().add("Sum", "Sum", {isLargest, call.inputs[1]},
                              {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"keep_dims", true}});
        return nodes.multiply(nodes.divideOrZero(isLargest, ties), overPixels(call, call.grad));
    });
    return true;
}

constexpr std::array kRules{
    GradientRow{"AddN", ofAddN},
    GradientRow{"AddV2", ofSum},
    GradientRow{"AvgPool", ofAvgPool},
    GradientRow{"BatchMatMulV2", gradientOfBatchMatMul},
    GradientRow{"BatchToSpaceND", gradientOfBatchToSpace},
    GradientRow{"BiasAdd", ofBiasAdd},
    GradientRow{"ConcatV2", ofConcat},
    GradientRow{"Conv2D", ofConvolution},
    GradientRow{"Conv2DBackpropInput", gradientOfConvolutionBack},
    GradientRow{"DepthwiseConv2dNative", ofDepthwise},
    GradientRow{"DivNoNan", ofQuotient<&FloatNodes::divideOrZero>},
    GradientRow{"Einsum", gradientOfEinsum},
    GradientRow{"Elu", byGradAndOutput<kEluGrad>},
    GradientRow{"Erf", ofErf},
    GradientRow{"Exp", ofExp},
    GradientRow{"ExpandDims", ofReshape},
    GradientRow{"Identity", ofIdentity},
    GradientRow{"ImageProjectiveTransformV3", gradientOfTransform},
    GradientRow{"LeakyRelu", ofLeakyRelu},
    GradientRow{"MatMul", ofMatMul},
    GradientRow{"Max", ofMax},
    GradientRow{"MaxPool", ofMaxPool},
    GradientRow{"Maximum", ofMaximum},
    GradientRow{"Mean", ofMean},
    GradientRow{"Minimum", ofMinimum},
    GradientRow{"Mul", ofProduct},
    GradientRow{"Neg", gradientOfNegation},
    GradientRow{"Pad", gradientOfPad},
    GradientRow{"RealDiv", ofQuotient<&FloatNodes::divide>},
    GradientRow{"Relu", byGradAndOutput<kReluGrad>},
    GradientRow{"Relu6", byGradAndOutput<kRelu6Grad>},
    GradientRow{"Reshape", ofReshape},
    GradientRow{"ResizeBicubic", gradientOfResizeBicubic},
    GradientRow{"ResizeBilinear", gradientOfResizeBilinear},
    GradientRow{"ResizeNearestNeighbor", gradientOfResizeNearestNeighbor},
    GradientRow{"Rsqrt", byOutput<kRsqrtGrad>},
    GradientRow{"SelectV2", gradientOfSelect},
    GradientRow{"Selu", byGradAndOutput<kSeluGrad>},
    GradientRow{"Sigmoid", byOutput<kSigmoidGrad>},
    GradientRow{"Softmax", gradientOfSoftmax},
    GradientRow{"Softplus", byGradAndInput<kSoftplusGrad>},
    GradientRow{"Softsign", byGradAndInput<kSoftsignGrad>},
    GradientRow{"SpaceToBatchND", gradientOfSpaceToBatch},
    GradientRow{"Split", gradientOfSplit},
    GradientRow{"Sqrt", ofSqrt},
    GradientRow{"Square", ofSquare},
    GradientRow{"Squeeze", ofReshape},
    GradientRow{"StridedSlice", gradientOfStridedSlice},
    GradientRow{"Sub", ofDifference},
    GradientRow{"Sum", ofReduction},
    GradientRow{"Tanh", byOutput<kTanhGrad>},
    GradientRow{"Tile", gradientOfTile},
    GradientRow{"Transpose", gradientOfTranspose},
    GradientRow{"Unpack", gradientOfUnpack},
    GradientRow{"UnsortedSegmentSum", ofSegmentSum},
};

/// Their result does not change with small changes of the input, or is not a float at all.
constexpr std::array<std::string_view, 9> kFlat{"ArgMax",       "Equal", "Greater",
                                                "GreaterEqual", "Less",  "NotEqual",
                                                "OnesLike",     "Shape", "ZerosLike"};

} // namespace

bool isFlat(std::string_view op)
{
    return std::ranges::find(kFlat, op) != kFlat.end();
}

std::span<const GradientRow> gradientRules()
{
    return kRules;
}

} // namespace cannery::exporting
