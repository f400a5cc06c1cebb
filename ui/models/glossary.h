// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::ui {

/// A word of the window, explained to those who meet it first.
struct GlossaryEntry
{
    QString term;    ///< "AUC"
    QString meaning; ///< a sentence or two
    QString judging; ///< of a metric: which values are good, and against what; may be empty
    QStringList metrics;
    QStringList fields; ///< last names of paths: "batch_size"
};

/// All words, by their terms.
const QList<GlossaryEntry>& glossary();
/// What a metric of a run means, by its name there ("eval_test/auc", "precision/head", "loss/head",
/// "per_class/yes/recall"); null if it is not explained.
const GlossaryEntry* glossaryOfMetric(const QString& metric);
/// The word behind the field at a path, or behind what is around it; null if there is none.
const GlossaryEntry* glossaryOfField(const QString& path);

} // namespace cannery::ui
