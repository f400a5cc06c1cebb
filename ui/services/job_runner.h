#pragma once

#include "ui/models/command_line.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QList>
#include <QObject>

#include <functional>
#include <memory>

namespace cannery::ui {

/// Something that takes a while: a command of the `cannery` program run to its end.
struct Job
{
    enum class State
    {
        Running,
        Finished,
        Failed,
        Cancelled,
    };
    int id = 0;
    QString title; ///< "Exporting SavedModel"
    CommandLine command;
    State state = State::Running;
    double progress = -1; ///< 0 … 1; below 0: not known
    QString message;      ///< last line of progress, or why it failed
    QDateTime startedAt;
};

/// Runs jobs beside the window; several at once. A finished job stays listed until cleared. GUI
/// thread; nothing blocks.
class JobRunner : public QObject
{
    Q_OBJECT

public:
    struct Outcome
    {
        bool ok = false;
        int exitCode = 0;
        QByteArray output;  ///< standard output, whole
        QString error;      ///< standard error, whole
        QJsonDocument json; ///< of the output when it is JSON
    };
    using Done = std::function<void(const Outcome&)>;

    explicit JobRunner(QObject* parent = nullptr);
    ~JobRunner() override;

    void setProgram(const QString& path);

    /// Starts the command; `done` is called once on the GUI thread, also after cancel(). Returns
    /// the job's id. A quiet job (a `check` after an edit) is not listed.
    int run(const QString& title, const CommandLine& command, Done done, bool quiet = false);
    void cancel(int id);
    void clearFinished();

    QList<Job> jobs() const;

Q_SIGNALS:
    void changed();

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
