// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/tile_gallery.h"

#include "ui/widgets/flow_layout.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyle>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>

namespace cannery::ui {
namespace {

constexpr int kPadding = 12;
constexpr int kSketchWidth = 52;
constexpr int kSketchHeight = 30;
constexpr int kDetailsGap = 4;
constexpr int kChevron = 14;
constexpr int kRowWidth = 420; ///< from here on a folded tile is a row

void paintDots(QPainter& painter, const QList<QPointF>& dots)
{
    for (const QPointF& dot : dots) {
        painter.drawEllipse(dot, scaled(2.2), scaled(2.2));
    }
}

void paintNetwork(QPainter& painter, const QRectF& where)
{
    const std::array<int, 3> layers{3, 3, 1};
    QList<QPointF> before;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        QList<QPointF> dots;
        const double x = where.left() + where.width() * double(layer) / 2;
        for (int i = 0; i < layers.at(layer); ++i) {
            const double share = (i + 0.5) / layers.at(layer);
            dots << QPointF(x, where.top() + where.height() * share);
        }
        for (const QPointF& from : std::as_const(before)) {
            for (const QPointF& to : std::as_const(dots)) {
                painter.drawLine(from, to);
            }
        }
        paintDots(painter, dots);
        before = dots;
    }
}

void paintPoints(QPainter& painter, const QRectF& where)
{
    painter.drawLine(where.bottomLeft(), where.topRight());
    QList<QPointF> dots;
    for (const auto& [x, y] : {std::pair{0.2, 0.55}, {0.35, 0.8}, {0.6, 0.25}, {0.8, 0.4}}) {
        dots << QPointF(where.left() + where.width() * x, where.top() + where.height() * y);
    }
    paintDots(painter, dots);
}

QPointF pointIn(const QRectF& where, double x, double y)
{
    return {where.left() + where.width() * x, where.top() + where.height() * y};
}

/// Inner nodes are dots, leaves squares.
void paintTree(QPainter& painter, const QRectF& where)
{
    const QPointF root = pointIn(where, 0.5, 0);
    const QSizeF leaf(scaled(5), scaled(5));
    QList<QPointF> nodes{root};
    for (const double x : {0.25, 0.75}) {
        const QPointF node = pointIn(where, x, 0.5);
        painter.drawLine(root, node);
        nodes << node;
        for (const double side : {-0.15, 0.15}) {
            const QPointF end = pointIn(where, x + side, 1);
            painter.drawLine(node, end);
            painter.drawRect(QRectF(end - QPointF(leaf.width() / 2, leaf.height() / 2), leaf));
        }
    }
    paintDots(painter, nodes);
}

/// A ring is a center, the dots around it are its rows.
void paintGroups(QPainter& painter, const QRectF& where)
{
    const QBrush filled = painter.brush();
    const std::array<QPointF, 5> around{QPointF(-0.13, -0.2), QPointF(0.04, -0.34),
                                        QPointF(0.16, -0.06), QPointF(0.08, 0.32),
                                        QPointF(-0.12, 0.24)};
    for (const auto& [x, y, turn] : {std::tuple{0.22, 0.36, 1}, std::tuple{0.78, 0.62, -1}}) {
        for (const QPointF& offset : around) {
            painter.drawEllipse(pointIn(where, x + turn * offset.x(), y + turn * offset.y()),
                                scaled(1), scaled(1));
        }
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(pointIn(where, x, y), scaled(3), scaled(3));
        painter.setBrush(filled);
    }
}

void paintSteps(QPainter& painter, const QRectF& where)
{
    const double side = scaled(7);
    QList<QPointF> inputs;
    painter.drawLine(pointIn(where, 0, 0.3), pointIn(where, 1, 0.3));
    for (const double x : {0.15, 0.5, 0.85}) {
        const QPointF cell = pointIn(where, x, 0.3);
        inputs << pointIn(where, x, 1);
        painter.drawLine(cell, inputs.last());
        painter.drawRect(QRectF(cell - QPointF(side / 2, side / 2), QSizeF(side, side)));
    }
    paintDots(painter, inputs);
}

} // namespace

