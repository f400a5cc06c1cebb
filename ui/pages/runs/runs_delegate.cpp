// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_delegate.h"

#include "ui/models/runs/run_table_model.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractItemView>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>

namespace cannery::ui {
namespace {

using Kind = RunColumn::Kind;
constexpr double kSideRoom = 8; ///< next to texts

Kind kindOf(const QModelIndex& index)
{
    return static_cast<Kind>(index.data(RunTableModel::KindRole).toInt());
}

bool isShown(const QModelIndex& index)
{
    return index.data(RunTableModel::ShownRole).toBool();
}

QRect textRoom(const QRect& cell)
{
    return cell.adjusted(scaled(kSideRoom) / 2, 0, -scaled(kSideRoom) / 2, 0);
}

/// Two lines in the middle of the cell; the second may be empty.
void paintLines(QPainter& painter, const QRect& room, Qt::Alignment side, const QString& first,
                const QFont& firstFont, const QColor& firstInk, const QString& second,
                const QColor& secondInk)
{
    const QFont secondFont = textFont(TextRole::Axis);
    const int firstHeight = QFontMetrics(firstFont).height();
    // A row without a second line has its first one in the middle.
    const int secondHeight = second.isEmpty() ? 0 : QFontMetrics(secondFont).height();
    const int top = room.center().y() - (firstHeight + secondHeight) / 2 + 1;
    const auto line = [&](const QString& text, const QFont& font, const QColor& ink, int y) {
        painter.setFont(font);
        painter.setPen(ink);
        const QString cut = QFontMetrics(font).elidedText(text, Qt::ElideRight, room.width());
        paintWords(painter, QRect(room.left(), y, room.width(), QFontMetrics(font).height()),
                   static_cast<int>(side | Qt::AlignVCenter), cut);
    };
    line(first, firstFont, firstInk, top);
    if (!second.isEmpty()) {
        line(second, secondFont, secondInk, top + firstHeight);
    }
}

void paintSwatch(QPainter& painter, const QRect& cell, int slot, bool filled)
{
    const int side = scaled(14);
    QRectF square(0, 0, side, side);
    square.moveCenter(QRectF(cell).center());
    const QColor colour = seriesColour(slot);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, filled ? 0 : 1.75));
    painter.setBrush(filled ? QBrush(colour) : QBrush(Qt::NoBrush));
    const double inset = filled ? 0 : 0.9;
    painter.drawRoundedRect(square.adjusted(inset, inset, -inset, -inset), scaled(4), scaled(4));
}

} // namespace

void RunsDelegate::paintGround(QPainter& painter, const QStyleOptionViewItem& option, int row) const
{
    if (option.state & QStyle::State_Selected) {
        painter.fillRect(option.rect, tokens().tint);
    } else if (row == m_hoveredRow) {
        painter.fillRect(option.rect, tokens().hover);
    }
}

void RunsDelegate::paintMark(QPainter& painter, const QRect& where, const QModelIndex& index) const
{
    const ThemeTokens& theme = tokens();
    switch (kindOf(index)) {
    case Kind::Eye:
        paintIcon(painter, where, isShown(index) ? "eye" : "eye-off", theme.text2, scaled(16));
        return;
    case Kind::Colour:
        paintSwatch(painter, where, index.data(RunTableModel::SlotRole).toInt(), isShown(index));
        return;
    case Kind::Star:
        if (index.data(RunTableModel::StarRole).toBool()) {
            paintIcon(painter, where, "star-filled", theme.warnIcon, scaled(15));
        } else if (index.row() == m_hoveredRow) {
            // Under the pointer only: an empty star in every row would be noise.
            paintIcon(painter, where, "star", theme.text2, scaled(15));
        }
        return;
    case Kind::State: {
        const bool isDamaged = !index.data(RunTableModel::ErrorRole).toString().isEmpty();
        const StateLook look =
            stateLook(static_cast<RunState>(index.data(RunTableModel::StateRole).toInt()));
        paintIcon(painter, where, isDamaged ? "alert-triangle" : look.icon,
                  isDamaged ? theme.err : pillInk(look.kind), scaled(15));
        return;
    }
    default:
        return;
    }
}

