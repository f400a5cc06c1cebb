// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_accessible.h"

#include "ui/charts/curves/chart_card.h"
#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/charts/curves/chart_output.h"

#include <QAbstractItemModel>
#include <QAccessibleWidget>
#include <QHash>

#include <algorithm>

namespace cannery::ui {
namespace {

/// The maximum number of rows for assistive technology; of more points, evenly chosen ones. Zooming
/// in shows the rest.
constexpr int kMostRows = 1000;

class ChartTable;

/// A value, or a heading in row −1.
class ChartCell : public QAccessibleInterface, public QAccessibleTableCellInterface
{
public:
    ChartCell(ChartTable& table, int row, int column) : m_table(table), m_row(row), m_column(column)
    {}

    bool isValid() const override { return true; }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override;
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text kind) const override;
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override;
    QAccessible::Role role() const override { return QAccessible::Cell; }
    QAccessible::State state() const override;
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableCellInterface
                   ? static_cast<QAccessibleTableCellInterface*>(this)
                   : nullptr;
    }

    bool isSelected() const override { return false; }
    QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
    QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
    int columnIndex() const override { return m_column; }
    int rowIndex() const override { return m_row; }
    int columnExtent() const override { return 1; }
    int rowExtent() const override { return 1; }
    QAccessibleInterface* table() const override;

private:
    ChartTable& m_table;
    int m_row;
    int m_column;
};

/// The values of a card as a table, a child of the card.
class ChartTable : public QAccessibleInterface, public QAccessibleTableInterface
{
public:
    explicit ChartTable(ChartCard& card) : m_card(card) {}
    ~ChartTable() override { forgetCells(); }

    ChartCard& card() const { return m_card; }
    QString cellText(int row, int column) const
    {
        const int modelRow = int(qint64(row) * m_total / std::max(m_rows, 1));
        return m_model->index(modelRow, column).data().toString();
    }
    /// Rebuilds the table; cells of the previous one are deleted.
    void refresh()
    {
        m_model = m_card.output().table();
        const int total = m_model->rowCount();
        if (total != m_total) {
            forgetCells();
        }
        m_total = total;
        m_rows = std::min(m_total, kMostRows);
    }

    bool isValid() const override { return true; }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override
    {
        return QAccessible::queryAccessibleInterface(&m_card);
    }
    QAccessibleInterface* child(int index) const override
    {
        const int columns = columnCount();
        return columns > 0 ? cellAt(index / columns, index % columns) : nullptr;
    }
    int childCount() const override { return rowCount() * columnCount(); }
    int indexOfChild(const QAccessibleInterface* child) const override
    {
        for (auto cell = m_cells.begin(); cell != m_cells.end(); ++cell) {
            if (QAccessible::accessibleInterface(cell.value()) == child) {
                return cell.key();
            }
        }
        return -1;
    }
    QString text(QAccessible::Text kind) const override
    {
        if (kind == QAccessible::Name) {
            return ChartCard::tr("Values of %1").arg(m_card.header().title());
        }
        if (kind == QAccessible::Description && m_total > m_rows) {
            return ChartCard::tr("%1 of %2 points, evenly chosen. Zoom in to see the others.")
                .arg(m_rows)
                .arg(m_total);
        }
        return {};
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override { return {m_card.mapToGlobal(QPoint()), m_card.size()}; }
    QAccessible::Role role() const override { return QAccessible::Table; }
    QAccessible::State state() const override { return {}; }
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableInterface ? static_cast<QAccessibleTableInterface*>(this)
                                                   : nullptr;
    }

