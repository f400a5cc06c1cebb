// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/feature_delegate.h"

#include "ui/editing/feature_list_model.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QStyle>

namespace cannery::ui {

namespace {

/// Draws words from left to right until the space is used up.
class Pen
{
public:
    Pen(QPainter& painter, const QRect& where)
        : m_painter(painter), m_where(where), m_x(where.left() + scaled(8))
    {}

    void chip(const QString& text)
    {
        m_painter.setFont(textFont(TextRole::LabelStrong));
        const int width = m_painter.fontMetrics().horizontalAdvance(text) + scaled(14);
        if (m_x + width > m_where.right()) {
            return;
        }
        const int height = scaled(22);
        const QRect box = placed(m_where.center().y() - height / 2 + 1, width, height);
        paintSurface(m_painter, box, 4, tokens().idleBg);
        m_painter.setPen(tokens().text);
        paintWords(m_painter, box, Qt::AlignCenter, text);
        m_x += width + scaled(6);
    }

    void words(const QString& text, TextRole role, const QColor& colour)
    {
        if (text.isEmpty()) {
            return;
        }
        m_painter.setFont(textFont(role));
        m_painter.setPen(colour);
        const int room = m_where.right() - m_x;
        // Measured after shortening, because the next word begins behind what is visible.
        const QString shown = m_painter.fontMetrics().elidedText(text, Qt::ElideRight, room);
        const int width = m_painter.fontMetrics().horizontalAdvance(shown);
        paintWords(m_painter, placed(m_where.top(), width, m_where.height()),
                   Qt::AlignVCenter | Qt::TextDontClip, shown);
        m_x += width + scaled(6);
    }

private:
    /// The next place in reading direction.
    QRect placed(int top, int width, int height) const
    {
        return QStyle::visualRect(m_painter.layoutDirection(), m_where,
                                  QRect(m_x, top, width, height));
    }

    QPainter& m_painter;
    QRect m_where;
    int m_x;
};

void paintFeature(QPainter& painter, const QRect& where, const FeatureFacts& feature)
{
    Pen pen(painter, where);
    for (qsizetype i = 0; i < feature.sources.size(); ++i) {
        if (i > 0) {
            pen.words(QStringLiteral("×"), TextRole::Body, tokens().text2);
        }
        pen.chip(feature.sources[i]);
    }
    for (const FeatureStep& step : feature.steps) {
        const bool isMirrored = painter.layoutDirection() == Qt::RightToLeft;
        pen.words(isMirrored ? QStringLiteral("←") : QStringLiteral("→"), TextRole::Body,
                  tokens().text2);
        pen.words(step.word, TextRole::LabelStrong, tokens().text);
        pen.words(step.detail, TextRole::Label, tokens().text2);
    }
}

void paintSide(QPainter& painter, const QRect& where, FeatureSide side)
{
    const QString word = FeatureListModel::sideWord(side);
    painter.setFont(textFont(TextRole::Badge));
    const bool coloured = side == FeatureSide::Wide || side == FeatureSide::Deep;
    const QColor hue = tokens().series[side == FeatureSide::Wide ? 1 : 0];
    const int dot = coloured ? scaled(14) : 0;
    const int width = painter.fontMetrics().horizontalAdvance(word) + scaled(18) + dot;
    const int height = scaled(20);
    const QRectF pill(where.left() + scaled(4), where.center().y() - height / 2 + 1, width, height);
    paintSurface(painter, pill, height / 2.0,
                 coloured ? mixed(tokens().surface, hue, 0.15) : tokens().idleBg);
    if (coloured) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(hue);
        painter.drawEllipse(QPointF(pill.left() + scaled(12), pill.center().y()), scaled(3),
                            scaled(3));
    }
    painter.setPen(tokens().text);
    paintWords(painter, pill.adjusted(scaled(9) + dot, 0, 0, 0), Qt::AlignVCenter, word);
}

} // namespace

void FeatureDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    const auto* model = qobject_cast<const FeatureListModel*>(index.model());
    const FeatureFacts* feature = model ? model->at(index.row()) : nullptr;
    const bool isFeature = index.column() == FeatureListModel::FeatureColumn;
    if (!feature || (!isFeature && index.column() != FeatureListModel::SideColumn)) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem empty = option;
    // The style draws the ground, the selection and the focus, as for every other cell.
    initStyleOption(&empty, index);
    empty.text.clear();
    if (option.widget) {
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &empty, painter,
                                            option.widget);
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (isFeature) {
        paintFeature(*painter, option.rect, *feature);
    } else {
        paintSide(*painter, option.rect, feature->side);
    }
    painter->restore();
}

} // namespace cannery::ui
