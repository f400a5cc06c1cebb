// SPDX-License-Identifier: Apache-2.0
// Rules for single feature columns: those of the schema's options, which apply to every kind, then
// those of each kind.

#include "core/spec/checks/column_rules.h"
#include "core/spec/message_access.h"

#include <fmt/ranges.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kOtherDefault{
    "spec.other_default",
    "The feature columns '{0}' and '{1}' read '{2}' with different default values, which "
    "TensorFlow's make_parse_example_spec refuses: a program of 'export --as program' cannot have "
    "both. Set the same default_value in both."};
constexpr ErrorKind kNotNumericSource{"spec.source_not_numeric",
                                      "'{0}' is a {1}: {2} needs a numeric_column."};
constexpr ErrorKind kDenseWrapped{
    "spec.not_categorical",
    "'{0}' is a {1}, which is dense already: {2} needs a categorical column."};
constexpr ErrorKind kNumericWrapped{
    "spec.numeric_not_categorical",
    "'{0}' is a numeric_column: {1} needs a categorical column, so bucketize the numbers first, or "
    "use the numeric_column directly."};
constexpr ErrorKind kDtype{"spec.column_dtype", "dtype is {0}: a {1} can be {2}."};
constexpr ErrorKind kNotDense{"spec.needs_dense",
                              "'{0}' is a {1}, which gives no numbers: {2} needs a dense column."};

constexpr ErrorKind kSequenceSource{"spec.sequence_source",
                                    "'{0}' is a {1}, which has a value for each step: {2} needs "
                                    "one that has a value for each row."};

/// Why a column is not a valid source of another one.
Error notWhatIsWanted(const FeatureColumn& source, ColumnKind::Value wanted,
                      const FeatureColumn& column)
{
    const std::string kind = kindName(source);
    switch (wanted) {
    case ColumnKind::NUMBERS:
        return error(ErrorCode::InvalidArgument, kNotNumericSource, source.name(), kind,
                     kindName(column));
    case ColumnKind::DENSE:
        return error(ErrorCode::InvalidArgument, kNotDense, source.name(), kind, kindName(column));
    case ColumnKind::IDS:
    case ColumnKind::SEQUENCE:
        break;
    }
    return gives(source, ColumnKind::NUMBERS)
               ? error(ErrorCode::InvalidArgument, kNumericWrapped, source.name(), kindName(column))
               : error(ErrorCode::InvalidArgument, kDenseWrapped, source.name(), kind,
                       kindName(column));
}

void checkSources(const ColumnCheck& check, const FieldDescriptor& field)
{
    const std::vector<ColumnSource> sources = sourcesIn(check.column, field.name());
    const auto place = [&](std::size_t i) {
        const SpecPath path = check.path.child(field.name());
        return field.is_repeated() ? path.element(static_cast<int>(i)) : path;
    };
    // A reference that leads nowhere is reported with the names.
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const FeatureColumn* source =
            sources[i].isColumn ? check.context.column(sources[i].name) : nullptr;
        if (source != nullptr && !gives(*source, infoOf(field).wants())) {
            check.report(place(i), notWhatIsWanted(*source, infoOf(field).wants(), check.column));
            // A wrapper may wrap a sequence: it is one then itself.
        } else if (source != nullptr && gives(*source, ColumnKind::SEQUENCE) &&
                   !isWrapper(check.column)) {
            check.report(place(i),
                         error(ErrorCode::InvalidArgument, kSequenceSource, source->name(),
                               kindName(*source), kindName(check.column)));
        }
    }
}

/// "string, int32 or int64"
std::string alternatives(const std::vector<std::string>& names)
{
    const auto last = names.end() - 1;
    return fmt::format("{} or {}", fmt::join(names.begin(), last, ", "), *last);
}

void checkChoice(const ColumnCheck& check, const Message& member, const FieldDescriptor& field)
{
    const auto& allowed = infoOf(field).among();
    const std::string& chosen = member.GetReflection()->GetEnum(member, &field)->name();
    if (std::find(allowed.begin(), allowed.end(), chosen) == allowed.end()) {
        check.report(check.path.child(field.name()),
                     error(ErrorCode::InvalidArgument, kDtype, chosen, kindName(check.column),
                           alternatives({allowed.begin(), allowed.end()})));
    }
}

