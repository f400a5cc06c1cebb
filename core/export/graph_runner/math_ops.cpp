// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

// The constants of Klambauer et al. 2017, as TensorFlow's Selu has them.
constexpr double kSeluScale = 1.0507009873554805;
constexpr double kSeluAlpha = 1.6732632423543772;

template <typename T>
HostTensor boolsOrValues(const std::vector<T>& values, const Shape& shape)
{
    return HostTensor::of(values, shape);
}

/// vector<bool> holds bits; a tensor holds bytes.
HostTensor boolsOrValues(const std::vector<char>& values, const Shape& shape)
{
    HostTensor tensor = HostTensor::zeros(DType::Bool, shape);
    for (std::size_t i = 0; i < values.size(); ++i) {
        tensor.bytes[i] = static_cast<std::byte>(values[i]);
    }
    return tensor;
}

template <typename Out, typename Values, typename F>
Result<void> broadcastInto(OpCall& call, const Values& left, const Values& right, const F& f)
{
    const Shape& leftShape = call.inputs[0]->tensor.shape;
    const Shape& rightShape = call.inputs[1]->tensor.shape;
    const std::optional<Shape> shape = broadcast(leftShape, rightShape);
    if (!shape) {
        return call.invalid("has inputs whose shapes do not fit together");
    }
    CANNERY_TRY(call.room(*shape, sizeof(Out)));
    Walk a(*shape, broadcastStrides(leftShape, *shape));
    Walk b(*shape, broadcastStrides(rightShape, *shape));
    std::vector<Out> result;
    for (std::int64_t i = shape->elementCount(); i > 0; --i) {
        result.push_back(static_cast<Out>(f(left[static_cast<std::size_t>(a.offset())],
                                            right[static_cast<std::size_t>(b.offset())])));
        a.next();
        b.next();
    }
    call.give(boolsOrValues(result, *shape));
    return {};
}

template <typename T, typename Out, typename F>
Result<void> binaryOf(OpCall& call, const F& f)
{
    CANNERY_TRY_ASSIGN(const auto left, call.values<T>(0));
    CANNERY_TRY_ASSIGN(const auto right, call.values<T>(1));
    return broadcastInto<Out>(call, left, right, f);
}

/// Arithmetic of numbers: float32, int32 or int64.
template <typename F>
Result<void> arithmetic(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* first, call.input(0));
    switch (first->dtype) {
    case DType::Int32:
        return binaryOf<std::int32_t, std::int32_t>(call, F());
    case DType::Int64:
        return binaryOf<std::int64_t, std::int64_t>(call, F());
    default:
        return binaryOf<float, float>(call, F());
    }
}

/// Arithmetic of float32 alone.
template <typename F>
Result<void> division(OpCall& call)
{
    return binaryOf<float, float>(call, F());
}

/// A comparison of numbers or texts; the result is a bool.
template <typename F>
Result<void> comparison(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* first, call.input(0));
    CANNERY_TRY_ASSIGN(const HostTensor* second, call.input(1));
    switch (first->dtype) {
    case DType::String:
        if (second->dtype != DType::String) {
            return call.invalid("compares a text with something else");
        }
        return broadcastInto<char>(call, first->strings, second->strings, F());
    case DType::Int32:
        return binaryOf<std::int32_t, char>(call, F());
    case DType::Int64:
        return binaryOf<std::int64_t, char>(call, F());
    default:
        return binaryOf<float, char>(call, F());
    }
}

template <typename F>
Result<void> logical(OpCall& call)
{
    return binaryOf<bool, char>(call, F());
}

