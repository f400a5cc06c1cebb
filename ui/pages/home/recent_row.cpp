// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/home/recent_row.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/button.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/sparkline.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QEvent>
#include <QPainter>

namespace cannery::ui {

namespace {

constexpr int kRowHeight = 58;
constexpr int kMargin = 14;
constexpr int kTimeWidth = 132;
constexpr int kMetricWidth = 110;

} // namespace

RecentRow::RecentRow(QWidget* parent)
    : QAbstractButton(parent), m_remove(new Button(Button::Kind::Quiet, tr("Remove"), this)),
      m_locate(new Button(Button::Kind::Link, tr("Locate…"), this))
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_remove->setObjectName("button.remove");
    m_locate->setObjectName("button.locate");
    connect(m_remove, &QPushButton::clicked, this, &RecentRow::removeRequested);
    connect(m_locate, &QPushButton::clicked, this, &RecentRow::locateRequested);
}

void RecentRow::setProject(const RecentProject& project)
{
    m_project = project;
    setObjectName("recent." + project.name);
    setText(project.name);
    const QString name = QStringList{project.name, state(), details()}.join(QLatin1String(", "));
    setAccessibleName(name);
    m_remove->setAccessibleName(tr("Remove %1 from the list").arg(project.name));
    m_locate->setAccessibleName(tr("Locate %1").arg(project.name));
    m_remove->setVisible(!project.exists);
    m_locate->setVisible(!project.exists);
    setToolTip(project.folder);
    setCursor(project.exists ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

QString RecentRow::state() const
{
    if (!m_project.liveState.isEmpty()) {
        return m_project.liveShare >= 0 && m_project.liveState == QLatin1String("Running")
                   ? tr("Running %1").arg(formatPercent(m_project.liveShare, 0))
                   : m_project.liveState;
    }
    return m_project.interruptedRuns > 0 ? tr("Interrupted") : QString();
}

QString RecentRow::details() const
{
    if (!m_project.exists) {
        return tr("Folder was moved or its disk is not connected");
    }
    QStringList parts;
    parts.append(m_project.runCount > 0 ? counted(m_project.runCount, tr("1 run"), tr("%1 runs"))
                                        : tr("no runs yet"));
    if (m_project.rows > 0) {
        parts.append(tr("%1 rows").arg(formatCount(m_project.rows)));
    }
    parts.append(formatPath(m_project.folder));
    return parts.join(QStringLiteral(" · "));
}

QSize RecentRow::sizeHint() const
{
    return {scaled(640), scaled(kRowHeight)};
}

QSize RecentRow::minimumSizeHint() const
{
    return {scaled(320), scaled(kRowHeight)};
}

bool RecentRow::event(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        updateGeometry();
        update();
    }
    return QAbstractButton::event(event);
}

void RecentRow::resizeEvent(QResizeEvent* event)
{
    QAbstractButton::resizeEvent(event);
    const QSize locate = m_locate->sizeHint();
    const QSize remove = m_remove->sizeHint();
    const int y = (height() - locate.height()) / 2;
    const bool mirrored = isRightToLeft();
    const int right = width() - scaled(kMargin) - locate.width();
    const int left = right - scaled(4) - remove.width();
    // Placed without a layout, so mirrored here as well.
    m_locate->setGeometry({{mirrored ? width() - right - locate.width() : right, y}, locate});
    m_remove->setGeometry({{mirrored ? width() - left - remove.width() : left, y}, remove});
}

void RecentRow::paintPicture(QPainter& painter, const QRectF& where) const
{
    const ThemeTokens& theme = tokens();
    const bool onSurface = underMouse() && m_project.exists;
    if (!m_project.exists) {
        paintSurface(painter, where, 6, theme.canvas, theme.line);
        const int side = scaled(16);
        QRect centre(0, 0, side, side);
        centre.moveCenter(where.center().toPoint());
        ui::icon("folder-off", theme.text2).paint(&painter, centre);
        return;
    }
    paintSurface(painter, where, 6, onSurface ? theme.sunken : theme.surface);
    paintSparkline(painter, where.adjusted(scaled(5), scaled(5), -scaled(5), -scaled(5)),
                   m_project.sparkline, theme.accent);
}

/// The mirrored position in a right-to-left layout.
QRectF RecentRow::placed(const QRectF& place) const
{
    return isRightToLeft()
               ? QRectF(width() - place.right(), place.top(), place.width(), place.height())
               : place;
}

void RecentRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() && m_project.exists) {
        paintSurface(painter, rect(), 8, tokens().surface);
    }
    const double margin = scaled(kMargin);
    const double pictureWidth = scaled(70);
    paintPicture(painter,
                 placed(QRectF(margin, (height() - scaled(36)) / 2.0, pictureWidth, scaled(36))));
    const double left = margin + pictureWidth + scaled(16);
    const double numbers =
        m_project.exists ? scaled(kTimeWidth) + scaled(kMetricWidth) + margin : scaled(180);
    const double top = height() / 2.0 - scaled(19);
    paintPlace(painter, QRectF(left, top, qMax(0.0, width() - left - numbers), scaled(38)));
    if (!m_project.exists) {
        return;
    }
    paintNumbers(painter, width() - numbers, top);
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), 8);
    }
}

