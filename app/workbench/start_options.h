// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::workbench {

/// What the command line asks for.
struct StartOptions
{
    QString path; ///< project, experiment, table or folder of event files; empty: the last one
    std::optional<bool> dark;
    bool fresh = false; ///< Home, whatever was open last
};

/// Ends the program for --help, --version and mistakes.
StartOptions readStartOptions(const QStringList& arguments);

} // namespace cannery::workbench
