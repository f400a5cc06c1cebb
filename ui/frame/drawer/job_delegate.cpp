// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/drawer/job_delegate.h"

#include "ui/frame/drawer/jobs_model.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>

#include <algorithm>

namespace cannery::ui {

void JobDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const
{
    const double fraction = index.data(JobsModel::FractionRole).toDouble();
    const bool running =
        index.data(JobsModel::StateRole).toInt() == static_cast<int>(Job::State::Running);
    if (!running || fraction < 0) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->fillRect(option.rect, tokens().tint);
    }
    constexpr int kWords = 52;
    const double thick = scaled(6);
    const QRect room = option.rect.adjusted(scaled(8), 0, -scaled(kWords), 0);
    const QRectF bar(room.left(), room.center().y() - thick / 2, room.width(), thick);
    paintSurface(*painter, bar, thick / 2, tokens().track);
    QRectF done = bar;
    done.setWidth(std::max(thick, bar.width() * std::min(fraction, 1.0)));
    paintSurface(*painter, done, thick / 2, tokens().accent);
    painter->setFont(option.font);
    painter->setPen(tokens().text);
    paintWords(*painter,
               QRect(room.right() + scaled(6), option.rect.top(), scaled(kWords - 8),
                     option.rect.height()),
               Qt::AlignVCenter | Qt::AlignRight, index.data().toString());
}

} // namespace cannery::ui
