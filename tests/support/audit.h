// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>

namespace cannery::tests {

/// Takes each path that the program has announced below a folder (in the logs of runs, their lists
/// of checkpoints and exports, the project's store) and looks whether it is there, whether every
/// byte is as it was written, and whether it is the model of the step that was named. Empty, or
/// what is not so. Of a run that was killed and not gone on with, what was about to be deleted may
/// be gone. Runs that are being trained are left out.
QByteArray auditProblem(const QString& folder);

/// The same for what a command has printed as JSON: "path", "checkpoint", "folder", "model_dir".
/// `folder`: the one it ran in.
QByteArray auditOutputProblem(const QString& folder, const QString& output);

/// Fails the test that is running when there is a problem.
void audit(const QString& folder);
void auditOutput(const QString& folder, const QString& output);

} // namespace cannery::tests
