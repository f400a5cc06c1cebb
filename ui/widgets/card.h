#pragma once

#include <QFrame>

class QVBoxLayout;

namespace cannery::ui {

class Label;

/// A work surface with round corners and no border. Content goes into body().
class Card : public QFrame
{
    Q_OBJECT

public:
    explicit Card(QWidget* parent = nullptr);
    explicit Card(const QString& title, QWidget* parent = nullptr);

    QVBoxLayout* body() { return m_body; }
    void setTitle(const QString& title);
    /// Design pixels; 16 at first.
    void setPadding(int padding);
    /// The whole card is a button: focus ring, hover, Enter and Space. Give it an accessible name.
    void setClickable(bool clickable);
    bool isClickable() const { return m_clickable; }
    /// A border of the accent colour.
    void setSelected(bool selected);

Q_SIGNALS:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    QVBoxLayout* m_body;
    Label* m_title = nullptr;
    int m_padding = 16;
    bool m_clickable = false;
    bool m_selected = false;
    bool m_pressed = false;
};

} // namespace cannery::ui
