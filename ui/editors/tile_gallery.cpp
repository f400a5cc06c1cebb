// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/tile_gallery.h"

#include "ui/widgets/flow_layout.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QAbstractButton>
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
        setToolTip(tile.hindrance.isEmpty() ? tile.help : tile.hindrance);
        updateGeometry();
        update();
    }
    const Tile& tile() const { return m_tile; }

    int heightForWidth(int width) const override
    {
        const int inner = width - 2 * scaled(kPadding);
        return 2 * scaled(kPadding) + scaled(kSketchHeight) + scaled(6) +
               heightOf(m_tile.title, TextRole::Strong, inner) +
               heightOf(sentence(), TextRole::Label, inner) +
               (details().isEmpty()
                    ? 0
                    : scaled(kDetailsGap) + heightOf(details(), TextRole::Label, inner));
    }
    QSize sizeHint() const override { return {scaled(160), heightForWidth(scaled(160))}; }
    QSize minimumSizeHint() const override { return {scaled(120), heightForWidth(scaled(160))}; }

protected:
    void nextCheckState() override {} // the document says which is chosen

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
        const int pad = scaled(kPadding);
        const QRect inner = rect().adjusted(pad, pad, -pad, -pad);
        const QColor ink = isChecked() ? t.accent : isOpen ? t.text2 : t.text3;
        const int sketchWidth = m_tile.topology ? inner.width() : scaled(kSketchWidth);
        QRect sketch(inner.topLeft(), QSize(sketchWidth, scaled(kSketchHeight)));
        sketch = QStyle::visualRect(layoutDirection(), inner, sketch);
        if (m_tile.topology) {
            paintTopology(painter, *m_tile.topology, sketch, ink);
        } else {
            paintSketch(painter, m_tile.sketch, sketch, ink);
        }
        QRect words = inner.adjusted(0, scaled(kSketchHeight) + scaled(6), 0, 0);
        painter.setFont(textFont(TextRole::Strong));
        painter.setPen(isOpen ? t.text : t.text2);
        painter.drawText(words, Qt::TextWordWrap | Qt::AlignTop, m_tile.title);
        words.setTop(words.top() + heightOf(m_tile.title, TextRole::Strong, words.width()));
        painter.setFont(textFont(TextRole::Label));
        painter.setPen(t.text2);
        painter.drawText(words, Qt::TextWordWrap | Qt::AlignTop, sentence());
        words.setTop(words.top() + heightOf(sentence(), TextRole::Label, words.width()) +
                     scaled(kDetailsGap));
        painter.drawText(words, Qt::TextWordWrap | Qt::AlignTop, details());
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), 8);
        }
    }

private:
    const QString& sentence() const
    {
        return m_tile.hindrance.isEmpty() ? m_tile.sentence : m_tile.hindrance;
    }
    /// A tile that cannot be chosen says only why.
    QString details() const { return m_tile.hindrance.isEmpty() ? m_tile.details : QString(); }
    static int heightOf(const QString& text, TextRole role, int width)
    {
        const QFontMetrics metrics(textFont(role));
        return metrics.boundingRect(QRect(0, 0, std::max(1, width), 10000), Qt::TextWordWrap, text)
            .height();
    }

    TileGallery* m_gallery;
    Tile m_tile;
};

TileGallery::TileGallery(int width, QWidget* parent)
    : QWidget(parent), m_flow(new FlowLayout(this, 10))
{
    m_flow->setContentsMargins(0, 0, 0, 0);
    m_flow->setColumns(width);
}

void TileGallery::setTiles(const QList<Tile>& tiles)
{
    if (tiles == m_tiles) {
        return;
    }
    m_tiles = tiles;
    while (m_faces.size() > tiles.size()) {
        Face* last = m_faces.takeLast();
        last->hide();
        delete m_flow->takeAt(m_flow->count() - 1);
        last->deleteLater();
    }
    for (qsizetype i = 0; i < tiles.size(); ++i) {
        if (i < m_faces.size()) {
            m_faces.at(i)->setObjectName(QStringLiteral("tile.") + tiles.at(i).id);
            m_faces.at(i)->show(tiles.at(i));
            continue;
        }
        auto* face = new Face(tiles.at(i), this);
        connect(face, &QAbstractButton::clicked, this, [this, face] {
            if (face->tile().hindrance.isEmpty()) {
                Q_EMIT chosen(face->tile().id);
            }
        });
        // assistive technology toggles instead of clicking
        connect(face, &QAbstractButton::toggled, this, [this, face](bool isOn) {
            if (isOn && face->tile().id != m_current && face->tile().hindrance.isEmpty()) {
                Q_EMIT chosen(face->tile().id);
            }
            refresh();
        });
        m_faces << face;
        m_flow->addWidget(face);
        face->setVisible(true);
    }
    refresh();
    updateGeometry();
}

void TileGallery::setCurrent(const QString& id)
{
    if (m_current != id) {
        m_current = id;
        refresh();
    }
}

void TileGallery::refresh()
{
    const bool hasCurrent = std::any_of(m_faces.begin(), m_faces.end(), [&](const Face* face) {
        return face->tile().id == m_current;
    });
    for (Face* face : std::as_const(m_faces)) {
        const bool isCurrent = face->tile().id == m_current;
        const QSignalBlocker silent(face);
        face->setChecked(isCurrent);
        const bool isStop = isCurrent || (!hasCurrent && face == m_faces.first());
        face->setFocusPolicy(isStop ? Qt::StrongFocus : Qt::ClickFocus);
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
