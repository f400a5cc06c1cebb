// SPDX-License-Identifier: Apache-2.0
#include "core/spec/checks/annotation_checks.h"

#include "core/spec/message_access.h"
#include "core/spec/text/scalar_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::OneofDescriptor;
using google::protobuf::Reflection;

constexpr ErrorKind kRequired{"spec.required", "'{0}' must be set in '{1}': add {0}{2}."};
constexpr ErrorKind kTooFew{"spec.too_few", "'{0}' needs at least {1}, not {2}."};
constexpr ErrorKind kOutOfRange{"spec.out_of_range", "'{0}' is {1}: it must be {2}."};
constexpr ErrorKind kNotFinite{"spec.not_finite", "'{0}' is {1}: it must be a finite number."};
constexpr ErrorKind kBeyondFloat{
    "spec.out_of_float_range",
    "'{0}' is {1}: it must be between -3.4028234663852886e+38 and 3.4028234663852886e+38, because "
    "models compute in float32."};
/// Members of a oneof that a message names.
constexpr int kMostNamed = 40;
constexpr ErrorKind kMemberRequired{"spec.member_required", "'{0}' is empty: add one of {1}."};
constexpr ErrorKind kEmptyText{"spec.empty_text", "'{0}' is empty: give it a text."};

void report(std::vector<Problem>& problems, const SpecPath& path, Error error)
{
    Problem problem;
    problem.fieldPath = path.toString();
    problem.error = std::move(error).at(problem.fieldPath);
    addProblem(problems, std::move(problem));
}

/// The types of numbers that the schema has; enums and bools are none.
std::optional<double> number(const Message& message, const FieldDescriptor& field, int index)
{
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
        return static_cast<double>(index < 0 ? reflection.GetInt64(message, &field)
                                             : reflection.GetRepeatedInt64(message, &field, index));
    case FieldDescriptor::CPPTYPE_UINT64:
        return static_cast<double>(index < 0
                                       ? reflection.GetUInt64(message, &field)
                                       : reflection.GetRepeatedUInt64(message, &field, index));
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return index < 0 ? reflection.GetDouble(message, &field)
                         : reflection.GetRepeatedDouble(message, &field, index);
    default:
        return std::nullopt;
    }
}

/// From here on, an upper bound only prevents overflow and is mentioned only when exceeded.
constexpr double kOutOfReach = 2147483647;

std::string rangeText(const FieldInfo& info, bool isBelow)
{
    const std::string least = numberText(info.min());
    const std::string most = numberText(info.max());
    if (info.has_min() && info.has_max() && info.max() < kOutOfReach) {
        return fmt::format("between {} and {}{}", least, most,
                           info.exclusive() ? ", both excluded" : "");
    }
    if (info.has_min() && (isBelow || !info.has_max())) {
        return info.exclusive() ? "greater than " + least : "at least " + least;
    }
    return info.exclusive() ? "less than " + most : "at most " + most;
}

void checkNumber(double value, const FieldDescriptor& field, const std::string& written,
                 const SpecPath& path, std::vector<Problem>& problems)
{
    const FieldInfo& info = infoOf(field);
    // First, as NaN would pass every comparison below.
    if (!std::isfinite(value)) {
        report(problems, path,
               error(ErrorCode::InvalidArgument, kNotFinite, field.name(), written));
        return;
    }
    // Also for fields without a range: as a float it would become infinite.
    if (std::fabs(value) > std::numeric_limits<float>::max()) {
        report(problems, path, error(ErrorCode::OutOfRange, kBeyondFloat, field.name(), written));
        return;
    }
    // Exclusive bounds are those of open intervals, as a learning rate above 0.
    const bool below =
        info.has_min() && (info.exclusive() ? value <= info.min() : value < info.min());
    const bool above =
        info.has_max() && (info.exclusive() ? value >= info.max() : value > info.max());
    if (below || above) {
        report(problems, path,
               error(ErrorCode::OutOfRange, kOutOfRange, field.name(), written,
                     rangeText(info, below)));
    }
}

void checkAll(const Message& message, SpecPath& path, std::vector<Problem>& problems);

