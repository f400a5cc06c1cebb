// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/problem_cures.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/models/formats.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <optional>

namespace cannery::ui {
namespace {

constexpr const char* kUnlabelled = "data.unlabelled_rows";
constexpr const char* kBadRows = "data.bad_rows";
constexpr const char* kContext = "ProblemCures";

/// One row per error id; the first words are the title of its cure.
struct CureRow
{
    const char* id;
    const char* title;
    const char* path;
    const char* value; ///< of the field at the path; empty: the field is removed
    const char* words; ///< instead of the error's sentence; empty: that is kept
};

constexpr CureRow skipping(const char* id)
{
    return {id, QT_TRANSLATE_NOOP("ProblemCures", "Leave Out Rows That Cannot Be Used"), kBadRows,
            "SKIP", ""};
}

constexpr CureRow holdingBack(const char* id)
{
    return {id, QT_TRANSLATE_NOOP("ProblemCures", "Hold Back 20 % for Evaluation"), "data.split",
            "{ fraction { eval_fraction: 0.2 } }",
            QT_TRANSLATE_NOOP("ProblemCures",
                              "Models are evaluated, but there are no rows to evaluate on: hold "
                              "some of the training rows back, or choose a file of their own.")};
}

constexpr CureRow keepingTheFile(const char* id)
{
    return {id, QT_TRANSLATE_NOOP("ProblemCures", "Evaluate on the File Alone"), "data.split", "",
            QT_TRANSLATE_NOOP("ProblemCures",
                              "The evaluation has a file of its own, and rows of the training file "
                              "are held back for it, too: only one of them can be.")};
}

constexpr std::array kCures{
    CureRow{"features.label_missing",
            QT_TRANSLATE_NOOP("ProblemCures", "Leave Out Rows Without a Label"), kUnlabelled,
            "SKIP", ""},
    CureRow{"data.label_missing",
            QT_TRANSLATE_NOOP("ProblemCures", "Leave Out Rows Without a Label"), kUnlabelled,
            "SKIP", ""},
    skipping("data.bad_piece"),
    skipping("data.not_a_time"),
    skipping("features.label_range"),
    skipping("features.label_unknown"),
    skipping("features.missing_number"),
    skipping("npz.unusable_row"),
    skipping("sqlite_source.unusable_row"),
    skipping("tfrecord.not_an_example"),
    skipping("tfrecord.unusable_record"),
    holdingBack("data.no_eval"),
    holdingBack("spec.nothing_to_evaluate"),
    keepingTheFile("data.eval_and_split"),
    keepingTheFile("spec.split_and_eval")};

const CureRow* rowOf(const ProblemRow& problem)
{
    const auto found = std::find_if(kCures.begin(), kCures.end(), [&](const CureRow& row) {
        return problem.id == QLatin1String(row.id);
    });
    return found == kCures.end() ? nullptr : &*found;
}

QString words(const char* text)
{
    return QCoreApplication::translate(kContext, text);
}

/// A wrong value of a field that need not be set can be reset.
ProblemCure resetOf(const ProblemRow& problem, const ExperimentDocument& document)
{
    const std::optional<FieldSchema> schema =
        problem.path.isEmpty() ? std::nullopt : fieldSchema(problem.path);
    const FieldNode* node = schema ? document.field(problem.path) : nullptr;
    const bool canReset = node != nullptr && !node->isDefault && !node->isMessage &&
                          !schema->isRequired && schema->group.isEmpty() && schema->minCount == 0;
    if (!canReset || problem.level != ProblemRow::Level::Error) {
        return {};
    }
    return {words(QT_TRANSLATE_NOOP("ProblemCures", "Reset %1")).arg(schema->label),
            {FieldEdit::remove(problem.path)}};
}

} // namespace

ProblemCure cureOf(const ProblemRow& problem, const ExperimentDocument& document)
{
    const CureRow* row = rowOf(problem);
    if (row == nullptr) {
        return resetOf(problem, document);
    }
    const QString path = QLatin1String(row->path);
    const QString value = QLatin1String(row->value);
    if (document.value(path) == value && !value.isEmpty()) {
        return {}; // it did not help
    }
    return {words(row->title),
            {value.isEmpty() ? FieldEdit::remove(path) : FieldEdit::set(path, value)}};
}

QString cureTitle(const ProblemRow& problem, qint64 unlabelledRows)
{
    const CureRow* row = rowOf(problem);
    if (row == nullptr || QLatin1String(row->path) != QLatin1String(kUnlabelled) ||
        unlabelledRows <= 0) {
        return problem.fix;
    }
    return unlabelledRows == 1 ? words(QT_TRANSLATE_NOOP("ProblemCures", "Leave Out This Row"))
                               : words(QT_TRANSLATE_NOOP("ProblemCures", "Leave Out These %1 Rows"))
                                     .arg(formatCount(unlabelledRows));
}

QString pageWords(const ProblemRow& problem)
{
    const CureRow* row = rowOf(problem);
    return row == nullptr || row->words[0] == '\0' ? problem.sentence : words(row->words);
}

} // namespace cannery::ui
