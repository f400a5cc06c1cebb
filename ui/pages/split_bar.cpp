#include "ui/pages/split_bar.h"

#include "ui/models/formats.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QPainter>

#include <algorithm>

namespace cannery::ui {

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
    update();
}

QSize SplitBar::sizeHint() const
{
    return {scaled(420), scaled(36)};
}

QSize SplitBar::minimumSizeHint() const
{
    return {scaled(260), scaled(36)};
}

void SplitBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeTokens& theme = tokens();
    const double all =
        static_cast<double>(std::max<qint64>(1, m_train + std::max<qint64>(0, m_evaluation)));
    const double share = static_cast<double>(m_train) / all;
    const double cut = m_evaluation > 0 ? width() * share : width();
    const double high = scaled(9);
    paintSurface(painter, QRectF(0, 0, cut - 2, high), 3, theme.series[0]);
    if (m_evaluation > 0) {
        paintSurface(painter, QRectF(cut + 1, 0, width() - cut - 1, high), 3, theme.series[5]);
    }
    painter.setFont(textFont(TextRole::Label));
    double x = 0;
    const auto legend = [&](const QColor& colour, const QString& word, qint64 rows, double part) {
        paintSurface(painter, QRectF(x, scaled(19), scaled(8), scaled(8)), 2, colour);
        x += scaled(14);
        const QString text = word + QStringLiteral("  ") +
                             tr("%1 rows · %2").arg(formatCount(rows), formatPercent(part, 0));
        painter.setPen(theme.text2);
        painter.drawText(QRectF(x, scaled(13), width() - x, scaled(20)), Qt::AlignVCenter, text);
        x += painter.fontMetrics().horizontalAdvance(text) + scaled(20);
    };
    legend(theme.series[0], tr("Train"), m_train, share);
    if (m_evaluation > 0) {
        legend(theme.series[5], tr("Evaluation"), m_evaluation, 1 - share);
    }
}

} // namespace cannery::ui
