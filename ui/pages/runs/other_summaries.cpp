// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/other_summaries.h"

#include "ui/models/formats.h"

#include <QCoreApplication>

namespace cannery::ui {
namespace {

struct SummaryWords
{
    Q_DECLARE_TR_FUNCTIONS(OtherSummaries)
};

/// Nothing for none, `one` for one, else `many` with the number as %1.
void appendCount(QStringList& words, qsizetype number, const QString& one, const QString& many)
{
    if (number > 0) {
        words << (number == 1 ? one : many.arg(formatCount(number)));
    }
}

} // namespace

QString summariesInWords(const RunSummaries& summaries)
{
    QStringList words;
    appendCount(words, summaries.histograms.size(), SummaryWords::tr("a histogram"),
                SummaryWords::tr("%1 histograms"));
    appendCount(words, summaries.texts.size(), SummaryWords::tr("a text"),
                SummaryWords::tr("%1 texts"));
    appendCount(words, summaries.images.size(), SummaryWords::tr("a series of images"),
                SummaryWords::tr("%1 series of images"));
    appendCount(words, summaries.prCurves.size(), SummaryWords::tr("a PR curve"),
                SummaryWords::tr("%1 PR curves"));
    appendCount(words, summaries.sounds.size(), SummaryWords::tr("a sound"),
                SummaryWords::tr("%1 sounds"));
    appendCount(words, summaries.graphs.size(), SummaryWords::tr("a graph"),
                SummaryWords::tr("%1 graphs"));
    if (words.size() < 2) {
        return words.join(QString());
    }
    const QString last = words.takeLast();
    return SummaryWords::tr("%1 and %2").arg(words.join(QStringLiteral(", ")), last);
}

std::optional<RunInspect::View> viewOf(const RunSummaries& summaries)
{
    if (!summaries.histograms.isEmpty()) {
        return RunInspect::Distributions;
    }
    if (!summaries.texts.isEmpty()) {
        return RunInspect::Texts;
    }
    if (!summaries.images.isEmpty() || !summaries.sounds.isEmpty()) {
        return RunInspect::Images;
    }
    if (!summaries.prCurves.isEmpty()) {
        return RunInspect::PrCurves;
    }
    return summaries.graphs.isEmpty() ? std::nullopt : std::optional(RunInspect::Graph);
}

} // namespace cannery::ui
