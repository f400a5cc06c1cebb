// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

class QWidget;

namespace cannery::ui {

class ProjectSession;
struct ProjectSnapshot;
struct RunRow;

/// Whether the run ended before its last step, so that it can go on to it.
bool canResume(const RunRow& run);
/// Whether the run has reached its end and can be trained for more steps.
bool canTrainLonger(const RunRow& run);
/// Why neither can be done, as a sentence; empty when one can.
QString resumeHindrance(const ProjectSnapshot& snapshot, const RunRow* run);

/// Asks for how many more steps, then has the run go on from its last checkpoint.
void askToTrainLonger(ProjectSession& session, const RunRow& run, QWidget* parent);
/// Resumes what can be resumed; of a run that has reached its end asks for more steps.
void resumeOrTrainLonger(ProjectSession& session, const RunRow& run, QWidget* parent);

} // namespace cannery::ui