void RunsDelegate::paintName(QPainter& painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    const ThemeTokens& theme = tokens();
    const bool isDamaged = !index.data(RunTableModel::ErrorRole).toString().isEmpty();
    QString subtitle = index.data(RunTableModel::SubtitleRole).toString();
    if (index.data(RunTableModel::BaselineRole).toBool()) {
        subtitle = tr("baseline · %1").arg(subtitle);
    }
    const Qt::Alignment side = option.direction == Qt::RightToLeft ? Qt::AlignRight : Qt::AlignLeft;
    paintLines(painter, textRoom(option.rect), side, index.data(Qt::DisplayRole).toString(),
               textFont(TextRole::Strong), isShown(index) ? theme.text : theme.text2, subtitle,
               isDamaged ? theme.err : theme.text2);
}

void RunsDelegate::paintValue(QPainter& painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const
{
    const ThemeTokens& theme = tokens();
    const bool isBest = index.data(RunTableModel::BestRole).toBool();
    const QString text = index.data(Qt::DisplayRole).toString();
    // The model aligns for a left-to-right layout; in the other one the sides are exchanged.
    const bool isRight =
        index.data(Qt::TextAlignmentRole).value<Qt::Alignment>().testFlag(Qt::AlignRight) !=
        (option.direction == Qt::RightToLeft);
    paintLines(painter, textRoom(option.rect), isRight ? Qt::AlignRight : Qt::AlignLeft,
               text.isEmpty() ? QStringLiteral("–") : text,
               textFont(isBest ? TextRole::Strong : TextRole::Body),
               isShown(index) && !text.isEmpty() ? theme.text : theme.text2,
               index.data(RunTableModel::DeltaRole).toString(), theme.text2);
}

void RunsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    painter->save();
    paintGround(*painter, option, index.row());
    switch (kindOf(index)) {
    case Kind::Eye:
    case Kind::Colour:
    case Kind::Star:
    case Kind::State:
        paintMark(*painter, option.rect, index);
        break;
    case Kind::Name:
        paintName(*painter, option, index);
        break;
    default:
        paintValue(*painter, option, index);
        break;
    }
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    // The row has the focus, and its name shows that.
    if (view && view->currentIndex().row() == index.row() && showsFocusRing(*view) &&
        kindOf(index) == Kind::Name) {
        paintFocusRing(*painter, QRectF(option.rect).adjusted(1, 2, -1, -3), 6);
    }
    painter->restore();
}

QSize RunsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    // Of the first line, which decides how wide the column of names is.
    const QFontMetrics metrics(textFont(TextRole::Strong));
    Q_UNUSED(option);
    return {metrics.horizontalAdvance(index.data(Qt::DisplayRole).toString()) +
                2 * scaled(kSideRoom),
            scaled(46)};
}

QWidget* RunsDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                    const QModelIndex&) const
{
    auto* field = new QLineEdit(parent);
    field->setObjectName("field.run_name");
    field->setAccessibleName(tr("Name of the run"));
    return field;
}

void RunsDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                        const QModelIndex&) const
{
    QRect room(0, 0, option.rect.width(), editor->sizeHint().height());
    room.moveCenter(option.rect.center());
    editor->setGeometry(room);
}

bool RunsDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                               const QStyleOptionViewItem& option, const QModelIndex& index)
{
    const Kind kind = kindOf(index);
    const bool isMark = kind == Kind::Eye || kind == Kind::Colour || kind == Kind::Star;
    if (!isMark || event->type() != QEvent::MouseButtonRelease) {
        return QStyledItemDelegate::editorEvent(event, model, option, index);
    }
    const auto* mouse = static_cast<QMouseEvent*>(event);
    // Released outside: the user has thought better of it.
    if (mouse->button() != Qt::LeftButton || !option.rect.contains(mouse->position().toPoint())) {
        return false;
    }
    const QString run = index.data(RunTableModel::RunRole).toString();
    if (kind == Kind::Eye) {
        Q_EMIT shownToggled(run, !isShown(index));
    } else if (kind == Kind::Star) {
        Q_EMIT starToggled(run, !index.data(RunTableModel::StarRole).toBool());
    } else {
        Q_EMIT colourWanted(run, mouse->globalPosition().toPoint());
    }
    return true;
}

} // namespace cannery::ui
