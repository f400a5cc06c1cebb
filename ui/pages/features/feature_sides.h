// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_facts.h"

#include <QWidget>

class QHBoxLayout;

namespace cannery::ui {

struct ExperimentFacts;
class DropTile;

/// The sides of the model below the list of feature columns, each with how many it uses and how
/// wide they are: a feature column, or a column of the table, that is dropped onto one is used by
/// it. GUI thread.
class FeatureSides : public QWidget
{
    Q_OBJECT

public:
    explicit FeatureSides(QWidget* parent = nullptr);

    /// `sides`: those that the estimator has; none hides it.
    void setFacts(const ExperimentFacts& facts, const QList<FeatureSide>& sides);
    /// Without room it is hidden: the list's menu does the same.
    void setRoom(bool hasRoom);

Q_SIGNALS:
    /// `also`: its other side keeps it.
    void featureDropped(const QString& name, cannery::ui::FeatureSide side, bool also,
                        const QPoint& where);
    void columnDropped(const QString& column, cannery::ui::FeatureSide side);

private:
    DropTile* makeTile(FeatureSide side);

    QHBoxLayout* m_row;
    QList<FeatureSide> m_sides;
    bool m_hasRoom = true;
    QList<DropTile*> m_tiles; ///< one for each side
};

} // namespace cannery::ui
