// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/cross_chips.h"

#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QAbstractButton>
#include <QMenu>
#include <QPainter>

namespace cannery::ui {
namespace {

/// An input with a cross; clicking it removes the input.
class CrossChip : public QAbstractButton
{
public:
    CrossChip(const QString& input, QWidget* parent) : QAbstractButton(parent)
    {
        setText(input);
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        useFont(this, TextRole::LabelStrong);
    }

    QSize sizeHint() const override
    {
        const int words = fontMetrics().horizontalAdvance(text());
        return {words + scaled(16) + (isEnabled() ? scaled(16) : 0), scaled(24)};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF all = rect();
        const bool isHovered = underMouse() && isEnabled();
        paintSurface(painter, all, scaled(4), isHovered ? tokens().hover : tokens().idleBg);
        painter.setPen(tokens().text);
        painter.setFont(font());
        const bool isMirrored = layoutDirection() == Qt::RightToLeft;
        painter.drawText(rect().adjusted(scaled(8), 0, -scaled(8), 0),
                         Qt::AlignVCenter | (isMirrored ? Qt::AlignRight : Qt::AlignLeft), text());
        if (isEnabled()) {
            QRectF cross(0, 0, scaled(12), scaled(12));
            cross.moveCenter(
                {isMirrored ? scaled(12) : width() - double(scaled(12)), all.center().y()});
            paintIcon(painter, cross, "x", tokens().text2, scaled(12));
        }
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, all, scaled(4));
        }
    }
};

} // namespace

CrossChips::CrossChips(QWidget* parent)
    : QWidget(parent), m_layout(new FlowLayout(this, 6)),
      m_add(new Button(Button::Kind::Link, tr("Add"), this))
{
    setObjectName("chips.cross");
    setAccessibleName(tr("Inputs of the cross"));
    m_add->setObjectName("button.add_cross_input");
    m_add->setAccessibleName(tr("Add an input"));
    m_add->setMenu(new QMenu(m_add));
    rebuild();
}

void CrossChips::setInputs(const QStringList& inputs)
{
    if (inputs != m_inputs) {
        m_inputs = inputs;
        rebuild();
    }
}

void CrossChips::setOffered(const QStringList& offered)
{
    if (offered != m_offered) {
        m_offered = offered;
        rebuildMenu();
    }
}

void CrossChips::setLeast(int least)
{
    if (least != m_least) {
        m_least = least;
        rebuild();
    }
}

void CrossChips::rebuild()
{
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item;
    }
    for (QWidget* chip : std::as_const(m_chips)) {
        chip->hide();
        chip->deleteLater();
    }
    m_chips.clear();
    for (int i = 0; i < m_inputs.size(); ++i) {
        auto* chip = new CrossChip(m_inputs[i], this);
        chip->setObjectName(QStringLiteral("chip.cross.%1").arg(i));
        const bool canLeave = m_inputs.size() > m_least;
        chip->setEnabled(canLeave);
        chip->setAccessibleName(canLeave ? tr("%1; click to remove it").arg(m_inputs[i])
                                         : m_inputs[i]);
        chip->setToolTip(canLeave ? tr("Remove %1").arg(m_inputs[i])
                                  : tr("A cross needs at least %1 inputs.").arg(m_least));
        connect(chip, &QAbstractButton::clicked, this, [this, i] { Q_EMIT removeRequested(i); });
        m_chips.append(chip);
        m_layout->addWidget(chip);
        chip->show();
    }
    m_layout->addWidget(m_add);
    rebuildMenu();
    updateGeometry();
}

void CrossChips::rebuildMenu()
{
    m_add->menu()->clear();
    for (const QString& input : std::as_const(m_offered)) {
        if (m_inputs.contains(input)) {
            continue;
        }
        QString shown = input;
        QAction* entry = m_add->menu()->addAction(shown.replace('&', QLatin1String("&&")));
        connect(entry, &QAction::triggered, this, [this, input] { Q_EMIT addRequested(input); });
    }
    m_add->setVisible(!m_add->menu()->isEmpty());
}

} // namespace cannery::ui
