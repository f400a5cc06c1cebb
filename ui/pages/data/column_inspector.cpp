// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/column_inspector.h"

#include "ui/charts/histogram_view.h"
#include "ui/models/formats.h"
#include "ui/pages/data/histogram_header.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/icons.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <utility>

namespace cannery::ui {

ColumnInspector::ColumnInspector(QWidget* parent)
    : QWidget(parent), m_icon(makeIcon("table", Ink::Accent, 18)),
      m_name(new Label({}, TextRole::Section)),
      m_reason(new Label({}, TextRole::Label, Ink::Secondary)), m_histogram(new HistogramView),
      m_numbers(new KeyValueList)
{
    setObjectName("inspector.data");
    setAccessibleName(tr("Details of the selected column"));
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
    column->addWidget(m_numbers);
    column->addStretch(1);
    setColumns({}, {});
}

void ColumnInspector::setColumns(const DataFacts& facts, const QStringList& names)
{
    const ColumnFacts* column = names.size() == 1 ? facts.find(names.first()) : nullptr;
    m_icon->setVisible(column);
    m_histogram->setColumn(column ? *column : ColumnFacts());
    if (!column) {
        const bool areSeveral = names.size() > 1;
        m_name->setText(areSeveral ? tr("%1 columns selected").arg(formatCount(names.size()))
                                   : tr("No column selected"));
        m_reason->setText(areSeveral ? names.join(tr(", "))
                                     : tr("Select a column header to see its details."));
        m_numbers->setRows({});
        return;
    }
    m_name->setText(column->name);
    QString reason = column->reason;
    if (!reason.isEmpty()) {
        reason[0] = reason[0].toUpper();
    }
    m_reason->setText(reason);
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
