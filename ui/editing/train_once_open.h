// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QString>

namespace cannery::ui {

class ProjectSession;

/// Trains an experiment as soon as it is open and can be trained: what opens a sample or a new
/// project for training expects it here. GUI thread.
class TrainOnceOpen : public QObject
{
    Q_OBJECT

public:
    explicit TrainOnceOpen(ProjectSession& session, QObject* parent = nullptr);

    /// Waits for this experiment or, if it is empty, for that of whichever project is opened next.
    /// begun() follows, or failed().
    void expect(const QString& experiment = {});
    void forget();
    bool isWaiting() const { return m_isWaiting; }

Q_SIGNALS:
    void begun();
    void failed(const QString& sentence);

private:
    bool isThere() const;
    void look();

    ProjectSession* m_session;
    bool m_isWaiting = false;
    QString m_experiment;
    QString m_folderBefore; ///< what was open when it began to wait
};

} // namespace cannery::ui
