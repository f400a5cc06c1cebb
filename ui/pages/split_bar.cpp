// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/split_bar.h"

#include "ui/models/formats.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QPainter>

#include <algorithm>
#include <array>

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

double SplitBar::trainShare() const
{
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
    const double cut = m_evaluation > 0 ? width() * trainShare() : width();
    const double high = scaled(9);
    paintSurface(painter, QRectF(0, 0, cut - 2, high), 3, theme.series[0]);
    if (m_evaluation > 0) {
        paintSurface(painter, QRectF(cut + 1, 0, width() - cut - 1, high), 3, theme.series[5]);
    }
    painter.setFont(textFont(TextRole::Label));
    double x = 0;
    const std::array<QColor, 2> colours{theme.series[0], theme.series[5]};
    const QStringList texts = legends();
    for (qsizetype i = 0; i < texts.size(); ++i) {
        paintSurface(painter, QRectF(x, scaled(19), scaled(8), scaled(8)), 2,
                     colours[static_cast<std::size_t>(i)]);
        x += scaled(kSwatch);
        painter.setPen(theme.text2);
        painter.drawText(QRectF(x, scaled(13), width() - x, scaled(20)), Qt::AlignVCenter,
                         texts[i]);
        x += painter.fontMetrics().horizontalAdvance(texts[i]) + scaled(kBetween);
    }
}

} // namespace cannery::ui
