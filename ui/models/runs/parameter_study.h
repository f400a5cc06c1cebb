// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::ui {

/// A parameter in which runs differ, or their metric.
struct StudyAxis
{
    QString path;  ///< of the parameter; the metric's name
    QString label; ///< "learning_rate"
    bool isNumeric = true;
    bool isLogarithmic = false;
    double min = 0; ///< of a numeric one
    double max = 0;
    QStringList choices; ///< of another one, sorted
    /// How much of the differences between the runs' ranks by the metric goes with this parameter,
    /// 0 to 1; NaN if there are too few runs.
    double importance = 0;
};

/// Where a number lies on a numeric axis, 0 (bottom) to 1 (top); and the number at a place.
double placeOf(const StudyAxis& axis, double number);
double numberAt(const StudyAxis& axis, double place);
/// Where a choice lies on another axis.
double placeOfChoice(const StudyAxis& axis, qsizetype choice);

/// A run as a line across all axes.
struct StudyLine
{
    QString run;
    QString label;
    int colourSlot = 0;
    QList<double> places; ///< for each axis 0 (bottom) to 1 (top); NaN if the run has none
    QStringList values;   ///< as shown
};

/// Parallel coordinates of some runs: the parameters in which they differ, the most important
/// first, and their metric as the last axis.
///
/// Importance is the unbiased correlation ratio ε² (Kelley, PNAS 1935) of the ranks, as for the
/// Kruskal-Wallis test (Tomczak and Tomczak 2014): 1 - (within / (n - k)) / (total / (n - 1)) for n
/// runs in k groups of one value, or of neighbouring numbers where there are many; below 0 it is 0.
/// It does not distinguish cause from coincidence, and does not see what only two parameters
/// together do.
struct ParameterStudy
{
    QString metric; ///< empty if the runs have none in common
    bool higherIsBetter = true;
    QList<StudyAxis> axes;
    QList<StudyLine> lines;
    int leftOut = 0; ///< parameters beyond the most that are shown
};

/// Runs that the snapshot does not have are left out, as are those without the metric.
ParameterStudy studyParameters(const ProjectSnapshot& snapshot, const QStringList& runs);

} // namespace cannery::ui
