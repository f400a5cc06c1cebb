// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/guided_columns_model.h"

#include "ui/models/formats.h"

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kExamples = 3;
/// Enough to recognize a column.
constexpr int kDigits = 3;

QString exampleText(const ColumnFacts& column)
{
    QStringList examples = column.binLabels.mid(0, kExamples);
    // Numbers have no values to name. Quantiles from the middle are typical, unlike the two
    // extremes.
    if (examples.isEmpty() && column.quantiles.size() > 90) {
        for (const int percent : {10, 50, 90}) {
            examples << formatNumber(column.quantiles[percent], kDigits);
        }
        examples.removeDuplicates();
    }
    return examples.join(QStringLiteral(", "));
}

} // namespace

QString holdsOf(const ColumnFacts& column)
{
    QString words;
    if (column.distinct == 2 && (column.isNumber() || column.type == QLatin1String("category"))) {
        words = GuidedColumnsModel::tr("one of two values");
    } else if (column.isNumber() && column.minimum && column.maximum) {
        words = GuidedColumnsModel::tr("numbers from %1 to %2")
                    .arg(formatNumber(*column.minimum, kDigits),
                         formatNumber(*column.maximum, kDigits));
    } else if (column.type == QLatin1String("category")) {
        words = GuidedColumnsModel::tr("one of %1 values").arg(formatCount(column.distinct));
    } else {
        words = column.reason.isEmpty() ? column.type : column.reason;
    }
    return column.missing > 0
               ? GuidedColumnsModel::tr("%1; %2 empty").arg(words, formatCount(column.missing))
               : words;
}

QString taskWords(const ColumnFacts& label, const QString& task)
{
    if (task == QLatin1String("regression")) {
        return GuidedColumnsModel::tr("%1 is a number, and the model will estimate it: a "
                                      "regression.")
            .arg(label.name);
    }
    return GuidedColumnsModel::tr("%1 has %2 values, and the model will say how likely each of "
                                  "them is: a classification.")
        .arg(label.name, formatCount(label.distinct));
}

GuidedColumnsModel::GuidedColumnsModel(Purpose purpose, QObject* parent)
    : TableModel(parent), m_purpose(purpose)
{}

void GuidedColumnsModel::setFacts(const DataFacts& facts)
{
    m_facts = facts;
    list();
}

void GuidedColumnsModel::setLabel(const QString& label)
{
    if (label != m_label) {
        m_label = label;
        list();
    }
}

void GuidedColumnsModel::list()
{
    beginResetModel();
    m_columns.clear();
    for (const ColumnFacts& column : std::as_const(m_facts.columns)) {
        // A model that learned from its label would only repeat it.
        if (m_purpose == Purpose::Label || column.name != m_label) {
            m_columns.append(column);
        }
    }
    endResetModel();
}

void GuidedColumnsModel::setRemarks(const QHash<QString, QString>& leftOut,
                                    const QHash<QString, QString>& remarks,
                                    const QHash<QString, QString>& warnings)
{
    m_leftOut = leftOut;
    m_remarks = remarks;
    m_warnings = warnings;
    notifyAllChanged();
}

void GuidedColumnsModel::setUnwanted(const QSet<QString>& columns)
{
    m_unwanted = columns;
    notifyAllChanged();
}

QString GuidedColumnsModel::nameAt(int row) const
{
    return row >= 0 && row < m_columns.size() ? m_columns[row].name : QString();
}

int GuidedColumnsModel::rowOf(const QString& column) const
{
    const auto found = std::find_if(m_columns.begin(), m_columns.end(),
                                    [&](const ColumnFacts& facts) { return facts.name == column; });
    return found == m_columns.end() ? -1 : static_cast<int>(found - m_columns.begin());
}

bool GuidedColumnsModel::isUsed(const QString& column) const
{
    return !m_unwanted.contains(column) && !m_leftOut.contains(column);
}

int GuidedColumnsModel::usedCount() const
{
    return static_cast<int>(
        std::count_if(m_columns.begin(), m_columns.end(),
                      [this](const ColumnFacts& column) { return isUsed(column.name); }));
}

qsizetype GuidedColumnsModel::countColumns() const
{
    return m_purpose == Purpose::Label ? Remark : Remark + 1;
}

QString GuidedColumnsModel::remarkOf(const ColumnFacts& column) const
{
    // The user's decision comes before the engine's, and that before a mere warning.
    if (m_unwanted.contains(column.name)) {
        return tr("left out by you");
    }
    if (const auto why = m_leftOut.constFind(column.name); why != m_leftOut.constEnd()) {
        return tr("left out: %1").arg(*why);
    }
    if (const auto why = m_warnings.constFind(column.name); why != m_warnings.constEnd()) {
        return *why;
    }
    return m_remarks.value(column.name, tr("used for learning"));
}

QVariant GuidedColumnsModel::cell(int row, int column, int role) const
{
    const ColumnFacts& facts = m_columns[row];
    if (role == FactsRole) {
        return column == Distribution ? QVariant::fromValue(facts) : QVariant();
    }
    if (role == IsWarningRole) {
        return column == Remark && isUsed(facts.name) && m_warnings.contains(facts.name);
    }
    if (role == Qt::CheckStateRole && m_purpose == Purpose::Learn && column == Name) {
        return isUsed(facts.name) ? Qt::Checked : Qt::Unchecked;
    }
    if (role == Qt::AccessibleTextRole && column == Distribution) {
        return tr("distribution of %1").arg(facts.name);
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    switch (column) {
    case Name:
        return facts.name;
    case Holds:
        return holdsOf(facts);
    case Examples:
        return exampleText(facts);
    case Remark:
        return remarkOf(facts);
    default:
        return {};
    }
}

QVariant GuidedColumnsModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    const QStringList titles{tr("Column"), tr("Holds"), tr("For example"), tr("Distribution"),
                             tr("What happens to it")};
    return titles.value(column);
}

Qt::ItemFlags GuidedColumnsModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = TableModel::flags(index);
    // What the engine leaves out has no box: the training would leave it out whatever is ticked.
    if (m_purpose == Purpose::Learn && index.column() == Name &&
        !m_leftOut.contains(nameAt(index.row()))) {
        flags |= Qt::ItemIsUserCheckable;
    }
    return flags;
}

bool GuidedColumnsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || !(flags(index) & Qt::ItemIsUserCheckable)) {
        return false;
    }
    Q_EMIT wantedChanged(nameAt(index.row()), value.toInt() == Qt::Checked);
    return true;
}

} // namespace cannery::ui
