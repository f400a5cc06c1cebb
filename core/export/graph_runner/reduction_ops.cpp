// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// Rows along the last dimension.
std::size_t lastDimension(const Shape& shape)
{
    return shape.rank() == 0 ? 1 : static_cast<std::size_t>(shape.dims.back());
}

Result<void> softmax(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    const std::size_t width = lastDimension(call.inputs[0]->tensor.shape);
    std::vector<float> result(values.size());
    for (std::size_t row = 0; width > 0 && row < values.size(); row += width) {
        // Subtracting the largest logit first keeps exp() from overflowing and changes nothing
        // else.
        double largest = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < width; ++i) {
            largest = std::max(largest, static_cast<double>(values[row + i]));
        }
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) {
            sum += std::exp(static_cast<double>(values[row + i]) - largest);
        }
        for (std::size_t i = 0; i < width; ++i) {
            result[row + i] =
                static_cast<float>(std::exp(static_cast<double>(values[row + i]) - largest) / sum);
        }
    }
    call.give(HostTensor::of(result, call.inputs[0]->tensor.shape));
    return {};
}

Result<void> argMax(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    Shape shape = call.inputs[0]->tensor.shape;
    CANNERY_TRY_ASSIGN(const std::int64_t axis, call.integer(1));
    const std::size_t width = lastDimension(shape);
    if (shape.rank() == 0 || width == 0 || (axis != -1 && axis != shape.rank() - 1)) {
        return call.invalid("looks along another dimension than the last");
    }
    std::vector<std::int64_t> result;
    for (std::size_t row = 0; row < values.size(); row += width) {
        // NaN is never the largest; the first is taken if nothing is above the lowest number.
        std::size_t best = 0;
        float largest = std::numeric_limits<float>::lowest();
        for (std::size_t i = 0; i < width; ++i) {
            if (values[row + i] > largest) {
                largest = values[row + i];
                best = i;
            }
        }
        result.push_back(static_cast<std::int64_t>(best));
    }
    shape.dims.pop_back();
    call.give(HostTensor::of(result, shape));
    return {};
}

Result<void> matMul(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto left, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const auto right, call.values<float>(1));
    const Shape& a = call.inputs[0]->tensor.shape;
    const Shape& b = call.inputs[1]->tensor.shape;
    const bool turnsA = call.attrOr("transpose_a", false);
    const bool turnsB = call.attrOr("transpose_b", false);
    if (a.rank() != 2 || b.rank() != 2 || a.dims[turnsA ? 0 : 1] != b.dims[turnsB ? 1 : 0]) {
        return call.invalid("multiplies matrices that do not fit together");
    }
    const Shape shape{a.dims[turnsA ? 1 : 0], b.dims[turnsB ? 0 : 1]};
    const auto rows = static_cast<std::size_t>(shape.dims[0]);
    const auto inner = static_cast<std::size_t>(a.dims[turnsA ? 0 : 1]);
    const auto cols = static_cast<std::size_t>(shape.dims[1]);
    CANNERY_TRY(call.room(shape, sizeof(float)));
    // A graph may come from anyone: small tensors can ask for hours of products.
    if (static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(inner) >
        kMaxProducts) {
        return call.invalid(fmt::format("needs more than {:g} products", kMaxProducts));
    }
    std::vector<float> result(rows * cols);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t col = 0; col < cols; ++col) {
            double sum = 0;
            for (std::size_t k = 0; k < inner; ++k) {
                sum += static_cast<double>(left[turnsA ? k * rows + row : row * inner + k]) *
                       static_cast<double>(right[turnsB ? col * inner + k : k * cols + col]);
            }
            result[row * cols + col] = static_cast<float>(sum);
        }
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

Result<void> addN(OpCall& call)
{
    // Sums are added up in double: this runner is what exports are compared with.
    CANNERY_TRY_ASSIGN(const auto first, call.values<float>(0));
    std::vector<double> sums(first.begin(), first.end());
    for (std::size_t i = 1; i < call.inputs.size(); ++i) {
        CANNERY_TRY_ASSIGN(const auto values, call.values<float>(i));
        if (call.inputs[i]->tensor.shape != call.inputs[0]->tensor.shape) {
            return call.invalid("adds tensors of several shapes");
        }
        for (std::size_t k = 0; k < sums.size(); ++k) {
            sums[k] += static_cast<double>(values[k]);
        }
    }
    call.give(
        HostTensor::of(std::vector<float>(sums.begin(), sums.end()), call.inputs[0]->tensor.shape));
    return {};
}

/// Over one dimension, whichever: of (outer, i, inner) for each (outer, inner).
struct AlongAxis
{
    Shape shape; ///< of the result, the dimension being 1
    std::size_t axis = 0;
    std::size_t width = 0;
    std::size_t inner = 1;

    std::size_t place(std::size_t at, std::size_t i) const
    {
        return at / inner * inner * width + i * inner + at % inner;
    }
    Shape resultShape(bool keepsDimension) const
    {
        Shape result = shape;
        if (!keepsDimension) {
            result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(axis));
        }
        return result;
    }
};

Result<AlongAxis> alongAxis(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> axes, call.integers(1));
    AlongAxis along{.shape = call.inputs[0]->tensor.shape};
    const std::int64_t rank = along.shape.rank();
    if (axes.size() != 1 || axes[0] < -rank || axes[0] >= rank) {
        return call.invalid("reduces a dimension that is not there");
    }
    along.axis = static_cast<std::size_t>(axes[0] < 0 ? axes[0] + rank : axes[0]);
    along.width = static_cast<std::size_t>(along.shape.dims[along.axis]);
    along.inner = static_cast<std::size_t>(rowMajorStrides(along.shape)[along.axis]);
    along.shape.dims[along.axis] = 1;
    return along;
}

