// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDateTime>
#include <QList>
#include <QObject>

#include <memory>

namespace cannery::ui {

class Settings;

/// A recent project, as Home shows it.
struct RecentProject
{
    QString folder;
    QString experimentFile;
    QString name;
    QDateTime openedAt;
    bool exists = true; ///< false: greyed, with Locate and Remove
    int runCount = 0;
    qint64 rows = 0;    ///< training rows of the newest run; 0: unknown
    QString bestMetric; ///< "auc"; empty if nothing was evaluated
    double bestValue = 0;
    QString liveRun;         ///< name of the run in training; empty if there is none
    QString liveState;       ///< "Running" if a run is in training
    double liveShare = -1;   ///< share of its steps, 0 to 1; -1: unknown
    int interruptedRuns = 0; ///< runs whose engine died
    QList<double> sparkline; ///< the newest run's loss, at most 60 values

    bool operator==(const RecentProject&) const = default;
};

/// The recently opened projects, newest first; facts about each are read in the background. GUI
/// thread.
class RecentProjects : public QObject
{
    Q_OBJECT

public:
    explicit RecentProjects(Settings& settings, QObject* parent = nullptr);
    ~RecentProjects() override;

    QList<RecentProject> projects() const;
    void noteOpened(const QString& folder, const QString& experimentFile, const QString& name);
    void remove(const QString& folder);
    /// The project has moved (Locate).
    void relocate(const QString& folder, const QString& newFolder);
    /// Reads the facts of all projects again (when Home is shown, and every few seconds during
    /// training).
    void refresh();
    /// Like refresh(), only for projects that were training when last read.
    void refreshLive();

    static constexpr int kLimit = 12;

Q_SIGNALS:
    void changed();

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
