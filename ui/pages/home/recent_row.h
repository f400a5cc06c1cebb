// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/projects/recent_projects.h"

#include <QAbstractButton>

namespace cannery::ui {

class Button;

/// A recent project: sparkline, name, state, runs, best metric, time. A click opens it; a missing
/// one offers Locate… and Remove instead.
class RecentRow : public QAbstractButton
{
    Q_OBJECT

public:
    explicit RecentRow(QWidget* parent = nullptr);

    void setProject(const RecentProject& project);
    const RecentProject& project() const { return m_project; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void locateRequested();
    void removeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    QString details() const;
    QString state() const;
    QRectF placed(const QRectF& place) const;
    void paintPicture(QPainter& painter, const QRectF& where) const;
    void paintPlace(QPainter& painter, const QRectF& where) const;
    void paintNumbers(QPainter& painter, double left, double top) const;

    RecentProject m_project;
    Button* m_remove;
    Button* m_locate;
};

} // namespace cannery::ui
