// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/page_problems.h"

#include "ui/document/experiment_document.h"
#include "ui/document/problem_cures.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/strip.h"

#include <QAction>

namespace cannery::ui {

namespace {

bool isError(const QList<ProblemRow>& problems)
{
    return problems.first().level == ProblemRow::Level::Error;
}

} // namespace

QAction* cureAction(const ProblemRow& problem, Strip& strip, ExperimentDocument& document,
                    qint64 unlabelledRows)
{
    if (cureOf(problem, document).title.isEmpty()) {
        return nullptr;
    }
    const QString name = QStringLiteral("action.cure");
    auto* cure = strip.findChild<QAction*>(name, Qt::FindDirectChildrenOnly);
    if (cure == nullptr) {
        cure = new QAction(&strip);
        cure->setObjectName(name);
    }
    cure->disconnect();
    ProblemRow row = problem;
    row.fix = cureOf(problem, document).title;
    cure->setText(cureTitle(row, unlabelledRows));
    QObject::connect(cure, &QAction::triggered, &document, [row, &document] { document.fix(row); });
    return cure;
}

void showProblems(const QList<ProblemRow>& problems, Strip& strip, ProblemList& list,
                  QAction* openTextEditor, ExperimentDocument& document, qint64 unlabelledRows)
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
    QAction* cure = cureAction(problems.first(), strip, document, unlabelledRows);
    strip.setActions(cure == nullptr ? QList<QAction*>{openTextEditor}
                                     : QList<QAction*>{cure, openTextEditor});
}

RailMark markOf(const QList<ProblemRow>& problems)
{
    return {.kind = isError(problems) ? RailMark::Kind::Error : RailMark::Kind::Warning,
            .tip = problems.first().sentence};
}

} // namespace cannery::ui
