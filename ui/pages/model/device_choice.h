// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/device_facts.h"

#include <QWidget>

namespace cannery::ui {

class ProjectSession;
class TileGallery;

/// The devices of this machine as tiles, for a strategy that trains on one of them: what `cannery
/// doctor` finds whenever they are shown, and why one cannot be chosen.
class DeviceChoice : public QWidget
{
    Q_OBJECT

public:
    explicit DeviceChoice(ProjectSession& session, QWidget* parent = nullptr);

    /// The field that holds the choice ("strategy.one_device.device"); empty if there is none.
    void setField(const QString& path);
    void refresh();
    /// "GPU:0 (NVIDIA H100)", "CPU, 8 threads": the chosen one.
    QString chosenInWords() const;

Q_SIGNALS:
    /// What is known of the devices has changed.
    void found();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void look();
    void choose(const QString& device);
    QString chosen() const;
    QString threads() const;

    ProjectSession* m_session;
    TileGallery* m_tiles;
    QString m_field;
    DeviceFacts m_facts;
    int m_job = 0;
};

} // namespace cannery::ui
