// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/guided/distribution_delegate.h"

#include "ui/editing/guided_columns_model.h"
#include "ui/pages/data/histogram_header.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>

namespace cannery::ui {
namespace {

constexpr int kBarsWidth = 120;
constexpr int kLongestText = 360; ///< longer ones are elided

} // namespace

void DistributionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant facts = index.data(GuidedColumnsModel::FactsRole);
    if (facts.isValid()) {
        paintHistogram(*painter, QRectF(option.rect).adjusted(8, 5, -8, -5),
                       facts.value<ColumnFacts>());
    }
}

QSize DistributionDelegate::sizeHint(const QStyleOptionViewItem& option,
                                     const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.column() == GuidedColumnsModel::Distribution) {
        size.setWidth(scaled(kBarsWidth));
    }
    return {std::min(size.width(), scaled(kLongestText)), size.height()};
}

void DistributionDelegate::initStyleOption(QStyleOptionViewItem* option,
                                           const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(GuidedColumnsModel::IsWarningRole).toBool()) {
        option->palette.setColor(QPalette::Text, inkColour(Ink::Warn));
    }
}

} // namespace cannery::ui
