// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/feature_sources.h"

#include "ui/models/tables/dragged_columns.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr int kIconRole = Qt::UserRole + 1;
constexpr int kBarsRole = Qt::UserRole + 2;
constexpr qsizetype kMostBars = 14;

/// Neighbouring bins of many become one.
QVariantList barsOf(const ColumnFacts& column)
{
    const QList<double>& counts = column.binCounts;
    const bool isNumber = column.isNumber();
    const qsizetype shown = std::min(counts.size(), kMostBars);
    QVariantList bars;
    for (qsizetype i = 0; i < shown; ++i) {
        double sum = 0;
        // Values of a category have no order in which neighbours could be added: the first ones are
        // shown.
        const qsizetype begin = isNumber ? i * counts.size() / shown : i;
        const qsizetype end = isNumber ? (i + 1) * counts.size() / shown : i + 1;
        for (qsizetype at = begin; at < end; ++at) {
            sum += counts[at];
        }
        bars.append(sum);
    }
    return bars;
}

/// An icon of the type, the name, the distribution.
class SourceDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {scaled(150), scaled(32)};
    }

    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const int bars = scaled(60);
        const int icon = scaled(24);
        option->text = option->fontMetrics.elidedText(
            option->text, Qt::ElideRight, std::max(0, option->rect.width() - bars - icon));
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        QStyleOptionViewItem words = option;
        const bool isMirrored = option.direction == Qt::RightToLeft;
        // The ground first, then the words beside the icon.
        QStyleOptionViewItem ground = option;
        initStyleOption(&ground, index);
        ground.text.clear();
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter,
                                            option.widget);
        initStyleOption(&words, index);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const int side = scaled(16);
        QRect icon(option.rect.left() + scaled(6), 0, side, side);
        icon.moveTop(option.rect.center().y() - side / 2 + 1);
        const QRect text = option.rect.adjusted(scaled(28), 0, -scaled(60), 0);
        QRect bars(option.rect.right() - scaled(54), option.rect.top() + scaled(6), scaled(48),
                   option.rect.height() - scaled(12));
        const auto placed = [&](const QRect& box) {
            return isMirrored ? QStyle::visualRect(option.direction, option.rect, box) : box;
        };
        paintIcon(*painter, placed(icon), index.data(kIconRole).toString(), tokens().text2, side);
        painter->setFont(words.font);
        painter->setPen(tokens().text);
        paintWords(*painter, placed(text),
                   Qt::AlignVCenter | (isMirrored ? Qt::AlignRight : Qt::AlignLeft), words.text);
        paintBars(*painter, placed(bars), index.data(kBarsRole).toList());
        painter->restore();
    }

private:
    static void paintBars(QPainter& painter, const QRectF& where, const QVariantList& bars)
    {
        double most = 0;
        for (const QVariant& bar : bars) {
            most = std::max(most, bar.toDouble());
        }
        if (!(most > 0)) {
            return;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(mixed(tokens().surface, tokens().series[0], 0.75));
        // A column of two values is not to fill its place with two blocks.
        const double width = where.width() / double(std::max<qsizetype>(bars.size(), 4));
        for (qsizetype i = 0; i < bars.size(); ++i) {
            const double height = where.height() * bars[i].toDouble() / most;
            painter.drawRect(QRectF(where.left() + double(i) * width, where.bottom() - height,
                                    std::max(width - 1, 1.0), height));
        }
    }
};

} // namespace

FeatureSources::FeatureSources(QWidget* parent) : QListWidget(parent)
{
    setObjectName("list.columns");
    setAccessibleName(tr("Columns of the table"));
    setFrameShape(QFrame::NoFrame);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setDragDropMode(QAbstractItemView::DragOnly);
    setUniformItemSizes(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setItemDelegate(new SourceDelegate(this));
    connect(this, &QListWidget::itemDoubleClicked, this,
            [this](QListWidgetItem* item) { Q_EMIT chosen(item->text()); });
    // Assistive technology selects a row without making it the current one.
    connect(this, &QListWidget::itemSelectionChanged, this, [this] {
        if (!selectedItems().isEmpty()) {
            setCurrentItem(selectedItems().first());
        }
    });
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] { scheduleDelayedItemsLayout(); });
}

void FeatureSources::setData(const DataFacts& data)
{
    const QString before = current();
    QStringList names;
    for (int i = 0; i < count(); ++i) {
        names.append(item(i)->text());
    }
    QStringList now;
    for (const ColumnFacts& column : data.columns) {
        // A model must not learn from what it predicts.
        if (column.use != QLatin1String("label")) {
            now.append(column.name);
        }
    }
    m_columns = data.columns;
    // The same columns keep their items, and so the scroll position and the selection.
    if (now != names) {
        clear();
        addItems(now);
    }
    for (int i = 0; i < count(); ++i) {
        const ColumnFacts* facts = data.find(now[i]);
        item(i)->setData(kIconRole, facts->isNumber() ? "hash" : "abc");
        item(i)->setData(kBarsRole, barsOf(*facts));
        item(i)->setData(Qt::AccessibleTextRole, facts->isNumber()
                                                     ? tr("%1, number").arg(facts->name)
                                                     : tr("%1, text").arg(facts->name));
        item(i)->setToolTip(
            tr("%1: drag it onto the list, or press Enter to add it.").arg(facts->name));
        if (now[i] == before) {
            setCurrentRow(i);
        }
    }
}

QString FeatureSources::current() const
{
    return currentItem() ? currentItem()->text() : QString();
}

QStringList FeatureSources::mimeTypes() const
{
    return {draggedColumnsType()};
}

QMimeData* FeatureSources::mimeData(const QList<QListWidgetItem*>& items) const
{
    QStringList columns;
    for (const QListWidgetItem* item : items) {
        columns << item->text();
    }
    return dragOfColumns(columns);
}

void FeatureSources::keyPressEvent(QKeyEvent* event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && currentItem()) {
        Q_EMIT chosen(current());
        return;
    }
    QListWidget::keyPressEvent(event);
}

} // namespace cannery::ui
