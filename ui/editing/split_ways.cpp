// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/split_ways.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_edit.h"
#include "ui/document/field_schema.h"
#include "ui/document/table_files.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

const QString kSplitPath = QStringLiteral("data.split");
const QString kTrainPath = QStringLiteral("data.train");
const QString kEvalPath = QStringLiteral("data.eval");
constexpr double kUsualFraction = 0.2;
constexpr int kMostFolds = 10; ///< to begin with

class SplitWords
{
    Q_DECLARE_TR_FUNCTIONS(SplitPanel)
};

double fractionNow(const DataFacts& facts)
{
    const auto train = static_cast<double>(std::max<qint64>(0, facts.trainRows));
    const auto evaluation = static_cast<double>(std::max<qint64>(0, facts.evalRows));
    const double fraction = train + evaluation > 0 ? evaluation / (train + evaluation) : 0;
    const double rounded = std::round(fraction * 100) / 100;
    return rounded > 0 && rounded < 1 ? rounded : kUsualFraction;
}

/// The values, from the rarest on, that hold a fraction of the rows; at least one, never all.
QStringList valuesFor(const ColumnFacts& column, double fraction)
{
    QList<ValueRows> values = column.values;
    std::sort(values.begin(), values.end(),
              [](const ValueRows& a, const ValueRows& b) { return a.rows() < b.rows(); });
    qint64 all = 0;
    for (const ValueRows& value : values) {
        all += value.rows();
    }
    QStringList chosen;
    qint64 rows = 0;
    // The commonest value always stays in training.
    for (const ValueRows& value : values.mid(0, values.size() - 1)) {
        if (!chosen.isEmpty() && static_cast<double>(rows) >= fraction * static_cast<double>(all)) {
            break;
        }
        chosen << value.value;
        rows += value.rows();
    }
    return chosen;
}

/// A source that reads the file: of the kind that its name shows, otherwise as the training rows.
/// One of their kind is read in the same way, with the same delimiter and encoding.
QList<FieldEdit> evaluationOn(const ExperimentDocument& document, const QString& file)
{
    const QString trainKind = memberOf(document, kTrainPath);
    const QString named = tableKindOf(file);
    const QString kind = !named.isEmpty()      ? named
                         : trainKind.isEmpty() ? tableFiles().first().kind
                                               : trainKind;
    const QString source = childPath(kEvalPath, kind);
    QString field;
    const std::optional<MessageSchema> schema = messageSchema(source);
    for (const FieldSchema& each : schema ? schema->fields : QList<FieldSchema>()) {
        if (each.names == FieldNames::File && field.isEmpty()) {
            const QString value = each.isRepeated ? quotedList({file}) : quoted(file);
            field = QStringLiteral("%1: %2").arg(each.name, value);
        }
    }
    QList<FieldEdit> edits{
        FieldEdit::set(kEvalPath, QStringLiteral("{ %1 { %2 } }").arg(kind, field))};
    const FieldNode* train = document.field(childPath(kTrainPath, kind));
    for (const FieldNode& each : train ? train->children : QList<FieldNode>()) {
        const bool isReading = each.names != FieldNames::File && !each.isDefault &&
                               each.name != QLatin1String("split"); // of the training folder
        if (isReading) {
            edits << FieldEdit::set(childPath(source, each.name),
                                    document.edits().written(each.path));
        }
    }
    return edits;
}

QString splitText(SplitWay way, const DataFacts& facts, const QString& column)
{
    const double fraction = fractionNow(facts);
    const ColumnFacts* found = facts.find(column);
    if (way == SplitWay::Random) {
        return QStringLiteral("{ fraction { eval_fraction: %1 } }").arg(fraction);
    }
    if (way == SplitWay::Fold) {
        return QStringLiteral("{ fold { folds: %1 } }")
            .arg(std::clamp(static_cast<int>(std::round(1 / fraction)), 2, kMostFolds));
    }
    if (found == nullptr) {
        return {};
    }
    return way == SplitWay::Column
               ? QStringLiteral("{ by_column { column: %1 eval_values: %2 } }")
                     .arg(quoted(column), quotedList(valuesFor(*found, fraction)))
               : QStringLiteral("{ by_time { column: %1 eval_from: %2 } }")
                     .arg(quoted(column), quoted(timeFor(found->times, fraction)));
}

} // namespace

SplitWay splitWayOf(const ExperimentDocument& document)
{
    const QString member = memberOf(document, kSplitPath);
    return document.field(kEvalPath) != nullptr   ? SplitWay::File
           : member == QLatin1String("fraction")  ? SplitWay::Random
           : member == QLatin1String("fold")      ? SplitWay::Fold
           : member == QLatin1String("by_column") ? SplitWay::Column
           : member == QLatin1String("by_time")   ? SplitWay::Time
                                                  : SplitWay::None;
}

QStringList valueColumns(const DataFacts& facts)
{
    QStringList names;
    for (const ColumnFacts& column : facts.columns) {
        if (column.values.size() >= 2 && column.use != QLatin1String("label")) {
            names << column.name;
        }
    }
    return names;
}

QStringList timeColumns(const DataFacts& facts)
{
    QStringList names;
    for (const ColumnFacts& column : facts.columns) {
        if (column.times.size() > 1 && column.times.first() != column.times.last()) {
            names << column.name;
        }
    }
    return names;
}

QString splitHindrance(SplitWay way, const DataFacts& facts)
{
    if (way == SplitWay::Column && valueColumns(facts).isEmpty()) {
        return SplitWords::tr("No column except the label has 2 to 100 distinct values.");
    }
    if (way == SplitWay::Time && timeColumns(facts).isEmpty()) {
        return SplitWords::tr("No column holds dates such as 2024-05-01.");
    }
    return {};
}

QList<FieldEdit> splitEdits(const ExperimentDocument& document, SplitWay way,
                            const DataFacts& facts, const QString& what)
{
    QList<FieldEdit> edits;
    // Rows of a file of their own and a split exclude each other.
    if (way != SplitWay::File && document.field(kEvalPath) != nullptr) {
        edits << FieldEdit::remove(kEvalPath);
    }
    const bool isSplit = document.field(kSplitPath) != nullptr;
    if (way == SplitWay::File || way == SplitWay::None) {
        if (isSplit) {
            edits << FieldEdit::remove(kSplitPath);
        }
        if (way == SplitWay::File) {
            edits << evaluationOn(document, what);
        }
        return edits;
    }
    const QStringList columns = way == SplitWay::Column ? valueColumns(facts) : timeColumns(facts);
    const QString text = splitText(way, facts, what.isEmpty() ? columns.value(0) : what);
    return text.isEmpty() ? QList<FieldEdit>() : edits << FieldEdit::set(kSplitPath, text);
}

QString timeFor(const QStringList& times, double fraction)
{
    const auto last = static_cast<double>(times.size() - 1);
    return times.value(static_cast<qsizetype>(std::round((1 - fraction) * last)));
}

double fractionFrom(const QStringList& times, const QString& from)
{
    // ISO 8601: texts are in the order of time.
    const auto later = std::count_if(times.begin(), times.end(),
                                     [&](const QString& time) { return time >= from; });
    return times.isEmpty() ? 0 : static_cast<double>(later) / static_cast<double>(times.size());
}

} // namespace cannery::ui
