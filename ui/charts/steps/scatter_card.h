// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/steps/step_card.h"
#include "ui/models/tables/component_facts.h"

namespace cannery::ui {

class StepCanvas;

/// What a ScatterCard shows.
struct Scatter
{
    QList<ComponentPoint> points;
    QStringList groups; ///< names of the points' groups; none: no legend
    QString xTitle;
    QString yTitle;
    QString note; ///< which rows the points are, if not all; a few words

    bool operator==(const Scatter&) const = default;
};

/// Rows of a table as points: each group has its colour and its shape, points with a text are named
/// where there is room. The cursor is at the point nearest to the pointer, otherwise at the chosen
/// one; a click chooses, and the keys walk through the points in their order.
class ScatterCard : public StepCard
{
    Q_OBJECT

public:
    explicit ScatterCard(const QString& title, QWidget* parent = nullptr);

    void setScatter(const Scatter& scatter);
    const Scatter& scatter() const { return m_scatter; }
    /// -1: none. Does not emit.
    void setChosen(qsizetype point);
    qsizetype chosen() const { return m_chosen; }
    /// Where a point is in the plot, in pixels of the card, for tests.
    QPoint placeOf(qsizetype point) const;

Q_SIGNALS:
    /// By the person; -1: none any more.
    void chosenChanged(qsizetype point);

protected:
    qsizetype stepCount() const override { return m_scatter.points.size(); }
    qint64 stepAt(qsizetype number) const override { return number; }
    QString describe(qsizetype number) const override;
    void showStep(qsizetype number, bool isCursor) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void choose();

    Scatter m_scatter;
    StepCanvas* m_canvas;
    qsizetype m_chosen = -1;
};

} // namespace cannery::ui
