// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

namespace cannery::ui {

class RunCatalog;

/// The runs that experiments of a project were copied from, kept with the project rather than in
/// the experiments, whose text is the user's. GUI thread.
class ExperimentOrigins
{
public:
    /// The catalog outlives this.
    explicit ExperimentOrigins(RunCatalog& runs) : m_runs(runs) {}

    /// The run that the experiment was copied from; empty if there is none or it is unknown.
    QString copiedFrom(const QString& experiment) const;
    /// The run that a copy of the experiment goes on from: its own newest one, otherwise the one
    /// that it was copied from itself.
    QString originOf(const QString& experiment) const;
    /// An empty run: from none.
    void note(const QString& experiment, const QString& run);
    void noteMoved(const QString& from, const QString& to);

private:
    RunCatalog& m_runs;
};

} // namespace cannery::ui
