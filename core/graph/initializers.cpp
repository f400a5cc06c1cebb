// SPDX-License-Identifier: Apache-2.0
#include "core/graph/initializers.h"

namespace cannery::graph {

namespace {

constexpr ErrorKind kBadInitializer{"graph.bad_initializer", "The initializer {}."};

tl::unexpected<Error> refuse(const std::string& why)
{
    return fail(ErrorCode::InvalidArgument, kBadInitializer, why);
}

Result<void> checkConstant(const spec::ConstantInitializer& constant, const Shape& shape)
{
    const std::int64_t given = constant.value_size();
    if (given != 1 && given != shape.elementCount()) {
        return refuse(fmt::format("constant has {} values for a shape of {}; give one value, or {} "
                                  "of them row by row",
                                  given, shape.toString(), shape.elementCount()));
    }
    return {};
}

/// What Keras's initializers that look at a matrix need.
Result<void> checkDimensions(const char* kind, bool fits, const char* wanted, const Shape& shape)
{
    if (!fits) {
        return refuse(fmt::format("{} fills {}, not a shape of {}; give another one", kind, wanted,
                                  shape.toString()));
    }
    return {};
}

Result<void> checkDeviation(const char* kind, double stddev)
{
    if (!(stddev >= 0.0)) {
        return refuse(fmt::format("{} has the standard deviation {}; give one that is not negative",
                                  kind, stddev));
    }
    return {};
}

} // namespace

spec::Initializer zeros()
{
    spec::Initializer initializer;
    initializer.mutable_zeros();
    return initializer;
}

spec::Initializer ones()
{
    spec::Initializer initializer;
    initializer.mutable_ones();
    return initializer;
}

spec::Initializer glorotUniform()
{
    spec::Initializer initializer;
    initializer.mutable_glorot_uniform();
    return initializer;
}

spec::Initializer orthogonal()
{
    spec::Initializer initializer;
    initializer.mutable_orthogonal();
    return initializer;
}

spec::Initializer truncatedNormal(double stddev)
{
    spec::Initializer initializer;
    initializer.mutable_truncated_normal()->set_stddev(stddev);
    return initializer;
}

Fans fansOf(const Shape& shape)
{
    const int rank = shape.rank();
    if (rank == 0) {
        return {};
    }
    if (rank == 1) {
        const auto length = static_cast<double>(shape.dims[0]);
        return {length, length};
    }
    double receptive = 1.0;
    for (int axis = 0; axis < rank - 2; ++axis) {
        receptive *= static_cast<double>(shape.dims[static_cast<std::size_t>(axis)]);
    }
    const auto last = static_cast<std::size_t>(rank - 1);
    return {receptive * static_cast<double>(shape.dims[last - 1]),
            receptive * static_cast<double>(shape.dims[last])};
}

Result<void> checkInitializer(const spec::Initializer& initializer, const Shape& shape)
{
    switch (initializer.kind_case()) {
    case spec::Initializer::kConstant:
        return checkConstant(initializer.constant(), shape);
    case spec::Initializer::kRandomUniform:
        if (!(initializer.random_uniform().minval() <= initializer.random_uniform().maxval())) {
            return refuse("random_uniform has a minval above its maxval; swap them");
        }
        return {};
    case spec::Initializer::kRandomNormal:
        return checkDeviation("random_normal", initializer.random_normal().stddev());
    case spec::Initializer::kTruncatedNormal:
        return checkDeviation("truncated_normal", initializer.truncated_normal().stddev());
    case spec::Initializer::kOrthogonal:
        return checkDimensions("orthogonal", shape.rank() >= 2, "two or more dimensions", shape);
    case spec::Initializer::kIdentity:
        return checkDimensions("identity", shape.rank() == 2, "a matrix", shape);
    case spec::Initializer::kVarianceScaling:
        if (!(initializer.variance_scaling().scale() > 0.0)) {
            return refuse(fmt::format("variance_scaling has the scale {}; give one above 0",
                                      initializer.variance_scaling().scale()));
        }
        return {};
    case spec::Initializer::KIND_NOT_SET:
        return refuse("is empty; name one, such as zeros {}");
    default:
        return {};
    }
}

} // namespace cannery::graph
