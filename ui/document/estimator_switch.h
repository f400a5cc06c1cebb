// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/member_switch.h"

namespace cannery::ui {

/// Chooses another estimator, with the columns that the present one reads: where dense numbers are
/// needed, a categorical column is read through its indicator or embedding (an indicator is added
/// if there is none), and where ids will do, an indicator or embedding is replaced by the
/// categories behind it. Crosses are too wide for that, and are lost.
MemberSwitch switchEstimator(const ExperimentDocument& document, const QString& name);

/// Makes the element at a path, a category in a list that takes dense numbers, one that reads it
/// through an indicator or embedding; none if that is too wide, or there already.
QList<FieldEdit> denseEdits(const ExperimentDocument& document, const QString& path);

/// Why the experiment has nothing that the estimator can read, a sentence; empty if it has.
QString estimatorHindrance(const ExperimentDocument& document, const QString& name);

} // namespace cannery::ui
