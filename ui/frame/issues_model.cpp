// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/issues_model.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

#include <QFileInfo>
#include <QFont>

#include <algorithm>

namespace cannery::ui {
namespace {

QString placeOf(const ProblemRow& problem)
{
    const QString file = QFileInfo(problem.file).fileName();
    if (problem.line > 0) {
        return IssuesModel::tr("%1, line %2").arg(file).arg(problem.line);
    }
    return file.isEmpty() ? problem.path : file;
}

} // namespace

void IssuesModel::setProblems(const QList<ProblemRow>& problems)
{
    QList<ProblemRow> sorted = problems;
    std::stable_sort(sorted.begin(), sorted.end(), [](const ProblemRow& a, const ProblemRow& b) {
        return a.level == ProblemRow::Level::Error && b.level != ProblemRow::Level::Error;
    });
    if (sorted == m_problems) {
        return;
    }
    beginResetModel();
    m_problems = sorted;
    endResetModel();
}

bool IssuesModel::hasErrors() const
{
    return std::any_of(m_problems.begin(), m_problems.end(), [](const ProblemRow& problem) {
        return problem.level == ProblemRow::Level::Error;
    });
}

QString IssuesModel::details(int row) const
{
    const ProblemRow& problem = m_problems.at(row);
    return QString("%1:%2:%3 %4\n%5\n[%6]")
        .arg(problem.file)
        .arg(problem.line)
        .arg(problem.column)
        .arg(problem.path, problem.sentence, problem.id);
}

int IssuesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_problems.size());
}

int IssuesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant IssuesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_problems.size()) {
        return {};
    }
    const ProblemRow& problem = m_problems[index.row()];
    const bool isError = problem.level == ProblemRow::Level::Error;
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Place      ? placeOf(problem)
               : index.column() == Sentence ? problem.sentence
                                            : QString();
    case Qt::ToolTipRole:
        return problem.path.isEmpty() ? problem.sentence : problem.sentence + '\n' + problem.path;
    case Qt::DecorationRole:
        if (index.column() == Place) {
            return isError ? icon("alert-circle", tokens().err)
                           : icon("alert-triangle", tokens().warnIcon);
        }
        return {};
    case Qt::FontRole:
        return index.column() == Place ? QVariant(textFont(TextRole::Strong)) : QVariant();
    case Qt::AccessibleTextRole:
        if (index.column() == Place) {
            return (isError ? tr("Error in %1") : tr("Warning in %1")).arg(placeOf(problem));
        }
        return data(index, Qt::DisplayRole);
    default:
        return {};
    }
}

QVariant IssuesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    return section == Place ? tr("Where") : section == Sentence ? tr("What") : QString();
}

} // namespace cannery::ui