void TileGallery::paintSketch(QPainter& painter, Sketch sketch, const QRectF& where,
                              const QColor& colour)
{
    painter.setPen(QPen(colour, scaled(6) / 5.0));
    painter.setBrush(colour);
    const int inset = scaled(3); // dots on the edge stay inside
    switch (sketch) {
    case Sketch::Average: {
        const double y = std::floor(where.center().y()) + 0.5; // on a row of pixels: crisp
        painter.drawLine(QPointF(where.left() + inset, y), QPointF(where.right() - inset, y));
        return;
    }
    case Sketch::Line:
        return paintPoints(painter, where.adjusted(scaled(2), scaled(2), -scaled(2), -scaled(2)));
    case Sketch::Network:
        return paintNetwork(painter, where.adjusted(inset, 0, -inset, 0));
    case Sketch::Both:
        paintNetwork(painter, where.adjusted(inset, scaled(6), -inset, 0));
        painter.drawLine(QPointF(where.left() + inset, where.top() + scaled(2)),
                         QPointF(where.right() - inset, where.top() + scaled(2)));
        painter.drawLine(QPointF(where.right() - inset, where.top() + scaled(2)),
                         QPointF(where.right() - inset, where.center().y()));
        return;
    case Sketch::Trees:
        return paintTree(painter, where.adjusted(inset, inset, -inset, -scaled(4)));
    case Sketch::Groups:
        return paintGroups(painter, where.adjusted(inset, inset, -inset, -inset));
    case Sketch::Steps:
        return paintSteps(painter, where.adjusted(inset, inset, -inset, -inset));
    case Sketch::Device:
        paintSurface(
            painter,
            QRectF(where.center() - QPointF(scaled(9), scaled(7)), QSizeF(scaled(18), scaled(14))),
            scaled(3), colour);
        return;
    }
}

/// One tile.
class TileGallery::Face : public QAbstractButton
{
public:
    Face(const Tile& tile, TileGallery* gallery) : QAbstractButton(gallery), m_gallery(gallery)
    {
        setAttribute(Qt::WA_Hover);
        setCheckable(true);
        setObjectName(QStringLiteral("tile.") + tile.id);
        QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
        show(tile);
    }

    void show(const Tile& tile)
    {
        m_tile = tile;
        setText(tile.title);
        setAccessibleName(tile.title);
        setAccessibleDescription(tile.hindrance.isEmpty()
                                     ? QStringList{tile.sentence, tile.details}.join(u' ').trimmed()
                                     : tile.hindrance);
        const QString tip = tile.hindrance.isEmpty() ? tile.help : tile.hindrance;
        setToolTip(m_isFolded ? tip + u'\n' + TileGallery::tr("Press to see the others.") : tip);
        updateGeometry();
        update();
    }
    const Tile& tile() const { return m_tile; }

    /// Whether it stands for the whole gallery.
    void setFolded(bool isFolded)
    {
        if (m_isFolded != isFolded) {
            m_isFolded = isFolded;
            show(m_tile);
        }
    }

    int heightForWidth(int width) const override { return placesFor(width).height; }
    QSize sizeHint() const override { return {scaled(160), heightForWidth(scaled(160))}; }
    QSize minimumSizeHint() const override { return {scaled(120), heightForWidth(scaled(160))}; }

protected:
    void nextCheckState() override {} // the document decides which is chosen

    void keyPressEvent(QKeyEvent* event) override
    {
        const bool isMirrored = layoutDirection() == Qt::RightToLeft;
        switch (event->key()) {
        case Qt::Key_Right:
        case Qt::Key_Left:
            return m_gallery->move(this, (event->key() == Qt::Key_Right) != isMirrored ? 1 : -1);
        case Qt::Key_Down:
        case Qt::Key_Up:
            return m_gallery->move(this, event->key() == Qt::Key_Down ? 1 : -1);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return click();
        case Qt::Key_Escape:
            if (m_gallery->canFold() && m_gallery->isOpen()) {
                return m_gallery->setOpen(false);
            }
            return QAbstractButton::keyPressEvent(event);
        default:
            QAbstractButton::keyPressEvent(event);
        }
    }

