// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/inspector_panel.h"

#include "ui/widgets/icon_button.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

namespace cannery::ui {

InspectorPanel::InspectorPanel(QWidget* parent)
    : QWidget(parent), m_scroll(new QScrollArea(this)),
      m_close(new IconButton("x", tr("Close Inspector"), this))
{
    setObjectName("inspector");
    setAccessibleName(tr("Inspector"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 0, 0, 0);
    column->setSpacing(0);
    m_close->setObjectName("button.close_inspector");
    column->addWidget(m_close, 0, Qt::AlignRight);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    column->addWidget(m_scroll, 1);
    connect(static_cast<IconButton*>(m_close), &QToolButton::clicked, this,
            &InspectorPanel::closeRequested);
    setMinimumWidth(scaled(240));
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] { setMinimumWidth(scaled(240)); });
    setFloating(false);
}

void InspectorPanel::setContent(QWidget* content)
{
    if (content == m_content) {
        return;
    }
    if (QWidget* old = m_scroll->takeWidget()) {
        // The page owns its inspector; this panel only borrows it.
        old->hide();
        old->setParent(old->property("page").value<QWidget*>());
    }
    m_content = content;
    if (content) {
        content->setAutoFillBackground(false);
        m_scroll->setWidget(content);
        content->setAutoFillBackground(false);
        content->show();
    }
}

void InspectorPanel::setFloating(bool floating)
{
    m_floating = floating;
    setProperty("floating", floating);
    m_close->setVisible(floating);
    update();
}

void InspectorPanel::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().surface);
    const int edge = isRightToLeft() ? width() - 1 : 0;
    painter.fillRect(QRect(edge, 0, 1, height()), m_floating ? tokens().border : tokens().line);
}

void InspectorPanel::keyPressEvent(QKeyEvent* event)
{
    if (m_floating && event->key() == Qt::Key_Escape) {
        Q_EMIT closeRequested();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace cannery::ui
