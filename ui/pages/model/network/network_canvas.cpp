// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/network/network_canvas.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/editing/network_edits.h"
#include "ui/pages/model/network/network_painter.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// In pixels of the design.
constexpr double kMargin = 14;
constexpr double kBeyond = 16; ///< of a line's path: its width, its arrow, its handle
constexpr double kReach = 7;   ///< how far from a line the pointer still is on it

QScrollArea* areaOf(QWidget& widget)
{
    QWidget* parent = widget.parentWidget();
    return parent == nullptr ? nullptr : qobject_cast<QScrollArea*>(parent->parentWidget());
}

} // namespace

NetworkCanvas::NetworkCanvas(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document)
{
    setObjectName("canvas.network");
    setAccessibleName(tr("Layers of the network"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] {
        m_ways.clear();
        updateGeometry();
        resize(sizeHint());
        update();
    });
    refresh();
}

void NetworkCanvas::setPlan(const PlanFacts& plan)
{
    m_plan = plan;
    update();
}

void NetworkCanvas::refresh()
{
    m_network = m_document.edits().network();
    m_map = mapOf(network());
    m_ways.clear();
    m_problems.clear();
    for (const ProblemRow& problem : m_document.problems().all()) {
        const int layer = network().layerAt(problem.path);
        if (layer >= 0 && !m_problems.contains(layer)) {
            m_problems.insert(layer, problem.sentence);
        }
    }
    m_labels.clear();
    QHash<QString, QString> labels; // by kind: the schema is read once for each, not for each layer
    for (const OutlinedLayer& layer : network().layers) {
        if (!labels.contains(layer.kind)) {
            const auto schema = layer.kind.isEmpty()
                                    ? std::nullopt
                                    : messageSchema(childPath(network().pathOf(0), layer.kind));
            labels.insert(layer.kind, schema ? schema->label : tr("no kind yet"));
        }
        m_labels << (layer.repeat > 1
                         ? tr("%1 × %2").arg(labels.value(layer.kind)).arg(layer.repeat)
                         : labels.value(layer.kind));
    }
    const auto count = static_cast<int>(network().layers.size());
    if (m_expected >= 0 && m_expected < count && m_document.edits().isRead()) {
        choose(std::exchange(m_expected, -1));
    } else if (m_current >= count) {
        choose(count - 1);
    }
    m_chosen.removeIf([&](int layer) { return layer >= count; });
    m_hovered = -1;
    m_isDragging = false;
    m_dragged = -1;
    updateGeometry();
    resize(sizeHint().expandedTo(areaOf(*this) != nullptr ? areaOf(*this)->viewport()->size()
                                                          : QSize()));
    update();
}

QSize NetworkCanvas::sizeHint() const
{
    const NetworkSizes sizes;
    return {static_cast<int>(m_map.columns * sizes.column) + 2 * scaled(kMargin),
            static_cast<int>(m_map.rows * sizes.row) + 2 * scaled(kMargin)};
}

QSize NetworkCanvas::minimumSizeHint() const
{
    return sizeHint();
}

QPointF NetworkCanvas::pointOf(const QPointF& place) const
{
    const NetworkSizes sizes;
    const double across = layoutDirection() == Qt::RightToLeft ? -place.x() : place.x();
    return {width() / 2.0 + across * sizes.column,
            scaled(kMargin) + place.y() * sizes.row + sizes.box.height() / 2};
}

QRectF NetworkCanvas::boxOf(int layer) const
{
    QRectF box(QPointF(), NetworkSizes().box);
    box.moveCenter(pointOf(m_map.places[layer]));
    return box;
}

QPainterPath NetworkCanvas::drawnWay(const NetworkMap::Connection& connection) const
{
    const double half = NetworkSizes().box.height() / 2;
    QPainterPath path(pointOf(connection.way.first()) + QPointF(0, half));
    for (qsizetype i = 1; i < connection.way.size(); ++i) {
        const bool isLast = i + 1 == connection.way.size();
        const QPointF from = path.currentPosition();
        const QPointF to = pointOf(connection.way[i]) - QPointF(0, half);
        const double bend = (to.y() - from.y()) / 2;
        path.cubicTo(from + QPointF(0, bend), to - QPointF(0, bend), to);
        if (!isLast) {
            path.lineTo(to + QPointF(0, 2 * half));
        }
    }
    return path;
}