    void paintEvent(QPaintEvent*) override
    {
        const ThemeTokens& t = tokens();
        const bool isOpen = m_tile.hindrance.isEmpty();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF all = QRectF(rect()).adjusted(1, 1, -1, -1);
        paintSurface(painter, all, 8,
                     isChecked()              ? t.tint
                     : underMouse() && isOpen ? t.hover
                     : isOpen                 ? t.surface
                                              : t.sunken,
                     isChecked() ? t.accent : t.line);
        const Places places = placesFor(width());
        // Places are computed from left to right and mirrored only for painting.
        const auto mirrored = [this](const QRect& place) {
            return QStyle::visualRect(layoutDirection(), rect(), place);
        };
        const QColor ink = isChecked() ? t.accent : isOpen ? t.text2 : t.text3;
        if (m_tile.topology) {
            paintTopology(painter, *m_tile.topology, mirrored(places.sketch), ink);
        } else {
            paintSketch(painter, m_tile.sketch, mirrored(places.sketch), ink);
        }
        const auto write = [&](const QRect& place, const QString& text, TextRole role,
                               const QColor& colour) {
            painter.setFont(textFont(role));
            painter.setPen(colour);
            paintWords(painter, mirrored(place), Qt::TextWordWrap | Qt::AlignTop, text);
        };
        write(places.title, m_tile.title, TextRole::Strong, isOpen ? t.text : t.text2);
        write(places.sentence, sentence(), TextRole::Label, t.text2);
        write(places.details, details(), TextRole::Label, t.text2);
        if (m_isFolded) {
            write(places.mark, changeWord(), TextRole::LabelStrong, t.accent);
            paintIcon(painter, mirrored(places.chevron), QStringLiteral("chevron-down"), t.accent,
                      scaled(kChevron));
        }
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), 8);
        }
    }

private:
    const QString& sentence() const
    {
        return m_tile.hindrance.isEmpty() ? m_tile.sentence : m_tile.hindrance;
    }
    /// A tile that cannot be chosen shows only the reason.
    QString details() const { return m_tile.hindrance.isEmpty() ? m_tile.details : QString(); }
    static QString changeWord() { return TileGallery::tr("Change"); }

    /// Where everything is, from left to right.
    struct Places
    {
        QRect sketch;
        QRect title;
        QRect sentence;
        QRect details;
        QRect mark; ///< of a gallery that is folded
        QRect chevron;
        int height = 0;
    };

    /// A folded tile is a row if there is room: sketch, words, what opens it.
    Places placesFor(int width) const
    {
        const int pad = scaled(kPadding);
        const QRect inner(pad, pad, std::max(1, width - 2 * pad), scaled(kSketchHeight));
        const bool isRow = m_isFolded && width >= scaled(kRowWidth);
        Places places;
        // The topology of a strategy needs the whole width; a sketch is a mark.
        int sketchWidth = m_tile.topology && !isRow ? inner.width() : scaled(kSketchWidth);
        QRect words = inner.translated(0, inner.height() + scaled(6));
        if (m_isFolded) {
            const QFontMetrics metrics(textFont(TextRole::LabelStrong));
            const int side = scaled(kChevron);
            const QSize mark(metrics.horizontalAdvance(changeWord()) + 1, metrics.height());
            const int top = pad + (isRow ? 0 : (scaled(kSketchHeight) - mark.height()) / 2);
            places.chevron =
                QRect(inner.right() + 1 - side, top + (mark.height() - side) / 2, side, side);
            places.mark =
                QRect(QPoint(places.chevron.left() - scaled(4) - mark.width(), top), mark);
            sketchWidth = std::min(sketchWidth, places.mark.left() - scaled(8) - inner.left());
        }
        places.sketch = QRect(inner.topLeft(), QSize(sketchWidth, scaled(kSketchHeight)));
        if (isRow) {
            words = QRect(QPoint(places.sketch.right() + 1 + scaled(14), pad),
                          QPoint(places.mark.left() - scaled(14), pad));
        }
        int bottom = words.top();
        const auto place = [&](const QString& text, TextRole role, int gap) {
            const QRect lines(words.left(), bottom + (text.isEmpty() ? 0 : gap), words.width(),
                              text.isEmpty() ? 0 : heightOf(text, role, words.width()));
            bottom = lines.top() + lines.height();
            return lines;
        };
        places.title = place(m_tile.title, TextRole::Strong, 0);
        places.sentence = place(sentence(), TextRole::Label, 0);
        places.details = place(details(), TextRole::Label, scaled(kDetailsGap));
        places.height = std::max(bottom, pad + scaled(kSketchHeight)) + pad;
        return places;
    }

    static int heightOf(const QString& text, TextRole role, int width)
    {
        const QFontMetrics metrics(textFont(role));
        return metrics.boundingRect(QRect(0, 0, std::max(1, width), 10000), Qt::TextWordWrap, text)
            .height();
    }

    TileGallery* m_gallery;
    Tile m_tile;
    bool m_isFolded = false;
};

