// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/graph_view.h"

#include "ui/charts/curves/bare_chart.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QFontMetricsF>
#include <QGraphicsItem>
#include <QGraphicsScene>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionGraphicsItem>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kLeastZoom = 0.25;
constexpr double kMostZoom = 3;
constexpr double kLeastFit = 0.6; ///< smaller, texts cannot be read
constexpr double kZoomStep = 1.2;
constexpr int kLongestLabel = 180; ///< design pixels
constexpr int kMargin = 24;        ///< design pixels

class GraphAccessible : public QAccessibleWidget
{
public:
    explicit GraphAccessible(GraphView* view)
        : QAccessibleWidget(view, QAccessible::Canvas), m_view(*view)
    {}

    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value && m_view.selected() >= 0
                   ? m_view.describe(m_view.selected())
                   : QAccessibleWidget::text(kind);
    }

private:
    GraphView& m_view;
};

QAccessibleInterface* graphInterface(const QString&, QObject* object)
{
    auto* view = qobject_cast<GraphView*>(object);
    return view ? new GraphAccessible(view) : nullptr;
}

void installGraphAccessible()
{
    static const bool kInstalled = [] {
        QAccessible::installFactory(graphInterface);
        return true;
    }();
    Q_UNUSED(kInstalled)
}

QString operations(int count)
{
    return count == 1 ? GraphView::tr("1 operation")
                      : GraphView::tr("%1 operations").arg(formatCount(count));
}

} // namespace

/// One item that paints everything that is exposed.
class GraphView::Content : public QGraphicsItem
{
public:
    explicit Content(const GraphView& view) : m_view(view)
    {
        setFlag(ItemUsesExtendedStyleOption); // for the exposed rectangle
    }

    void resize(const QRectF& rect)
    {
        prepareGeometryChange();
        m_rect = rect;
        update();
    }
    QRectF boundingRect() const override { return m_rect; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) override
    {
        m_view.paintContent(*painter, option->exposedRect);
    }

private:
    const GraphView& m_view;
    QRectF m_rect;
};

GraphView::GraphView(QWidget* parent)
    : QGraphicsView(new QGraphicsScene, parent), m_content(new Content(*this))
{
    installGraphAccessible();
    scene()->setParent(this);
    scene()->setItemIndexMethod(QGraphicsScene::NoIndex);
    scene()->addItem(m_content);
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setFocusPolicy(Qt::NoFocus);
    setInteractive(false);
    setDragMode(QGraphicsView::ScrollHandDrag);
    viewport()->setCursor(Qt::ArrowCursor);
    setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
    setAlignment(Qt::AlignCenter);
    setAccessibleName(tr("Graph"));
    const auto follow = [this] {
        setBackgroundBrush(tokens().surface);
        layOut();
    };
    follow();
    connect(&themeWatch(), &ThemeWatch::changed, this, follow);
}

GraphView::~GraphView() = default;

void GraphView::setGraph(std::shared_ptr<const GraphOutline> outline)
{
    if (outline == m_outline) {
        return;
    }
    m_outline = std::move(outline);
    m_open.clear();
    m_selected = -1;
    layOut();
    fit();
    Q_EMIT selectionChanged();
}

QSizeF GraphView::sizeOf(int item) const
{
    const GraphItem& row = m_outline->item(item);
    const QFontMetricsF strong(textFont(TextRole::LabelStrong));
    const QFontMetricsF small(textFont(TextRole::Axis));
    const QString below = row.isScope() ? operations(row.operations) : m_outline->node(item).op;
    const double width =
        std::max(strong.horizontalAdvance(row.label), small.horizontalAdvance(below));
    return {std::min(width, double(scaled(kLongestLabel))) + scaled(22),
            strong.height() + small.height() + scaled(10)};
}

void GraphView::layOut()
{
    m_drawing = {};
    if (m_outline) {
        const GraphMeasures measures{
            .sizeOf = [this](int item) { return sizeOf(item); },
            .gap = double(scaled(12)),
            .columnGap = double(scaled(40)),
            .padding = double(scaled(12)),
            .title = QFontMetricsF(textFont(TextRole::LabelStrong)).height() + scaled(12)};
        m_drawing = layOutGraph(*m_outline, m_open, measures);
    }
    const double margin = scaled(kMargin);
    const QRectF rect(QPointF(-margin, -margin), m_drawing.size + QSizeF(2 * margin, 2 * margin));
    m_content->resize(rect);
    setSceneRect(rect);
}

void GraphView::fit()
{
    const QRectF all = sceneRect();
    if (all.isEmpty() || viewport()->size().isEmpty()) {
        return;
    }
    const double factor =
        std::min(viewport()->width() / all.width(), viewport()->height() / all.height());
    setTransform(QTransform::fromScale(1, 1) * std::clamp(factor, kLeastFit, 1.0));
    centerOn(all.width() * factor > viewport()->width() ? QPointF(0, all.center().y())
                                                        : all.center());
}

