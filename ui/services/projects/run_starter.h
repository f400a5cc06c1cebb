// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"
#include "ui/services/projects/run_commands.h"

#include <QObject>
#include <QString>

namespace cannery::ui {

class TableImport;

/// What training may be started on: outlives the RunStarter.
struct TrainingParts
{
    OpenProject& project;
    ExperimentDocument& document;
    RunCatalog& runs;
    ExperimentCluster& cluster;
    Settings& settings;
    EngineService& engines;
    TableImport& tables;
};

/// Starts training: of what is shown, and again of runs; knows why that cannot be started now.
/// GUI thread.
class RunStarter : public QObject
{
    Q_OBJECT

public:
    explicit RunStarter(const TrainingParts& parts, QObject* parent = nullptr);

    const RunCommands& commands() const { return m_commands; }
    /// Why training cannot start, a sentence with a link "page:data"; empty if it can.
    QString hindrance() const;
    /// Trains what is shown: an edit on its way to the file arrives there first.
    void train();
    /// Runs a command that trains (one of commands()) under a supervisor.
    void start(const CommandLine& training);
    /// Continues a run from its last checkpoint.
    void resume(const QString& run);
    /// A live run of the open experiment; empty if there is none.
    QString liveRun() const;
    /// Something that the hindrance or the command depends on has changed.
    void refresh();

Q_SIGNALS:
    /// The hindrance or the command of Train has changed.
    void readinessChanged();
    void failed(const QString& sentence);

private:
    QString projectHindrance() const;
    QString documentHindrance() const;
    QString clusterHindrance() const;
    QString firstError() const;
    void trainOnceSettled();

    TrainingParts m_parts;
    RunCommands m_commands;
    QString m_hindrance; ///< as it was reported last
    CommandLine m_command;
};

} // namespace cannery::ui
