// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/histogram_header.h"

#include "ui/models/formats.h"
#include "ui/models/tables/rows_preview_model.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QItemSelectionModel>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cannery::ui {

namespace {

constexpr int kHeight = 118;
constexpr int kLowHeight = 48; ///< name and type alone
constexpr int kLowTable = 240; ///< below this, rows matter more than distributions
constexpr int kPadding = 9;
constexpr double kMuchMissing = 0.1;
constexpr int kArrow = 14;
constexpr int kTypeIcon = 13;
/// The painter of a widget mirrors this by itself.
constexpr int kAtStart = Qt::AlignVCenter | Qt::AlignLeading;

/// Adds up neighbouring bars until at most `room` are left.
QList<double> merged(const QList<double>& counts, double room)
{
    const auto size = static_cast<double>(counts.size());
    const auto together = std::max<qsizetype>(1, static_cast<qsizetype>(std::ceil(size / room)));
    QList<double> bars;
    for (qsizetype i = 0; i < counts.size(); ++i) {
        if (i % together == 0) {
            bars.append(0);
        }
        bars.last() += counts[i];
    }
    return bars;
}

QString completeness(const DataFacts& facts, const ColumnFacts& column)
{
    if (column.type.isEmpty() || facts.trainRows < 0) {
        return {};
    }
    const double missing = facts.missingShare(column);
    const QString words = missing > 0
                              ? HistogramHeader::tr("%1 missing").arg(formatPercent(missing))
                              : HistogramHeader::tr("complete");
    return facts.isSoFar ? HistogramHeader::tr("%1 so far").arg(words) : words;
}

} // namespace

void paintHistogram(QPainter& painter, const QRectF& where, const ColumnFacts& column)
{
    const QList<double> bins = merged(column.binCounts, where.width() / scaled(4));
    const qsizetype count = bins.size();
    if (count == 0) {
        return;
    }
    const ThemeTokens& theme = tokens();
    const bool isLabel = column.use == QLatin1String("label");
    const double most = *std::max_element(bins.begin(), bins.end());
    const double gap = !column.isNumber() || count <= 12 ? 2 : 1;
    const double step = std::min(where.width() / static_cast<double>(count), double(scaled(34)));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    for (qsizetype i = 0; i < count; ++i) {
        const double height = most > 0 ? where.height() * bins[i] / most : 0;
        const QColor blue = mixed(theme.surface, theme.series[0], 0.75);
        painter.setBrush(!isLabel ? blue : i == 0 ? theme.series[7] : theme.series[0]);
        // At least a pixel high: one in thousands is still visible.
        painter.drawRect(QRectF(where.left() + static_cast<double>(i) * step,
                                where.bottom() - std::max(height, most > 0 ? 1.0 : 0.0),
                                std::max(1.0, step - gap), std::max(height, 1.0)));
    }
    painter.restore();
}

QString typeIcon(const ColumnFacts& column)
{
    if (column.use == QLatin1String("label")) {
        return "target-arrow";
    }
    return column.isNumber() ? "hash" : "abc";
}

QString typeWord(const ColumnFacts& column)
{
    if (column.use == QLatin1String("label")) {
        return HistogramHeader::tr("target");
    }
    if (column.use == QLatin1String("key")) {
        return HistogramHeader::tr("key");
    }
    if (column.use == QLatin1String("weight")) {
        return HistogramHeader::tr("weight");
    }
    if (column.type.isEmpty()) {
        return HistogramHeader::tr("reading…");
    }
    if (column.isNumber()) {
        return HistogramHeader::tr("number");
    }
    return column.type == QLatin1String("text") ? HistogramHeader::tr("text")
                                                : HistogramHeader::tr("category");
}

HistogramHeader::HistogramHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent)
{
    setObjectName("header.columns");
    setAccessibleName(tr("Columns"));
    setSectionsClickable(true);
    setMouseTracking(true);
    setHighlightSections(false);
    setSectionResizeMode(QHeaderView::Interactive);
    const auto fit = [this] {
        setMinimumSectionSize(scaled(72));
        resizeSections(QHeaderView::ResizeToContents);
        updateGeometry();
    };
    connect(&themeWatch(), &ThemeWatch::changed, this, fit);
    setMinimumSectionSize(scaled(72));
    connect(this, &QHeaderView::sectionClicked, this, &HistogramHeader::setCurrentColumn);
}

void HistogramHeader::setCurrentColumn(int column)
{
    m_current = column;
    viewport()->update();
}

QSize HistogramHeader::sizeHint() const
{
    return {QHeaderView::sizeHint().width(), scaled(isLow() ? kLowHeight : kHeight)};
}

bool HistogramHeader::isLow() const
{
    return parentWidget() != nullptr && parentWidget()->height() < scaled(kLowTable);
}

const DataFacts* HistogramHeader::facts() const
{
    const auto* rows = qobject_cast<const RowsPreviewModel*>(model());
    return rows ? &rows->facts() : nullptr;
}