void GraphView::zoom(double factor)
{
    const double now = transform().m11();
    const double target = std::clamp(now * factor, kLeastZoom, kMostZoom);
    scale(target / now, target / now);
}

void GraphView::openAround(int item)
{
    for (int scope = m_outline->item(item).parent; scope > 0;
         scope = m_outline->item(scope).parent) {
        m_open.insert(scope);
    }
}

void GraphView::select(int item)
{
    if (!m_outline || item >= m_outline->size()) {
        return;
    }
    if (item > 0 && !m_drawing.box(item)) {
        openAround(item);
        if (!m_outline->item(item).isScope()) {
            m_open.insert(item); // even if there are too many beside it
        }
        layOut();
    }
    const bool isOther = item != m_selected;
    m_selected = item;
    if (const GraphBox* box = m_drawing.box(item)) {
        ensureVisible(box->isOpen ? QRectF(box->place.topLeft(), sizeOf(item)) : box->place,
                      scaled(kMargin), scaled(kMargin));
    }
    viewport()->update();
    if (isOther) {
        if (QAccessible::isActive() && item >= 0) {
            QAccessibleValueChangeEvent event(this, describe(item));
            QAccessible::updateAccessibility(&event);
        }
        Q_EMIT selectionChanged();
    }
}

void GraphView::setOpen(int item, bool open)
{
    if (!m_outline || item <= 0 || !m_outline->item(item).isScope() ||
        open == m_open.contains(item)) {
        return;
    }
    if (open) {
        m_open.insert(item);
    } else {
        m_open.remove(item);
    }
    layOut();
    select(item);
}

QString GraphView::describe(int item) const
{
    const GraphItem& row = m_outline->item(item);
    if (row.isScope()) {
        return m_open.contains(item) ? tr("%1, scope with %2 operations, open")
                                           .arg(row.label, formatCount(row.operations))
                                     : tr("%1, scope with %2 operations, folded")
                                           .arg(row.label, formatCount(row.operations));
    }
    const GraphNodeFacts& node = m_outline->node(item);
    return node.type.isEmpty() ? tr("%1, operation %2").arg(row.label, node.op)
                               : tr("%1, operation %2, %3").arg(row.label, node.op, node.type);
}

/// To the nearest box in this direction in the same scope.
void GraphView::walk(const QPointF& direction)
{
    const GraphBox* from = m_drawing.box(m_selected);
    if (!from) {
        if (!m_drawing.boxes.empty()) {
            select(m_drawing.boxes.front().item);
        }
        return;
    }
    const int scope = m_outline->item(m_selected).parent;
    const GraphBox* nearest = nullptr;
    double least = 0;
    for (const GraphBox& box : m_drawing.boxes) {
        const QPointF way = box.place.center() - from->place.center();
        const double along = QPointF::dotProduct(way, direction);
        if (box.item == m_selected || m_outline->item(box.item).parent != scope || along <= 1) {
            continue;
        }
        const double aside = std::abs(way.x() * direction.y()) + std::abs(way.y() * direction.x());
        const double distance = along + 2 * aside;
        if (!nearest || distance < least) {
            nearest = &box;
            least = distance;
        }
    }
    if (nearest) {
        select(nearest->item);
    }
}

void GraphView::keyPressEvent(QKeyEvent* event)
{
    if (!m_outline) {
        QGraphicsView::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Left:
        walk({-1, 0});
        break;
    case Qt::Key_Right:
        walk({1, 0});
        break;
    case Qt::Key_Up:
        walk({0, -1});
        break;
    case Qt::Key_Down:
        walk({0, 1});
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selected > 0 && !m_open.contains(m_selected)) {
            setOpen(m_selected, true);
            if (m_open.contains(m_selected) && !m_outline->item(m_selected).children.empty()) {
                select(m_outline->item(m_selected).children.front());
            }
        } else {
            setOpen(m_selected, false);
        }
        break;
    case Qt::Key_Backspace:
        if (m_selected > 0 && m_outline->item(m_selected).parent > 0) {
            select(m_outline->item(m_selected).parent);
        }
        break;
    case Qt::Key_Plus:
        zoom(kZoomStep);
        break;
    case Qt::Key_Minus:
        zoom(1 / kZoomStep);
        break;
    case Qt::Key_F:
        fit();
        break;
    default:
        QGraphicsView::keyPressEvent(event);
        return;
    }
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_outline) {
        const GraphBox* box = m_drawing.boxAt(mapToScene(event->position().toPoint()));
        if (box) {
            select(box->item);
        }
    }
    QGraphicsView::mousePressEvent(event);
    viewport()->setCursor(Qt::ArrowCursor);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (m_outline) {
        const GraphBox* box = m_drawing.boxAt(mapToScene(event->position().toPoint()));
        if (box) {
            const int item = box->item;
            setOpen(item, !m_open.contains(item));
        }
    }
    event->accept();
}

