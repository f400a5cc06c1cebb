// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

#include <QWidget>

class QButtonGroup;
class QScrollArea;

namespace cannery::ui {

class ActionRegistry;
class RailFoot;
class RailItem;

/// The pages of the program, one Tab stop with arrow keys inside, and the foot below. Shows icons
/// only in a narrow window and scrolls in a low one.
class NavRail : public QWidget
{
    Q_OBJECT

public:
    explicit NavRail(ActionRegistry& actions, QWidget* parent = nullptr);

    /// Adds an entry at the end of the rail; its object name is "rail.<id>".
    void addPlace(const QString& id, const QString& iconName, const QString& label);
    /// Marks none if that page has no entry.
    void setCurrent(const QString& id);
    void setMark(const QString& id, const RailMark& mark);
    RailItem* item(const QString& id) const;
    RailFoot& foot() { return *m_foot; }
    void setCompact(bool compact);
    bool isCompact() const { return m_compact; }

Q_SIGNALS:
    void chosen(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
    void squeeze();

    QScrollArea* m_scroll;
    QWidget* m_places;
    QButtonGroup* m_group;
    RailFoot* m_foot;
    bool m_compact = false;
};

} // namespace cannery::ui