QRect HistogramHeader::arrowIn(const QRect& where) const
{
    const int side = scaled(kArrow);
    const int x =
        isRightToLeft() ? where.left() + scaled(kPadding) : where.right() - scaled(kPadding) - side;
    return {x, where.top() + scaled(10), side, side};
}

/// Below the arrow, in the line of the type.
QRect HistogramHeader::markIn(const QRect& where) const
{
    return arrowIn(where).translated(0, scaled(18));
}

QRect HistogramHeader::sectionRect(int section) const
{
    return {sectionViewportPosition(section), 0, sectionSize(section), height()};
}

int HistogramHeader::arrowAt(const QPoint& position) const
{
    const int section = logicalIndexAt(position);
    const QRect arrow = section < 0 ? QRect() : arrowIn(sectionRect(section));
    // Down to the mark, if there is one.
    const int below = section >= 0 && hasRemarks(section) ? scaled(1) : scaled(4);
    return arrow.adjusted(-scaled(4), -scaled(4), scaled(4), below).contains(position) ? section
                                                                                       : -1;
}

int HistogramHeader::markAt(const QPoint& position) const
{
    const int section = logicalIndexAt(position);
    if (section < 0 || !hasRemarks(section)) {
        return -1;
    }
    const QRect mark = markIn(sectionRect(section));
    return mark.adjusted(-scaled(4), -scaled(1), scaled(4), scaled(4)).contains(position) ? section
                                                                                          : -1;
}

bool HistogramHeader::hasRemarks(int section) const
{
    return model()->headerData(section, Qt::Horizontal, RowsPreviewModel::RemarksRole).isValid();
}

void HistogramHeader::setHovered(int section)
{
    if (m_hovered != section) {
        m_hovered = section;
        viewport()->update();
    }
}

/// Up or down where the table is sorted; both ways, faintly, under the mouse.
void HistogramHeader::paintArrow(QPainter& painter, const QRect& where, int section) const
{
    const QVariant sorted =
        model()->headerData(section, Qt::Horizontal, RowsPreviewModel::SortRole);
    if (sorted.isValid()) {
        const bool isUp = sorted.value<Qt::SortOrder>() == Qt::AscendingOrder;
        icon(isUp ? "arrow-up" : "arrow-down", tokens().accent).paint(&painter, arrowIn(where));
    } else if (section == m_hovered) {
        icon("arrows-sort", tokens().text2).paint(&painter, arrowIn(where));
    }
}

void HistogramHeader::mousePressEvent(QMouseEvent* event)
{
    const bool isLeft = event->button() == Qt::LeftButton;
    m_pressed = isLeft ? arrowAt(event->pos()) : -1;
    m_pressedMark = isLeft ? markAt(event->pos()) : -1;
    m_pressedAt = event->pos();
    const int section = logicalIndexAt(event->pos());
    const bool isResizing = cursor().shape() == Qt::SplitHCursor;
    const bool isOnPart = m_pressed >= 0 || m_pressedMark >= 0;
    m_mayDrag = isLeft && !isOnPart && section >= 0 && !isResizing;
    // A press on a selected column may begin a drag of all selected ones, so it selects only when
    // released.
    m_isHeld = m_mayDrag && event->modifiers() == Qt::NoModifier && selectionModel() != nullptr &&
               selectionModel()->isColumnSelected(section, QModelIndex());
    if (!isOnPart && !m_isHeld) {
        QHeaderView::mousePressEvent(event);
    }
}

void HistogramHeader::mouseReleaseEvent(QMouseEvent* event)
{
    const int pressed = std::exchange(m_pressed, -1);
    const int mark = std::exchange(m_pressedMark, -1);
    m_mayDrag = false;
    if (mark >= 0) {
        if (markAt(event->pos()) == mark) {
            Q_EMIT remarkClicked(mark);
        }
    } else if (pressed < 0) {
        if (std::exchange(m_isHeld, false)) {
            QHeaderView::mousePressEvent(event);
        }
        QHeaderView::mouseReleaseEvent(event);
    } else if (arrowAt(event->pos()) == pressed) {
        Q_EMIT sortClicked(pressed, event->modifiers().testFlag(Qt::ShiftModifier));
    }
}

void HistogramHeader::mouseMoveEvent(QMouseEvent* event)
{
    setHovered(arrowAt(event->pos()));
    if (!m_mayDrag || !event->buttons().testFlag(Qt::LeftButton)) {
        QHeaderView::mouseMoveEvent(event);
    } else if ((event->pos() - m_pressedAt).manhattanLength() >=
               QApplication::startDragDistance()) {
        m_mayDrag = false;
        m_isHeld = false;
        Q_EMIT columnDragged();
    }
}

void HistogramHeader::leaveEvent(QEvent* event)
{
    setHovered(-1);
    QHeaderView::leaveEvent(event);
}

