// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/toast.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPropertyAnimation>
#include <QPushButton>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMilliseconds = 6000;
constexpr int kHeight = 40;
constexpr int kAboveBottom = 44;
constexpr int kRise = 8;

/// "Undo" as a link in the other theme's colours: a toast is inverted.
class ToastLink : public QPushButton
{
public:
    ToastLink(const QString& text, QWidget* parent) : QPushButton(text, parent)
    {
        useFont(this, TextRole::Strong);
        setCursor(Qt::PointingHandCursor);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override
    {
        return {fontMetrics().horizontalAdvance(text()) + scaled(16),
                fontMetrics().height() + scaled(8)};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const ThemeTokens& t = tokens();
        QPainter painter(this);
        const QColor ink = mixed(t.accent, t.surface, t.isDark ? 0.45 : 0.55);
        painter.setPen(ink);
        paintWords(painter, rect(), Qt::AlignCenter, text());
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), 6, ink);
        }
    }
};

} // namespace

Toast::Toast(const QString& text, const QString& undoText, QWidget* host)
    : QWidget(host), m_text(new QLabel(text, this))
{
    auto* row = new QHBoxLayout(this);
    const int margin = shadowMargin(Elevation::Menu);
    row->setContentsMargins(margin + scaled(16), margin, margin + scaled(10), margin);
    row->setSpacing(scaled(24));
    m_text->setFont(textFont(TextRole::Strong));
    m_text->setTextFormat(Qt::PlainText);
    QPalette colours;
    colours.setColor(QPalette::WindowText, tokens().surface);
    m_text->setPalette(colours);
    row->addWidget(m_text, 1);
    if (!undoText.isEmpty()) {
        m_undo = new ToastLink(undoText, this);
        m_undo->setObjectName("button.toast_undo");
        row->addWidget(m_undo);
        connect(m_undo, &QPushButton::clicked, this, &Toast::undo);
    }
    setAccessibleName(text);
    m_timer.setSingleShot(true);
    m_timer.setInterval(kMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &QObject::deleteLater);
    host->installEventFilter(this);
}

QString Toast::text() const
{
    return m_text->text();
}

void Toast::place(int rise)
{
    const QWidget* host = parentWidget();
    const int margin = shadowMargin(Elevation::Menu);
    const int widest = host->width() - 2 * scaled(24);
    const QSize size(std::min(sizeHint().width(), widest), scaled(kHeight) + 2 * margin);
    setGeometry((host->width() - size.width()) / 2,
                host->height() - scaled(kAboveBottom) - size.height() + margin + rise, size.width(),
                size.height());
}

void Toast::appear()
{
    place(0);
    show();
    raise();
    if (motionAllowed() && window()->isVisible()) {
        const QPoint end = pos();
        auto* rise = new QPropertyAnimation(this, "pos", this);
        rise->setDuration(motionMilliseconds());
        rise->setEasingCurve(QEasingCurve::OutCubic);
        rise->setStartValue(end + QPoint(0, scaled(kRise)));
        rise->setEndValue(end);
        rise->start(QAbstractAnimation::DeleteWhenStopped);
    }
    // A screen reader speaks it at once: the line disappears before the reader would come to it.
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
    m_timer.start();
}

void Toast::undo()
{
    hide();
    Q_EMIT undone();
    deleteLater();
}

void Toast::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    const int margin = shadowMargin(Elevation::Menu);
    const QRectF surface = QRectF(rect()).adjusted(margin, margin, -margin, -margin);
    paintShadow(painter, surface, 8, Elevation::Menu);
    paintSurface(painter, surface, 8, tokens().text);
}

void Toast::enterEvent(QEnterEvent* /*event*/)
{
    m_timer.stop();
}

void Toast::leaveEvent(QEvent* /*event*/)
{
    m_timer.start();
}

bool Toast::eventFilter(QObject* /*watched*/, QEvent* event)
{
    if (event->type() == QEvent::Resize) {
        place(0);
    }
    return false;
}

} // namespace cannery::ui
