// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/warm_start_model.h"

#include "ui/models/formats.h"

#include <algorithm>

namespace cannery::ui {
namespace {

/// A variable without dimensions is one number.
QString shapeOr(const QString& shape)
{
    return shape.isEmpty() ? QStringLiteral("1") : shape;
}

QString outcomeText(const WarmStartVariableFacts& variable)
{
    if (!variable.isSelected) {
        return WarmStartModel::tr("keeps its initial values");
    }
    if (!variable.isThere) {
        return WarmStartModel::tr("not in the checkpoint");
    }
    if (!variable.problem.isEmpty()) {
        return WarmStartModel::tr("does not fit");
    }
    return variable.movesWords ? WarmStartModel::tr("taken over by words")
                               : WarmStartModel::tr("taken over");
}

} // namespace

void WarmStartModel::setFacts(const WarmStartFacts& facts)
{
    beginResetModel();
    m_facts = facts;
    std::stable_partition(
        m_facts.variables.begin(), m_facts.variables.end(),
        [](const WarmStartVariableFacts& variable) { return !variable.problem.isEmpty(); });
    endResetModel();
}

QString WarmStartModel::patternsText(const WarmStartFacts& facts)
{
    QStringList parts;
    for (qsizetype i = 0; i < facts.patterns.size(); ++i) {
        const qsizetype count = facts.caughtBy(i);
        parts << (count == 0 ? tr("%1 catches nothing").arg(facts.patterns[i])
                  : count == 1
                      ? tr("%1 catches one variable").arg(facts.patterns[i])
                      : tr("%1 catches %2 variables").arg(facts.patterns[i], formatCount(count)));
    }
    return parts.isEmpty() ? QString() : tr("%1.").arg(parts.join(tr(", ")));
}

QString WarmStartModel::text(const WarmStartVariableFacts& variable, int column) const
{
    switch (column) {
    case Variable:
        return variable.name;
    case Here:
        return shapeOr(variable.shape);
    case There:
        return variable.isThere ? shapeOr(variable.previousShape) : QStringLiteral("–");
    default:
        return outcomeText(variable);
    }
}

QString WarmStartModel::tip(const WarmStartVariableFacts& variable) const
{
    QStringList lines{variable.name};
    if (variable.previousName != variable.name) {
        lines << tr("Called %1 in the checkpoint").arg(variable.previousName);
    }
    for (const qsizetype pattern : variable.patterns) {
        lines << tr("Caught by %1").arg(m_facts.patterns.value(pattern));
    }
    if (!variable.problem.isEmpty()) {
        lines << variable.problem;
    }
    return lines.join(u'\n');
}

QVariant WarmStartModel::cell(int row, int column, int role) const
{
    const WarmStartVariableFacts& variable = m_facts.variables[row];
    if (role == Qt::ToolTipRole) {
        return tip(variable);
    }
    return role == Qt::DisplayRole ? QVariant(text(variable, column)) : QVariant();
}

QVariant WarmStartModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case Variable:
        return tr("Variable");
    case Here:
        return tr("Here");
    case There:
        return tr("There");
    default:
        return tr("What happens");
    }
}

} // namespace cannery::ui
