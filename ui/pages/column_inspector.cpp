// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/column_inspector.h"

#include "ui/models/formats.h"
#include "ui/pages/histogram_header.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

class ColumnInspector::Histogram : public QWidget
{
public:
    using QWidget::QWidget;

    void setColumn(const ColumnFacts& column)
    {
        m_column = column;
        setVisible(!column.binCounts.isEmpty());
        update();
    }

    QSize sizeHint() const override { return {scaled(240), scaled(82)}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        if (!m_column.isNumber()) {
            paintCategories(painter);
            return;
        }
        paintHistogram(painter, rect().adjusted(0, scaled(6), 0, 0), m_column, false);
    }

private:
    /// Horizontal bars with their words, the most frequent ones.
    void paintCategories(QPainter& painter) const
    {
        const ThemeTokens& theme = tokens();
        const qsizetype count = std::min<qsizetype>(4, m_column.binCounts.size());
        double most = 1;
        for (const double bin : m_column.binCounts) {
            most = std::max(most, bin);
        }
        painter.setFont(textFont(TextRole::Label));
        const int line = scaled(20);
        for (qsizetype i = 0; i < count; ++i) {
            const int y = static_cast<int>(i) * line;
            const double bar = (width() - scaled(150)) * m_column.binCounts[i] / most;
            painter.fillRect(QRectF(scaled(96), y + scaled(5), bar, scaled(10)), theme.series[0]);
            painter.setPen(theme.text);
            painter.drawText(QRect(0, y, scaled(90), line), Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(m_column.binLabels.value(i),
                                                              Qt::ElideRight, scaled(90)));
            painter.setPen(theme.text2);
            painter.drawText(
                QRect(scaled(96) + static_cast<int>(bar) + scaled(6), y, scaled(60), line),
                Qt::AlignVCenter, formatCount(static_cast<qint64>(m_column.binCounts[i])));
        }
    }

    ColumnFacts m_column;
};

ColumnInspector::ColumnInspector(QWidget* parent)
    : QWidget(parent), m_icon(makeIcon("table", Ink::Accent, 18)),
      m_name(new Label({}, TextRole::Section)),
      m_reason(new Label({}, TextRole::Label, Ink::Secondary)), m_histogram(new Histogram),
      m_low(new Label({}, TextRole::Axis, Ink::Secondary)),
      m_high(new Label({}, TextRole::Axis, Ink::Secondary)), m_numbers(new KeyValueList)
{
    setObjectName("inspector.data");
    setAccessibleName(tr("Facts of the selected column"));
    m_reason->setWordWrap(true);
    m_name->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(16));
    column->setSpacing(scaled(10));
    auto* title = new QHBoxLayout;
    title->addWidget(m_icon, 0, Qt::AlignVCenter);
    title->addWidget(m_name, 1);
    column->addLayout(title);
    column->addWidget(m_reason);
    column->addWidget(m_histogram);
    auto* ends = new QHBoxLayout;
    ends->addWidget(m_low);
    ends->addStretch(1);
    ends->addWidget(m_high);
    column->addLayout(ends);
    column->addWidget(m_numbers);
    column->addStretch(1);
    setColumn({}, {});
}

void ColumnInspector::setColumn(const DataFacts& facts, const QString& name)
{
    const ColumnFacts* column = facts.find(name);
    m_icon->setVisible(column);
    m_histogram->setVisible(column && !column->binCounts.isEmpty());
    const bool hasRange = column && column->isNumber() && column->minimum && column->maximum;
    m_low->setVisible(hasRange);
    m_high->setVisible(hasRange);
    if (!column) {
        m_name->setText(tr("No column selected"));
        m_reason->setText(tr("Press the head of a column to see what is known of it."));
        m_numbers->setRows({});
        return;
    }
    m_name->setText(column->name);
    QString reason = column->reason;
    if (!reason.isEmpty()) {
        reason[0] = reason[0].toUpper();
    }
    m_reason->setText(reason);
    m_histogram->setColumn(*column);
    if (hasRange) {
        m_low->setText(formatNumber(*column->minimum));
        m_high->setText(formatNumber(*column->maximum));
    }
    QList<KeyValueList::Row> rows{{tr("Type"), typeWord(*column), {}}};
    if (column->distinct >= 0) {
        rows.append({tr("Distinct"),
                     column->distinctIsExact ? formatCount(column->distinct)
                                             : tr("about %1").arg(formatCount(column->distinct)),
                     {}});
    }
    rows.append({tr("Missing"),
                 column->missing > 0 ? tr("%1 rows · %2")
                                           .arg(formatCount(column->missing),
                                                formatPercent(facts.missingShare(*column)))
                                     : tr("none"),
                 {}});
    const std::pair<QString, std::optional<double>> numbers[]{{tr("Smallest"), column->minimum},
                                                              {tr("Median"), column->median},
                                                              {tr("Mean"), column->mean},
                                                              {tr("Largest"), column->maximum},
                                                              {tr("Deviation"), column->deviation}};
    for (const auto& [key, value] : numbers) {
        if (value && column->isNumber()) {
            rows.append({key, formatNumber(*value), formatExact(*value)});
        }
    }
    m_numbers->setRows(rows);
}

} // namespace cannery::ui
