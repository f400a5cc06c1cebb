// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/drawer/issues_model.h"

#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

#include <QFileInfo>
#include <QFont>
#include <QIcon>

#include <algorithm>

namespace cannery::ui {
namespace {

QString placeOf(const ProblemRow& problem)
{
    if (!problem.place.isEmpty()) {
        return problem.place;
    }
    const QString file = QFileInfo(problem.file).fileName();
    if (problem.line > 0) {
        return IssuesModel::tr("%1, line %2").arg(file).arg(problem.line);
    }
    return file.isEmpty() ? problem.path : file;
}

QIcon iconOf(ProblemRow::Level level)
{
    return level == ProblemRow::Level::Error     ? icon("alert-circle", tokens().err)
           : level == ProblemRow::Level::Warning ? icon("alert-triangle", tokens().warnIcon)
                                                 : icon("info-circle", tokens().accent);
}

QString spokenLevel(ProblemRow::Level level)
{
    return level == ProblemRow::Level::Error     ? IssuesModel::tr("Error in %1")
           : level == ProblemRow::Level::Warning ? IssuesModel::tr("Warning in %1")
                                                 : IssuesModel::tr("Note on %1");
}

} // namespace

void IssuesModel::setProblems(const QList<ProblemRow>& problems)
{
    QList<ProblemRow> sorted = problems;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const ProblemRow& a, const ProblemRow& b) { return a.level > b.level; });
    if (sorted == m_problems) {
        return;
    }
    beginResetModel();
    m_problems = sorted;
    endResetModel();
}

ProblemRow::Level IssuesModel::worst() const
{
    return m_problems.isEmpty() ? ProblemRow::Level::Note : m_problems.first().level;
}

QString IssuesModel::details(int row) const
{
    const ProblemRow& problem = m_problems.at(row);
    if (problem.file.isEmpty()) {
        return QString("%1\n%2\n[%3]").arg(placeOf(problem), problem.sentence, problem.id);
    }
    return QString("%1:%2:%3 %4\n%5\n[%6]")
        .arg(problem.file)
        .arg(problem.line)
        .arg(problem.column)
        .arg(problem.path, problem.sentence, problem.id);
}

QVariant IssuesModel::cell(int row, int column, int role) const
{
    const ProblemRow& problem = m_problems[row];
    switch (role) {
    case Qt::DisplayRole:
        return column == Place      ? placeOf(problem)
               : column == Sentence ? problem.sentence
                                    : QString();
    case Qt::ToolTipRole:
        return problem.path.isEmpty() ? problem.sentence : problem.sentence + '\n' + problem.path;
    case Qt::DecorationRole:
        if (column == Place) {
            return iconOf(problem.level);
        }
        return {};
    case Qt::FontRole:
        return column == Place ? QVariant(textFont(TextRole::Strong)) : QVariant();
    case Qt::AccessibleTextRole:
        if (column == Place) {
            return spokenLevel(problem.level).arg(placeOf(problem));
        }
        return cell(row, column, Qt::DisplayRole);
    default:
        return {};
    }
}

QVariant IssuesModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    return column == Place ? tr("Where") : column == Sentence ? tr("What") : QString();
}

} // namespace cannery::ui
