// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_swatch.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>

namespace cannery::ui {

RunSwatch::RunSwatch(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(tr("Run colour"));
}

void RunSwatch::setSlot(int slot)
{
    if (slot != m_slot) {
        m_slot = slot;
        update();
    }
}

QSize RunSwatch::sizeHint() const
{
    return {scaled(14), scaled(14)};
}

void RunSwatch::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintSurface(painter, rect(), scaled(4), seriesColour(m_slot));
}

} // namespace cannery::ui
