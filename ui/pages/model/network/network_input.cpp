// SPDX-License-Identifier: GPL-3.0-only
// How the network is edited by mouse, keyboard and menus.

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/editing/network_edits.h"
#include "ui/pages/model/network/network_canvas.h"

#include <QContextMenuEvent>
#include <QMap>
#include <QMenu>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace cannery::ui {

void NetworkCanvas::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position();
    m_pointer = m_pressed;
    const int layer = layerAt(m_pressed);
    if (event->button() != Qt::LeftButton) {
        return;
    }
    if (layer >= 0 && event->modifiers().testFlag(Qt::ControlModifier)) {
        m_current = layer;
        if (m_chosen.removeAll(layer) == 0) {
            m_chosen << layer;
        }
        showCurrent();
    } else if (layer >= 0) {
        choose(layer);
        m_dragged = layer;
    } else if (const int connection = connectionAt(m_pressed); connection >= 0) {
        addBetween(connection, mapToGlobal(m_pressed.toPoint()));
    } else {
        choose(-1);
    }
}

void NetworkCanvas::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->position();
    if (m_dragged >= 0 && event->buttons().testFlag(Qt::LeftButton)) {
        m_isDragging = m_isDragging || !boxOf(m_dragged).contains(m_pointer);
        update();
        return;
    }
    const int hovered = layerAt(m_pointer) >= 0 ? -1 : connectionAt(m_pointer);
    if (hovered != m_hovered) {
        m_hovered = hovered;
        setCursor(hovered >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
        update();
    }
}

void NetworkCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    const int from = std::exchange(m_dragged, -1);
    if (!std::exchange(m_isDragging, false)) {
        return;
    }
    update();
    const int to = layerAt(event->position());
    if (from >= 0 && to >= 0 && to != from) {
        connectLayers(from, to);
    }
}

void NetworkCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int layer = layerAt(event->position()); layer >= 0) {
        Q_EMIT fieldsAsked(network().pathOf(layer));
    }
}

void NetworkCanvas::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

/// Up to what it reads, down to what reads it, aside within its row.
void NetworkCanvas::step(Qt::Key key)
{
    const auto count = static_cast<int>(network().layers.size());
    if (count == 0) {
        return;
    }
    if (m_current < 0) {
        choose(key == Qt::Key_Up ? count - 1 : 0);
        return;
    }
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
        const QList<int> next =
            key == Qt::Key_Up ? network().layers[m_current].inputs : network().readersOf(m_current);
        if (!next.isEmpty()) {
            choose(next.first());
        }
        return;
    }
    const QPointF here = boxOf(m_current).center();
    int nearest = -1;
    for (int layer = 0; layer < count; ++layer) {
        const QPointF there = boxOf(layer).center();
        const bool isAside = std::abs(there.y() - here.y()) < 1 && layer != m_current &&
                             (key == Qt::Key_Left) == (there.x() < here.x());
        if (isAside && (nearest < 0 || std::abs(there.x() - here.x()) <
                                           std::abs(boxOf(nearest).center().x() - here.x()))) {
            nearest = layer;
        }
    }
    if (nearest >= 0) {
        choose(nearest);
    }
}

void NetworkCanvas::keyPressEvent(QKeyEvent* event)
{
    const auto key = static_cast<Qt::Key>(event->key());
    const bool isArrow =
        key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Left || key == Qt::Key_Right;
    if (event->modifiers() == Qt::AltModifier && (key == Qt::Key_Up || key == Qt::Key_Down) &&
        m_current >= 0) {
        apply(tr("Move %1").arg(network().layers[m_current].name),
              NetworkEdits(network()).move(m_current, m_current + (key == Qt::Key_Up ? -1 : 1)));
    } else if (isArrow && event->modifiers() == Qt::NoModifier) {
        step(key);
    } else if (key == Qt::Key_Delete || key == Qt::Key_Backspace) {
        removeChosen();
    } else if (key == Qt::Key_D && event->modifiers() == Qt::ControlModifier) {
        duplicateCurrent();
    } else if (key == Qt::Key_Insert) {
        auto* menu = new QMenu(this);
        menu->setObjectName("menu.add_layer");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillAddMenu(*menu);
        menu->popup(
            mapToGlobal(m_current < 0 ? QPoint() : boxOf(m_current).bottomLeft().toPoint()));
    } else if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_current >= 0) {
        Q_EMIT fieldsAsked(network().pathOf(m_current));
    } else {
        QWidget::keyPressEvent(event);
    }
}