const QPainterPath& NetworkCanvas::wayOf(int connection) const
{
    // All at once: whoever paints or points at one needs the others.
    if (m_ways.isEmpty()) {
        for (const NetworkMap::Connection& each : m_map.connections) {
            m_ways << drawnWay(each);
        }
    }
    return m_ways[connection];
}

QPointF NetworkCanvas::handleOf(int from, int to) const
{
    for (int i = 0; i < m_map.connections.size(); ++i) {
        if (m_map.connections[i].from == from && m_map.connections[i].to == to) {
            return wayOf(i).pointAtPercent(0.5);
        }
    }
    return {};
}

int NetworkCanvas::layerAt(const QPointF& where) const
{
    for (int layer = 0; layer < m_map.places.size(); ++layer) {
        if (boxOf(layer).contains(where)) {
            return layer;
        }
    }
    return -1;
}

int NetworkCanvas::connectionAt(const QPointF& where) const
{
    const double reach = scaled(kReach);
    const QRectF around(where - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach));
    for (int i = 0; i < m_map.connections.size(); ++i) {
        const QPainterPath& way = wayOf(i);
        // Not intersects(): that is about the area between the curve and its chord.
        if (!way.boundingRect().adjusted(-reach, -reach, reach, reach).contains(where)) {
            continue;
        }
        const auto pieces = static_cast<int>(way.length() / reach) + 2;
        for (int piece = 0; piece <= pieces; ++piece) {
            if (around.contains(way.pointAtPercent(double(piece) / pieces))) {
                return i;
            }
        }
    }
    return -1;
}

QString NetworkCanvas::problemOf(int layer) const
{
    return m_problems.value(layer);
}

QString NetworkCanvas::kindOf(int layer) const
{
    return m_labels.value(layer);
}

int NetworkCanvas::find(const QString& text, int after) const
{
    const auto count = static_cast<int>(m_network.layers.size());
    for (int i = 1; i <= count; ++i) {
        const int layer = (after + i) % count;
        if (m_network.layers[layer].name.contains(text, Qt::CaseInsensitive) ||
            kindOf(layer).contains(text, Qt::CaseInsensitive)) {
            return layer;
        }
    }
    return -1;
}

void NetworkCanvas::choose(int layer)
{
    m_current = std::min(layer, static_cast<int>(m_network.layers.size()) - 1);
    m_chosen = m_current < 0 ? QList<int>() : QList<int>{m_current};
    showCurrent();
}

/// Seen, spoken and told.
void NetworkCanvas::showCurrent()
{
    QString words;
    if (m_current >= 0) {
        const OutlinedLayer& layer = network().layers[m_current];
        QStringList inputs;
        for (const int input : layer.inputs) {
            inputs << network().layers[input].name;
        }
        words = inputs.isEmpty()
                    ? tr("%1, %2").arg(layer.name, kindOf(m_current))
                    : tr("%1, %2, reads %3")
                          .arg(layer.name, kindOf(m_current), inputs.join(QStringLiteral(", ")));
        const PlanLayer* planned = m_plan.layer(layer.name);
        words += planned == nullptr ? QString() : tr(", gives %1").arg(planned->shape);
        words += problemOf(m_current).isEmpty() ? QString()
                                                : QStringLiteral(". ") + problemOf(m_current);
        if (QScrollArea* area = areaOf(*this)) {
            const QPoint middle = boxOf(m_current).center().toPoint();
            area->ensureVisible(middle.x(), middle.y(), static_cast<int>(NetworkSizes().column / 2),
                                static_cast<int>(NetworkSizes().row / 2));
        }
    }
    setAccessibleDescription(words);
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    update();
    Q_EMIT currentChanged();
}

bool NetworkCanvas::apply(const QString& title, const QList<FieldEdit>& edits)
{
    // Edits are of the layers that are shown: an older drawing would change the wrong ones.
    if (edits.isEmpty() || !m_document.edits().isRead() ||
        m_network != m_document.edits().network()) {
        return false;
    }
    int added = -1;
    for (const FieldEdit& edit : edits) {
        if (edit.kind == FieldEdit::Kind::Insert) {
            added = edit.path.section(u'[', -1).chopped(1).toInt();
        } else if (edit.kind == FieldEdit::Kind::Move) {
            added = edit.target;
        }
    }
    m_expected = added;
    return m_document.apply(title, edits);
}

