// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/scatter_card.h"

#include "ui/charts/steps/scatter_picture.h"
#include "ui/models/formats.h"

#include <utility>

namespace cannery::ui {

ScatterCard::ScatterCard(const QString& title, QWidget* parent)
    : StepCard({.folder = {}, .tag = title}, Slider::None, parent), m_canvas(new StepCanvas)
{
    setContent(m_canvas);
    connect(m_canvas, &StepCanvas::stepHovered, this,
            [this](qsizetype point) { moveTo(point < 0 ? m_chosen : point); });
}

void ScatterCard::setScatter(const Scatter& scatter)
{
    if (scatter == m_scatter) {
        return;
    }
    m_scatter = scatter;
    m_canvas->setPicture(m_scatter.points.isEmpty() ? nullptr
                                                    : std::make_unique<ScatterPicture>(m_scatter));
    setChosen(-1);
    m_canvas->setCursorStep(-1);
    stepsChanged(m_scatter.note);
}

void ScatterCard::setChosen(qsizetype point)
{
    m_chosen = point;
    moveTo(point);
}

/// What the cursor is at.
void ScatterCard::choose()
{
    const qsizetype point = hasCursor() ? currentStep() : -1;
    if (std::exchange(m_chosen, point) != point) {
        Q_EMIT chosenChanged(point);
    }
}

void ScatterCard::mousePressEvent(QMouseEvent* event)
{
    StepCard::mousePressEvent(event);
    choose();
}

void ScatterCard::keyPressEvent(QKeyEvent* event)
{
    StepCard::keyPressEvent(event);
    choose();
}

QPoint ScatterCard::placeOf(qsizetype point) const
{
    ScatterPicture picture(m_scatter);
    picture.layOut(m_canvas->size());
    return m_canvas->pos() + picture.placeOf(point).toPoint();
}

QString ScatterCard::describe(qsizetype number) const
{
    if (!hasCursor()) {
        const QString words =
            tr("%1 points · %2 across · %3 up")
                .arg(formatCount(m_scatter.points.size()), m_scatter.xTitle, m_scatter.yTitle);
        return m_scatter.groups.isEmpty()
                   ? words
                   : tr("%1 · groups: %2").arg(words, m_scatter.groups.join(tr(", ")));
    }
    const ComponentPoint& point = m_scatter.points[number];
    QStringList words;
    for (const QString& name : {point.text, m_scatter.groups.value(point.group)}) {
        if (!name.isEmpty()) {
            words += name;
        }
    }
    words += tr("%1 across").arg(formatNumber(point.x));
    words += tr("%1 up").arg(formatNumber(point.y));
    return words.join(QStringLiteral(" · "));
}

void ScatterCard::showStep(qsizetype number, bool isCursor)
{
    m_canvas->setCursorStep(isCursor ? number : -1);
}

} // namespace cannery::ui
