// SPDX-License-Identifier: Apache-2.0
#include "core/advice/label_choice.h"

#include "core/advice/label_classes.h"
#include "core/advice/suggested_reading.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace cannery::advice {

namespace {

constexpr ErrorKind kLabelEmpty{"data.label_empty",
                                "The column '{}' cannot be a label: it has only one value."};
constexpr ErrorKind kLabelMissing{
    "data.label_has_no_value",
    "The column '{}' cannot be a label: no row has a value in it. Give --label another column."};
constexpr ErrorKind kLabelTooManyClasses{
    "data.label_too_many_classes",
    "The column '{}' cannot be a label: it has {} different texts; a label is a number or one of "
    "at most {} classes."};
constexpr std::uint64_t kMostLabelClasses = 100;
constexpr std::uint64_t kMostIntegerClasses = 20;

/// The label's scale and offset, rounded by at most a hundredth of its deviation.
LabelChoice numberLabel(const data::ColumnStatistics& label)
{
    LabelChoice choice;
    // A label without deviation cannot be scaled.
    if (label.deviation > 0 && std::isfinite(label.deviation)) {
        choice.scale = roundedWithin(label.deviation, label.deviation / 100);
        choice.offset = roundedWithin(label.mean, label.deviation / 100);
    }
    return choice;
}

/// Numbers that only their notation makes such, as 5 % is, are classes by their texts.
LabelClasses classesOfLabel(const TableFacts& facts, const std::string& label, bool areNumbers)
{
    storage::NumberNotation notation;
    if (const data::ColumnSchema* schema = facts.schema.find(label)) {
        // A number such as "5 %" loses its sign when it is read.
        notation = schema->notation;
    }
    const bool hasComma = std::exchange(notation.decimalMark, '.') == ',';
    return classesOf(facts.labelTexts, areNumbers && notation.isPlain(),
                     facts.schema.decimalComma || hasComma);
}

/// Whether values occur as often as those of classes do, on average: twice if they count 0, 1, 2 or
/// 1, 2, 3 …; as whole numbers of anything else, five times: measurements of a few rows recur, too.
bool recurs(const data::ColumnStatistics& label)
{
    const bool counts = (label.min == 0 || label.min == 1) &&
                        label.max - label.min + 1 == static_cast<double>(label.distinct);
    const std::uint64_t times = counts ? 2 : 5;
    return label.distinct <= 2 || times * label.distinct <= label.count;
}

} // namespace

Result<LabelChoice> chooseLabel(const TableFacts& facts, const data::ColumnStatistics& label,
                                const std::optional<bool>& classifier)
{
    if (label.count == 0) {
        return fail(ErrorCode::InvalidArgument, kLabelMissing, label.name);
    }
    if (label.distinct < 2) {
        return fail(ErrorCode::InvalidArgument, kLabelEmpty, label.name);
    }
    const bool number = label.dtype != DType::String;
    const bool fewIntegers = number && label.distinct <= kMostIntegerClasses && recurs(label) &&
                             (isInteger(label.dtype) || areWholeNumbers(label));
    // Few whole numbers may be either; without a choice they are classes.
    const bool wantsClasses = classifier.value_or(!number || fewIntegers);
    // Numbers that count something are predicted as numbers.
    if (!wantsClasses && number) {
        return numberLabel(label);
    }
    LabelClasses classes = classesOfLabel(facts, label.name, number);
    const std::size_t count = classes.names.size();
    // Classes that were not all seen would be missing from the vocabulary.
    if (count > kMostLabelClasses || !classes.areComplete) {
        return fail(ErrorCode::InvalidArgument, kLabelTooManyClasses, label.name, label.distinct,
                    kMostLabelClasses);
    }
    if (count < 2) {
        return fail(ErrorCode::InvalidArgument, kLabelEmpty, label.name);
    }
    LabelChoice choice{.task = count == 2 ? LabelTask::Binary : LabelTask::MultiClass,
                       .classes = static_cast<std::int64_t>(count)};
    // Class numbers from 0 need no vocabulary.
    if (!isInteger(label.dtype) || !classes.areClassIds) {
        choice.vocabulary = std::move(classes.names);
        choice.readAsText = number;
        choice.missingTokens = std::move(classes.notNumbers);
    }
    return choice;
}

std::uint64_t unlabelledRows(const data::ColumnStatistics& label)
{
    return label.missing + label.nan;
}

void describeLabel(const TableFacts& facts, const LabelChoice& label, spec::Experiment& experiment)
{
    spec::Column entry;
    if (const data::ColumnSchema* schema = facts.schema.find(facts.label)) {
        describeReading(facts.schema, *schema, entry);
    }
    // Tokens of the notation, and texts that are not classes.
    std::set<std::string> tokens(entry.missing_token().begin(), entry.missing_token().end());
    tokens.insert(label.missingTokens.begin(), label.missingTokens.end());
    entry.clear_missing_token();
    for (const std::string& token : tokens) {
        entry.add_missing_token(token);
    }
    if (label.readAsText) {
        // Classes are compared as the table spells them.
        entry.clear_number_notation(); // classes are texts, as the table has them
        entry.set_dtype(spec::DataType::string);
    }
    if (entry.ByteSizeLong() > 0) {
        entry.set_name(facts.label);
        *experiment.mutable_data()->add_column() = std::move(entry);
    }
}

void leaveOutUnlabelled(const data::ColumnStatistics& label, std::uint64_t rows,
                        StartingExperiment& result)
{
    const std::uint64_t unlabelled = unlabelledRows(label);
    if (unlabelled == 0) {
        return;
    }
    result.experiment.mutable_data()->set_unlabelled_rows(spec::BadRows::SKIP);
    result.rowNotes.push_back(fmt::format("{} of the {} rows {} no label in {} and {} left out",
                                          unlabelled, rows, unlabelled == 1 ? "has" : "have",
                                          label.name, unlabelled == 1 ? "is" : "are"));
}

} // namespace cannery::advice