void NetworkCanvas::connectLayers(int from, int to)
{
    const NetworkEdits edits(network());
    const QString hindrance = edits.hindrance(from, to);
    if (!hindrance.isEmpty()) {
        QToolTip::showText(mapToGlobal(boxOf(to).bottomLeft().toPoint()), hindrance, this);
        return;
    }
    apply(tr("Connect %1 with %2").arg(network().layers[from].name, network().layers[to].name),
          edits.connect(from, to));
}

void NetworkCanvas::removeChosen()
{
    if (m_chosen.isEmpty()) {
        return;
    }
    const QString title = m_chosen.size() == 1
                              ? tr("Remove %1").arg(network().layers[m_chosen.first()].name)
                              : tr("Remove %n layers", nullptr, static_cast<int>(m_chosen.size()));
    apply(title, NetworkEdits(network()).remove(m_chosen));
}

void NetworkCanvas::duplicateCurrent()
{
    if (m_current >= 0) {
        apply(tr("Duplicate %1").arg(network().layers[m_current].name),
              NetworkEdits(network()).duplicate(
                  m_current, m_document.edits().written(network().pathOf(m_current))));
    }
}

void NetworkCanvas::paintConnections(QPainter& painter, const QRect& seen) const
{
    const double beyond = scaled(kBeyond);
    for (int i = 0; i < m_map.connections.size(); ++i) {
        const QPainterPath& way = wayOf(i);
        if (!way.controlPointRect().adjusted(-beyond, -beyond, beyond, beyond).intersects(seen)) {
            continue;
        }
        const bool isHovered = i == m_hovered;
        const bool isChosen = m_chosen.contains(m_map.connections[i].from) ||
                              m_chosen.contains(m_map.connections[i].to);
        paintWay(painter, way, isHovered || isChosen);
        if (isHovered) {
            paintPlus(painter, way.pointAtPercent(0.5));
        }
    }
    if (m_isDragging) {
        QPainterPath line(QPointF(boxOf(m_dragged).center().x(), boxOf(m_dragged).bottom()));
        line.lineTo(m_pointer);
        paintWay(painter, line, true);
    }
}

void NetworkCanvas::paintBox(QPainter& painter, int layer) const
{
    const OutlinedLayer& outlined = network().layers[layer];
    const PlanLayer* planned = m_plan.layer(outlined.name);
    LayerBox box{.where = boxOf(layer),
                 .title = outlined.name,
                 .kind = kindOf(layer),
                 .isInput = outlined.inputs.isEmpty(),
                 .isChosen = m_chosen.contains(layer),
                 .isCurrent = layer == m_current && showsFocusRing(*this),
                 .isWrong = m_problems.contains(layer),
                 .isTarget = m_isDragging && layer == layerAt(m_pointer) && layer != m_dragged};
    if (planned != nullptr) {
        box.shape = planned->shape;
        box.parameters =
            outlined.repeat > 0 ? m_plan.parametersOf(outlined.name) : planned->parameters;
    }
    paintLayerBox(painter, box);
}

void NetworkCanvas::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintConnections(painter, event->rect());
    // The shape below a box belongs to it.
    const double below = NetworkSizes().row - NetworkSizes().box.height();
    for (int layer = 0; layer < m_map.places.size(); ++layer) {
        if (boxOf(layer).adjusted(-below, -below, below, below).intersects(event->rect())) {
            paintBox(painter, layer);
        }
    }
}

QString NetworkCanvas::tipAt(const QPointF& where) const
{
    const int layer = layerAt(where);
    if (layer < 0) {
        return connectionAt(where) < 0 ? QString() : tr("Put a layer here.");
    }
    QStringList lines{tr("%1, %2").arg(network().layers[layer].name, kindOf(layer))};
    if (const PlanLayer* planned = m_plan.layer(network().layers[layer].name)) {
        lines << costWords(*planned);
    }
    lines << problemOf(layer);
    lines.removeAll(QString());
    return lines.join(u'\n');
}

void NetworkCanvas::changeEvent(QEvent* event)
{
    m_ways.clear(); // a mirrored window mirrors them
    QWidget::changeEvent(event);
}

void NetworkCanvas::resizeEvent(QResizeEvent* event)
{
    m_ways.clear();
    QWidget::resizeEvent(event);
}

bool NetworkCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const QPoint where = static_cast<QHelpEvent*>(event)->pos();
        QToolTip::showText(mapToGlobal(where), tipAt(where), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace cannery::ui