/// Name and state, details below. `where`: before mirroring.
void RecentRow::paintPlace(QPainter& painter, const QRectF& where) const
{
    const ThemeTokens& theme = tokens();
    const int start = isRightToLeft() ? Qt::AlignRight : Qt::AlignLeft;
    const double room = where.width();
    painter.setFont(textFont(TextRole::Strong));
    painter.setPen(m_project.exists ? theme.text : theme.text2);
    const QString name = painter.fontMetrics().elidedText(text(), Qt::ElideRight, int(room));
    const double nameWidth = painter.fontMetrics().horizontalAdvance(name);
    paintWords(painter, placed({where.left(), where.top(), room, double(scaled(20))}),
               start | Qt::AlignVCenter, name);
    if (const QString words = state(); !words.isEmpty() && m_project.exists) {
        const StateLook look =
            stateLook(m_project.liveState.isEmpty()                    ? RunState::Interrupted
                      : m_project.liveState == QLatin1String("Paused") ? RunState::Paused
                                                                       : RunState::Running);
        const QRectF pill = placed({where.left() + nameWidth + scaled(10), where.top() - scaled(1),
                                    room - nameWidth - scaled(10), double(scaled(22))});
        if (pill.width() > scaled(60)) {
            paintPill(painter, pill.toRect(), look.kind, look.icon, words, layoutDirection());
        }
    }
    painter.setFont(textFont(TextRole::Label));
    painter.setPen(theme.text2);
    paintWords(painter, placed({where.left(), where.top() + scaled(20), room, double(scaled(18))}),
               start | Qt::AlignVCenter,
               painter.fontMetrics().elidedText(details(), Qt::ElideMiddle, int(room)));
}

/// When it was opened, and the best metric, from `left` on.
void RecentRow::paintNumbers(QPainter& painter, double left, double top) const
{
    const int end = isRightToLeft() ? Qt::AlignLeft : Qt::AlignRight;
    const double width = scaled(kMetricWidth);
    const QRectF time = placed({this->width() - double(scaled(kMargin)) - scaled(kTimeWidth), 0.0,
                                double(scaled(kTimeWidth)), double(height())});
    paintWords(painter, time, end | Qt::AlignVCenter, formatAgo(m_project.openedAt));
    if (m_project.bestMetric.isEmpty()) {
        return;
    }
    paintWords(painter, placed({left, top + scaled(20), width, double(scaled(18))}),
               end | Qt::AlignVCenter, tr("best %1").arg(metricWord(m_project.bestMetric)));
    painter.setFont(textFont(TextRole::Strong));
    painter.setPen(tokens().text);
    paintWords(painter, placed({left, top, width, double(scaled(20))}), end | Qt::AlignVCenter,
               formatNumber(m_project.bestValue));
}

} // namespace cannery::ui
