// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/column_roles.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/column_uses.h"
#include "ui/models/tables/dragged_columns.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/drop_tile.h"
#include "ui/widgets/style/theme.h"

#include <QDropEvent>
#include <QVBoxLayout>

namespace cannery::ui {

ColumnRoles::ColumnRoles(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session)
{
    setObjectName("roles");
    setAccessibleName(tr("Uses of columns"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(6));
    int series = 0;
    for (const ColumnUseRow& use : columnUses()) {
        if (use.use == ColumnUse::Feature) {
            continue;
        }
        auto* tile = new DropTile(use.title, {draggedColumnsType()}, series++);
        tile->setObjectName("role." + use.name);
        tile->setToolTip(tr("Drag headers of columns here: %1. Use does the same for the selected "
                            "columns.")
                             .arg(use.title));
        connect(tile, &DropTile::dropped, this, [this, use = use.use](const QDropEvent& event) {
            useColumns(m_session->document(), draggedColumns(*event.mimeData()), use);
        });
        column->addWidget(tile);
        m_tiles.append({use.use, tile});
    }
    connect(&session.document(), &ExperimentDocument::changed, this, &ColumnRoles::refresh);
    refresh();
}

void ColumnRoles::refresh()
{
    const ExperimentDocument& document = m_session->document();
    for (const auto& [use, tile] : std::as_const(m_tiles)) {
        const QStringList names = columnsOf(document, use);
        tile->setWords(names.isEmpty() ? tr("none") : names.join(", "));
        tile->setVisible(use != ColumnUse::Weight || takesWeight(document) || !names.isEmpty());
    }
    setEnabled(document.isOpen() && document.edits().hindrance().isEmpty());
}

} // namespace cannery::ui
