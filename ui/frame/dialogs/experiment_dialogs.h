// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QString>

#include <functional>

class QWidget;

namespace cannery::ui {

class Dialog;
class ProjectSession;

/// Asks for the open experiment's name and its file's.
Dialog* askForName(ProjectSession& session, QWidget* parent);

/// Shows how the open experiment differs from another one of the project, which is chosen there.
Dialog* compareExperiments(ProjectSession& session, QWidget* parent);

/// Two versions of one experiment, and the choices between them.
struct VersionQuestion
{
    QString objectName; ///< "dialog.recovered"
    QString title;
    QString sentence;
    QByteArray before;
    QByteArray after;
    QString keepBefore; ///< the button's text
    QString keepAfter;
    std::function<void()> onBefore;
    std::function<void()> onAfter;
};
/// Shows what differs and asks which version to keep; closing it decides nothing.
Dialog* askForVersion(const VersionQuestion& question, QWidget* parent);

} // namespace cannery::ui
