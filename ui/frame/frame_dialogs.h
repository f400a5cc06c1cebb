// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"

#include <QStringList>

class QWidget;

namespace cannery::ui {

class Dialog;

/// The command line that does what a page does, to be copied. Opened, deletes itself.
Dialog* showCommand(const CommandLine& command, QWidget* parent);
/// Version, licences, folders. Opened, deletes itself.
Dialog* showAbout(const QString& engineProgram, QWidget* parent);
/// Words and first steps. Opened, deletes itself.
Dialog* showHelp(QWidget* parent);

enum class Leaving
{
    Stay, ///< also Escape: QDialog::Rejected
    KeepTraining,
    StopAndKeep,

};
/// Asks before a window closes that has runs; the answer comes by QDialog::finished as Leaving.
Dialog* askBeforeLeaving(const QStringList& liveRuns, QWidget* parent);

} // namespace cannery::ui