TileGallery::TileGallery(int width, QWidget* parent)
    : QWidget(parent), m_flow(new FlowLayout(this, 10))
{
    m_flow->setContentsMargins(0, 0, 0, 0);
    m_flow->setColumns(width);
}

void TileGallery::setTiles(const QList<Tile>& tiles)
{
    // Set again with every answer of the engine, mostly the same.
    if (tiles == m_tiles) {
        return;
    }
    m_tiles = tiles;
    while (m_faces.size() > tiles.size()) {
        Face* last = m_faces.takeLast();
        last->hide();
        delete m_flow->takeAt(m_flow->count() - 1);
        // Not at once: the tile may be delivering the click that leads here.
        last->deleteLater();
    }
    for (qsizetype i = 0; i < tiles.size(); ++i) {
        if (i < m_faces.size()) {
            m_faces.at(i)->setObjectName(QStringLiteral("tile.") + tiles.at(i).id);
            m_faces.at(i)->show(tiles.at(i));
            continue;
        }
        auto* face = new Face(tiles.at(i), this);
        connect(face, &QAbstractButton::clicked, this, [this, face] { press(face); });
        // assistive technology toggles instead of clicking
        connect(face, &QAbstractButton::toggled, this, [this, face](bool isOn) {
            if (isOn != (face->tile().id == m_current)) {
                press(face);
            }
            refresh();
        });
        m_faces << face;
        m_flow->addWidget(face);
    }
    refresh();
    updateGeometry();
}

void TileGallery::press(Face* face)
{
    const QString id = face->tile().id;
    if (!isOpen() && id == m_current) {
        setOpen(true);
    } else if (face->tile().hindrance.isEmpty()) {
        // The document decides whether the choice is made: setCurrent() follows it.
        Q_EMIT chosen(id);
        if (id == m_current) {
            setOpen(false);
        }
    }
}

void TileGallery::setCurrent(const QString& id)
{
    if (m_current == id) {
        return;
    }
    m_current = id;
    // A choice is made, so the gallery folds.
    m_wantsOpen = m_wantsOpen && !m_folds;
    refresh();
}

void TileGallery::setFolding()
{
    m_folds = true;
    m_wantsOpen = false;
    refresh();
}

bool TileGallery::canFold() const
{
    return m_folds && hasCurrent();
}

bool TileGallery::isOpen() const
{
    return m_wantsOpen || !canFold();
}

void TileGallery::setOpen(bool isOpen)
{
    if (m_wantsOpen == isOpen) {
        return;
    }
    m_wantsOpen = isOpen;
    refresh();
}

bool TileGallery::hasCurrent() const
{
    return std::any_of(m_faces.begin(), m_faces.end(),
                       [&](const Face* face) { return face->tile().id == m_current; });
}

void TileGallery::refresh()
{
    const bool isOpen = this->isOpen();
    const bool hasCurrent = this->hasCurrent();
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    // The one that stays is shown first: the focus does not leave the gallery.
    for (const bool isToStay : {true, false}) {
        for (Face* face : std::as_const(m_faces)) {
            const bool isCurrent = face->tile().id == m_current;
            if ((isOpen || isCurrent) != isToStay) {
                continue;
            }
            const QSignalBlocker silent(face);
            face->setChecked(isCurrent);
            // One Tab stop in the gallery; the arrow keys go through the rest.
            const bool isStop = isCurrent || (!hasCurrent && face == m_faces.first());
            face->setFocusPolicy(isStop ? Qt::StrongFocus : Qt::ClickFocus);
            face->setFolded(!isOpen);
            face->setVisible(isToStay);
            if (hadFocus && isCurrent && !isOpen) {
                face->setFocus(Qt::OtherFocusReason);
            }
        }
    }
    if (isOpen != m_wasOpen) {
        m_wasOpen = isOpen;
        updateGeometry();
        Q_EMIT openChanged(isOpen);
    }
}

void TileGallery::move(Face* from, int by)
{
    const qsizetype next = m_faces.indexOf(from) + by;
    if (next >= 0 && next < m_faces.size()) {
        m_faces.at(next)->setFocus(Qt::TabFocusReason);
    }
}

} // namespace cannery::ui