/// Integers wrap around, as TensorFlow's do.
template <typename T, typename F>
T wrapped(T a, T b, const F& f)
{
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(f(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
    } else {
        return f(a, b);
    }
}
struct SumOf
{
    template <typename T>
    T operator()(T a, T b) const
    {
        return wrapped(a, b, std::plus<>());
    }
};
struct Difference
{
    template <typename T>
    T operator()(T a, T b) const
    {
        return wrapped(a, b, std::minus<>());
    }
};
struct Product
{
    template <typename T>
    T operator()(T a, T b) const
    {
        return wrapped(a, b, std::multiplies<>());
    }
};
struct QuotientOrZero
{
    float operator()(float a, float b) const { return b == 0 ? 0 : a / b; }
};
struct Larger
{
    template <typename T>
    T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
struct Smaller
{
    template <typename T>
    T operator()(T a, T b) const
    {
        return b < a ? b : a;
    }
};

/// A function of one number, calculated in double.
template <double (*F)(double)>
Result<void> unary(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    std::vector<float> result;
    for (const float value : values) {
        result.push_back(static_cast<float>(F(static_cast<double>(value))));
    }
    call.give(HostTensor::of(result, call.inputs[0]->tensor.shape));
    return {};
}

double sigmoid(double x)
{
    return 1.0 / (1.0 + std::exp(-x));
}
double rsqrt(double x)
{
    return 1.0 / std::sqrt(x);
}
double square(double x)
{
    return x * x;
}
double relu(double x)
{
    return x > 0 ? x : 0;
}
double relu6(double x)
{
    return x > 6 ? 6 : relu(x);
}
double elu(double x)
{
    return x > 0 ? x : std::expm1(x);
}
double selu(double x)
{
    return kSeluScale * (x > 0 ? x : kSeluAlpha * std::expm1(x));
}
double softplus(double x)
{
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
double softsign(double x)
{
    return x / (1.0 + std::abs(x));
}
double exponential(double x)
{
    return std::exp(x);
}
double logarithm(double x)
{
    return std::log(x);
}
double root(double x)
{
    return std::sqrt(x);
}
double hyperbolicTangent(double x)
{
    return std::tanh(x);
}
double errorFunction(double x)
{
    return std::erf(x);
}

Result<void> leakyRelu(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    const float alpha = call.attrOr("alpha", 0.2F);
    std::vector<float> result;
    for (const float value : values) {
        result.push_back(value > 0 ? value : alpha * value);
    }
    call.give(HostTensor::of(result, call.inputs[0]->tensor.shape));
    return {};
}

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
        std::size_t best = 0;
        for (std::size_t i = 1; i < width; ++i) {
            best = values[row + i] > values[row + best] ? i : best;
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
    if (a.rank() != 2 || b.rank() != 2 || a.dims[1] != b.dims[0] ||
        call.attrOr("transpose_a", false) || call.attrOr("transpose_b", false)) {
        return call.invalid("multiplies matrices that do not fit together");
    }
    const auto rows = static_cast<std::size_t>(a.dims[0]);
    const auto inner = static_cast<std::size_t>(a.dims[1]);
    const auto cols = static_cast<std::size_t>(b.dims[1]);
    CANNERY_TRY(call.room(Shape{a.dims[0], b.dims[1]}, sizeof(float)));
    if (static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(inner) >
        kMaxProducts) {
        return call.invalid(fmt::format("needs more than {:g} products", kMaxProducts));
    }
    std::vector<float> result(rows * cols);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t col = 0; col < cols; ++col) {
            double sum = 0;
            for (std::size_t k = 0; k < inner; ++k) {
                sum += static_cast<double>(left[row * inner + k]) *
                       static_cast<double>(right[k * cols + col]);
            }
            result[row * cols + col] = static_cast<float>(sum);
        }
    }
    call.give(HostTensor::of(result, Shape{a.dims[0], b.dims[1]}));
    return {};
}

Result<void> addN(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto first, call.values<float>(0));
    std::vector<double> sums(first.begin(), first.end());
    for (std::size_t i = 1; i < call.inputs.size(); ++i) {
        CANNERY_TRY_ASSIGN(const auto values, call.values<float>(i));
        if (values.size() != sums.size()) {
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

/// Over the last dimension.
Result<void> sum(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> axes, call.integers(1));
    Shape shape = call.inputs[0]->tensor.shape;
    if (axes.size() != 1 || shape.rank() == 0 || (axes[0] != -1 && axes[0] != shape.rank() - 1)) {
        return call.invalid("adds along another dimension than the last");
    }
    const std::size_t width = lastDimension(shape);
    shape.dims.back() = 1;
    CANNERY_TRY_ASSIGN(const std::int64_t rows, call.room(shape, sizeof(float)));
    std::vector<float> result;
    for (std::int64_t row = 0; row < rows; ++row) {
        double total = 0;
        for (std::size_t i = 0; i < width; ++i) {
            total += static_cast<double>(values[static_cast<std::size_t>(row) * width + i]);
        }
        result.push_back(static_cast<float>(total));
    }
    if (!call.attrOr("keep_dims", false)) {
        shape.dims.pop_back();
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

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

/// How many boundaries are at or below each number.
Result<void> bucketize(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::vector<float> boundaries,
                       call.attr<std::vector<float>>("boundaries"));
    std::vector<std::int32_t> result;
    for (const float value : values) {
        const auto above = std::upper_bound(boundaries.begin(), boundaries.end(), value);
        result.push_back(static_cast<std::int32_t>(above - boundaries.begin()));
    }
    call.give(HostTensor::of(result, call.inputs[0]->tensor.shape));
    return {};
}

/// What no integer can be becomes the smallest one, as on x86.
template <typename To, typename From>
To numberOf(From value)
{
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        const auto low = static_cast<double>(std::numeric_limits<To>::min());
        const auto wide = static_cast<double>(value);
        return wide >= low && wide < -low ? static_cast<To>(value) : std::numeric_limits<To>::min();
    } else {
        return static_cast<To>(value);
    }
}

template <typename From, typename To>
HostTensor converted(const HostTensor& tensor)
{
    std::vector<To> values;
    for (const From value : tensor.values<From>()) {
        values.push_back(numberOf<To>(value));
    }
    return HostTensor::of(values, tensor.shape);
}

template <typename From>
Result<HostTensor> convertedFrom(const OpCall& call, const HostTensor& tensor, DType to)
{
    switch (to) {
    case DType::Float32:
        return converted<From, float>(tensor);
    case DType::Float64:
        return converted<From, double>(tensor);
    case DType::Int32:
        return converted<From, std::int32_t>(tensor);
    case DType::Int64:
        return converted<From, std::int64_t>(tensor);
    default:
        return call.invalid(fmt::format("converts to {}", name(to)));
    }
}

Result<void> cast(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const DType to, call.attr<DType>("DstT"));
    Result<HostTensor> result = call.invalid(fmt::format("converts {}", name(tensor->dtype)));
    switch (tensor->dtype) {
    case DType::Float32:
        result = convertedFrom<float>(call, *tensor, to);
        break;
    case DType::Float64:
        result = convertedFrom<double>(call, *tensor, to);
        break;
    case DType::Int32:
        result = convertedFrom<std::int32_t>(call, *tensor, to);
        break;
    case DType::Int64:
        result = convertedFrom<std::int64_t>(call, *tensor, to);
        break;
    case DType::Bool:
        result = convertedFrom<bool>(call, *tensor, to);
        break;
    default:
        break;
    }
    if (!result) {
        return tl::make_unexpected(std::move(result).error());
    }
    call.give(std::move(*result));
    return {};
}

constexpr std::array kOps{
    OpRow{"AddN", addN},
    OpRow{"AddV2", arithmetic<SumOf>},
    OpRow{"ArgMax", argMax},
    OpRow{"BiasAdd", arithmetic<SumOf>},
    OpRow{"Bucketize", bucketize},
    OpRow{"Cast", cast},
    OpRow{"DivNoNan", division<QuotientOrZero>},
    OpRow{"Elu", unary<elu>},
    OpRow{"Equal", comparison<std::equal_to<>>},
    OpRow{"Erf", unary<errorFunction>},
    OpRow{"Exp", unary<exponential>},
    OpRow{"Greater", comparison<std::greater<>>},
    OpRow{"GreaterEqual", comparison<std::greater_equal<>>},
    OpRow{"LeakyRelu", leakyRelu},
    OpRow{"Less", comparison<std::less<>>},
    OpRow{"Log", unary<logarithm>},
    OpRow{"LogicalAnd", logical<std::logical_and<>>},
    OpRow{"LogicalOr", logical<std::logical_or<>>},
    OpRow{"MatMul", matMul},
    OpRow{"Maximum", arithmetic<Larger>},
    OpRow{"Minimum", arithmetic<Smaller>},
    OpRow{"Mul", arithmetic<Product>},
    OpRow{"NotEqual", comparison<std::not_equal_to<>>},
    OpRow{"RealDiv", division<std::divides<>>},
    OpRow{"Relu", unary<relu>},
    OpRow{"Relu6", unary<relu6>},
    OpRow{"Rsqrt", unary<rsqrt>},
    OpRow{"Selu", unary<selu>},
    OpRow{"Sigmoid", unary<sigmoid>},
    OpRow{"Softmax", softmax},
    OpRow{"Softplus", unary<softplus>},
    OpRow{"Softsign", unary<softsign>},
    OpRow{"Sqrt", unary<root>},
    OpRow{"Square", unary<square>},
    OpRow{"Sub", arithmetic<Difference>},
    OpRow{"Sum", sum},
    OpRow{"Tanh", unary<hyperbolicTangent>},
    OpRow{"UnsortedSegmentSum", unsortedSegmentSum},
};

} // namespace

std::span<const OpRow> mathOps()
{
    return kOps;
}

} // namespace cannery::exporting
