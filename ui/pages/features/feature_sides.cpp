// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/feature_sides.h"

#include "ui/editing/experiment_facts.h"
#include "ui/editing/feature_list_model.h"
#include "ui/models/formats.h"
#include "ui/models/tables/dragged_columns.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/drop_tile.h"
#include "ui/widgets/style/theme.h"

#include <QDropEvent>
#include <QHBoxLayout>
#include <QMimeData>

#include <algorithm>

namespace cannery::ui {

namespace {

bool isOn(FeatureSide used, FeatureSide side)
{
    return used == side ||
           (used == FeatureSide::Both && (side == FeatureSide::Wide || side == FeatureSide::Deep));
}

QString sideTitle(FeatureSide side)
{
    return side == FeatureSide::Wide   ? FeatureSides::tr("Wide")
           : side == FeatureSide::Deep ? FeatureSides::tr("Deep")
                                       : FeatureSides::tr("Not used");
}

QString tileName(FeatureSide side)
{
    return side == FeatureSide::Wide   ? QStringLiteral("side.wide")
           : side == FeatureSide::Deep ? QStringLiteral("side.deep")
                                       : QStringLiteral("side.unused");
}

} // namespace

FeatureSides::FeatureSides(QWidget* parent) : QWidget(parent), m_row(new QHBoxLayout(this))
{
    setObjectName("sides");
    setAccessibleName(tr("Sides of the model"));
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(scaled(8));
}

DropTile* FeatureSides::makeTile(FeatureSide side)
{
    const bool isSide = side != FeatureSide::Unused;
    QStringList takes{FeatureListModel::mimeType()};
    if (isSide) {
        takes << draggedColumnsType();
    }
    auto* tile = new DropTile(sideTitle(side), takes,
                              !isSide                     ? -1
                              : side == FeatureSide::Wide ? 1
                                                          : 0,
                              this);
    tile->setObjectName(tileName(side));
    tile->setToolTip(
        isSide ? tr("Drop a feature column here to use it on this side; hold Ctrl to keep "
                    "it on the other side, too. Enter in the list does the same.")
               : tr("Drop a feature column here to remove it from every side."));
    connect(tile, &DropTile::dropped, this, [this, tile, side](const QDropEvent& event) {
        const QMimeData& data = *event.mimeData();
        if (data.hasFormat(FeatureListModel::mimeType())) {
            Q_EMIT featureDropped(QString::fromUtf8(data.data(FeatureListModel::mimeType())), side,
                                  event.modifiers().testFlag(Qt::ControlModifier),
                                  tile->mapToGlobal(event.position().toPoint()));
        } else {
            Q_EMIT columnDropped(draggedColumns(data).first(), side);
        }
    });
    return tile;
}

void FeatureSides::setFacts(const ExperimentFacts& facts, const QList<FeatureSide>& sides)
{
    if (m_sides != sides) {
        clearLayout(m_row);
        m_tiles.clear();
        m_sides = sides;
        for (const FeatureSide side : sides) {
            m_tiles.append(makeTile(side));
            m_row->addWidget(m_tiles.last());
        }
    }
    for (qsizetype i = 0; i < sides.size(); ++i) {
        const FeatureSide side = sides[i];
        const auto count =
            std::count_if(facts.features.begin(), facts.features.end(),
                          [&](const FeatureFacts& one) { return isOn(one.side, side); });
        const QString columns = counted(count, tr("one column"), tr("%1 columns"));
        m_tiles[i]->setWords(
            side == FeatureSide::Unused
                ? columns
                : tr("%1 · width %2").arg(columns, formatCount(facts.width(side))));
    }
    setVisible(m_hasRoom && !sides.isEmpty());
}

void FeatureSides::setRoom(bool hasRoom)
{
    m_hasRoom = hasRoom;
    setVisible(m_hasRoom && !m_sides.isEmpty());
}

} // namespace cannery::ui
