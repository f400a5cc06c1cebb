// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/pictures/picture_grid.h"

#include "ui/models/pictures/picture_role.h"
#include "ui/widgets/pictures/thumbnails.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cstdlib>

namespace cannery::ui {
namespace {

constexpr int kPictureSide = 104;
constexpr int kTileMargin = 8;
/// Faster scrolling than this leaves pictures behind that nobody will see.
constexpr int kPixelsPerJump = 600;

} // namespace

class PictureGrid::Delegate : public QStyledItemDelegate
{
public:
    explicit Delegate(PictureGrid& grid) : QStyledItemDelegate(&grid), m_grid(grid) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        const int line = QFontMetrics(textFont(TextRole::Label)).height();
        return {scaled(kPictureSide + 2 * kTileMargin),
                scaled(kPictureSide + 3 * kTileMargin) + 2 * line};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setRenderHint(QPainter::SmoothPixmapTransform);
        const int margin = scaled(kTileMargin);
        const QRect tile = option.rect.adjusted(2, 2, -2, -2);
        if (option.state.testFlag(QStyle::State_Selected)) {
            paintSurface(*painter, tile, 8, tokens().tint);
        }
        const int side = scaled(kPictureSide);
        const QRect place(tile.center().x() - side / 2, tile.top() + margin, side, side);
        paintPicture(*painter, place, index.data(PictureRole::File).toString());
        paintCaption(*painter, tile.adjusted(margin / 2, side + 2 * margin, -margin / 2, 0), index);
        if (option.state.testFlag(QStyle::State_HasFocus) && focusRingsVisible()) {
            paintFocusRing(*painter, tile, 8);
        }
        painter->restore();
    }

private:
    void paintPicture(QPainter& painter, const QRect& place, const QString& file) const
    {
        const auto state =
            file.isEmpty() ? Thumbnails::State::Coming : m_grid.m_thumbnails->stateOf(file);
        if (state != Thumbnails::State::Ready) {
            paintSurface(painter, place, 4, tokens().sunken);
            if (state == Thumbnails::State::Broken) {
                painter.setPen(tokens().text2);
                painter.setFont(textFont(TextRole::Label));
                paintWords(painter, place, Qt::AlignCenter | Qt::TextWordWrap, tr("no picture"));
            }
            return;
        }
        // Small pictures keep their pixels: enlarged by whole factors, as they are looked at.
        const QImage image = m_grid.m_thumbnails->image(file);
        const qreal ratio = m_grid.devicePixelRatioF();
        QSizeF size = QSizeF(image.size()) / ratio;
        const qreal room = std::min(place.width() / size.width(), place.height() / size.height());
        if (room >= 2) {
            size *= static_cast<int>(room);
            painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        }
        const QRectF where(QPointF(place.center()) - QPointF(size.width(), size.height()) / 2,
                           size);
        painter.drawImage(where, image);
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
    }

    static void paintCaption(QPainter& painter, QRect room, const QModelIndex& index)
    {
        painter.setFont(textFont(TextRole::Label));
        const QFontMetrics metrics(painter.font());
        const auto line = [&](const QString& text, const QColor& ink) {
            painter.setPen(ink);
            room.setHeight(metrics.height());
            paintWords(painter, room, Qt::AlignCenter,
                       metrics.elidedText(text, Qt::ElideMiddle, room.width()));
            room.translate(0, metrics.height());
        };
        const bool isWrong = index.data(PictureRole::IsWrong).toBool();
        line(index.data().toString(), isWrong ? tokens().err : tokens().text);
        line(index.data(PictureRole::SecondLine).toString(), tokens().text2);
    }

    PictureGrid& m_grid;
};

PictureGrid::PictureGrid(QWidget* parent)
    : QListView(parent),
      m_thumbnails(new Thumbnails(
          QSize(scaled(kPictureSide), scaled(kPictureSide)) * devicePixelRatioF(), this))
{
    setViewMode(QListView::IconMode);
    setMovement(QListView::Static);
    setResizeMode(QListView::Adjust);
    // A folder has up to a million pictures: one size for all, laid out while there is time.
    setUniformItemSizes(true);
    setLayoutMode(QListView::Batched);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
    setItemDelegate(new Delegate(*this));
    connect(m_thumbnails, &Thumbnails::settled, viewport(), qOverload<>(&QWidget::update));
    connect(&themeWatch(), &ThemeWatch::changed, this, &PictureGrid::scheduleDelayedItemsLayout);
    connect(this, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        if (const QString file = index.data(PictureRole::File).toString(); !file.isEmpty()) {
            Q_EMIT opened(file);
        }
    });
}

void PictureGrid::scrollContentsBy(int dx, int dy)
{
    if (std::abs(dy) > scaled(kPixelsPerJump)) {
        m_thumbnails->dropWaiting();
    }
    QListView::scrollContentsBy(dx, dy);
}

} // namespace cannery::ui