void NetworkCanvas::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isKey = event->reason() == QContextMenuEvent::Keyboard;
    const int layer = isKey ? m_current : layerAt(event->pos());
    if (layer < 0) {
        return;
    }
    if (!m_chosen.contains(layer)) {
        choose(layer);
    }
    auto* menu = new QMenu(this);
    menu->setObjectName("menu.layer");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillLayerMenu(*menu, layer);
    menu->popup(isKey ? mapToGlobal(boxOf(layer).bottomLeft().toPoint()) : event->globalPos());
}

void NetworkCanvas::fillLayerMenu(QMenu& menu, int layer)
{
    const QString path = network().pathOf(layer);
    menu.addAction(tr("Show Its Fields"), this, [this, path] { Q_EMIT fieldsAsked(path); })
        ->setObjectName("menu.fields");
    QMenu* add = menu.addMenu(tr("Add a Layer"));
    add->setObjectName("menu.add");
    fillAddMenu(*add);
    QMenu* reads = menu.addMenu(tr("Reads"));
    reads->setObjectName("menu.reads");
    const NetworkEdits edits(network());
    for (int input = 0; input < network().layers.size(); ++input) {
        const bool isRead = network().layers[layer].inputs.contains(input);
        if (input == layer || (!isRead && !edits.hindrance(input, layer).isEmpty())) {
            continue;
        }
        QAction* action = reads->addAction(network().layers[input].name);
        action->setCheckable(true);
        action->setChecked(isRead);
        action->setEnabled(!isRead || network().layers[layer].inputs.size() > 1);
        connect(action, &QAction::triggered, this, [this, input, layer, isRead] {
            if (isRead) {
                apply(tr("Disconnect %1").arg(network().layers[layer].name),
                      NetworkEdits(network()).disconnect(input, layer));
            } else {
                connectLayers(input, layer);
            }
        });
    }
    reads->setEnabled(!reads->isEmpty());
    menu.addSeparator();
    menu.addAction(tr("Duplicate"), this, &NetworkCanvas::duplicateCurrent)
        ->setObjectName("menu.duplicate");
    menu.addAction(tr("Remove"), this, &NetworkCanvas::removeChosen)->setObjectName("menu.remove");
}

void NetworkCanvas::fillKinds(QMenu& menu, bool withInputs,
                              const std::function<QList<FieldEdit>(const QString& kind)>& edits)
{
    const auto layer = messageSchema(network().pathOf(0));
    QMap<QString, QMenu*> families;
    for (const FieldSchema& kind : layer ? layer->members() : QList<FieldSchema>()) {
        const auto schema = messageSchema(childPath(network().pathOf(0), kind.name));
        if (!schema || (!withInputs && schema->reads == LayerReads::None)) {
            continue;
        }
        QMenu*& family = families[schema->family];
        if (family == nullptr) {
            family = menu.addMenu(schema->family);
        }
        QAction* action = family->addAction(kind.label);
        action->setObjectName(QStringLiteral("menu.layer_kind.") + kind.name);
        action->setToolTip(kind.help);
        family->setToolTipsVisible(true);
        connect(action, &QAction::triggered, this,
                [this, kind, edits] { apply(tr("Add %1").arg(kind.label), edits(kind.name)); });
    }
}

void NetworkCanvas::fillAddMenu(QMenu& menu)
{
    fillKinds(menu, true, [this](const QString& kind) {
        // The last layer gives the logits and stays the last one.
        const auto count = static_cast<int>(network().layers.size());
        const int after = m_current >= 0 && m_current + 1 < count ? m_current : count - 2;
        return NetworkEdits(network()).insertAfter(kind, after);
    });
}

void NetworkCanvas::addBetween(int connection, const QPoint& where)
{
    const int from = m_map.connections[connection].from;
    const int to = m_map.connections[connection].to;
    auto* menu = new QMenu(this);
    menu->setObjectName("menu.add_between");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillKinds(*menu, false, [this, from, to](const QString& kind) {
        return NetworkEdits(network()).insertBetween(kind, from, to);
    });
    menu->addSeparator();
    QAction* cut = menu->addAction(tr("Cut This Connection"));
    cut->setObjectName("menu.cut");
    cut->setEnabled(network().layers[to].inputs.size() > 1);
    connect(cut, &QAction::triggered, this, [this, from, to] {
        apply(tr("Disconnect %1").arg(network().layers[to].name),
              NetworkEdits(network()).disconnect(from, to));
    });
    menu->popup(where);
}

} // namespace cannery::ui
