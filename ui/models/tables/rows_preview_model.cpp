// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/rows_preview_model.h"

#include <QLocale>

#include <algorithm>
#include <limits>

namespace cannery::ui {

namespace {

/// A page is read, sent and parsed without a noticeable pause.
constexpr int kPageCells = 40'000;
constexpr int kMostPageRows = 200;
constexpr int kFewestPageRows = 20;
/// A cell of a megabyte would hold up the window at every measuring.
constexpr qsizetype kLongestShown = 1000;

QString remarkWords(const QList<TableRemark>& remarks)
{
    QStringList sentences;
    for (const TableRemark& remark : remarks) {
        sentences << remark.sentence;
    }
    return sentences.join(u'\n');
}

} // namespace

/// New facts of the same columns leave the rows, and what is selected, as they are.
void RowsPreviewModel::setFacts(DataFacts facts)
{
    if (m_facts.hasColumnsOf(facts) && (m_isPaged || m_facts.texts == facts.texts)) {
        m_facts = std::move(facts);
        notifyHeaderChanged();
        return;
    }
    beginResetModel();
    m_facts = std::move(facts);
    m_pages.clear();
    m_kept.clear();
    m_asked.clear();
    endResetModel();
}

void RowsPreviewModel::setRemarks(const QList<TableRemark>& remarks)
{
    if (remarks != m_remarks) {
        m_remarks = remarks;
        notifyHeaderChanged();
    }
}

QList<TableRemark> RowsPreviewModel::remarksOn(const QString& column) const
{
    QList<TableRemark> found;
    for (const TableRemark& remark : m_remarks) {
        if (remark.columns.contains(column)) {
            found << remark;
        }
    }
    std::stable_sort(
        found.begin(), found.end(),
        [](const TableRemark& one, const TableRemark& other) { return one.isNote < other.isNote; });
    return found;
}

void RowsPreviewModel::notifyHeaderChanged()
{
    if (countColumns() > 0) {
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
        notifyAllChanged(); // numbers are on the right
    }
}

int RowsPreviewModel::pageRows() const
{
    // Wide tables have smaller pages: a page has about as many cells whatever its width.
    const auto columns = static_cast<int>(std::max<qsizetype>(1, countColumns()));
    return std::clamp(kPageCells / columns, kFewestPageRows, kMostPageRows);
}

void RowsPreviewModel::beginPages(const TableQuery& query)
{
    beginResetModel();
    m_isPaged = true;
    m_query = query;
    m_total = 0;
    m_pages.clear();
    m_kept.clear();
    m_asked.clear();
    endResetModel();
}

void RowsPreviewModel::endPages()
{
    if (m_isPaged) {
        beginPages({});
        beginResetModel();
        m_isPaged = false;
        endResetModel();
    }
}

void RowsPreviewModel::setTotal(qint64 total)
{
    const auto rows =
        static_cast<qsizetype>(std::min<qint64>(total, std::numeric_limits<int>::max()));
    if (!m_isPaged || rows == m_total) {
        return;
    }
    // Not a reset: the view keeps its place while the table is still being counted.
    if (rows > m_total) {
        beginInsertRows({}, static_cast<int>(m_total), static_cast<int>(rows) - 1);
        m_total = rows;
        endInsertRows();
    } else {
        beginRemoveRows({}, static_cast<int>(rows), static_cast<int>(m_total) - 1);
        m_total = rows;
        endRemoveRows();
    }
}

void RowsPreviewModel::setPage(const TablePage& page)
{
    m_asked.remove(page.first);
    if (!m_isPaged || page.texts.isEmpty()) {
        return;
    }
    if (!m_pages.contains(page.first)) {
        m_kept.push_back(page.first);
    }
    m_pages.insert(page.first, page);
    // The oldest page goes first. What is visible is requested again if it was that one.
    if (m_kept.size() > kMostPages) {
        m_pages.remove(m_kept.front());
        m_kept.pop_front();
    }
    const qint64 last = std::min<qint64>(page.first + page.texts.size(), m_total) - 1;
    if (last >= page.first) {
        Q_EMIT dataChanged(index(static_cast<int>(page.first), 0),
                           index(static_cast<int>(last), columnCount() - 1));
        Q_EMIT headerDataChanged(Qt::Vertical, static_cast<int>(page.first),
                                 static_cast<int>(last));
    }
}

void RowsPreviewModel::dropPage(qint64 first)
{
    // It may be requested again: its answer failed, or was cancelled.
    m_asked.remove(first);
}

QStringList RowsPreviewModel::cellsSeen(const QString& column) const
{
    const auto found = std::find_if(m_facts.columns.begin(), m_facts.columns.end(),
                                    [&](const ColumnFacts& facts) { return facts.name == column; });
    const qsizetype place = found - m_facts.columns.begin();
    QStringList cells;
    const auto take = [&](const QList<QStringList>& rows) {
        for (const QStringList& row : rows) {
            if (const QString cell = row.value(place); !cell.isNull()) {
                cells << cell;
            }
        }
    };
    take(m_facts.texts);
    for (const TablePage& page : m_pages) {
        take(page.texts);
    }
    return cells;
}

const TablePage* RowsPreviewModel::pageOf(int row) const
{
    const auto found = m_pages.constFind(row / pageRows() * pageRows());
    return found == m_pages.constEnd() ? nullptr : &*found;
}

const QStringList* RowsPreviewModel::textsOf(int row) const
{
    if (!m_isPaged) {
        return &m_facts.texts[row];
    }
    const TablePage* page = pageOf(row);
    const qsizetype place = page != nullptr ? row - page->first : 0;
    if (page != nullptr && place < page->texts.size()) {
        return &page->texts[place];
    }
    const qint64 first = row / pageRows() * pageRows();
    if (!m_asked.contains(first)) {
        m_asked.insert(first);
        auto* self = const_cast<RowsPreviewModel*>(this); // called by a view that is painting
        QMetaObject::invokeMethod(
            self, [self, first] { Q_EMIT self->pageWanted(first); }, Qt::QueuedConnection);
    }
    return nullptr;
}

QVariant RowsPreviewModel::cell(int row, int column, int role) const
{
    const QStringList* texts =
        role == Qt::DisplayRole || role == Qt::AccessibleTextRole || role == MissingRole
            ? textsOf(row)
            : nullptr;
    if (texts == nullptr) {
        return role == Qt::AccessibleTextRole ? QVariant(tr("loading")) : QVariant();
    }
    const QString text = texts->value(column);
    switch (role) {
    case Qt::DisplayRole:
        return text.isNull()                 ? QStringLiteral("?")
               : text.size() > kLongestShown ? text.left(kLongestShown) + QStringLiteral("…")
                                             : text;
    case Qt::AccessibleTextRole:
        return text.isNull() ? tr("missing") : text;
    default:
        return text.isNull();
    }
}

QVariant RowsPreviewModel::header(int column, int role) const
{
    const ColumnFacts& facts = m_facts.columns[column];
    switch (role) {
    case Qt::DisplayRole:
        return facts.name;
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
        const QString words = remarkWords(remarksOn(facts.name));
        return words.isEmpty() ? spoken(facts) : spoken(facts) + '\n' + words;
    }
    case FactsRole:
        return column;
    case SortRole:
        return !m_query.sort.isEmpty() && facts.name == m_query.sort
                   ? QVariant(m_query.descending ? Qt::DescendingOrder : Qt::AscendingOrder)
                   : QVariant();
    case RemarksRole: {
        const QString words = remarkWords(remarksOn(facts.name));
        return words.isEmpty() ? QVariant() : QVariant(words);
    }
    case DecisionRole: {
        const QList<TableRemark> remarks = remarksOn(facts.name);
        return !remarks.isEmpty() && !remarks.first().isNote;
    }
    default:
        return {};
    }
}

