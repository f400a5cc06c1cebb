// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractButton>

namespace cannery::ui {

/// A name on a small ground, with a cross while it can be removed; clicking it asks to. The caller
/// sets its object and accessible names. GUI thread.
class Chip : public QAbstractButton
{
    Q_OBJECT

public:
    Chip(const QString& text, bool isRemovable, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_isRemovable;
};

} // namespace cannery::ui
