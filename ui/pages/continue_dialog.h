// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

class QWidget;

namespace cannery::ui {

class ProjectSession;
struct ProjectSnapshot;
struct RunRow;

/// Whether the run ended before its last step and can be resumed.
bool canResume(const RunRow& run);
/// Whether the run has reached its end and can be trained for more steps.
bool canTrainLonger(const RunRow& run);
/// Why neither is possible, as a sentence; empty if one is.
QString resumeHindrance(const ProjectSnapshot& snapshot, const RunRow* run);

/// Asks for the number of additional steps, then continues the run from its last checkpoint.
void askToTrainLonger(ProjectSession& session, const RunRow& run, QWidget* parent);
/// Resumes the run; if it has reached its end, asks for more steps.
void resumeOrTrainLonger(ProjectSession& session, const RunRow& run, QWidget* parent);

} // namespace cannery::ui