    QAccessibleInterface* caption() const override { return nullptr; }
    QAccessibleInterface* summary() const override { return nullptr; }
    QAccessibleInterface* cellAt(int row, int column) const override
    {
        if (row < 0 || row >= rowCount() || column < 0 || column >= columnCount()) {
            return nullptr;
        }
        const int key = row * columnCount() + column;
        auto found = m_cells.find(key);
        if (found == m_cells.end()) {
            auto* cell = new ChartCell(const_cast<ChartTable&>(*this), row, column);
            found = m_cells.insert(key, QAccessible::registerAccessibleInterface(cell));
        }
        return QAccessible::accessibleInterface(found.value());
    }
    int selectedCellCount() const override { return 0; }
    QList<QAccessibleInterface*> selectedCells() const override { return {}; }
    QString columnDescription(int column) const override
    {
        return m_model ? m_model->headerData(column, Qt::Horizontal).toString() : QString();
    }
    QString rowDescription(int row) const override
    {
        return m_model ? cellText(row, 0) : QString();
    }
    int selectedColumnCount() const override { return 0; }
    int selectedRowCount() const override { return 0; }
    int columnCount() const override { return m_model ? m_model->columnCount() : 0; }
    int rowCount() const override { return m_model ? m_rows : 0; }
    QList<int> selectedColumns() const override { return {}; }
    QList<int> selectedRows() const override { return {}; }
    bool isColumnSelected(int) const override { return false; }
    bool isRowSelected(int) const override { return false; }
    bool selectRow(int) override { return false; }
    bool selectColumn(int) override { return false; }
    bool unselectRow(int) override { return false; }
    bool unselectColumn(int) override { return false; }
    void modelChange(QAccessibleTableModelChangeEvent*) override {}

private:
    void forgetCells()
    {
        for (const QAccessible::Id id : std::exchange(m_cells, {})) {
            QAccessible::deleteAccessibleInterface(id);
        }
    }

    ChartCard& m_card;
    QAbstractItemModel* m_model = nullptr;
    int m_total = 0;
    int m_rows = 0;
    mutable QHash<int, QAccessible::Id> m_cells;
};

QAccessibleInterface* ChartCell::parent() const
{
    return &m_table;
}

QAccessibleInterface* ChartCell::table() const
{
    return &m_table;
}

QRect ChartCell::rect() const
{
    return m_table.rect();
}

QAccessible::State ChartCell::state() const
{
    QAccessible::State state;
    state.readOnly = true;
    return state;
}

QString ChartCell::text(QAccessible::Text kind) const
{
    if (kind == QAccessible::Name || kind == QAccessible::Value) {
        return m_table.cellText(m_row, m_column);
    }
    if (kind == QAccessible::Description) {
        return m_table.columnDescription(m_column);
    }
    return {};
}

class ChartAccessible : public QAccessibleWidget
{
public:
    explicit ChartAccessible(ChartCard* card)
        : QAccessibleWidget(card, QAccessible::Chart), m_card(*card), m_table(new ChartTable(*card))
    {
        m_tableId = QAccessible::registerAccessibleInterface(m_table);
    }
    ~ChartAccessible() override { QAccessible::deleteAccessibleInterface(m_tableId); }

    QString text(QAccessible::Text kind) const override
    {
        if (kind == QAccessible::Value) {
            return value();
        }
        if (kind == QAccessible::Description) {
            return m_card.header().summary();
        }
        return QAccessibleWidget::text(kind);
    }
    int childCount() const override { return QAccessibleWidget::childCount() + 1; }
    QAccessibleInterface* child(int index) const override
    {
        if (index == QAccessibleWidget::childCount()) {
            m_table->refresh();
            return m_table;
        }
        return QAccessibleWidget::child(index);
    }
    int indexOfChild(const QAccessibleInterface* child) const override
    {
        return child == m_table ? QAccessibleWidget::childCount()
                                : QAccessibleWidget::indexOfChild(child);
    }
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::TableInterface) {
            m_table->refresh();
            return static_cast<QAccessibleTableInterface*>(m_table);
        }
        return QAccessibleWidget::interface_cast(type);
    }

private:
    /// The value at the cursor if there is one, otherwise the summary.
    QString value() const
    {
        const QList<ReadoutRow> rows = m_card.cursor().rows();
        const int current = m_card.cursor().curve();
        if (rows.isEmpty() || current >= m_card.curves().size()) {
            return m_card.header().summary();
        }
        const Curve& curve = m_card.curves()[current];
        for (const ReadoutRow& row : rows) {
            if (row.run == curve.run && row.label == curve.label) {
                return ChartCard::tr("%1, step %2, %3")
                    .arg(row.label)
                    .arg(row.step)
                    .arg(double(row.value));
            }
        }
        return m_card.header().summary();
    }

    ChartCard& m_card;
    ChartTable* m_table;
    QAccessible::Id m_tableId;
};

QAccessibleInterface* chartInterface(const QString&, QObject* object)
{
    auto* card = qobject_cast<ChartCard*>(object);
    return card ? new ChartAccessible(card) : nullptr;
}

} // namespace

void installChartAccessible()
{
    static const bool kInstalled = [] {
        QAccessible::installFactory(chartInterface);
        return true;
    }();
    Q_UNUSED(kInstalled)
}

} // namespace cannery::ui
