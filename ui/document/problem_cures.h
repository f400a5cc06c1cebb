// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/document/problem_row.h"

#include <QList>
#include <QString>

namespace cannery::ui {

class ExperimentDocument;

/// What the window does against a problem, as one undo step.
struct ProblemCure
{
    QString title; ///< of the button and of the step: "Reset Dropout"; empty if there is none
    QList<FieldEdit> edits;
};

/// The cure of a problem: that of its id, otherwise the reset of a wrong value of a field that need
/// not be set.
ProblemCure cureOf(const ProblemRow& problem, const ExperimentDocument& document);

/// Does what the cure says, as one undo step; false if there is none, or, after failed(), if it
/// cannot be written.
bool applyCure(ExperimentDocument& document, const ProblemRow& problem);

/// The title of a cure with the number of rows that it leaves out, where it leaves out rows without
/// a label: "Leave Out These 59 Rows".
QString cureTitle(const ProblemRow& problem, qint64 unlabelledRows);

/// What is wrong in the words of the window, for errors that name fields of a file which the window
/// has controls for; otherwise the sentence.
QString pageWords(const ProblemRow& problem);

} // namespace cannery::ui
