// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/estimator_switch.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"

#include <QCoreApplication>

#include <algorithm>
#include <optional>

namespace cannery::ui {
namespace {

const QString kColumns = QStringLiteral("feature_column");
const QString kEstimator = QStringLiteral("estimator");

/// A feature column as far as a model is concerned.
struct Column
{
    QString name;
    ColumnGives gives;
    QStringList columns;     ///< other feature columns that it reads
    bool isCombined = false; ///< reads several things: a cross, shared embeddings
    bool hasSteps = false;   ///< a value for each step, its own or of the column that it reads
};

bool isCombined(const FieldNode& kind)
{
    return std::any_of(kind.children.begin(), kind.children.end(), [](const FieldNode& field) {
        return field.isRepeated && (field.isMessage || field.names == FieldNames::FeatureColumn) &&
               field.children.size() > 1;
    });
}

QList<Column> columnsOf(const ExperimentDocument& document)
{
    QList<Column> columns;
    const FieldNode* list = document.field(kColumns);
    for (const FieldNode& column : list == nullptr ? QList<FieldNode>() : list->children) {
        for (const FieldNode& kind : column.children) {
            const std::optional<MessageSchema> schema =
                kind.group.isEmpty() ? std::nullopt : messageSchema(kind.path);
            if (schema) {
                columns << Column{column.name, schema->gives,
                                  kind.namesOf({FieldNames::FeatureColumn}), isCombined(kind)};
            }
        }
    }
    for (Column& column : columns) {
        column.hasSteps = column.gives.steps ||
                          std::any_of(columns.begin(), columns.end(), [&](const Column& inner) {
                              return inner.gives.steps && column.columns.contains(inner.name);
                          });
    }
    return columns;
}

const Column* find(const QList<Column>& columns, const QString& name)
{
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& column) { return column.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

/// A column that gives one category as dense numbers; null if there is none.
const Column* denseOf(const QList<Column>& columns, const QString& name)
{
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
        return column.gives.dense && column.columns == QStringList{name} && !column.isCombined;
    });
    return found == columns.end() ? nullptr : &*found;
}

/// The kind of column that makes categories dense and needs nothing else: "indicator_column", and
/// its field.
std::optional<std::pair<QString, QString>> plainWrap()
{
    const std::optional<MessageSchema> column = messageSchema(kColumns);
    for (const FieldSchema& kind : column ? column->members() : QList<FieldSchema>()) {
        const std::optional<MessageSchema> schema =
            messageSchema(kColumns + QStringLiteral("[0].") + kind.name);
        if (!schema || !schema->gives.dense || schema->gives.numbers || schema->gives.ids) {
            continue;
        }
        const bool isPlain = schema->fields.size() == 1 && !schema->fields.first().isRepeated;
        if (isPlain && schema->fields.first().names == FieldNames::FeatureColumn) {
            return std::pair(kind.name, schema->fields.first().name);
        }
    }
    return std::nullopt;
}

/// Finds for each column of the old estimator what the new one can read, and adds what is missing.
class ColumnCarrier
{
public:
    ColumnCarrier(const ExperimentDocument& document, MemberSwitch& result)
        : m_columns(columnsOf(document)), m_result(result)
    {
        const FieldNode* list = document.field(kColumns);
        m_count = list == nullptr ? 0 : list->children.size();
    }

    QStringList carry(const QStringList& names, const FieldSchema& list)
    {
        QStringList carried;
        for (const QString& name : names) {
            const Column* column = find(m_columns, name);
            // A list of sequences takes no other columns, and no other list takes sequences.
            if (column != nullptr && column->hasSteps != list.wantsSequences) {
                continue;
            }
            const QString next = column == nullptr ? name
                                 : list.wantsDense ? dense(*column)
                                                   : ids(*column);
            if (!next.isEmpty() && !carried.contains(next)) {
                carried << next;
            }
        }
        return carried;
    }

private:
    QString dense(const Column& column)
    {
        if (column.gives.dense) {
            return column.name;
        }
        // Rather a column that is there than a new one.
        if (const Column* known = denseOf(m_columns, column.name)) {
            return known->name;
        }
        // A cross has far too many values for an indicator.
        const auto wrap = column.isCombined ? std::nullopt : plainWrap();
        return wrap ? addWrap(column.name, wrap->first, wrap->second) : QString();
    }

    static QString ids(const Column& column)
    {
        const bool isWrap = column.gives.dense && !column.gives.ids && !column.gives.numbers &&
                            column.columns.size() == 1;
        return isWrap ? column.columns.first() : column.name;
    }

    QString addWrap(const QString& name, const QString& kind, const QString& field)
    {
        QString own = name + QStringLiteral("_indicator");
        for (int i = 2; find(m_columns, own) != nullptr; ++i) {
            own = QStringLiteral("%1_indicator_%2").arg(name).arg(i);
        }
        const QString value = QStringLiteral("{ name: %1 %2 { %3: %4 } }")
                                  .arg(quoted(own), kind, field, quoted(name));
        m_result.edits << FieldEdit::set(elementPath(kColumns, m_count++), value);
        // Known from now on, so that the next list finds it.
        m_columns << Column{own, {.dense = true}, {name}, false, find(m_columns, name)->hasSteps};
        return own;
    }

