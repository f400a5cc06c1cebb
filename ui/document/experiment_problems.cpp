// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_problems.h"

#include "ui/document/experiment_text.h"
#include "ui/document/problem_cures.h"

#include <algorithm>
#include <utility>

namespace cannery::ui {
namespace {

bool isSameProblem(const ProblemRow& a, const ProblemRow& b)
{
    return a.id == b.id && a.path == b.path && a.line == b.line && a.column == b.column;
}

} // namespace

ExperimentProblems::ExperimentProblems(const ExperimentText& text, CureTitle cureTitle)
    : m_text(text), m_cureTitle(std::move(cureTitle))
{}

bool ExperimentProblems::hasErrors() const
{
    return std::any_of(m_all.begin(), m_all.end(), [](const ProblemRow& problem) {
        return problem.level == ProblemRow::Level::Error;
    });
}

const ProblemRow* ExperimentProblems::at(const QString& path) const
{
    const ProblemRow* found = nullptr;
    for (const ProblemRow& problem : m_all) {
        const bool isHere = problem.path.startsWith(path) &&
                            (problem.path.size() == path.size() || path.isEmpty() ||
                             QStringLiteral(".[").contains(problem.path.at(path.size())));
        if (isHere && (found == nullptr || (found->level == ProblemRow::Level::Warning &&
                                            problem.level == ProblemRow::Level::Error))) {
            found = &problem;
        }
    }
    return found;
}

void ExperimentProblems::setChecked(quint64 revision, const QList<ProblemRow>& problems)
{
    if (revision == m_text.revision() && problems != m_checked) {
        m_checked = problems;
        publish();
    }
}

void ExperimentProblems::reset()
{
    m_read.clear();
    m_checked.clear();
    m_unwritten.clear();
    m_all.clear();
}

void ExperimentProblems::setRead(const QList<ProblemRow>& problems)
{
    m_read = problems;
    m_checked.clear();
}

void ExperimentProblems::setUnwritten(const ProblemRow& problem)
{
    m_unwritten[problem.path] = problem;
    publish();
}

void ExperimentProblems::publish()
{
    m_all = m_read;
    for (const ProblemRow& row : std::as_const(m_checked)) {
        const bool known = std::any_of(m_all.begin(), m_all.end(), [&](const ProblemRow& problem) {
            return isSameProblem(problem, row);
        });
        if (!known) {
            m_all << row;
        }
    }
    m_all += m_unwritten.values();
    for (ProblemRow& problem : m_all) {
        problem.fix = m_cureTitle(problem);
        problem.sentence = pageWords(problem);
    }
    Q_EMIT changed();
}

} // namespace cannery::ui