Result<void> any(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<bool>(0));
    CANNERY_TRY_ASSIGN(const AlongAxis along, alongAxis(call));
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(along.shape, sizeof(bool)));
    HostTensor result = HostTensor::zeros(DType::Bool, along.shape);
    const auto truths = result.values<bool>();
    for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at) {
        for (std::size_t i = 0; i < along.width && !truths[at]; ++i) {
            truths[at] = values[along.place(at, i)];
        }
    }
    result.shape = along.resultShape(call.attrOr("keep_dims", false));
    call.give(std::move(result));
    return {};
}

Result<void> sum(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const AlongAxis along, alongAxis(call));
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(along.shape, sizeof(float)));
    std::vector<float> result;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at) {
        double total = 0;
        for (std::size_t i = 0; i < along.width; ++i) {
            total += static_cast<double>(values[along.place(at, i)]);
        }
        result.push_back(static_cast<float>(total));
    }
    call.give(HostTensor::of(result, along.resultShape(call.attrOr("keep_dims", false))));
    return {};
}

/// Rows of negative segments are dropped, as TensorFlow defines it.
Result<void> unsortedSegmentSum(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> segments, call.integers(1));
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.integer(2));
    Shape shape = call.inputs[0]->tensor.shape;
    if (shape.rank() == 0 || shape.dims[0] != static_cast<std::int64_t>(segments.size())) {
        return call.invalid("has not one segment for each row");
    }
    shape.dims[0] = count;
    CANNERY_TRY_ASSIGN(const std::int64_t elements, call.room(shape, sizeof(double)));
    const std::int64_t width = count == 0 ? 0 : elements / count;
    std::vector<double> sums(static_cast<std::size_t>(elements));
    for (std::size_t row = 0; row < segments.size(); ++row) {
        if (segments[row] < 0) {
            continue;
        }
        if (segments[row] >= count) {
            return call.invalid("has a row of a segment that is not there");
        }
        for (std::int64_t i = 0; i < width; ++i) {
            sums[static_cast<std::size_t>(segments[row] * width + i)] += static_cast<double>(
                values[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)]);
        }
    }
    call.give(HostTensor::of(std::vector<float>(sums.begin(), sums.end()), shape));
    return {};
}

/// Two outputs: the loss of each row, and its gradient by the logits.
Result<void> softmaxCrossEntropy(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto logits, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const auto labels, call.values<float>(1));
    const Shape& shape = call.inputs[0]->tensor.shape;
    if (shape.rank() != 2 || shape.dims[1] == 0 || call.inputs[1]->tensor.shape != shape) {
        return call.invalid("has not one label for each logit");
    }
    // The gradient of cross entropy by the logits is softmax - labels.
    CANNERY_TRY(softmax(call));
    const HostTensor softmaxes = std::move(call.outputs.back().tensor);
    call.outputs.clear();
    const auto shares = softmaxes.values<float>();
    const auto rows = static_cast<std::size_t>(shape.dims[0]);
    const auto width = static_cast<std::size_t>(shape.dims[1]);
    std::vector<float> losses;
    std::vector<float> slopes;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto own = logits.subspan(row * width, width);
        const auto largest = static_cast<double>(*std::ranges::max_element(own));
        double sum = 0;
        for (const float logit : own) {
            sum += std::exp(static_cast<double>(logit) - largest);
        }
        double loss = 0;
        for (std::size_t i = 0; i < width; ++i) {
            const auto label = static_cast<double>(labels[row * width + i]);
            // log(sum e^x) in the stable form, with the largest logit taken out.
            loss += label * (std::log(sum) + largest - static_cast<double>(own[i]));
            slopes.push_back(shares[row * width + i] - labels[row * width + i]);
        }
        losses.push_back(static_cast<float>(loss));
    }
    call.give(HostTensor::of(losses, Shape{shape.dims[0]}));
    call.give(HostTensor::of(slopes, shape));
    return {};
}

/// Over all dimensions.
Result<void> all(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<bool>(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> axes, call.integers(1));
    if (static_cast<std::int64_t>(axes.size()) != call.inputs[0]->tensor.shape.rank()) {
        return call.invalid("looks along some dimensions only");
    }
    call.give(HostTensor::scalar(std::ranges::all_of(values, [](bool value) { return value; })));
    return {};
}

Result<void> assertTrue(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<bool>(0));
    CANNERY_TRY_ASSIGN(const HostTensor* text, call.input(1));
    if (std::ranges::all_of(values, [](bool value) { return value; })) {
        return {};
    }
    return call.invalid("finds that " +
                        (text->strings.empty() ? "its condition is false" : text->strings[0]));
}

constexpr std::array kReductions{
    OpRow{"AddN", addN},         OpRow{"All", all},
    OpRow{"Any", any},           OpRow{"ArgMax", argMax},
    OpRow{"Assert", assertTrue}, OpRow{"MatMul", matMul},
    OpRow{"Softmax", softmax},   OpRow{"SoftmaxCrossEntropyWithLogits", softmaxCrossEntropy},
    OpRow{"Sum", sum},           OpRow{"UnsortedSegmentSum", unsortedSegmentSum},
};

} // namespace

std::span<const OpRow> reductionOps()
{
    return kReductions;
}

} // namespace cannery::exporting
