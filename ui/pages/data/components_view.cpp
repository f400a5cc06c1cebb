// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/components_view.h"

#include "ui/charts/steps/scatter_card.h"
#include "ui/editing/document_query.h"
#include "ui/models/formats.h"
#include "ui/models/tables/loadings_model.h"
#include "ui/pages/data/rows_line.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/card.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

/// Design pixels of a column of correlations.
constexpr int kLoadingWidth = 64;

/// Why a column takes no part is a text, in place of its numbers.
class LoadingsDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (!static_cast<const LoadingsModel*>(index.model())->takesPart(index.row())) {
            option->displayAlignment = Qt::AlignLeft | Qt::AlignVCenter;
        }
    }
};

} // namespace

ComponentsView::ComponentsView(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_query(&DocumentQuery::components(session)),
      m_words(new LinkLabel({}, TextRole::Label, Ink::Secondary)), m_parts(new AdaptiveRow),
      m_scatter(new ScatterCard(tr("Rows along two components"))),
      m_variance(new Card(tr("Shares of the variance"))), m_shares(new KeyValueList),
      m_model(new LoadingsModel(this)), m_columns(new TableView(TableView::Rows::Data))
{
    setObjectName("components_view");
    m_words->setObjectName("label.components");
    m_words->setWordWrap(true);
    m_scatter->setObjectName("card.table_rows");
    m_scatter->setMinimumHeight(scaled(300));
    m_parts->addPart(m_scatter, 3, 360);
    m_parts->addPart(makeSide(), 2, 320);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(makeScrollArea(m_parts));
    connect(m_words, &QLabel::linkActivated, this, [this](const QString& link) {
        link == QLatin1String("cancel") ? m_query->cancel() : m_query->askAgain();
    });
    connect(m_query, &DocumentQuery::changed, this, &ComponentsView::refresh);
    connect(&themeWatch(), &ThemeWatch::changed, this, &ComponentsView::fitColumns);
    m_parts->setVisible(false);
    refresh();
}

QWidget* ComponentsView::makeSide()
{
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(14));
    m_shares->setObjectName("list.component_shares");
    m_variance->body()->addWidget(m_shares);
    column->addWidget(m_variance);
    m_columns->setObjectName("table.loadings");
    m_columns->setAccessibleName(tr("Columns and their correlation with the components"));
    m_columns->setModel(m_model);
    m_columns->setItemDelegate(new LoadingsDelegate(m_columns));
    m_columns->setSelectionMode(QAbstractItemView::SingleSelection);
    m_columns->setMinimumHeight(scaled(180));
    connect(m_columns->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid()) {
                    Q_EMIT columnChosen(m_model->columns()[current.row()].name);
                }
            });
    auto* columns = new Card(tr("Correlation with the components"));
    columns->body()->addWidget(m_columns, 1);
    column->addWidget(columns, 1);
    return side;
}

QWidget* ComponentsView::words() const
{
    return m_words;
}

void ComponentsView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    // The engine compares the columns only while someone looks at the result.
    m_query->setWanted(this, true);
}

void ComponentsView::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_query->setWanted(this, false);
}

void ComponentsView::refresh()
{
    const bool hasResult = !m_query->result().isEmpty();
    m_parts->setVisible(hasResult);
    if (hasResult) {
        take(tableComponentsFromJson(m_query->result()));
    }
    refreshWords();
}

void ComponentsView::refreshWords()
{
    if (m_query->isRunning()) {
        m_words->setText(
            withLink(tr("Comparing the numeric columns…"), QStringLiteral("cancel"), tr("Cancel")));
    } else if (!m_query->error().isEmpty()) {
        m_words->setText(m_query->error().toHtmlEscaped());
    } else if (m_query->result().isEmpty()) {
        m_words->setText(withLink(tr("The numeric columns were not compared."),
                                  QStringLiteral("again"), tr("Compare")));
    } else {
        m_words->setText(sentence().toHtmlEscaped());
    }
}

/// What the numbers are of.
QString ComponentsView::sentence() const
{
    if (m_facts.shares.size() < 2) {
        return tr("Components compare at least two numeric columns; only %1 has different values.")
            .arg(m_facts.columns.value(0).name);
    }
    const QString columns = formatCount(m_facts.usedColumns);
    const QString rows = formatCount(m_facts.rows);
    return m_facts.usedRows == m_facts.rows
               ? tr("%1 numeric columns, in standard deviations, of %2 rows.").arg(columns, rows)
               : tr("%1 numeric columns, in standard deviations, of %2 rows evenly spaced among "
                    "%3.")
                     .arg(columns, formatCount(m_facts.usedRows), rows);
}

void ComponentsView::take(const TableComponentFacts& facts)
{
    if (facts == m_facts) {
        return;
    }
    m_facts = facts;
    const qsizetype points = facts.points.size();
    // One component is not enough for a plane.
    m_scatter->setVisible(facts.shares.size() > 1);
    m_scatter->setScatter(
        {.points = facts.points,
         .groups = facts.groups,
         .xTitle = componentTitle(facts.shares, 0),
         .yTitle = componentTitle(facts.shares, 1),
         .note = points < facts.rows
                     ? tr("%1 of %2 rows").arg(formatCount(points), formatCount(facts.rows))
                     : QString()});
    QList<KeyValueList::Row> rows;
    double sum = 0;
    for (qsizetype i = 0; i < facts.shares.size(); ++i) {
        sum += facts.shares[i];
        rows.append(
            {tr("Component %1").arg(formatCount(i + 1)),
             i == 0 ? formatPercent(sum)
                    : tr("%1 · %2 so far").arg(formatPercent(facts.shares[i]), formatPercent(sum)),
             {}});
    }
    m_shares->setRows(rows);
    m_model->setColumns(facts.columns, facts.shares.size());
    fitColumns();
}

void ComponentsView::fitColumns()
{
    // Spans belong to the rows of the view, which other columns may stand in now.
    m_columns->clearSpans();
    const int remark = m_model->columnCount() - 1;
    m_columns->resizeColumnToContents(LoadingsModel::NameColumn);
    for (int column = LoadingsModel::FirstLoading; column < remark; ++column) {
        m_columns->setColumnWidth(column, scaled(kLoadingWidth));
    }
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (!m_model->takesPart(row)) {
            m_columns->setSpan(row, LoadingsModel::FirstLoading, 1, remark);
        }
    }
}

} // namespace cannery::ui