    QList<Column> m_columns;
    qsizetype m_count = 0; ///< of the feature columns in the text
    MemberSwitch& m_result;
};

/// The columns that the estimator reads, in all of its lists.
QStringList presentColumns(const FieldNode& estimator)
{
    QStringList names;
    for (const FieldNode& field : estimator.children) {
        if (field.names == FieldNames::FeatureColumn) {
            for (const FieldNode& element : field.children) {
                names << element.text;
            }
        }
    }
    names.removeDuplicates();
    return names;
}

const FieldNode* presentEstimator(const ExperimentDocument& document)
{
    const FieldNode* estimator = document.field(kEstimator);
    return estimator == nullptr || estimator->children.isEmpty() ? nullptr
                                                                 : &estimator->children.first();
}

QList<FieldSchema> columnLists(const QString& name)
{
    QList<FieldSchema> lists;
    const auto schema = messageSchema(kEstimator + u'.' + name);
    for (const FieldSchema& field : schema ? schema->fields : QList<FieldSchema>()) {
        if (field.names == FieldNames::FeatureColumn) {
            lists << field;
        }
    }
    return lists;
}

bool wantsOnlyDense(const QList<FieldSchema>& lists)
{
    return !lists.isEmpty() && std::all_of(lists.begin(), lists.end(),
                                           [](const FieldSchema& list) { return list.wantsDense; });
}

/// A rate that suits a linear model is far too high for a network, and the other way round: an
/// optimizer stays within a family, which is known by what it reads.
void leaveOptimizer(const FieldNode& present, const QString& name, MemberSwitch& result)
{
    const FieldNode* optimizer = present.child(QStringLiteral("optimizer"));
    const std::optional<MessageSchema> next = messageSchema(kEstimator + u'.' + name);
    if (optimizer == nullptr || optimizer->isDefault || !next ||
        wantsOnlyDense(columnLists(present.name)) == wantsOnlyDense(columnLists(name)) ||
        !result.kept.removeOne(optimizer->label)) {
        return;
    }
    result.lost << optimizer->label;
    result.edits.prepend(FieldEdit::remove(optimizer->path));
}

} // namespace

MemberSwitch switchEstimator(const ExperimentDocument& document, const QString& name)
{
    MemberSwitch result = switchMember(document, kEstimator, name);
    const FieldNode* present = presentEstimator(document);
    if (present == nullptr || present->name == name) {
        return result;
    }
    leaveOptimizer(*present, name, result);
    const QStringList names = presentColumns(*present);
    const QList<FieldSchema> lists = columnLists(name);
    const std::optional<MessageSchema> known = messageSchema(present->path);
    ColumnCarrier carrier(document, result);
    for (const FieldSchema& list : lists) {
        const bool isKept =
            known &&
            std::any_of(known->fields.begin(), known->fields.end(), [&](const FieldSchema& field) {
                const FieldNode* old = present->child(field.name);
                return field.names == list.names && field.wantsDense == list.wantsDense &&
                       field.wantsSequences == list.wantsSequences && old != nullptr &&
                       !old->children.isEmpty();
            });
        QStringList carried;
        // Two lists of the same kind keep their columns by name; the carrier is for all others.
        if (!isKept || lists.size() == 1) {
            carried = carrier.carry(names, list);
        }
        if (!carried.isEmpty()) {
            const QString path = kEstimator + u'.' + name + u'.' + list.name;
            result.edits << FieldEdit::set(path, quotedList(carried));
        }
    }
    if (!lists.isEmpty()) { // none of them is lost: they went through the carrier
        for (const FieldSchema& field : known ? known->fields : QList<FieldSchema>()) {
            if (field.names == FieldNames::FeatureColumn) {
                result.lost.removeAll(field.label);
            }
        }
    }
    return result;
}

QList<FieldEdit> denseEdits(const ExperimentDocument& document, const QString& path)
{
    const QString list = path.section(u'[', 0, -2);
    const FieldNode* present = document.field(list);
    const std::optional<FieldSchema> schema = fieldSchema(list);
    if (present == nullptr || !schema || !schema->wantsDense) {
        return {};
    }
    MemberSwitch result;
    const QStringList dense =
        ColumnCarrier(document, result).carry({document.value(path)}, *schema);
    const bool isThere =
        std::any_of(present->children.begin(), present->children.end(),
                    [&](const FieldNode& element) { return dense.contains(element.text); });
    if (dense.isEmpty() || isThere) {
        return {};
    }
    return result.edits << FieldEdit::set(path, quoted(dense.first()));
}

QString estimatorHindrance(const ExperimentDocument& document, const QString& name)
{
    const QList<FieldSchema> lists = columnLists(name);
    const QList<Column> columns = columnsOf(document);
    if (!lists.isEmpty() && columns.isEmpty()) {
        return QCoreApplication::translate("EstimatorSwitch", "Needs a feature column.");
    }
    const bool hasDense = std::any_of(columns.begin(), columns.end(),
                                      [](const Column& column) { return column.gives.dense; });
    if (wantsOnlyDense(lists) && !hasDense) {
        return QCoreApplication::translate(
            "EstimatorSwitch",
            "Needs a column of numbers: a numeric, indicator or embedding column.");
    }
    const bool wantsSteps = std::any_of(lists.begin(), lists.end(), [](const FieldSchema& list) {
        return list.wantsSequences && list.minCount > 0;
    });
    const bool hasSteps = std::any_of(columns.begin(), columns.end(), [](const Column& column) {
        return column.hasSteps && column.gives.dense;
    });
    if (wantsSteps && !hasSteps) {
        return QCoreApplication::translate(
            "EstimatorSwitch",
            "Needs a sequence: a numeric sequence, or an indicator or embedding of a sequence.");
    }
    return {};
}

} // namespace cannery::ui
