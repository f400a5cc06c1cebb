// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/job_runner.h"

#include <QList>
#include <QObject>
#include <QString>

#include <memory>

namespace cannery::ui {

/// Commands of the `cannery` program that go on when this program ends, such as a sweep: at most
/// one for each subject. What one prints goes to files in a folder of the user's, beside a note of
/// its process, by which a program that is started later finds it again, follows and stops it. A
/// job that ended meanwhile is found as ended, once. Sweeps that were started in a terminal write
/// such a note themselves. GUI thread; looks at the files while one runs.
class LastingJobs : public QObject
{
    Q_OBJECT

public:
    /// `folder`: of the files; that of the user's data if empty.
    explicit LastingJobs(const QString& folder = {}, QObject* parent = nullptr);
    /// What runs goes on.
    ~LastingJobs() override;

    /// Starts the command with this program, unless one for the subject runs.
    void start(const QString& program, const QString& title, const CommandLine& command,
               const QString& subject);
    /// Follows the jobs of this machine that were started with this working folder and are not
    /// followed yet.
    void find(const QString& workingFolder);
    bool isRunning(const QString& subject) const;
    int runningCount() const;
    /// Asks the job to end; it saves first, and is never killed. Whether there is one of this id.
    bool stop(int id);
    void stopAll();
    /// Newest first; their ids are below 0.
    QList<Job> jobs() const;
    void clearFinished();

Q_SIGNALS:
    void changed();
    /// A job failed, with a sentence for the user.
    void failed(const QString& sentence);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
