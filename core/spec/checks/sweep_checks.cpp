// SPDX-License-Identifier: Apache-2.0
// Rules of `sweep`: which fields may vary, and what its method needs of the experiment.

#include "core/spec/checks/validation_context.h"
#include "core/spec/message_access.h"
#include "core/spec/text/spec_override.h"

#include <cmath>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;

constexpr ErrorKind kNothingVaries{
    "spec.sweep_nothing_varies",
    "The sweep varies nothing: add parameter {{ field: \"…\" choice {{ value: [\"…\"] }} }}."};
constexpr ErrorKind kMayNotVary{"spec.sweep_may_not_vary", "'{0}' cannot vary: {1}."};
constexpr ErrorKind kVariesTwice{"spec.sweep_varies_twice",
                                 "'{0}' varies already, or part of it does: keep one of them."};
constexpr ErrorKind kWholeNumbers{"spec.sweep_whole_numbers",
                                  "'{0}' takes whole numbers: add integer: true to the range."};
constexpr ErrorKind kNoNumber{
    "spec.sweep_no_number",
    "'{0}' is not a number: give a choice of values in place of the range."};
constexpr ErrorKind kEmptyRange{"spec.sweep_empty_range",
                                "The range from {0} to {1} has no {2}: max must be greater."};
constexpr ErrorKind kLogarithmOfNothing{
    "spec.sweep_log", "A logarithmic range begins above 0, not at {0}: change min, or log."};
constexpr ErrorKind kNothingToCompare{"spec.sweep_nothing_to_compare",
                                      "The runs of a sweep are compared by their evaluations: add "
                                      "data.eval, or data.split."};
constexpr ErrorKind kLastRung{
    "spec.sweep_last_rung",
    "Successive halving goes on until train_spec.max_steps: set it above min_steps, which is {0}."};

bool isWholeNumber(const FieldDescriptor& field)
{
    return field.cpp_type() == FieldDescriptor::CPPTYPE_INT64 ||
           field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
}

bool isNumber(const FieldDescriptor& field)
{
    return isWholeNumber(field) || field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
}

/// Why the field is not the sweep's to change; empty if it is.
std::string_view hindrance(const Sweep& sweep, const SpecPath& field)
{
    // A part of a fixed setting counts, and so does a message that contains it.
    const auto isOf = [&](const char* path) {
        const SpecPath fixed = *parsePath(path);
        return field.startsWith(fixed) || fixed.startsWith(field);
    };
    if (isOf("sweep")) {
        return "it is part of the sweep";
    }
    if (sweep.has_k_fold() && (isOf("data.split") || isOf("data.eval"))) {
        return "the folds of the cross-validation decide which rows are held back";
    }
    if (sweep.has_asha() && isOf("train_spec.max_steps")) {
        return "successive halving decides how long a run trains";
    }
    return {};
}

class ParameterCheck
{
public:
    ParameterCheck(ValidationContext& context, const SweepParameter& parameter, SpecPath path)
        : m_context(context), m_parameter(parameter), m_path(std::move(path))
    {}

    /// @param others the fields of the parameters before; this one's is added.
    void run(std::vector<SpecPath>& others)
    {
        Result<SpecPath> field = parsePath(m_parameter.field());
        // The path is checked against the schema, as the field need not be set.
        const Result<const FieldDescriptor*> descriptor =
            field ? describePath(m_context.experiment, *field)
                  : Result<const FieldDescriptor*>(tl::make_unexpected(field.error()));
        if (!descriptor) {
            m_context.report(m_path.child("field"), descriptor.error());
            return;
        }
        checkField(*field, others);
        if (m_parameter.has_range()) {
            checkRange(*field, **descriptor);
        }
        for (int i = 0; i < m_parameter.choice().value_size(); ++i) {
            tryValue(*field, m_parameter.choice().value(i),
                     m_path.child("choice").child("value").element(i));
        }
        others.push_back(*std::move(field));
    }

private:
    void checkField(const SpecPath& field, const std::vector<SpecPath>& others)
    {
        const std::string_view reason = hindrance(m_context.experiment.sweep(), field);
        if (!reason.empty()) {
            m_context.report(m_path.child("field"), error(ErrorCode::InvalidArgument, kMayNotVary,
                                                          m_parameter.field(), reason));
        }
        for (const SpecPath& other : others) {
            if (field.startsWith(other) || other.startsWith(field)) {
                m_context.report(m_path.child("field"), error(ErrorCode::InvalidArgument,
                                                              kVariesTwice, m_parameter.field()));
                return;
            }
        }
    }

