// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/table_views.h"

#include "ui/models/pictures/picture_rows_model.h"
#include "ui/pages/data/browsed_table.h"
#include "ui/pages/data/components_view.h"
#include "ui/pages/data/rows_line.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/pictures/picture_grid.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace cannery::ui {

TableViews::TableViews(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_choice(new Segmented({tr("Rows"), tr("Components")})),
      m_rows(new BrowsedTable(session)), m_components(new ComponentsView(session)),
      m_pictureRows(new PictureRowsModel(*m_rows->model(), this)), m_pictures(new PictureGrid),
      m_stack(new QStackedWidget)
{
    m_choice->setObjectName("segmented.table_views");
    m_choice->setAccessibleName(tr("Views of the table"));
    m_choice->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* line = new QWidget; // only as high as what it shows
    auto* lines = new QVBoxLayout(line);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_rows->line());
    lines->addWidget(m_components->words());
    m_stack->addWidget(m_rows);
    m_stack->addWidget(m_components);
    m_pictures->setObjectName("grid.pictures");
    m_pictures->setAccessibleName(tr("Pictures of the table"));
    m_pictures->setModel(m_pictureRows);
    m_stack->addWidget(m_pictures);
    auto* above = new AdaptiveRow;
    above->addPart(m_choice, 0);
    above->addPart(line, 1, 320);
    above->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(above);
    column->addWidget(m_stack, 1);
    connect(m_choice, &Segmented::currentChanged, this,
            [this](int chosen) { showView(View(chosen)); });
    connect(m_choice, &Segmented::pressed, this, [this](int chosen) { m_wanted = View(chosen); });
    connect(m_pictures, &PictureGrid::opened, &session, &ProjectSession::showOutside);
    showView(Rows);
}

void TableViews::showView(View view)
{
    m_stack->setCurrentIndex(view);
    m_rows->line()->setVisible(view != Components); // pictures are those of the rows
    m_components->words()->setVisible(view == Components);
}

TableViews::View TableViews::view() const
{
    return View(m_choice->currentIndex());
}

void TableViews::setView(View view)
{
    m_wanted = view;
    if (view < m_choice->count()) {
        m_choice->setCurrentIndex(view);
    }
}

void TableViews::setPictures(const QString& folder)
{
    m_pictureRows->setFolder(folder);
    QStringList labels{tr("Rows"), tr("Components")};
    if (!folder.isEmpty()) {
        labels << tr("Pictures");
    }
    if (labels.size() != m_choice->count()) {
        const View shown = view();
        m_choice->setLabels(labels);
        // A saved state comes before the experiment is read.
        setView(m_wanted == Pictures ? m_wanted : shown == Pictures ? Rows : shown);
    }
}

} // namespace cannery::ui
