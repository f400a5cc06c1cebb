// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/problem_cures.h"

#include "ui/document/column_removal.h"
#include "ui/document/estimator_switch.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/document/problem_catalog.h"
#include "ui/models/formats.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <optional>

namespace cannery::ui {
namespace {

struct CureWords
{
    static QString tr(const char* text)
    {
        return QCoreApplication::translate("ProblemCures", text);
    }
};

QString labelAt(const QString& path)
{
    const std::optional<FieldSchema> schema = path.isEmpty() ? std::nullopt : fieldSchema(path);
    return schema ? schema->label : QString();
}

/// A wrong value of a field that need not be set can be reset.
ProblemCure resetOf(const ProblemRow& problem, const ExperimentDocument& document)
{
    const std::optional<FieldSchema> schema =
        problem.path.isEmpty() ? std::nullopt : fieldSchema(problem.path);
    const FieldNode* node = schema ? document.field(problem.path) : nullptr;
    // Without a required field, a member of a oneof or the elements that a list must have, the
    // experiment would be as wrong as before.
    const bool canReset = node != nullptr && !node->isDefault && !node->isMessage &&
                          !schema->isRequired && schema->group.isEmpty() && schema->minCount == 0;
    if (!canReset || problem.level != ProblemRow::Level::Error) {
        return {};
    }
    return {CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Reset %1")).arg(schema->label),
            {FieldEdit::remove(problem.path)}};
}

ProblemCure setting(const ProblemEntry& entry, const ExperimentDocument& document)
{
    const QString path = QLatin1String(entry.path);
    const QString value = QLatin1String(entry.value);
    if (entry.act == ProblemAct::Unset) {
        return {CureWords::tr(entry.title), {FieldEdit::remove(path)}};
    }
    if (document.value(path) == value) {
        return {}; // it did not help
    }
    return {CureWords::tr(entry.title), {FieldEdit::set(path, value)}};
}

ProblemCure leavingOut(const QString& path, const ExperimentDocument& document)
{
    const FieldNode* node = document.field(path);
    if (node == nullptr || node->isDefault || labelAt(path).isEmpty()) {
        return {};
    }
    return {CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Leave Out %1")).arg(labelAt(path)),
            {FieldEdit::remove(path)}};
}

ProblemCure removingColumns(const QStringList& names, const QString& title,
                            const ExperimentDocument& document)
{
    return {title, removeColumnEdits(document.root(), names)};
}

ProblemCure removingColumn(const QString& path, const ExperimentDocument& document)
{
    const QString name = columnAtPath(document.root(), path);
    if (name.isEmpty()) {
        return {};
    }
    return removingColumns(
        {name},
        CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Remove Feature Column “%1”")).arg(name),
        document);
}

/// The element of a list that a path names or lies in, with the path of the list; none: {}.
QString elementIn(const QString& path, QString& list)
{
    const qsizetype close = path.lastIndexOf(u']');
    const qsizetype open = path.lastIndexOf(u'[', close);
    if (open < 0 || close < 0) {
        return {};
    }
    list = path.left(open);
    return path.left(close + 1);
}

ProblemCure takingOff(const QString& path, const ExperimentDocument& document)
{
    if (!columnAtPath(document.root(), path).isEmpty() && !path.endsWith(u']')) {
        return removingColumn(path, document);
    }
    QString list;
    const QString element = elementIn(path, list);
    const FieldNode* all = element.isEmpty() ? nullptr : document.field(list);
    if (all == nullptr || document.field(element) == nullptr) {
        return {};
    }
    const bool isOnly = all->children.size() == 1;
    return {CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Take “%1” Off the List"))
                .arg(document.value(path)),
            {FieldEdit::remove(isOnly ? list : element)}};
}

/// All that read the same raw feature, at once: one of them is as wrong as the other.
ProblemCure removingReaders(const QString& path, const ExperimentDocument& document)
{
    const QString feature = document.value(path);
    const FieldNode* list = document.field(QStringLiteral("feature_column"));
    if (feature.isEmpty() || list == nullptr || columnAtPath(document.root(), path).isEmpty()) {
        return leavingOut(path, document);
    }
    QStringList readers;
    for (const FieldNode& column : list->children) {
        if (column.namesOf({FieldNames::Feature}).contains(feature)) {
            readers << column.name;
        }
    }
    // And what is made of them, such as crosses, which would name columns that are gone.
    readers = removedWith(document.root(), readers);
    return removingColumns(
        readers,
        readers.size() == 1
            ? CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Remove Feature Column “%1”"))
                  .arg(readers.first())
            : CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Remove the %1 Columns Made of “%2”"))
                  .arg(formatCount(readers.size()), feature),
        document);
}

/// The engine knows a name that is nearly the same.
ProblemCure writing(const ProblemRow& problem, const ExperimentDocument& document)
{
    static const QRegularExpression kMeant(QStringLiteral("Did you mean '([^']+)'\\?"));
    const QRegularExpressionMatch meant = kMeant.match(problem.sentence);
    if (!meant.hasMatch()) {
        return takingOff(problem.path, document);
    }
    return {
        CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Use “%1” Instead")).arg(meant.captured(1)),
        {FieldEdit::set(problem.path, quoted(meant.captured(1)))}};
}

ProblemCure readingDense(const QString& path, const ExperimentDocument& document)
{
    const QList<FieldEdit> edits = denseEdits(document, path);
    if (edits.isEmpty()) {
        return takingOff(path, document);
    }
    return {CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Read “%1” as Numbers"))
                .arg(document.value(path)),
            edits};
}

ProblemCure suggesting(const QString& path)
{
    const std::optional<FieldSchema> schema = fieldSchema(path);
    if (!schema || schema->suggested.isEmpty()) {
        return {};
    }
    QString shown = schema->suggested;
    shown.remove(u'[').remove(u']');
    return {CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Set %1 to %2"))
                .arg(schema->label, formatWritten(shown)),
            {FieldEdit::set(path, schema->suggested)}};
}

ProblemCure editFor(const ProblemEntry& entry, const ProblemRow& problem,
                    const ExperimentDocument& document)
{
    switch (entry.act) {
    case ProblemAct::Set:
    case ProblemAct::Unset:
        return setting(entry, document);
    case ProblemAct::LeaveOut:
        return leavingOut(problem.path, document);
    case ProblemAct::TakeOff:
        return takingOff(problem.path, document);
    case ProblemAct::RemoveReaders:
        return removingReaders(problem.path, document);
    case ProblemAct::Write:
        return writing(problem, document);
    case ProblemAct::ReadDense:
        return readingDense(problem.path, document);
    case ProblemAct::Suggest:
        return suggesting(problem.path);
    case ProblemAct::None:
        break;
    }
    return {};
}

/// Fields of the file, as sentences of the engine name them: "(data.bad_rows: SKIP)".
QString withoutFields(QString sentence)
{
    static const QRegularExpression kInBrackets(
        QStringLiteral(" \\([a-z_]+(\\.[a-z_]+)+: [A-Z]+\\)"));
    static const QRegularExpression kDefault(
        QStringLiteral("data\\.column .*? or the numeric_column a default_value"));
    sentence.remove(kInBrackets);
    sentence.replace(kDefault, QStringLiteral("the column a default value"));
    return sentence
        .replace(QLatin1String("set bad_rows to SKIP to leave it out"),
                 QLatin1String("leave it out"))
        .replace(QLatin1String("set bad_rows to SKIP"), QLatin1String("leave such rows out"));
}

} // namespace

ProblemCure cureOf(const ProblemRow& problem, const ExperimentDocument& document)
{
    const ProblemEntry* entry = problemEntry(problem.id);
    return entry == nullptr || entry->way != ProblemWay::Edit ? resetOf(problem, document)
                                                              : editFor(*entry, problem, document);
}

bool applyCure(ExperimentDocument& document, const ProblemRow& problem)
{
    const ProblemCure cure = cureOf(problem, document);
    return !cure.title.isEmpty() && document.apply(cure.title, cure.edits);
}

QString cureTitle(const ProblemRow& problem, qint64 unlabelledRows)
{
    const ProblemEntry* entry = problemEntry(problem.id);
    if (entry == nullptr || QLatin1String(entry->path) != QLatin1String("data.unlabelled_rows") ||
        unlabelledRows <= 0) {
        return problem.fix;
    }
    return unlabelledRows == 1
               ? CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Leave Out This Row"))
               : CureWords::tr(QT_TRANSLATE_NOOP("ProblemCures", "Leave Out These %1 Rows"))
                     .arg(formatCount(unlabelledRows));
}

QString pageWords(const ProblemRow& problem)
{
    const ProblemEntry* entry = problemEntry(problem.id);
    return entry == nullptr || entry->words[0] == '\0' ? withoutFields(problem.sentence)
                                                       : CureWords::tr(entry->words);
}

} // namespace cannery::ui
