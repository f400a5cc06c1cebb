// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/graph_layout.h"

#include <QGraphicsView>
#include <QSet>

#include <memory>

namespace cannery::ui {

/// A run's graph with folded scopes. A click selects; a double click or Enter opens and folds a
/// scope; Backspace selects the scope around; arrows walk to what feeds the selection, to what it
/// feeds, and up and down; F shows everything; + and − (or Ctrl and the wheel) zoom. Reports its
/// selection to assistive technology. GUI thread.
class GraphView : public QGraphicsView
{
    Q_OBJECT

public:
    explicit GraphView(QWidget* parent = nullptr);
    ~GraphView() override;

    /// Forgets selection and open scopes; null: nothing is shown.
    void setGraph(std::shared_ptr<const GraphOutline> outline);
    const std::shared_ptr<const GraphOutline>& outline() const { return m_outline; }
    /// -1: none.
    int selected() const { return m_selected; }
    /// Opens the scopes around it, and scrolls to it.
    void select(int item);
    bool isOpen(int item) const { return m_open.contains(item); }
    void setOpen(int item, bool open);
    /// Zooms until everything is visible, but no text becomes too small to read.
    void fit();
    const GraphDrawing& drawing() const { return m_drawing; }
    /// "hiddenlayer_0, scope with 12 operations, folded".
    QString describe(int item) const;

Q_SIGNALS:
    void selectionChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    class Content;

    void layOut();
    void openAround(int item);
    void zoom(double factor);
    void walk(const QPointF& direction);
    QSizeF sizeOf(int item) const;
    void paintContent(QPainter& painter, const QRectF& exposed) const;
    void paintBox(QPainter& painter, const GraphBox& box) const;
    void paintLine(QPainter& painter, const GraphLine& line) const;

    std::shared_ptr<const GraphOutline> m_outline;
    GraphDrawing m_drawing;
    QSet<int> m_open; ///< scopes, and operations that must be drawn
    int m_selected = -1;
    Content* m_content; ///< owned by the scene
};

} // namespace cannery::ui
