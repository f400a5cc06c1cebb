// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QTimer>

class QThreadPool;

namespace cannery::ui {

class ExperimentDocument;
class JobRunner;

/// Keeps the problems of the open experiment that need its data up to date: whether its files are
/// there, and what `cannery check` says of them. GUI thread.
class ExperimentCheck : public QObject
{
    Q_OBJECT

public:
    /// All outlive it. `pool`: for looks at the disk.
    ExperimentCheck(ExperimentDocument& document, JobRunner& jobs, QThreadPool& pool,
                    QObject* parent = nullptr);

    /// Another project: where `cannery check` runs. Forgets the facts.
    void setFolder(const QString& folder);
    /// Looks at the experiment as it is saved now.
    void check();
    /// Facts of `cannery check` about the data; empty until known.
    const QJsonObject& facts() const { return m_facts; }

Q_SIGNALS:
    /// Files of rows that the experiment names have come, gone or changed.
    void dataFilesChanged();
    /// They were looked at, whatever was found.
    void dataFilesLooked();

private:
    void lookAtData();
    void runCheck(const QString& file, quint64 revision);

    ExperimentDocument& m_document;
    JobRunner& m_jobs;
    QThreadPool& m_pool;
    QString m_folder;
    QJsonObject m_facts;
    int m_check = 0;
    QTimer m_lookAgain;
    QTimer m_lookAtData;
    bool m_isLooking = false;
    QByteArray m_dataState; ///< experiment, then how its data files lay there
};

} // namespace cannery::ui
