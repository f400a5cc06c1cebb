// SPDX-License-Identifier: Apache-2.0
// Rules of `data`: sources, split, label and derived features.

#include "core/base/iso_time.h"
#include "core/base/utf8.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/message_access.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

namespace cannery::spec {

namespace {

constexpr ErrorKind kSplitAndEval{
    "spec.split_and_eval", "Both 'split' and 'eval' define the evaluation rows: keep one of them."};
constexpr ErrorKind kNothingToEvaluate{"spec.nothing_to_evaluate",
                                       "eval_spec needs rows to evaluate on: add data.eval, or "
                                       "data.split to hold back some of the training rows."};
constexpr ErrorKind kDelimiter{"spec.delimiter",
                               "field_delim is {0}: it must be a single ASCII character."};
constexpr ErrorKind kDuplicateColumn{"spec.duplicate_column",
                                     "'{0}' occurs twice in {1}: remove one."};
constexpr ErrorKind kStackShape{
    "spec.stack_shape",
    "The shape has {0} elements, but {1} columns are stacked: they must agree."};
constexpr ErrorKind kSeparator{"spec.separator",
                               "The separator is empty: give the text at which cells are split."};
constexpr ErrorKind kEvalFrom{"spec.eval_from",
                              "eval_from is \"{0}\": write a date or time in ISO 8601, such as "
                              "2024-05-01 or 2024-05-01T12:30."};
constexpr ErrorKind kDateOrigin{"spec.date_origin",
                                "origin is \"{0}\": write a date or time in ISO 8601, such as "
                                "2024-05-01 or 2024-05-01T12:30."};
constexpr ErrorKind kUnusedOrigin{
    "spec.unused_origin",
    "Only days_since counts from an origin: remove it, or choose days_since."};

constexpr ErrorKind kGroupMark{
    "spec.group_mark", "group_mark is \"{0}\": it must be a single character that is no digit, "
                       "letter, sign or decimal mark, such as a comma, a point, ' or a space."};
constexpr ErrorKind kAffix{"spec.affix", "The affix is \"{0}\": it must be a text without digits."};
constexpr ErrorKind kFold{
    "spec.fold", "fold is {0}, but the {1} folds are counted from 0: the last one is {2}."};

template <typename Names>
void checkOnce(ValidationContext& context, const Names& names, const SpecPath& list,
               std::string_view where)
{
    std::set<std::string> seen;
    for (int i = 0; i < names.size(); ++i) {
        if (!seen.insert(names[i]).second) {
            context.report(list.element(i),
                           error(ErrorCode::AlreadyExists, kDuplicateColumn, names[i], where));
        }
    }
}

void checkSource(ValidationContext& context, const DataSource& source, const SpecPath& path)
{
    if (memberField(source) == nullptr) {
        return; // reported with the fields
    }
    const SpecPath csv = path.child(memberField(source)->name());
    const std::string& delimiter = source.csv().field_delim();
    // An empty delimiter is reported by the field's own rule.
    // A delimiter beyond ASCII would be several bytes.
    if (source.csv().has_field_delim() && !delimiter.empty() &&
        (delimiter.size() != 1 || static_cast<unsigned char>(delimiter[0]) > 0x7FU)) {
        context.report(csv.child("field_delim"),
                       error(ErrorCode::InvalidArgument, kDelimiter, '"' + delimiter + '"'));
    }
    checkOnce(context, source.csv().column_names(), csv.child("column_names"), "column_names");
}

void checkSplitCell(ValidationContext& context, const SplitCell& split, const SpecPath& path)
{
    if (split.separator().empty()) {
        context.report(path.child("separator"), error(ErrorCode::InvalidArgument, kSeparator));
    }
}

void checkTimeSplit(ValidationContext& context, const TimeSplit& split, const SpecPath& path)
{
    // An empty text is reported by the field's own rule.
    if (!split.eval_from().empty() && !parseIsoTime(split.eval_from())) {
        context.report(path.child("eval_from"),
                       error(ErrorCode::InvalidArgument, kEvalFrom, split.eval_from()));
    }
}

void checkFoldSplit(ValidationContext& context, const FoldSplit& split, const SpecPath& path)
{
    // Too few folds are reported by the field's range; the sentence about the last one would be
    // odd.
    if (split.folds() >= 2 && split.fold() >= split.folds()) {
        context.report(path.child("fold"), error(ErrorCode::InvalidArgument, kFold, split.fold(),
                                                 split.folds(), split.folds() - 1));
    }
}

void checkDatePart(ValidationContext& context, const DatePart& date, const SpecPath& path)
{
    if (date.origin().empty()) {
        return;
    }
    // Without days_since, an origin would look as if it mattered.
    if (!parseIsoTime(date.origin())) {
        context.report(path.child("origin"),
                       error(ErrorCode::InvalidArgument, kDateOrigin, date.origin()));
    } else if (date.part() != DatePart::days_since) {
        context.report(path.child("origin"), error(ErrorCode::InvalidArgument, kUnusedOrigin));
    }
}

bool hasDigit(const std::string& text)
{
    return text.find_first_of("0123456789") != std::string::npos;
}

void checkNotation(ValidationContext& context, const NumberNotation& notation, bool hasCommas,
                   const SpecPath& path)
{
    constexpr std::string_view kSigns = "+-()eE";
    const std::string& mark = notation.group_mark();
    // A column without a decimal mark of its own has the table's.
    const bool isComma =
        notation.has_decimal_mark() ? notation.decimal_mark() == DecimalMark::comma : hasCommas;
    const bool isTaken =
        mark == (isComma ? "," : ".") ||
        // Marks that a number needs for itself cannot separate its groups.
        (mark.size() == 1 && (std::isalnum(static_cast<unsigned char>(mark[0])) != 0 ||
                              kSigns.find(mark[0]) != std::string_view::npos));
    if (notation.has_group_mark() && (characterCount(mark) != 1 || isTaken)) {
        context.report(path.child("group_mark"),
                       error(ErrorCode::InvalidArgument, kGroupMark, mark));
    }
    for (int i = 0; i < notation.affix_size(); ++i) {
        const std::string& affix = notation.affix(i);
        // A digit in an affix would be cut out of numbers.
        if (affix.empty() || hasDigit(affix)) {
            context.report(path.child("affix").element(i),
                           error(ErrorCode::InvalidArgument, kAffix, affix));
        }
    }
}

void checkColumns(ValidationContext& context, const Data& data)
{
    const bool hasCommas = data.train().csv().decimal_mark() == DecimalMark::comma;
    for (int i = 0; i < data.column_size(); ++i) {
        if (data.column(i).has_number_notation()) {
            checkNotation(
                context, data.column(i).number_notation(), hasCommas,
                SpecPath{}.child("data").child("column").element(i).child("number_notation"));
        }
    }
}

void checkMadeFeatures(ValidationContext& context, const Data& data)
{
    for (int i = 0; i < data.feature_size(); ++i) {
        const Feature& feature = data.feature(i);
        const SpecPath path = SpecPath{}.child("data").child("feature").element(i);
        if (feature.has_split()) {
            checkSplitCell(context, feature.split(), path.child("split"));
        }
        if (feature.has_date_part()) {
            checkDatePart(context, feature.date_part(), path.child("date_part"));
        }
        if (!feature.has_stack()) {
            continue;
        }
        const StackColumns& stack = feature.stack();
        const std::int64_t elements = elementCount(stack.shape(), stack.columns_size());
        if (elements != stack.columns_size()) {
            context.report(
                path.child("stack").child("shape"),
                error(ErrorCode::InvalidArgument, kStackShape, elements, stack.columns_size()));
        }
    }
}

} // namespace

bool hasRowsToEvaluate(const Experiment& experiment)
{
    // Cross-validation holds back rows of its own.
    return experiment.data().has_eval() || experiment.data().has_split() ||
           experiment.sweep().has_k_fold();
}

void checkData(ValidationContext& context)
{
    const Data& data = context.experiment.data();
    const SpecPath path = SpecPath{}.child("data");
    checkSource(context, data.train(), path.child("train"));
    checkSource(context, data.eval(), path.child("eval"));
    if (data.has_eval() && data.has_split()) {
        context.report(path.child("split"), error(ErrorCode::InvalidArgument, kSplitAndEval));
    }
    if (data.split().has_by_time()) {
        checkTimeSplit(context, data.split().by_time(), path.child("split").child("by_time"));
    }
    if (data.split().has_fold()) {
        checkFoldSplit(context, data.split().fold(), path.child("split").child("fold"));
    }
    // A split is not demanded without an eval_spec: a training may go without evaluations.
    if (context.experiment.has_eval_spec() && !hasRowsToEvaluate(context.experiment)) {
        context.report(SpecPath{}.child("eval_spec"),
                       error(ErrorCode::InvalidArgument, kNothingToEvaluate));
    }
    checkOnce(context, data.key_column(), path.child("key_column"), "key_column");
    checkOnce(context, data.label().columns().column(),
              path.child("label").child("columns").child("column"), "the label");
    if (data.label().has_split()) {
        checkSplitCell(context, data.label().split(), path.child("label").child("split"));
    }
    checkColumns(context, data);
    checkMadeFeatures(context, data);
}

} // namespace cannery::spec
