// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::tests {

/// Six runs like those of a user who has tried some things: run-007 … run-012, with curves,
/// evaluations, checkpoints, notes and tags. Two of them are seeds of one setting.
void addSeededRuns(const QString& project);

/// The names, newest first.
QStringList seededRuns();

} // namespace cannery::tests