QSize HistogramHeader::sectionSizeFromContents(int section) const
{
    const DataFacts* all = facts();
    int width = scaled(84);
    if (all && section < all->columns.size()) {
        const QFontMetrics metrics(textFont(TextRole::Strong));
        width = std::max(width, metrics.horizontalAdvance(all->columns[section].name) +
                                    scaled(2 * kPadding + 4 + kArrow));
        const QFontMetrics small(textFont(TextRole::Axis));
        width = std::max(width, small.horizontalAdvance(typeWord(all->columns[section])) +
                                    scaled(2 * kPadding + kTypeIcon + 8 + kArrow));
    }
    // A long name is shortened instead of pushing the others out of sight.
    return {std::min(width, scaled(190)), scaled(isLow() ? kLowHeight : kHeight)};
}

/// Below the name and the type.
void HistogramHeader::paintDistribution(QPainter& painter, const QRect& inner,
                                        const ColumnFacts& column) const
{
    const ThemeTokens& theme = tokens();
    paintHistogram(
        painter, QRectF(inner.left(), inner.top() + scaled(40), inner.width(), scaled(34)), column);

    const double missing = facts()->missingShare(column);
    const QRectF bar(inner.left(), inner.top() + scaled(80), inner.width(), scaled(3));
    painter.setRenderHint(QPainter::Antialiasing);
    paintSurface(painter, bar, 1.5, theme.track);
    if (missing > 0) {
        QRectF part = bar;
        // At least as wide as high, or a few missing values would not be seen.
        part.setWidth(std::max(bar.height(), bar.width() * missing));
        if (isRightToLeft()) {
            part.moveRight(bar.right());
        }
        paintSurface(painter, part, 1.5, theme.warnIcon);
    }
    painter.setPen(missing >= kMuchMissing ? theme.warn : theme.text2);
    paintWords(painter, QRect(inner.left(), inner.top() + scaled(86), inner.width(), scaled(16)),
               kAtStart, completeness(*facts(), column));
}

/// Name, type, and what can be clicked beside them.
void HistogramHeader::paintLines(QPainter& painter, const QRect& where, int section) const
{
    const ThemeTokens& theme = tokens();
    const ColumnFacts& column = facts()->columns[section];
    const bool isLabel = column.use == QLatin1String("label");
    const QRect inner = where.adjusted(scaled(kPadding), scaled(8), -scaled(kPadding), -scaled(4));
    const auto placed = [&](const QRect& box) {
        return QStyle::visualRect(layoutDirection(), inner, box);
    };
    painter.setFont(textFont(TextRole::Strong));
    painter.setPen(column.use == QLatin1String("ignored") ? theme.text2 : theme.text);
    const int beside = inner.width() - scaled(kArrow);
    paintWords(painter, placed({inner.left(), inner.top(), beside, scaled(18)}), kAtStart,
               painter.fontMetrics().elidedText(column.name, Qt::ElideRight, beside));
    paintArrow(painter, where, section);
    const QColor ink = isLabel ? theme.accent : theme.text2;
    const int side = scaled(kTypeIcon);
    icon(typeIcon(column), ink)
        .paint(&painter, placed({inner.left(), inner.top() + scaled(20), side, side}));
    const int room = inner.width() - side - scaled(4);
    painter.setFont(textFont(isLabel ? TextRole::Badge : TextRole::Axis));
    painter.setPen(ink);
    paintWords(
        painter,
        placed({inner.left() + side + scaled(4), inner.top() + scaled(18), room, scaled(17)}),
        kAtStart, typeWord(column));
    if (hasRemarks(section)) {
        const bool isDecision =
            model()->headerData(section, Qt::Horizontal, RowsPreviewModel::DecisionRole).toBool();
        icon(isDecision ? "alert-triangle" : "info-circle",
             isDecision ? theme.warnIcon : theme.accent)
            .paint(&painter, markIn(where));
    }
}

void HistogramHeader::paintSection(QPainter* painter, const QRect& where, int section) const
{
    const DataFacts* all = facts();
    if (!all || section < 0 || section >= all->columns.size()) {
        return;
    }
    const ThemeTokens& theme = tokens();
    const ColumnFacts& column = all->columns[section];
    const bool isSelected =
        section == m_current ||
        (selectionModel() != nullptr && selectionModel()->isColumnSelected(section, QModelIndex()));
    painter->save();
    painter->fillRect(where, isSelected ? theme.tint : theme.surface);
    paintLines(*painter, where, section);
    const QRect inner = where.adjusted(scaled(kPadding), scaled(8), -scaled(kPadding), -scaled(4));
    if (!isLow()) {
        paintDistribution(*painter, inner, column);
    }
    if (isSelected) {
        painter->fillRect(QRect(where.left(), where.bottom() - 1, where.width(), 2), theme.accent);
    } else {
        painter->fillRect(QRect(where.left(), where.bottom(), where.width(), 1), theme.line);
    }
    painter->restore();
}

} // namespace cannery::ui