/// Rows keep their numbers in the table, however they are filtered and sorted.
QVariant RowsPreviewModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Vertical || role != Qt::DisplayRole) {
        return TableModel::headerData(section, orientation, role);
    }
    if (!m_isPaged || m_query.isPlain()) {
        return QLocale().toString(section + 1);
    }
    const TablePage* page = section < m_total ? pageOf(section) : nullptr;
    const qint64 number = page != nullptr ? page->numbers.value(section - page->first) : 0;
    return number > 0 ? QLocale().toString(number) : QString();
}

QString RowsPreviewModel::spoken(const ColumnFacts& column) const
{
    const QLocale locale;
    const double share = m_facts.missingShare(column);
    QStringList parts{column.name,
                      column.use == QLatin1String("label") ? tr("target") : column.type};
    parts.append(share > 0 ? tr("%1 % missing").arg(locale.toString(100 * share, 'f', 1))
                           : tr("complete"));
    if (column.minimum && column.maximum) {
        parts.append(tr("%1 to %2")
                         .arg(locale.toString(*column.minimum, 'g', 4),
                              locale.toString(*column.maximum, 'g', 4)));
    }
    if (column.median) {
        parts.append(tr("median %1").arg(locale.toString(*column.median, 'g', 4)));
    }
    if (!m_query.sort.isEmpty() && column.name == m_query.sort) {
        parts.append(m_query.descending ? tr("sorted, largest first")
                                        : tr("sorted, smallest first"));
    }
    if (column.distinct >= 0) {
        parts.append(tr("%1 distinct").arg(locale.toString(column.distinct)));
    }
    return parts.join(QLatin1String(", "));
}

} // namespace cannery::ui
