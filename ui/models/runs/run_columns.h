// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QJsonArray>
#include <QList>
#include <QString>

#include <optional>

namespace cannery::ui {

/// Which value of a metric over the life of a run a column shows.
enum class Reducer
{
    AtBest,
    Last,
    Min,
    Max,
    AtStep,
};

/// One column of the run table.
struct RunColumn
{
    enum class Kind
    {
        Eye,
        Colour,
        Star,
        Name, ///< with the subtitle below it
        State,
        Metric,
        Parameter,
        Tags,
        Step,
        Started,
        Duration,
        Estimator,
        Notes,
    };
    Kind kind = Kind::Name;
    QString key; ///< the metric, or the parameter's path
    Reducer reducer = Reducer::AtBest;
    qint64 step = 0; ///< for AtStep

    bool isFixed() const { return kind <= Kind::State; }
    bool isNumber() const;
    bool operator==(const RunColumn&) const = default;
};

/// "AUC best", "Loss", "lr"; in lists and tooltips with the source.
QString headerText(const RunColumn& column);
QString description(const RunColumn& column);

/// The value as a number, if the run has one.
std::optional<double> columnNumber(const RunRow& run, const RunColumn& column);
/// The value as shown; empty if the run has none.
QString columnText(const RunRow& run, const RunColumn& column);
/// Whether higher is better; empty if neither is.
std::optional<bool> columnDirection(const RunColumn& column);

/// The fixed columns at the start of every table: eye, colour, star, name, state.
QList<RunColumn> fixedColumns();
/// The fixed ones, the decision metric, loss, and the first parameters that differ between the
/// runs.
QList<RunColumn> defaultColumns(const ProjectSnapshot& snapshot);

/// A column that could be shown.
struct ColumnOffer
{
    RunColumn column;
    QString label;
    bool differs = false; ///< between the runs
};

/// All columns for these runs: metrics, parameters that differ, facts, the other parameters.
QList<ColumnOffer> availableColumns(const ProjectSnapshot& snapshot);
/// Those of commonParameters() whose values differ between these runs.
QStringList differingCommonParameters(const QList<const RunRow*>& runs);
/// Paths of the parameters whose values differ between these runs (or that some do not have).
QStringList differingParameters(const QList<const RunRow*>& runs);

QJsonArray toJson(const QList<RunColumn>& columns);
/// Anything that cannot be parsed is left out; the fixed columns are always there.
QList<RunColumn> columnsFromJson(const QJsonArray& json);

} // namespace cannery::ui
