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

/// Keeps those problems of the open experiment up to date that need its data: missing files, and
/// what `cannery check` reports. GUI thread.
class ExperimentCheck : public QObject
{
    Q_OBJECT

public:
    /// All outlive it. `pool`: for disk access.
    ExperimentCheck(ExperimentDocument& document, JobRunner& jobs, QThreadPool& pool,
                    QObject* parent = nullptr);

    /// Another project: where `cannery check` runs. Discards the facts.
    void setFolder(const QString& folder);
    /// Checks the experiment as it is saved now.
    void check();
    /// The same once nobody types any more.
    void checkSoon();
    /// Facts of `cannery check` about the data; empty until known.
    const QJsonObject& facts() const { return m_facts; }

Q_SIGNALS:
    /// Data files of the experiment have appeared, disappeared or changed.
    void dataFilesChanged();
    /// The data files were checked, whatever the result.
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
    QTimer m_soon;
    QTimer m_lookAgain;
    QTimer m_lookAtData;
    bool m_isLooking = false;
    QByteArray m_dataState; ///< the experiment, then the state of its data files
};

} // namespace cannery::ui
