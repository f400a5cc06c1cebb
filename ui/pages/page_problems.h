// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_document.h"
#include "ui/pages/page.h"

#include <QList>

namespace cannery::ui {

class ExperimentDocument;
class ProblemList;
class Strip;

/// Shows a page's problems: how many and the first one in its strip, which is hidden if there are
/// none; all of them in its list if there are several. The strip offers the first one's cure, which
/// is made in the document, otherwise its field on the page. `unlabelledRows`: how many rows have
/// no label, where that is known.
void showProblems(const QList<ProblemRow>& problems, Strip& strip, ProblemList& list, Page& page,
                  QAction* openTextEditor, ExperimentDocument& document, qint64 unlabelledRows = 0);
/// Connects a page's list of problems: *Show* shows a problem's field on the page, or its line in
/// the text editor if it has no field there; its cure is made in the document.
void connectProblems(ProblemList& list, Page& page, QAction* openTextEditor,
                     ExperimentDocument& document);
/// Shows on its page what a problem is about: the field, if nothing else is named.
void revealProblem(const ProblemRow& problem, Page& page);
/// The action that makes a problem's cure, owned by the strip; null if there is none.
QAction* cureAction(const ProblemRow& problem, Strip& strip, ExperimentDocument& document,
                    qint64 unlabelledRows = 0);
/// The mark of a page with these problems; there must be one at least.
RailMark markOf(const QList<ProblemRow>& problems);

} // namespace cannery::ui
