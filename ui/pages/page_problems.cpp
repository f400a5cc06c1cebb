// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/page_problems.h"

#include "ui/document/experiment_document.h"
#include "ui/document/problem_catalog.h"
#include "ui/document/problem_cures.h"
#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/strip.h"

#include <QAction>

namespace cannery::ui {

namespace {

bool isError(const QList<ProblemRow>& problems)
{
    return problems.first().level == ProblemRow::Level::Error;
}

/// An action that the strip owns, without its former meaning.
QAction* actionOf(Strip& strip, const QString& name)
{
    auto* action = strip.findChild<QAction*>(name, Qt::FindDirectChildrenOnly);
    if (action == nullptr) {
        action = new QAction(&strip);
        action->setObjectName(name);
    }
    action->disconnect();
    return action;
}

/// Whether the page can show the problem's field.
bool hasField(const ProblemRow& problem)
{
    const ProblemEntry* entry = problemEntry(problem.id);
    return !problem.path.isEmpty() && (entry == nullptr || entry->way != ProblemWay::Text);
}

/// Shows the field of a problem that nothing but another value cures; null if it has none.
QAction* showAction(const ProblemRow& problem, Strip& strip, Page& page)
{
    if (!hasField(problem)) {
        return nullptr;
    }
    QAction* show = actionOf(strip, QStringLiteral("action.show_field"));
    show->setText(ProblemList::tr("Show"));
    QObject::connect(show, &QAction::triggered, &page,
                     [&page, problem] { revealProblem(problem, page); });
    return show;
}

/// The problem with the title of its cure's button, if it has one.
ProblemRow withCure(const ProblemRow& problem, ExperimentDocument& document, qint64 unlabelledRows)
{
    ProblemRow row = problem;
    row.fix = problem.fix.isEmpty() ? cureOf(problem, document).title : problem.fix;
    row.fix = row.fix.isEmpty() ? row.fix : cureTitle(row, unlabelledRows);
    return row;
}

} // namespace

QAction* cureAction(const ProblemRow& problem, Strip& strip, ExperimentDocument& document,
                    qint64 unlabelledRows)
{
    const ProblemRow row = withCure(problem, document, unlabelledRows);
    if (row.fix.isEmpty()) {
        return nullptr;
    }
    QAction* cure = actionOf(strip, QStringLiteral("action.cure"));
    cure->setText(row.fix);
    QObject::connect(cure, &QAction::triggered, &document,
                     [row, &document] { applyCure(document, row); });
    return cure;
}

void showProblems(const QList<ProblemRow>& problems, Strip& strip, ProblemList& list, Page& page,
                  QAction* openTextEditor, ExperimentDocument& document, qint64 unlabelledRows)
{
    QList<ProblemRow> rows;
    for (const ProblemRow& problem : problems) {
        rows.append(withCure(problem, document, unlabelledRows));
    }
    list.setProblems(rows.size() > 1 ? rows : QList<ProblemRow>());
    if (problems.isEmpty()) {
        strip.hide();
        return;
    }
    strip.setMessage(isError(problems) ? Strip::Level::Error : Strip::Level::Warning,
                     counted(problems.size(), ProblemList::tr("One issue needs attention."),
                             ProblemList::tr("%1 issues need attention.")),
                     problems.first().sentence);
    QAction* cure = cureAction(problems.first(), strip, document, unlabelledRows);
    QAction* first = cure == nullptr ? showAction(problems.first(), strip, page) : cure;
    strip.setActions(first == nullptr ? QList<QAction*>{openTextEditor}
                                      : QList<QAction*>{openTextEditor, first});
}

void connectProblems(ProblemList& list, Page& page, QAction* openTextEditor,
                     ExperimentDocument& document)
{
    QObject::connect(&list, &ProblemList::activated, &page,
                     [&page, openTextEditor](const ProblemRow& problem) {
                         if (hasField(problem)) {
                             revealProblem(problem, page);
                         } else {
                             openTextEditor->trigger();
                         }
                     });
    QObject::connect(&list, &ProblemList::fixWanted, &document,
                     [&document](const ProblemRow& problem) { applyCure(document, problem); });
}

void revealProblem(const ProblemRow& problem, Page& page)
{
    page.reveal(problem.target.isEmpty() ? "field:" + problem.path : problem.target);
}

RailMark markOf(const QList<ProblemRow>& problems)
{
    return {.kind = isError(problems) ? RailMark::Kind::Error : RailMark::Kind::Warning,
            .tip = problems.first().sentence};
}

} // namespace cannery::ui
