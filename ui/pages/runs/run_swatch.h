// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

/// A run's colour as a small rounded square.
class RunSwatch : public QWidget
{
    Q_OBJECT

public:
    explicit RunSwatch(QWidget* parent = nullptr);

    void setSlot(int slot);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_slot = 0;
};

} // namespace cannery::ui
