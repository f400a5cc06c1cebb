// SPDX-License-Identifier: Apache-2.0
#include "core/survey/table_remarks.h"

#include "core/advice/column_rules.h"
#include "core/base/folded_case.h"
#include "core/spec/canned_head.h"
#include "core/spec/column_kinds.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/head_kinds.h"
#include "core/spec/tensorflow_names.h"
#include "core/spec/text/text_escapes.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace cannery::survey {

namespace {

constexpr ErrorKind kEmpty{
    "remark.empty", "No row has a value in {0}: a model learns nothing from {2}. Leave {2} out."};
constexpr ErrorKind kConstant{
    "remark.constant",
    "Every row has the same value in {0}: a model learns nothing from {2}. Leave {2} out."};
constexpr ErrorKind kNearlyEmpty{"remark.nearly_empty",
                                 "Few rows have a value in {0} ({1}): leave {2} out, unless a "
                                 "missing value itself means something."};
constexpr ErrorKind kIdentifier{"remark.identifier",
                                "Hardly any two rows share a value in {0} ({1}): a model would "
                                "memorize rows by {2}. Leave {2} out of the features."};
constexpr ErrorKind kDate{"remark.date_feature",
                          "The dates in {0} are read as categories ({1}), and future dates are not "
                          "among them. Make features of {2} with date_part, leave {2} out, or "
                          "split the rows by time."};
constexpr ErrorKind kCode{"remark.code",
                          "The numbers in {0} may be codes ({1}): if larger does not mean more, "
                          "use {2} as categories."};
constexpr ErrorKind kLeak{"remark.leak",
                          "The label is almost given away by {0} ({1}): leave {2} out if known "
                          "only after the label."};
constexpr ErrorKind kSameButCase{
    "remark.same_but_case",
    "{0} differ only in case, which TensorFlow's scopes ignore: the variable of the second gets "
    "another name there, and checkpoints cannot be exchanged. Leave one of them out."};
constexpr ErrorKind kRareClass{
    "remark.rare_class", "Only {1} of {2} training rows have the label '{0}': a random split may "
                         "leave too few of them to evaluate on. Stratify the split."};
constexpr ErrorKind kCommonClass{
    "remark.common_class",
    "{1} of {2} training rows ({3}) have the label '{0}': always predicting that is right as "
    "often. "
    "Judge the model by its AUC, precision and recall rather than by its accuracy."};
constexpr ErrorKind kTwins{
    "remark.twins", "{0} of {1} evaluation rows ({2}) equal a training row in the label and in all "
                    "that the model reads: evaluation rewards it for memorizing. {3}"};
constexpr ErrorKind kSampledTwins{
    "remark.sampled_twins",
    "About {0} of the evaluation rows, judged by one in {1}, equal a training row in the label and "
    "in all that the model reads: evaluation rewards it for memorizing. {2}"};
constexpr ErrorKind kDateNote{"remark.date",
                              "{0} holds dates from {1} to {2}: split by time to evaluate on rows "
                              "later than the training rows."};

constexpr std::string_view kCureOfFiles = "Remove them from one of the files.";
constexpr std::string_view kCureOfSplit =
    "Keep equal rows in one part, as a split by a column does.";

constexpr double kNearlyEmptyShare = 0.75;
/// With this many evaluation rows of a class, its figures mean something.
constexpr double kFewestToEvaluate = 20;
constexpr double kCommonShare = 0.95;
constexpr double kTwinShare = 0.01;
/// Fewer hardly matter.
constexpr std::uint64_t kFewestTwins = 5;
constexpr double kManyTwins = 0.2;
/// With fewer distinct rows the model reads so little that rows are bound to repeat.
constexpr double kFewestDifferent = 0.5;

std::string percent(double share)
{
    return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0);
}

/// Handles of the columns of the model that read a raw feature.
using Readers = std::map<std::string, std::vector<const spec::FeatureColumn*>>;

Readers readersOf(const spec::Experiment& experiment)
{
    const spec::ColumnIndex index(experiment);
    Readers readers;
    for (const spec::PartColumns& list : spec::partColumnsOf(experiment.estimator())) {
        for (const std::string& handle : list.handles) {
            // A handle that leads nowhere is an error of the experiment, reported elsewhere.
            const auto features = spec::rawFeatures(index, handle);
            for (const std::string& feature : features ? *features : std::vector<std::string>()) {
                readers[feature].push_back(index.find(handle));
            }
        }
    }
    return readers;
}

