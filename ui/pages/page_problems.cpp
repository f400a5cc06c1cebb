// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/page_problems.h"

#include "ui/pages/page_parts.h"
#include "ui/widgets/strip.h"

namespace cannery::ui {

namespace {

bool isError(const QList<ProblemRow>& problems)
{
    return problems.first().level == ProblemRow::Level::Error;
}

} // namespace

void showProblems(const QList<ProblemRow>& problems, Strip& strip, ProblemList& list,
                  QAction* openTextEditor)
{
    list.setProblems(problems.size() > 1 ? problems : QList<ProblemRow>());
    if (problems.isEmpty()) {
        strip.hide();
        return;
    }
    strip.setMessage(isError(problems) ? Strip::Level::Error : Strip::Level::Warning,
                     counted(problems.size(), ProblemList::tr("One issue needs attention."),
                             ProblemList::tr("%1 issues need attention.")),
                     problems.first().sentence);
    strip.setActions({openTextEditor});
}

RailMark markOf(const QList<ProblemRow>& problems)
{
    return {.kind = isError(problems) ? RailMark::Kind::Error : RailMark::Kind::Warning,
            .tip = problems.first().sentence};
}

} // namespace cannery::ui
