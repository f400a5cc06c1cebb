// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <array>
#include <cmath>
#include <functional>
#include <type_traits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

// The constants of Klambauer et al. 2017, as in TensorFlow's Selu.
constexpr double kSeluScale = 1.0507009873554805;
constexpr double kSeluAlpha = 1.6732632423543772;

template <typename T>
HostTensor boolsOrValues(const std::vector<T>& values, const Shape& shape)
{
    return HostTensor::of(values, shape);
}

/// vector<bool> stores bits; a tensor stores bytes.
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

/// Arithmetic on numbers: float32, int32 or int64.
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

/// Arithmetic on float32 only.
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
    // Signed overflow is undefined in C++, unsigned is not.
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
/// NaN, as a maximum or minimum is when either number is.
template <typename T>
bool isNan(T value)
{
    if constexpr (std::is_floating_point_v<T>) {
        return std::isnan(value);
    } else {
        return false;
    }
}
struct Larger
{
    template <typename T>
    T operator()(T a, T b) const
    {
        // As TensorFlow's Eigen kernels: NaN from either side.
        return a < b || isNan(b) ? b : a;
    }
};
struct Smaller
{
    template <typename T>
    T operator()(T a, T b) const
    {
        return b < a || isNan(b) ? b : a;
    }
};

/// A function of one number, computed in double.
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
    return x <= 0 ? 0 : x; // NaN stays
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
/// The usual form overflows for large x; this one adds log1p(e^-|x|) to max(x, 0).
double softplus(double x)
{
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
double softsign(double x)
{
    return x / (1.0 + std::abs(x));
}
double negative(double x)
{
    return -x;
}
double ceiling(double x)
{
    return std::ceil(x);
}
double logarithmOfOnePlus(double x)
{
    return std::log1p(x);
}
double one(double /*x*/)
{
    return 1;
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
    // TensorFlow's default of the attribute.
    const float alpha = call.attrOr("alpha", 0.2F);
    std::vector<float> result;
    for (const float value : values) {
        result.push_back(value > 0 ? value : alpha * value);
    }
    call.give(HostTensor::of(result, call.inputs[0]->tensor.shape));
    return {};
}

constexpr std::array kOps{
    OpRow{"AddV2", arithmetic<SumOf>},
    OpRow{"BiasAdd", arithmetic<SumOf>},
    OpRow{"Ceil", unary<ceiling>},
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
    OpRow{"Log1p", unary<logarithmOfOnePlus>},
    OpRow{"LogicalAnd", logical<std::logical_and<>>},
    OpRow{"LogicalOr", logical<std::logical_or<>>},
    OpRow{"Maximum", arithmetic<Larger>},
    OpRow{"Minimum", arithmetic<Smaller>},
    OpRow{"Mul", arithmetic<Product>},
    OpRow{"Neg", unary<negative>},
    OpRow{"NotEqual", comparison<std::not_equal_to<>>},
    OpRow{"OnesLike", unary<one>},
    OpRow{"RealDiv", division<std::divides<>>},
    OpRow{"Relu", unary<relu>},
    OpRow{"Relu6", unary<relu6>},
    OpRow{"Rsqrt", unary<rsqrt>},
    OpRow{"Selu", unary<selu>},
    OpRow{"Sigmoid", unary<sigmoid>},
    OpRow{"Softplus", unary<softplus>},
    OpRow{"Softsign", unary<softsign>},
    OpRow{"Sqrt", unary<root>},
    OpRow{"Square", unary<square>},
    OpRow{"Sub", arithmetic<Difference>},
    OpRow{"Tanh", unary<hyperbolicTangent>},
};

} // namespace

std::span<const OpRow> mathOps()
{
    return kOps;
}

} // namespace cannery::exporting