class RemarkFinder
{
public:
    RemarkFinder(const spec::Experiment& experiment, const data::Dataset& trainData,
                 const RowFindings* rows)
        : m_experiment(experiment), m_data(trainData), m_rows(rows),
          m_readers(readersOf(experiment)), m_features(plainFeatures(experiment, trainData))
    {}

    std::vector<TableRemark> findRemarks()
    {
        if (m_rows != nullptr) {
            checkLeaks();
        }
        for (const std::string& feature : m_features) {
            checkColumn(*m_data.schema().find(feature));
        }
        // Columns of one kind share a remark, so it is written when all have been seen.
        for (const ErrorKind& kind :
             {kLeak, kIdentifier, kConstant, kEmpty, kNearlyEmpty, kDate, kCode}) {
            m_list.close(kind);
        }
        checkNames();
        if (m_rows != nullptr) {
            checkClasses();
            checkTwins();
            noteDates();
        }
        return std::move(m_list).take();
    }

private:
    // Without a look at the rows nothing is known of them.
    const data::ColumnStatistics* statisticsOf(const std::string& column) const
    {
        return m_rows == nullptr ? nullptr : m_rows->statistics->find(column);
    }
    bool isFractionSplit() const
    {
        return m_experiment.data().split().kind_case() == spec::Split::kFraction;
    }

    void checkColumn(const data::ColumnSchema& column);
    bool checkNumbers(const data::ColumnSchema& column, const data::ColumnStatistics& statistics);
    void checkMissing(const data::ColumnSchema& column);
    void checkLeaks();
    void checkNames();
    void checkClasses();
    void checkTwins();
    void noteDates();
    RemarkAction keyAction(const std::string& column) const;
    std::vector<RemarkAction> timeActions(const std::string& column) const;

    const spec::Experiment& m_experiment;
    const data::Dataset& m_data;
    const RowFindings* m_rows;
    Readers m_readers;
    std::vector<std::string> m_features;
    RemarkList m_list;
};

/// A key is not a feature: whoever applies this leaves the column out as well.
RemarkAction RemarkFinder::keyAction(const std::string& column) const
{
    std::string keys;
    for (const std::string& key : m_experiment.data().key_column()) {
        keys += spec::quotedText(key) + ", ";
    }
    return {.kind = "key",
            .edits = {{"data.key_column", "[" + keys + spec::quotedText(column) + "]"}}};
}

/// Splitting by time, with as many rows held back as now, if that is possible.
std::vector<RemarkAction> RemarkFinder::timeActions(const std::string& column) const
{
    const spec::Data& data = m_experiment.data();
    if (m_rows == nullptr || data.has_eval() || data.split().kind_case() == spec::Split::kByTime) {
        return {};
    }
    const auto found =
        std::find_if(m_rows->times.begin(), m_rows->times.end(),
                     [&](const ColumnTimes& times) { return times.column == column; });
    // Rows that all have one time cannot be split by it.
    if (found == m_rows->times.end() || found->quantiles.front() == found->quantiles.back()) {
        return {};
    }
    const double fraction = data.split().fraction().eval_fraction();
    const auto at = static_cast<std::size_t>(std::clamp(100 * (1 - fraction), 1.0, 99.0));
    // With a date for each hundredth of the rows.
    return {{.kind = "split_by_time",
             .edits = {{"data.split", fmt::format("{{ by_time {{ column: {} eval_from: {} }} }}",
                                                  spec::quotedText(column),
                                                  spec::quotedText(found->quantiles[at]))}}}};
}

void RemarkFinder::checkColumn(const data::ColumnSchema& column)
{
    using Kind = data::ColumnKind;
    const RemarkAction leaveOut{.kind = "leave_out"};
    // Without a reason nothing has been found out about the column.
    switch (column.kindReason.empty() ? Kind::Category : column.kind) {
    case Kind::Empty:
        return m_list.note(kEmpty, column.name, "", {leaveOut});
    case Kind::Constant:
        return m_list.note(kConstant, column.name, "", {leaveOut});
    case Kind::Identifier:
        return m_list.note(kIdentifier, column.name, column.kindReason,
                           {leaveOut, keyAction(column.name)});
    case Kind::Date: {
        std::vector<RemarkAction> actions{leaveOut};
        for (RemarkAction& action : timeActions(column.name)) {
            actions.push_back(std::move(action));
        }
        return m_list.note(kDate, column.name, fmt::format("{} of them", column.distinct),
                           std::move(actions));
    }
    case Kind::Number:
    case Kind::Category:
    case Kind::FreeText:
        break;
    }
    const data::ColumnStatistics* statistics = statisticsOf(column.name);
    // One remark for each column is enough.
    if (statistics == nullptr || column.kindReason.empty() || !checkNumbers(column, *statistics)) {
        checkMissing(column);
    }
}

