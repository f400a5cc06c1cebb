// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/editing/network_map.h"
#include "ui/models/plan_facts.h"

#include <QHash>
#include <QPainterPath>
#include <QWidget>

class QMenu;

namespace cannery::ui {

class ExperimentDocument;

/// The network as boxes and lines, from its inputs down, and its editor. A click chooses a layer
/// (with Ctrl several), a drag from one layer to another lets the other read it, a click on a line
/// puts a layer there. Keys: arrows go along the lines, Insert adds, Delete removes, Ctrl+D
/// duplicates, Alt+Up and Alt+Down move, Return shows the fields, the menu key has it all. Each
/// change is one step of the document. GUI thread.
class NetworkCanvas : public QWidget
{
    Q_OBJECT

public:
    /// The document outlives it.
    explicit NetworkCanvas(ExperimentDocument& document, QWidget* parent = nullptr);

    /// Shapes and costs, as planned.
    void setPlan(const PlanFacts& plan);
    /// The document has another text or other problems.
    void refresh();

    /// What is drawn: of the document when it was last refreshed.
    const NetworkOutline& network() const { return m_network; }
    /// -1 without one.
    int current() const { return m_current; }
    void choose(int layer);
    /// The first layer behind `after`, and round to it, with this text in its name or its kind,
    /// whatever the case of letters; -1: none has it.
    int find(const QString& text, int after) const;
    QRectF boxOf(int layer) const;
    /// Where a click puts a layer between two.
    QPointF handleOf(int from, int to) const;

    /// Kinds of layers by their family; the chosen one goes behind the current layer, or before the
    /// last one.
    void fillAddMenu(QMenu& menu);
    void removeChosen();
    void duplicateCurrent();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void currentChanged();
    /// Its fields are to be shown.
    void fieldsAsked(const QString& path);

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    int layerAt(const QPointF& where) const;
    int connectionAt(const QPointF& where) const;
    QPointF pointOf(const QPointF& place) const;
    /// The line of a connection, as long as the canvas has this size.
    const QPainterPath& wayOf(int connection) const;
    QPainterPath drawnWay(const NetworkMap::Connection& connection) const;
    QString problemOf(int layer) const;
    /// "Convolution 2-D".
    QString kindOf(int layer) const;
    void showCurrent();
    void step(Qt::Key key);
    bool apply(const QString& title, const QList<FieldEdit>& edits);
    void connectLayers(int from, int to);
    void addBetween(int connection, const QPoint& where);
    void fillLayerMenu(QMenu& menu, int layer);
    void fillKinds(QMenu& menu, bool withInputs,
                   const std::function<QList<FieldEdit>(const QString& kind)>& edits);
    void paintConnections(QPainter& painter, const QRect& seen) const;
    void paintBox(QPainter& painter, int layer) const;
    QString tipAt(const QPointF& where) const;

    ExperimentDocument& m_document;
    NetworkOutline m_network;
    PlanFacts m_plan;
    NetworkMap m_map;
    mutable QList<QPainterPath> m_ways; ///< by connection; empty until one is needed
    QHash<int, QString> m_problems;     ///< a sentence by layer
    QStringList m_labels;               ///< of the kinds, by layer
    int m_current = -1;
    QList<int> m_chosen;
    int m_expected = -1; ///< the layer that the last edit added
    int m_hovered = -1;  ///< a connection
    int m_dragged = -1;  ///< the layer that a line is drawn from
    bool m_isDragging = false;
    QPointF m_pressed;
    QPointF m_pointer;
};

} // namespace cannery::ui