void checkValue(const Message& message, const FieldDescriptor& field, int index, SpecPath& path,
                std::vector<Problem>& problems)
{
    const Reflection& reflection = *message.GetReflection();
    if (isMessage(field)) {
        checkAll(index < 0 ? reflection.GetMessage(message, &field)
                           : reflection.GetRepeatedMessage(message, &field, index),
                 path, problems);
        return;
    }
    if (const auto value = number(message, field, index)) {
        checkNumber(*value, field, scalarText(message, field, index), path, problems);
    }
    const FieldInfo& info = infoOf(field);
    // A name, and a required text, must have characters.
    const bool mustBeFilled = info.required() || info.names() != FieldInfo::NOTHING;
    if (mustBeFilled && field.cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
        scalarText(message, field, index) == "\"\"") {
        report(problems, path, error(ErrorCode::InvalidArgument, kEmptyText, field.name()));
    }
}

bool isGiven(const Message& message, const FieldDescriptor& field)
{
    const Reflection& reflection = *message.GetReflection();
    return field.is_repeated() ? reflection.FieldSize(message, &field) > 0
                               : reflection.HasField(message, &field);
}

/// Whether a message without the field has a problem.
bool isDemanded(const FieldDescriptor& field)
{
    return infoOf(field).required() || infoOf(field).min_count() > 0;
}

void checkOneof(const Message& message, const OneofDescriptor& oneof, const SpecPath& path,
                std::vector<Problem>& problems)
{
    // A oneof is a choice that must be made, unless its message declares it optional.
    if (message.GetReflection()->HasOneof(message, &oneof) ||
        message.GetDescriptor()->options().GetExtension(about).kind_optional()) {
        return;
    }
    std::vector<std::string> members;
    for (int i = 0; i < std::min(oneof.field_count(), kMostNamed); ++i) {
        members.push_back(oneof.field(i)->name());
    }
    if (oneof.field_count() > kMostNamed) {
        members.push_back(fmt::format("... ('cannery help {}' lists all {})",
                                      message.GetDescriptor()->name(), oneof.field_count()));
    }
    report(problems, path,
           error(ErrorCode::InvalidArgument, kMemberRequired,
                 path.steps.empty() ? "experiment" : path.steps.back().field,
                 fmt::format("{}", fmt::join(members, ", "))));
}

/// `path` is that of the message, and as it was afterwards.
void checkOne(const Message& message, const FieldDescriptor& field, SpecPath& path,
              std::vector<Problem>& problems)
{
    const FieldInfo& info = infoOf(field);
    const Reflection& reflection = *message.GetReflection();
    DeeperPath deeper(path, field.name());
    if (!field.is_repeated()) {
        if (reflection.HasField(message, &field)) {
            checkValue(message, field, -1, path, problems);
        } else if (info.required()) {
            reportUnset(field, path, problems);
        }
        return;
    }
    const int count = reflection.FieldSize(message, &field);
    if (count < static_cast<int>(info.min_count())) {
        const std::string needed =
            info.min_count() == 1 ? "one element" : fmt::format("{} elements", info.min_count());
        report(problems, path,
               error(ErrorCode::InvalidArgument, kTooFew, field.name(), needed, count));
    }
    for (int i = 0; i < count; ++i) {
        deeper.setElement(i);
        checkValue(message, field, i, path, problems);
    }
}

void checkAll(const Message& message, SpecPath& path, std::vector<Problem>& problems)
{
    const Descriptor& descriptor = *message.GetDescriptor();
    for (int i = 0; i < descriptor.field_count(); ++i) {
        const FieldDescriptor& field = *descriptor.field(i);
        // Almost all fields are neither, and a path is only built for the others.
        if (isGiven(message, field) || isDemanded(field)) {
            checkOne(message, field, path, problems);
        }
    }
    for (int i = 0; i < descriptor.real_oneof_decl_count(); ++i) {
        checkOneof(message, *descriptor.oneof_decl(i), path, problems);
    }
}

} // namespace

void checkField(const Message& message, const FieldDescriptor& field, const SpecPath& path,
                std::vector<Problem>& problems)
{
    // checkOne() adds the field's name to the path of its message.
    SpecPath parent = path.parent();
    checkOne(message, field, parent, problems);
}

void reportUnset(const FieldDescriptor& field, const SpecPath& path, std::vector<Problem>& problems)
{
    const SpecPath parent = path.parent();
    report(problems, path,
           error(ErrorCode::InvalidArgument, kRequired, field.name(),
                 parent.steps.empty() ? "the experiment" : parent.steps.back().field,
                 isMessage(field) ? " { … }" : ": " + exampleValue(field)));
}

void checkFields(const Message& message, const SpecPath& path, std::vector<Problem>& problems)
{
    SpecPath walked = path;
    checkAll(message, walked, problems);
}

} // namespace cannery::spec
