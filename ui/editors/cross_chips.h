// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

namespace cannery::ui {

class Button;
class FlowLayout;

/// What a cross combines, each as a chip that a click removes, and a menu of what can be added. It
/// shows what it is told and asks for changes. GUI thread.
class CrossChips : public QWidget
{
    Q_OBJECT

public:
    explicit CrossChips(QWidget* parent = nullptr);

    void setInputs(const QStringList& inputs);
    const QStringList& inputs() const { return m_inputs; }
    /// What the menu offers, in this order. Inputs of the cross are left out.
    void setOffered(const QStringList& offered);
    /// Inputs that must remain; with no more than these, chips cannot be removed.
    void setLeast(int least);

Q_SIGNALS:
    void addRequested(const QString& input);
    void removeRequested(int index);

private:
    void rebuild();
    void rebuildMenu();

    FlowLayout* m_layout;
    QList<QWidget*> m_chips;
    Button* m_add;
    QStringList m_inputs;
    QStringList m_offered;
    int m_least = 2;
};

} // namespace cannery::ui
