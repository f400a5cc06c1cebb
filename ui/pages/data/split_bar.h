// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

/// The shares of training and evaluation rows: a two-coloured bar and its legend. A split by a
/// fraction is dragged, or moved by arrow keys, one percent a key.
class SplitBar : public QWidget
{
    Q_OBJECT

public:
    explicit SplitBar(QWidget* parent = nullptr);

    /// Numbers of rows; -1: not known.
    void setRows(qint64 train, qint64 evaluation);
    /// Whether the cut can be moved, and where it is: the evaluation rows' fraction.
    void setMovable(bool isMovable, double fraction);

Q_SIGNALS:
    /// While dragging, and by keys.
    void fractionMoved(double fraction);
    /// The mouse or the keyboard has left the cut.
    void moveEnded();

public:
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    static QString legend(const QString& word, qint64 rows, double share);
    QStringList legends() const;
    double trainShare() const; ///< 0 … 1
    void moveTo(double fraction);

    qint64 m_train = -1;
    qint64 m_evaluation = -1;
    bool m_isMovable = false;
    bool m_isDragged = false;
    double m_fraction = 0; ///< of the evaluation rows
};

} // namespace cannery::ui
