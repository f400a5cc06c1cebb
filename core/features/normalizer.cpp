// SPDX-License-Identifier: Apache-2.0
#include "core/features/normalizer.h"

#include "core/spec/feature_columns.pb.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <cmath>

namespace cannery::features {

namespace {

constexpr ErrorKind kNoStatistics{"features.no_statistics",
                                  "The normalizer of numeric column '{}' has no {}: set them, or "
                                  "start a run, which computes them from the training rows."};
constexpr ErrorKind kDivideByZero{"features.divide_by_zero",
                                  "The normalizer of numeric column '{}' divides by {}; remove the "
                                  "normalizer, or the column: a constant carries no information."};

} // namespace

Result<Normalizer> Normalizer::create(const spec::Normalizer& spec, std::string_view column)
{
    Normalizer result;
    double divide = 1;
    switch (spec.kind_case()) {
    case spec::Normalizer::KIND_NOT_SET:
        return result;
    case spec::Normalizer::kSubtractDivide:
        result.m_subtract = static_cast<float>(spec.subtract_divide().subtract());
        divide = spec.subtract_divide().divide();
        break;
    case spec::Normalizer::kZScore:
        if (!spec.z_score().has_mean() || !spec.z_score().has_stddev()) {
            return fail(ErrorCode::FailedPrecondition, kNoStatistics, column, "mean and stddev");
        }
        result.m_subtract = static_cast<float>(spec.z_score().mean());
        divide = spec.z_score().stddev();
        break;
    case spec::Normalizer::kMinMax:
        if (!spec.min_max().has_min() || !spec.min_max().has_max()) {
            return fail(ErrorCode::FailedPrecondition, kNoStatistics, column, "min and max");
        }
        result.m_subtract = static_cast<float>(spec.min_max().min());
        divide = spec.min_max().max() - spec.min_max().min();
        break;
    case spec::Normalizer::kLog:
        result.m_kind = Kind::Log;
        result.m_offset = static_cast<float>(spec.log().offset());
        result.m_subtract = static_cast<float>(spec.log().subtract());
        divide = spec.log().divide();
        break;
    }
    if (result.m_kind == Kind::Identity) {
        result.m_kind = Kind::Linear;
    }
    result.m_divide = static_cast<float>(divide);
    // Checked as float32: a divisor of 1e-50 is 0 there.
    if (!(std::fabs(result.m_divide) > 0) || !std::isfinite(result.m_divide)) {
        return fail(ErrorCode::InvalidArgument, kDivideByZero, column, divide);
    }
    return result;
}

void Normalizer::apply(std::span<float> values) const
{
    if (m_kind == Kind::Linear) {
        for (float& value : values) {
            value = (value - m_subtract) / m_divide;
        }
    } else if (m_kind == Kind::Log) {
        for (float& value : values) {
            value = (std::log(value + m_offset) - m_subtract) / m_divide;
        }
    }
}

float Normalizer::normalized(float value) const
{
    apply({&value, 1});
    return value;
}

storage::NodeRef Normalizer::emit(storage::GraphDefBuilder& graph, storage::NodeRef value) const
{
    const storage::Attrs floats{{"T", DType::Float32}};
    if (m_kind == Kind::Log) {
        const auto sum =
            graph.add("AddV2", "add", {value, graph.constant("add/y", m_offset)}, floats);
        value = graph.add("Log", "Log", {sum}, floats);
    }
    // TensorFlow's program for a plain logarithm has no division either.
    const bool isPlainLog = m_kind == Kind::Log && m_subtract == 0 && m_divide == 1;
    if (m_kind != Kind::Identity && !isPlainLog) {
        const auto difference =
            graph.add("Sub", "sub", {value, graph.constant("sub/y", m_subtract)}, floats);
        return graph.add("RealDiv", "truediv", {difference, graph.constant("truediv/y", m_divide)},
                         floats);
    }
    return value;
}

} // namespace cannery::features