    void checkRange(const SpecPath& field, const FieldDescriptor& descriptor)
    {
        const SweepRange& range = m_parameter.range();
        const SpecPath path = m_path.child("range");
        if (!range.has_min() || !range.has_max() || !std::isfinite(range.min()) ||
            !std::isfinite(range.max())) {
            return; // reported as required, or as not finite
        }
        // The whole numbers within the range are what will be drawn.
        const double min = range.integer() ? std::ceil(range.min()) : range.min();
        const double max = range.integer() ? std::floor(range.max()) : range.max();
        if (!isNumber(descriptor)) {
            m_context.report(path,
                             error(ErrorCode::InvalidArgument, kNoNumber, m_parameter.field()));
        } else if (isWholeNumber(descriptor) && !range.integer()) {
            m_context.report(path,
                             error(ErrorCode::InvalidArgument, kWholeNumbers, m_parameter.field()));
        } else if (range.integer() ? min > max : min >= max) {
            m_context.report(path.child("max"),
                             error(ErrorCode::InvalidArgument, kEmptyRange, range.min(),
                                   range.max(), range.integer() ? "whole number" : "number"));
        } else if (range.log() && min <= 0) {
            m_context.report(path.child("min"),
                             error(ErrorCode::InvalidArgument, kLogarithmOfNothing, range.min()));
        } else {
            const auto text = [&](double value) {
                return range.integer() ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
            };
            // The ends stand for all values between them.
            tryValue(field, text(min), path.child("min"));
            tryValue(field, text(max), path.child("max"));
        }
    }

    /// Whether the experiment takes the value as it takes --set.
    void tryValue(const SpecPath& field, const std::string& value, const SpecPath& place)
    {
        // On a copy: the value is tried, not kept.
        Experiment tried = m_context.experiment;
        if (Result<void> taken = setField(tried, field, value); !taken) {
            m_context.report(place, std::move(taken).error());
        }
    }

    ValidationContext& m_context;
    const SweepParameter& m_parameter;
    SpecPath m_path;
};

} // namespace

void checkSweep(ValidationContext& context)
{
    if (!context.experiment.has_sweep()) {
        return;
    }
    const Sweep& sweep = context.experiment.sweep();
    const SpecPath path = SpecPath{}.child("sweep");
    std::vector<SpecPath> fields;
    for (int i = 0; i < sweep.parameter_size(); ++i) {
        if (!sweep.parameter(i).field().empty()) {
            ParameterCheck(context, sweep.parameter(i), path.child("parameter").element(i))
                .run(fields);
        }
    }
    if (sweep.parameter_size() == 0 && !sweep.has_k_fold()) {
        context.report(path, error(ErrorCode::InvalidArgument, kNothingVaries));
    }
    if (!hasRowsToEvaluate(context.experiment)) {
        context.report(path, error(ErrorCode::InvalidArgument, kNothingToCompare));
    }
    const SuccessiveHalving& halving = sweep.asha();
    // With fewer steps than the first rung, no run would ever be stopped.
    if (halving.has_min_steps() &&
        context.experiment.train_spec().max_steps() <= halving.min_steps()) {
        context.report(path.child("asha").child("min_steps"),
                       error(ErrorCode::InvalidArgument, kLastRung, halving.min_steps()));
    }
}

} // namespace cannery::spec
