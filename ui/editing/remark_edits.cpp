// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/remark_edits.h"

#include "ui/document/experiment_reading.h"
#include "ui/document/text_change.h"
#include "ui/editing/feature_edits.h"
#include "ui/editing/feature_offers.h"
#include "ui/editing/field_values.h"

#include <algorithm>

namespace cannery::ui {
namespace {

bool reads(const FieldNode& node, const QStringList& features)
{
    if (node.names == FieldNames::Feature && features.contains(node.text)) {
        return true;
    }
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const FieldNode& child) { return reads(child, features); });
}

QList<FieldEdit> leaveOutEdits(const FieldNode& root, const QStringList& features)
{
    const QStringList names = columnsReading(root, features);
    return names.isEmpty() ? QList<FieldEdit>() : removeColumnEdits(root, names);
}

/// The numbers are read as texts, and the columns that took them as numbers give way to what suits
/// a category.
QList<FieldEdit> categoryEdits(const QByteArray& text, const QStringList& columns, DataFacts data)
{
    QList<FieldEdit> edits = leaveOutEdits(readExperiment(text, {})->root, columns);
    for (const QString& column : columns) {
        edits << FieldEdit::set(elementPath(QStringLiteral("data.column"), column) +
                                    QStringLiteral(".dtype"),
                                QStringLiteral("string"));
    }
    for (ColumnFacts& facts : data.columns) {
        if (columns.contains(facts.name)) {
            facts.type = QStringLiteral("category");
        }
    }
    QString error;
    QByteArray now = text;
    for (const QString& column : columns) {
        const auto change = editChange(text, edits, error);
        if (!change) {
            return {};
        }
        now = change->applied(text);
        const ExperimentReadingPtr reading = readExperiment(now, {});
        edits += addColumnEdits(
            reading->root,
            sensibleColumns(
                {.root = &reading->root, .data = &data, .rawColumn = column, .featureColumn = {}}));
    }
    return edits;
}

} // namespace

QStringList columnsReading(const FieldNode& root, const QStringList& features)
{
    QStringList names;
    for (const FieldNode& column : child(root, "feature_column").children) {
        if (reads(column, features)) {
            names << valueOf(column, "name");
        }
    }
    return names;
}

QList<FieldEdit> remarkEdits(const QByteArray& text, const TableRemark& remark,
                             const RemarkAction& action, const DataFacts& data)
{
    if (action.kind == QLatin1String("category")) {
        return categoryEdits(text, remark.columns, data);
    }
    QList<FieldEdit> edits;
    if (action.kind == QLatin1String("leave_out") || action.kind == QLatin1String("key")) {
        edits = leaveOutEdits(readExperiment(text, {})->root, remark.columns);
    }
    for (const RemarkAction::Edit& edit : action.edits) {
        edits << FieldEdit::set(edit.path, edit.text);
    }
    return edits;
}

} // namespace cannery::ui