/// By the rule of new experiments. Whether there is a remark.
bool RemarkFinder::checkNumbers(const data::ColumnSchema& column,
                                const data::ColumnStatistics& statistics)
{
    // Only columns that are read as numbers alone: buckets and categories were a decision.
    const std::vector<const spec::FeatureColumn*>& readers = m_readers[column.name];
    const bool isNumberOnly =
        std::all_of(readers.begin(), readers.end(), [](const spec::FeatureColumn* reader) {
            return spec::gives(*reader, spec::ColumnKind::NUMBERS);
        });
    if (column.kind != data::ColumnKind::Number || !isNumberOnly) {
        return false;
    }
    const advice::ColumnRule rule = advice::ruleOf(column, statistics, m_rows->statistics->rows);
    if (rule.isIdentifier) {
        m_list.note(kIdentifier, column.name,
                    fmt::format("{} different whole numbers", statistics.distinct),
                    {{.kind = "leave_out"}, keyAction(column.name)});
        return true;
    }
    if (rule.kind == advice::ColumnRule::Kind::Code) {
        m_list.note(
            kCode, column.name,
            fmt::format("{} different whole numbers with gaps between them", statistics.distinct),
            {{.kind = "category"}});
        return true;
    }
    return false;
}

void RemarkFinder::checkMissing(const data::ColumnSchema& column)
{
    const data::ColumnStatistics* statistics = statisticsOf(column.name);
    const std::uint64_t missing = statistics == nullptr ? column.missing : statistics->missing;
    const std::uint64_t present = statistics == nullptr ? column.values : statistics->count;
    // A column without rows is reported as empty.
    const std::uint64_t rows = missing + present;
    if (static_cast<double>(missing) >= kNearlyEmptyShare * static_cast<double>(rows) && rows > 0) {
        m_list.note(kNearlyEmpty, column.name, fmt::format("{} of {}", present, rows),
                    {{.kind = "leave_out"}});
    }
}

void RemarkFinder::checkLeaks()
{
    for (const advice::Leak& leak : m_rows->leaks) {
        // Numbers are compared by correlation, classes by how often they are right.
        m_list.note(kLeak, leak.column,
                    leak.isCorrelation
                        ? fmt::format("correlation {:.4f}", leak.share)
                        : fmt::format("right in {:.1f} % of the rows", 100 * leak.share),
                    {{.kind = "leave_out"}});
    }
}

/// Names that are exactly equal are an error of the experiment.
void RemarkFinder::checkNames()
{
    const spec::ColumnIndex index(m_experiment);
    std::set<std::vector<std::string>> reported;
    for (const spec::PartColumns& list : spec::partColumnsOf(m_experiment.estimator())) {
        std::map<std::string, std::vector<std::string>> owners;
        for (const std::string& handle : list.handles) {
            const auto names = spec::tensorflowNames(index, handle);
            for (const std::string& name : names ? *names : std::vector<std::string>()) {
                // Scopes of TensorFlow ignore case, so names are compared as it compares them.
                owners[foldedCase(spec::scopeSafe(name))].push_back(handle);
            }
        }
        for (const auto& [name, handles] : owners) {
            // Dense columns have no variable of their own.
            if (!list.isDense && handles.size() > 1 && reported.insert(handles).second) {
                const auto features = spec::rawFeatures(index, handles.back());
                m_list.add({.error = error(ErrorCode::InvalidArgument, kSameButCase,
                                           namedColumns(handles)),
                            .columns = features ? *features : std::vector<std::string>(),
                            .actions = {{.kind = "leave_out"}}});
            }
        }
    }
}

