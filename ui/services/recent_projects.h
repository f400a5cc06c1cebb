// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDateTime>
#include <QList>
#include <QObject>

#include <memory>

namespace cannery::ui {

class Settings;

/// A project that was open before, with what Home shows of it.
struct RecentProject
{
    QString folder;
    QString experimentFile;
    QString name;
    QDateTime openedAt;
    bool exists = true; ///< false: greyed, with Locate and Remove
    int runCount = 0;
    qint64 rows = 0;    ///< training rows of the newest run; 0 when unknown
    QString bestMetric; ///< "auc"; empty when nothing was evaluated
    double bestValue = 0;
    QString liveRun;         ///< name of what trains now; empty: nothing
    QString liveState;       ///< "Running" when something trains now
    double liveShare = -1;   ///< 0 … 1 of its steps; below 0: not known
    int interruptedRuns = 0; ///< whose engine died
    QList<double> sparkline; ///< loss of the newest run, at most 60 values

    bool operator==(const RecentProject&) const = default;
};

/// The projects opened lately, newest first; facts about each are read in the background. GUI
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
    /// The project is somewhere else now (Locate).
    void relocate(const QString& folder, const QString& newFolder);
    /// Reads the facts of all again (Home is shown, every few seconds while something trains).
    void refresh();
    /// The same of projects in which something trained when they were last looked at.
    void refreshLive();

    static constexpr int kLimit = 12;

Q_SIGNALS:
    void changed();

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
