// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"

#include <QStringList>

class QWidget;

namespace cannery::ui {

class Dialog;

/// Shows the command line that does what a page does, for copying. Opens and deletes itself.
Dialog* showCommand(const CommandLine& command, QWidget* parent);
/// Version, licences, folders. Opens and deletes itself.
Dialog* showAbout(const QString& engineProgram, QWidget* parent);

enum class Leaving
{
    Stay, ///< also with Escape: QDialog::Rejected
    KeepTraining,
    StopAndKeep,

};
/// Asks before a window with running trainings or sweeps closes; QDialog::finished reports the
/// answer as Leaving.
Dialog* askBeforeLeaving(const QStringList& liveRuns, int sweeps, QWidget* parent);

} // namespace cannery::ui
