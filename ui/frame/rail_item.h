// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

#include <QAbstractButton>

namespace cannery::ui {

/// One entry in the rail: icon above label, and a mark at the icon's corner.
class RailItem : public QAbstractButton
{
    Q_OBJECT

public:
    RailItem(const QString& iconName, const QString& label, QWidget* parent = nullptr);

    void setMark(const RailMark& mark);
    const RailMark& mark() const { return m_mark; }
    /// Icons only.
    void setCompact(bool compact);
    /// Not higher than this, in pixels, as far as it stays legible.
    void setRoom(int height);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void describe();

    QString m_iconName;
    RailMark m_mark;
    bool m_compact = false;
    int m_room = QWIDGETSIZE_MAX;
};

} // namespace cannery::ui
