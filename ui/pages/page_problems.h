// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_document.h"
#include "ui/pages/page.h"

#include <QList>

namespace cannery::ui {

class ProblemList;
class Strip;

/// Shows a page's problems: how many and the first one in its strip, which is hidden if there are
/// none; all of them in its list if there are several.
void showProblems(const QList<ProblemRow>& problems, Strip& strip, ProblemList& list,
                  QAction* openTextEditor);
/// The mark of a page with these problems; there must be one at least.
RailMark markOf(const QList<ProblemRow>& problems);

} // namespace cannery::ui
