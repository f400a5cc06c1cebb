// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace cannery::ui {

/// One field in which two experiments differ, in the schema's words.
struct ExperimentChange
{
    enum class Kind
    {
        Changed,
        Added,
        Removed,
    };

    Kind kind = Kind::Changed;
    QString path;   ///< "estimator.dnn_classifier.hidden_units"
    QString place;  ///< what the field belongs to: "Training", "Feature column age"
    QString label;  ///< "Hidden units"
    QString before; ///< for people; empty if added
    QString after;  ///< empty if removed
    QString page;   ///< "data", "features" or "model"

    bool operator==(const ExperimentChange&) const = default;
};

/// The fields in which two texts differ, in the schema's order; comments and a default that one of
/// them spells out do not count. A broken text counts as far as it can be read. Blocks for some
/// milliseconds; any thread.
QList<ExperimentChange> experimentChanges(const QByteArray& before, const QByteArray& after);

/// The fields in which a text differs from the experiment that a run has frozen: every default
/// counts as spelled out, and what a run reads from its data (the mean for a normalizer, a drawn
/// seed) is not a difference. Blocks for some milliseconds; any thread.
QList<ExperimentChange> changesSinceRun(const QByteArray& frozen, const QByteArray& text);

/// Whether `theirs` still has the old value of a field that was changed from `base` to `mine`: it
/// was made from an older text than `mine`.
bool isMissingEdits(const QByteArray& base, const QByteArray& mine, const QByteArray& theirs);

} // namespace cannery::ui
