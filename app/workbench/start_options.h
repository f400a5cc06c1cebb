// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::workbench {

/// The parsed command line.
struct StartOptions
{
    QString path; ///< project, experiment, table or folder of event files; the last one if empty
    std::optional<bool> dark;
    bool fresh = false; ///< start on Home instead of the last project
};

/// Ends the program after --help, --version or an error.
StartOptions readStartOptions(const QStringList& arguments);

} // namespace cannery::workbench
