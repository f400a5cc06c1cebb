// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_verdict.h"

#include "ui/models/formats.h"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>
#include <optional>

namespace cannery::ui {
namespace {

constexpr qint64 kFewRows = 1000;  ///< below it the doubt is worth a sentence
constexpr double kInterval = 1.96; ///< standard deviations, for 19 of 20 cases

struct RunVerdictWords
{
    Q_DECLARE_TR_FUNCTIONS(RunVerdict)
};

/// Of the best evaluation, otherwise of the last one.
std::optional<double> verdictValue(const RunRow& run, const QString& metric)
{
    const MetricSummary* found = run.metric(metric);
    if (found == nullptr) {
        return std::nullopt;
    }
    const double value = std::isnan(found->atBest) ? found->last : found->atBest;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

QString outOf100(double share)
{
    return formatNumber(std::round(share * 1000) / 10, 3);
}

QString accuracyWords(const RunRow& run)
{
    const auto accuracy = verdictValue(run, QStringLiteral("accuracy"));
    auto guess = verdictValue(run, QStringLiteral("accuracy_baseline"));
    guess = guess ? guess : verdictValue(run, QStringLiteral("cannery/accuracy_baseline"));
    if (!accuracy || !guess) {
        return {};
    }
    QString words =
        RunVerdictWords::tr("Right in %1 of 100 rows; always guessing the commonest class is "
                            "right in %2.")
            .arg(outOf100(*accuracy), outOf100(*guess));
    if (run.evalRows > 0 && run.evalRows < kFewRows) {
        const double doubt =
            kInterval * std::sqrt(*accuracy * (1 - *accuracy) / static_cast<double>(run.evalRows));
        words += u' ' + RunVerdictWords::tr("Measured on %1 rows alone, this may be off by ± %2.")
                            .arg(formatCount(run.evalRows), outOf100(doubt));
    }
    return words;
}

QString aucWords(const RunRow& run)
{
    const auto auc = verdictValue(run, QStringLiteral("auc"));
    return auc ? RunVerdictWords::tr(
                     "Of two rows of different classes it tells which is which in %1 of 100 "
                     "cases (AUC); guessing does in 50.")
                     .arg(outOf100(*auc))
               : QString();
}

QString errorWords(const RunRow& run)
{
    const auto error = verdictValue(run, QStringLiteral("cannery/rmse"));
    const auto guess = verdictValue(run, QStringLiteral("cannery/rmse_baseline"));
    if (!error || !guess || *guess <= 0) {
        return {};
    }
    return *error < *guess
               ? RunVerdictWords::tr(
                     "Off by about %1 (RMSE), where guessing the mean is off by %2: %3 less.")
                     .arg(formatNumber(*error), formatNumber(*guess),
                          formatPercent(1 - *error / *guess, 0))
               : RunVerdictWords::tr(
                     "Off by about %1 (RMSE), no better than guessing the mean, which is off "
                     "by %2.")
                     .arg(formatNumber(*error), formatNumber(*guess));
}

} // namespace

QString verdictOf(const RunRow& run)
{
    QStringList sentences{accuracyWords(run), aucWords(run), errorWords(run)};
    sentences.removeAll(QString());
    return sentences.join(u' ');
}

} // namespace cannery::ui
