// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/split_bar.h"

#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr int kSwatch = 14;  ///< before the text of a legend
constexpr int kBetween = 20; ///< between two legends

} // namespace

SplitBar::SplitBar(QWidget* parent) : QWidget(parent)
{
    setObjectName("bar.split");
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setRows(-1, -1);
}

void SplitBar::setRows(qint64 train, qint64 evaluation)
{
    m_train = train;
    m_evaluation = evaluation;
    setAccessibleName(tr("%1 training rows, %2 evaluation rows")
                          .arg(formatCount(std::max<qint64>(0, train)),
                               formatCount(std::max<qint64>(0, evaluation))));
    setVisible(train >= 0);
    updateGeometry();
    update();
}

QString SplitBar::legend(const QString& word, qint64 rows, double share)
{
    return word + QStringLiteral("  ") +
           tr("%1 rows · %2").arg(formatCount(rows), formatPercent(share, 0));
}

QStringList SplitBar::legends() const
{
    const double share = trainShare();
    QStringList texts{legend(tr("Train"), m_train, share)};
    if (m_evaluation > 0) {
        texts << legend(tr("Evaluation"), m_evaluation, 1 - share);
    }
    return texts;
}

void SplitBar::setMovable(bool isMovable, double fraction)
{
    m_isMovable = isMovable;
    // A result that arrives late does not move the cut out of the hand.
    if (!m_isDragged) {
        m_fraction = fraction;
    }
    setFocusPolicy(isMovable ? Qt::StrongFocus : Qt::NoFocus);
    setCursor(isMovable ? Qt::SplitHCursor : Qt::ArrowCursor);
    setToolTip(isMovable ? tr("Drag the cut, or use the arrow keys.") : QString());
    update();
}

/// Whole percents, so that a drag writes 0.2 rather than 0.19834.
void SplitBar::moveTo(double fraction)
{
    const double next = std::clamp(std::round(fraction * 100) / 100, 0.01, 0.99);
    if (next != m_fraction) {
        m_fraction = next;
        update();
        Q_EMIT fractionMoved(next);
    }
}

void SplitBar::mousePressEvent(QMouseEvent* event)
{
    m_isDragged = m_isMovable && event->button() == Qt::LeftButton;
}

void SplitBar::mouseMoveEvent(QMouseEvent* event)
{
    if (m_isDragged && width() > 0) {
        const double place = event->position().x() / width();
        // The evaluation part is at the end of the line.
        moveTo(layoutDirection() == Qt::RightToLeft ? place : 1 - place);
    }
}

void SplitBar::mouseReleaseEvent(QMouseEvent* /*event*/)
{
    if (m_isDragged) {
        m_isDragged = false;
        Q_EMIT moveEnded();
    }
}

void SplitBar::keyPressEvent(QKeyEvent* event)
{
    const bool isArrow = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (!m_isMovable || !isArrow) {
        QWidget::keyPressEvent(event);
        return;
    }
    // An arrow moves the cut its own way: to the left means more evaluation rows.
    const bool isMore = (event->key() == Qt::Key_Left) == (layoutDirection() != Qt::RightToLeft);
    const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 0.1 : 0.01;
    moveTo(m_fraction + (isMore ? step : -step));
}

void SplitBar::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    Q_EMIT moveEnded();
}

double SplitBar::trainShare() const
{
    // The fraction changes at once, the counts only with the next reading.
    if (m_isMovable) {
        return 1 - m_fraction;
    }
    const qint64 all = std::max<qint64>(1, m_train + std::max<qint64>(0, m_evaluation));
    return static_cast<double>(m_train) / static_cast<double>(all);
}

QSize SplitBar::sizeHint() const
{
    return minimumSizeHint().expandedTo({scaled(420), 0});
}

/// As wide as the text below the bar.
QSize SplitBar::minimumSizeHint() const
{
    const QFontMetrics metrics(textFont(TextRole::Label));
    int width = 0;
    for (const QString& text : legends()) {
        width += scaled(kSwatch) + metrics.horizontalAdvance(text) + scaled(kBetween);
    }
    return {std::max(width, scaled(260)), scaled(36)};
}

void SplitBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeTokens& theme = tokens();
    const bool hasBoth = m_evaluation > 0 || m_isMovable;
    const double cut = hasBoth ? width() * trainShare() : width();
    const double high = scaled(9);
    const auto placed = [this](double x, double y, double wide, double tall) {
        return QRectF(isRightToLeft() ? width() - x - wide : x, y, wide, tall);
    };
    paintSurface(painter, placed(0, 0, cut - 2, high), 3, theme.series[0]);
    if (hasBoth) {
        paintSurface(painter, placed(cut + 1, 0, width() - cut - 1, high), 3, theme.series[5]);
    }
    if (m_isMovable) {
        paintSurface(painter, placed(cut - scaled(3), -1, scaled(6), high + 2), 2, theme.surface,
                     theme.control);
    }
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, placed(cut - scaled(6), 0, scaled(12), high + 2), 3);
    }
    painter.setFont(textFont(TextRole::Label));
    double x = 0;
    const std::array<QColor, 2> colours{theme.series[0], theme.series[5]};
    const QStringList texts = legends();
    for (qsizetype i = 0; i < texts.size(); ++i) {
        paintSurface(painter, placed(x, scaled(19), scaled(8), scaled(8)), 2,
                     colours[static_cast<std::size_t>(i)]);
        x += scaled(kSwatch);
        painter.setPen(theme.text2);
        const int wide = painter.fontMetrics().horizontalAdvance(texts[i]);
        paintWords(painter, placed(x, scaled(13), wide, scaled(20)),
                   Qt::AlignVCenter | Qt::TextDontClip, texts[i]);
        x += wide + scaled(kBetween);
    }
}

} // namespace cannery::ui
