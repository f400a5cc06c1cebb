// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/checked_problems.h"

#include "core/reports/check.pb.h"
#include "ui/document/experiment_reading.h"
#include "ui/models/report_reader.h"

namespace cannery::ui {

QList<ProblemRow> checkedProblems(const QJsonObject& answer)
{
    reports::Check check;
    readAnswer(answer, check);
    QList<ProblemRow> rows;
    for (const reports::Problem& problem : check.problems()) {
        const QString path = QString::fromStdString(problem.path());
        rows.append({.level = problem.level() == "warning" ? ProblemRow::Level::Warning
                                                           : ProblemRow::Level::Error,
                     .id = QString::fromStdString(problem.id()),
                     .file = QString::fromStdString(problem.file()),
                     .line = problem.line(),
                     .column = problem.column(),
                     .path = path,
                     .sentence = QString::fromStdString(problem.sentence()),
                     .page = pageOfField(path)});
    }
    return rows;
}

QList<ProblemRow> problemsOf(const QList<ProblemRow>& problems, const QString& page)
{
    QList<ProblemRow> found;
    for (const ProblemRow& problem : problems) {
        if (problem.page == page) {
            found.append(problem);
        }
    }
    return found;
}

} // namespace cannery::ui