void RemarkFinder::checkClasses()
{
    const std::string& label = m_experiment.data().label().column();
    const data::ColumnStatistics* classes = statisticsOf(label);
    // Only if all classes were counted: the rarest one is the last of the list.
    if (!isClassified(m_experiment) || classes == nullptr || !classes->topIsExact ||
        classes->top.size() < 2 || classes->top.size() != classes->distinct) {
        return;
    }
    const std::uint64_t rows = classes->count;
    const data::ValueCount& rarest = classes->top.back();
    const data::ValueCount& commonest = classes->top.front();
    const spec::FractionSplit& split = m_experiment.data().split().fraction();
    // Statistics are of the training rows, so the evaluation rows are this multiple of them.
    const double held = split.eval_fraction() / (1 - split.eval_fraction());
    // A stratified split has its share of every class.
    if (isFractionSplit() && !split.stratify() &&
        static_cast<double>(rarest.count) * held < kFewestToEvaluate) {
        m_list.add({.error = error(ErrorCode::InvalidArgument, kRareClass, rarest.value,
                                   rarest.count, rows),
                    .columns = {label},
                    .actions = {{.kind = "stratify",
                                 .edits = {{"data.split.fraction.stratify", "true"}}}}});
    }
    const double share = static_cast<double>(commonest.count) / static_cast<double>(rows);
    if (share >= kCommonShare) {
        m_list.add({.error = error(ErrorCode::InvalidArgument, kCommonClass, commonest.value,
                                   commonest.count, rows, percent(share)),
                    .columns = {label},
                    .isNote = true});
    }
}

void RemarkFinder::checkTwins()
{
    const data::DuplicateRows::Found& found = m_rows->twins;
    if (found.evalRows == 0) {
        return;
    }
    const double share =
        static_cast<double>(found.duplicates) / static_cast<double>(found.evalRows);
    // A few equal rows do not change an evaluation.
    if (found.duplicates < kFewestTwins || share < kTwinShare ||
        static_cast<double>(found.different) < kFewestDifferent * static_cast<double>(found.rows)) {
        return;
    }
    const bool hasFile = m_experiment.data().has_eval();
    const std::string_view cure = hasFile ? kCureOfFiles : kCureOfSplit;
    std::vector<RemarkAction> actions;
    if (!hasFile) {
        // A split can be changed; files must be changed by their owner.
        actions.push_back({.kind = "split"});
    }
    m_list.add({.error = found.oneOf == 1
                             ? error(ErrorCode::InvalidArgument, kTwins, found.duplicates,
                                     found.evalRows, percent(share), cure)
                             : error(ErrorCode::InvalidArgument, kSampledTwins, percent(share),
                                     found.oneOf, cure),
                .actions = std::move(actions),
                // Many of them are worth more than a note.
                .isNote = share < kManyTwins});
}

/// Only columns that the model does not read.
void RemarkFinder::noteDates()
{
    for (const ColumnTimes& times : m_rows->times) {
        const bool isRead =
            std::find(m_features.begin(), m_features.end(), times.column) != m_features.end();
        std::vector<RemarkAction> actions = timeActions(times.column);
        if (!isRead && !actions.empty()) {
            m_list.add(
                {.error = error(ErrorCode::InvalidArgument, kDateNote, namedColumns({times.column}),
                                times.quantiles.front(), times.quantiles.back()),
                 .columns = {times.column},
                 .actions = std::move(actions),
                 .isNote = true});
        }
    }
}

} // namespace

std::vector<std::string> plainFeatures(const spec::Experiment& experiment,
                                       const data::Dataset& trainData)
{
    std::vector<std::string> names;
    for (const auto& [feature, readers] : readersOf(experiment)) {
        // Features that are made of other columns have no cells of their own to look at.
        const data::FeatureInfo* info = trainData.find(feature);
        const bool isPlain = info != nullptr && !info->sparse && !info->isLabel &&
                             info->columns == std::vector<std::string>{feature} &&
                             trainData.schema().find(feature) != nullptr;
        if (isPlain) {
            names.push_back(feature);
        }
    }
    return names;
}

bool isClassified(const spec::Experiment& experiment)
{
    const spec::Head head = spec::headOf(experiment.estimator());
    const spec::HeadKind* kind = spec::findHeadKind(head);
    return kind != nullptr && (kind->labels == spec::LabelKind::ClassId ||
                               kind->labels == spec::LabelKind::Probability);
}

std::vector<TableRemark> tableRemarks(const spec::Experiment& experiment,
                                      const data::Dataset& trainData, const RowFindings* rows)
{
    return RemarkFinder(experiment, trainData, rows).findRemarks();
}

} // namespace cannery::survey
