// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QFrame>

class QVBoxLayout;

namespace cannery::ui {

class Label;

/// A surface with rounded corners and no border. Content goes into body().
class Card : public QFrame
{
    Q_OBJECT

public:
    explicit Card(QWidget* parent = nullptr);
    explicit Card(const QString& title, QWidget* parent = nullptr);

    QVBoxLayout* body() { return m_body; }
    void setTitle(const QString& title);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVBoxLayout* m_body;
    Label* m_title = nullptr;
};

} // namespace cannery::ui
