// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/split_view.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QPainter>

namespace cannery::ui {
namespace {

constexpr int kCatch = 7;
constexpr int kStep = 16;

/// A hairline in the middle of a strip wide enough to grab.
class Handle : public QSplitterHandle
{
public:
    Handle(Qt::Orientation orientation, QSplitter* parent) : QSplitterHandle(orientation, parent)
    {
        setFocusPolicy(Qt::TabFocus);
        setAccessibleName(SplitView::tr("Divider"));
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        QRect line = rect();
        if (orientation() == Qt::Horizontal) {
            line = QRect(rect().center().x(), 0, 1, height());
        } else {
            line = QRect(0, rect().center().y(), width(), 1);
        }
        const bool drawn = !splitter()->property("plain").toBool();
        if (showsFocusRing(*this) || drawn) {
            painter.fillRect(line, showsFocusRing(*this) ? tokens().accent : tokens().line);
        }
    }

    void keyPressEvent(QKeyEvent* event) override
    {
        int step = 0;
        switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
            step = -kStep;
            break;
        case Qt::Key_Right:
        case Qt::Key_Down:
            step = kStep;
            break;
        default:
            QSplitterHandle::keyPressEvent(event);
            return;
        }
        // QSplitter has no keys of its own.
        const QPoint place = pos();
        moveSplitter((orientation() == Qt::Horizontal ? place.x() : place.y()) + step);
    }
};

} // namespace

SplitView::SplitView(Qt::Orientation orientation, QWidget* parent) : QSplitter(orientation, parent)
{
    setHandleWidth(kCatch);
    setChildrenCollapsible(false);
}

QSplitterHandle* SplitView::createHandle()
{
    return new Handle(orientation(), this);
}

} // namespace cannery::ui
