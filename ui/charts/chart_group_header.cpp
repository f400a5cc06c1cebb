// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_group_header.h"

#include "ui/models/formats.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyle>

namespace cannery::ui {

ChartGroupHeader::ChartGroupHeader(QWidget* parent) : QAbstractButton(parent)
{
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
}

void ChartGroupHeader::present(const QString& title, qsizetype shown, qsizetype all, bool isFolded)
{
    setText(title);
    setChecked(!isFolded);
    m_count =
        shown == all ? formatCount(all) : tr("%1 of %2").arg(formatCount(shown), formatCount(all));
    setAccessibleName(tr("%1, %2 charts").arg(title, m_count));
    setToolTip(isFolded ? tr("Show these charts") : tr("Hide these charts"));
    update();
}

QSize ChartGroupHeader::sizeHint() const
{
    return {scaled(200), scaled(32)};
}

void ChartGroupHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int extent = scaled(14);
    const QRect arrow(scaled(4), (height() - extent) / 2, extent, extent);
    const QString name = isChecked()       ? QStringLiteral("chevron-down")
                         : isRightToLeft() ? QStringLiteral("chevron-left")
                                           : QStringLiteral("chevron-right");
    ui::icon(name, tokens().text2)
        .paint(&painter, QStyle::visualRect(layoutDirection(), rect(), arrow));
    const QFont font = textFont(TextRole::Strong);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setPen(tokens().text);
    const int left = scaled(24);
    const double countWidth = QFontMetricsF(textFont(TextRole::Label)).horizontalAdvance(m_count);
    const QString title =
        metrics.elidedText(text(), Qt::ElideMiddle, width() - left - countWidth - scaled(16));
    const int titleWidth = int(metrics.horizontalAdvance(title)) + 1;
    const auto place = [&](const QRect& where) {
        return QStyle::visualRect(layoutDirection(), rect(), where);
    };
    paintWords(painter, place({left, 0, titleWidth, height()}), Qt::AlignVCenter, title);
    painter.setFont(textFont(TextRole::Label));
    painter.setPen(tokens().text2);
    paintWords(painter, place({left + titleWidth + scaled(8), 0, int(countWidth) + 2, height()}),
               Qt::AlignVCenter, m_count);
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, QRectF(rect()), 6);
    }
}

} // namespace cannery::ui
