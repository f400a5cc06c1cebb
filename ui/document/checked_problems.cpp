// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/checked_problems.h"

#include "ui/document/experiment_document.h"

#include <QJsonArray>

namespace cannery::ui {

QList<ProblemRow> checkedProblems(const QJsonObject& answer)
{
    QList<ProblemRow> rows;
    for (const QJsonValue& value : answer.value(QStringLiteral("problems")).toArray()) {
        const QJsonObject problem = value.toObject();
        const QString path = problem.value(QStringLiteral("path")).toString();
        rows.append(
            {.level = problem.value(QStringLiteral("level")).toString() == QLatin1String("warning")
                          ? ProblemRow::Level::Warning
                          : ProblemRow::Level::Error,
             .id = problem.value(QStringLiteral("id")).toString(),
             .file = problem.value(QStringLiteral("file")).toString(),
             .line = problem.value(QStringLiteral("line")).toInt(),
             .column = problem.value(QStringLiteral("column")).toInt(),
             .path = path,
             .sentence = problem.value(QStringLiteral("sentence")).toString(),
             .page = ExperimentDocument::pageOf(path)});
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
