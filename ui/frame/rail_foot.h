// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QAction;

namespace cannery::ui {

class ActionRegistry;
class Label;

/// The foot of the rail: the device, then Train, or Pause and Stop during a run. Controls training
/// from every page.
class RailFoot : public QWidget
{
    Q_OBJECT

public:
    explicit RailFoot(ActionRegistry& actions, QWidget* parent = nullptr);

    /// "CPU · 16" and a sentence about it.
    void setDevice(const QString& device, const QString& tip);
    void setRunning(bool running);
    void setCompact(bool compact);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    class Part;

    QWidget* m_device;
    Part* m_train;
    Part* m_pause;
    Part* m_stop;
    bool m_running = false;
};

} // namespace cannery::ui
