// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/table_views.h"

#include "ui/pages/data/browsed_table.h"
#include "ui/pages/data/components_view.h"
#include "ui/pages/data/rows_line.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/theme.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace cannery::ui {

TableViews::TableViews(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_choice(new Segmented({tr("Rows"), tr("Components")})),
      m_rows(new BrowsedTable(session)), m_components(new ComponentsView(session)),
      m_lines(new QStackedWidget), m_stack(new QStackedWidget)
{
    m_choice->setObjectName("segmented.table_views");
    m_choice->setAccessibleName(tr("Views of the table"));
    m_choice->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_lines->addWidget(m_rows->line());
    m_lines->addWidget(m_components->words());
    m_lines->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    m_stack->addWidget(m_rows);
    m_stack->addWidget(m_components);
    auto* above = new AdaptiveRow;
    above->addPart(m_choice, 0);
    above->addPart(m_lines, 1, 320);
    above->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(above);
    column->addWidget(m_stack, 1);
    connect(m_choice, &Segmented::currentChanged, this, [this](int view) {
        m_lines->setCurrentIndex(view);
        m_stack->setCurrentIndex(view);
        Q_EMIT viewChanged();
    });
}

TableViews::View TableViews::view() const
{
    return View(m_choice->currentIndex());
}

void TableViews::setView(View view)
{
    m_choice->setCurrentIndex(view);
}

} // namespace cannery::ui