void checkColumn(const ColumnCheck& check)
{
    const Message* member = memberOf(check.column);
    const Descriptor* kind = member == nullptr ? nullptr : member->GetDescriptor();
    for (int i = 0; kind != nullptr && i < kind->field_count(); ++i) {
        const FieldDescriptor& field = *kind->field(i);
        if (infoOf(field).has_wants()) {
            checkSources(check, field);
        }
        if (infoOf(field).among_size() > 0) {
            checkChoice(check, *member, field);
        }
    }
    // Rules that no option can express.
    if (const ColumnRules* rules = findColumnRules(check.column); rules && rules->check) {
        rules->check(check);
    }
}

/// The feature that a column reads, and the numbers that stand for its missing ones.
struct NumberDefaults
{
    std::string feature;
    std::vector<double> numbers;
};

/// Nothing for a column that is not made of numbers.
std::optional<NumberDefaults> numberDefaultsOf(const FeatureColumn& column)
{
    const auto* member = memberOf(column);
    const auto* key = member ? member->GetDescriptor()->FindFieldByName("key") : nullptr;
    const auto* value =
        member ? member->GetDescriptor()->FindFieldByName("default_value") : nullptr;
    // Found by the shape of the message: a key, and a list of numbers as default.
    const bool isNumeric = key != nullptr && !isMessage(*key) && value != nullptr &&
                           value->is_repeated() &&
                           value->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    if (!isNumeric) {
        return std::nullopt;
    }
    const auto& reflection = *member->GetReflection();
    const auto& numbers = reflection.GetRepeatedFieldRef<double>(*member, value);
    return NumberDefaults{reflection.GetString(*member, key), {numbers.begin(), numbers.end()}};
}

/// One number stands for all elements.
bool areSame(const std::vector<double>& one, const std::vector<double>& other)
{
    const std::vector<double>& many = one.size() > other.size() ? one : other;
    const std::vector<double>& few = one.size() > other.size() ? other : one;
    return few == many || (few.size() == 1 && std::ranges::all_of(many, [&](double number) {
                               return number == few.front();
                           }));
}

/// In TensorFlow make_parse_example_spec refuses such columns.
void checkSharedDefaults(ValidationContext& context)
{
    std::unordered_map<std::string, std::pair<int, std::vector<double>>> firstOfFeature;
    const auto& columns = context.experiment.feature_column();
    for (int i = 0; i < columns.size(); ++i) {
        const std::optional<NumberDefaults> found = numberDefaultsOf(columns[i]);
        if (!found) {
            continue;
        }
        const auto [place, isNew] =
            firstOfFeature.emplace(found->feature, std::pair(i, found->numbers));
        const auto& [other, numbers] = place->second;
        // The first column is the one that the second disagrees with; a warning, since only
        // TensorFlow's program is affected.
        if (!isNew && !areSame(numbers, found->numbers)) {
            context.report(SpecPath{}
                               .child("feature_column")
                               .element(i)
                               .child(kindName(columns[i]))
                               .child("default_value"),
                           error(ErrorCode::InvalidArgument, kOtherDefault, columns[other].name(),
                                 columns[i].name(), found->feature),
                           Severity::Warning);
        }
    }
}

} // namespace

void checkFeatureColumns(ValidationContext& context)
{
    const Experiment& experiment = context.experiment;
    for (int i = 0; i < experiment.feature_column_size(); ++i) {
        const FeatureColumn& column = experiment.feature_column(i);
        const auto features = rawFeatures(context.columns, column.name());
        // A dangling reference is reported where it occurs.
        if (!features && features.error().id != "spec.dangling_column") {
            context.report(SpecPath{}.child("feature_column").element(i), features.error());
        }
        checkColumn({context, column,
                     SpecPath{}.child("feature_column").element(i).child(kindName(column))});
    }
    checkSharedDefaults(context);
}

} // namespace cannery::spec
