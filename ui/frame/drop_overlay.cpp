// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/drop_overlay.h"

#include "ui/document/table_files.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QFileInfo>
#include <QPainter>

namespace cannery::ui {

QString dropSentence(const QString& path)
{
    const QString name = QFileInfo(path).fileName();
    if (isTablePath(path)) {
        return DropOverlay::tr("Create a project from %1").arg(name);
    }
    if (path.endsWith(".cannery")) {
        return DropOverlay::tr("Open the experiment %1").arg(name);
    }
    return DropOverlay::tr("Open %1").arg(name);
}

DropOverlay::DropOverlay(QWidget* host) : QWidget(host)
{
    setObjectName("drop_overlay");
    setProperty("floating", true);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropOverlay::appear(const QString& sentence)
{
    m_sentence = sentence;
    setGeometry(parentWidget()->rect());
    show();
    raise();
}

void DropOverlay::paintEvent(QPaintEvent* /*event*/)
{
    const ThemeTokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = t.canvas;
    veil.setAlphaF(0.9F);
    painter.fillRect(rect(), veil);
    QPen dashes(t.accent, 2, Qt::DashLine);
    painter.setPen(dashes);
    const int edge = scaled(24);
    painter.drawRoundedRect(QRectF(rect()).adjusted(edge, edge, -edge, -edge), 12, 12);
    const QRect middle(0, height() / 2 - scaled(52), width(), scaled(48));
    paintIcon(painter, middle, "download", t.accent, scaled(36));
    painter.setFont(textFont(TextRole::EmptyTitle));
    painter.setPen(t.text);
    paintWords(painter, QRect(0, middle.bottom(), width(), scaled(48)), Qt::AlignCenter,
               m_sentence);
}

} // namespace cannery::ui