void GraphView::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoom(event->angleDelta().y() > 0 ? kZoomStep : 1 / kZoomStep);
        event->accept();
        return;
    }
    QGraphicsView::wheelEvent(event);
}

void GraphView::focusInEvent(QFocusEvent* event)
{
    QGraphicsView::focusInEvent(event);
    viewport()->update();
}

void GraphView::focusOutEvent(QFocusEvent* event)
{
    QGraphicsView::focusOutEvent(event);
    viewport()->update();
}

void GraphView::paintEvent(QPaintEvent* event)
{
    QGraphicsView::paintEvent(event);
    if (showsFocusRing(*this)) {
        QPainter painter(viewport());
        painter.setRenderHint(QPainter::Antialiasing);
        paintFocusRing(painter, viewport()->rect(), 4);
    }
}

void GraphView::paintContent(QPainter& painter, const QRectF& exposed) const
{
    for (const GraphBox& box : m_drawing.boxes) {
        if (box.isOpen && box.place.intersects(exposed)) {
            paintBox(painter, box);
        }
    }
    for (const GraphLine& line : m_drawing.lines) {
        const double reach = scaled(40) + std::abs(line.to.x() - line.from.x()) / 2;
        const QRectF around = QRectF(line.from, line.to).normalized();
        if (around.adjusted(-reach, -2, reach, 2).intersects(exposed)) {
            paintLine(painter, line);
        }
    }
    for (const GraphBox& box : m_drawing.boxes) {
        if (!box.isOpen && box.place.intersects(exposed)) {
            paintBox(painter, box);
        }
    }
    if (m_drawing.hidden > 0) {
        painter.setFont(textFont(TextRole::Label));
        painter.setPen(tokens().text2);
        painter.drawText(
            QPointF(0, -scaled(8)),
            tr("%1 more are not drawn. Find them by name.").arg(formatCount(m_drawing.hidden)));
    }
}

void GraphView::paintLine(QPainter& painter, const GraphLine& line) const
{
    const bool isBack = line.to.x() < line.from.x();
    const double bend = isBack ? scaled(40) : (line.to.x() - line.from.x()) / 2;
    QPainterPath path(line.from);
    path.cubicTo(line.from + QPointF(bend, 0), line.to - QPointF(bend, 0), line.to);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tokens().control, std::min(1 + 0.5 * std::log2(line.count), 4.0)));
    painter.drawPath(path);
    const double tip = scaled(5);
    painter.setBrush(tokens().control);
    painter.setPen(Qt::NoPen);
    painter.drawPolygon(QPolygonF{line.to, line.to + QPointF(-tip, -tip * 0.6),
                                  line.to + QPointF(-tip, tip * 0.6)});
}

void GraphView::paintBox(QPainter& painter, const GraphBox& box) const
{
    const GraphItem& row = m_outline->item(box.item);
    const ThemeTokens& theme = tokens();
    const bool isSelected = box.item == m_selected;
    const QColor fill = isSelected      ? theme.tint
                        : box.isOpen    ? theme.canvas
                        : row.isScope() ? theme.sunken
                                        : theme.surface;
    paintSurface(painter, box.place, row.isScope() ? 8 : 4, fill,
                 isSelected ? theme.accent : theme.border);
    const QRectF inner = box.place.adjusted(scaled(10), scaled(4), -scaled(10), -scaled(4));
    const QFont strong = textFont(TextRole::LabelStrong);
    const QFontMetricsF metrics(strong);
    const auto write = [&](const QRectF& where, const QFont& font, const QColor& colour,
                           const QString& text) {
        painter.setFont(font);
        painter.setPen(colour);
        paintWords(painter, where, Qt::AlignLeft | Qt::AlignTop,
                   QFontMetricsF(font).elidedText(text, Qt::ElideMiddle, where.width()));
    };
    QString label = row.label;
    if (box.hidden > 0) {
        label = tr("%1 · %2 more not drawn").arg(label, formatCount(box.hidden));
    }
    write(inner, strong, theme.text, label);
    if (!box.isOpen) {
        const QString below =
            row.isScope() ? operations(row.operations) : m_outline->node(box.item).op;
        write(inner.adjusted(0, metrics.height(), 0, 0), textFont(TextRole::Axis), theme.text2,
              below);
    }
}

} // namespace cannery::ui
