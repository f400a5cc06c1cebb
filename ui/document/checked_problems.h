// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/checked_problems.h"
#include "ui/document/problem_row.h"

#include <QJsonObject>
#include <QList>

namespace cannery::ui {

/// The problems in an answer of `cannery check --json`, each with the page where it can be fixed.
QList<ProblemRow> checkedProblems(const QJsonObject& answer);

/// The problems to be fixed on a page.
QList<ProblemRow> problemsOf(const QList<ProblemRow>& problems, const QString& page);

} // namespace cannery::ui
