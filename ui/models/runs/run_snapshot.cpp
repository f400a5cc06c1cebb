// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_snapshot.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace cannery::ui {
namespace {

struct EstimatorWord
{
    const char* part; ///< part of the estimator's name
    const char* word;
};

// The first row whose part occurs in the name counts.
constexpr std::array kEstimatorWords{
    EstimatorWord{"dnn_linear_combined", QT_TRANSLATE_NOOP("RunRow", "wide & deep")},
    EstimatorWord{"dnn", QT_TRANSLATE_NOOP("RunRow", "dnn")},
    EstimatorWord{"linear", QT_TRANSLATE_NOOP("RunRow", "linear")},
    EstimatorWord{"baseline", QT_TRANSLATE_NOOP("RunRow", "baseline")},
    EstimatorWord{"boosted_trees", QT_TRANSLATE_NOOP("RunRow", "boosted trees")},
    EstimatorWord{"kmeans", QT_TRANSLATE_NOOP("RunRow", "k-means")},
    EstimatorWord{"rnn", QT_TRANSLATE_NOOP("RunRow", "rnn")},
    EstimatorWord{"sdca", QT_TRANSLATE_NOOP("RunRow", "sdca")},
    EstimatorWord{"custom", QT_TRANSLATE_NOOP("RunRow", "network")}};

QString estimatorWord(const QString& estimator)
{
    for (const EstimatorWord& row : kEstimatorWords) {
        if (estimator.contains(QLatin1String(row.part))) {
            return QCoreApplication::translate("RunRow", row.word);
        }
    }
    return estimator;
}

/// "[64, 32]" as "64-32".
QString unitsText(const RunRow& run)
{
    for (const auto& [path, value] : run.parameters) {
        if (path.endsWith(QLatin1String("hidden_units"))) {
            QString units = value;
            units.remove('[').remove(']').remove(' ');
            return units.replace(',', '-');
        }
    }
    return {};
}

/// The evaluation's name and the metric's within it: "eval_test/auc" is "test" and "auc".
std::pair<QString, QString> splitMetric(const QString& metric)
{
    const qsizetype slash = metric.indexOf('/');
    if (!metric.startsWith(QLatin1String("eval_")) || slash < 0) {
        return {QString(), metric};
    }
    return {metric.mid(5, slash - 5), metric.mid(slash + 1)};
}

} // namespace

QString displayName(RunState state)
{
    const char* const context = "RunState";
    switch (state) {
    case RunState::Queued:
        return QCoreApplication::translate(context, "Queued");
    case RunState::Preparing:
        return QCoreApplication::translate(context, "Preparing");
    case RunState::Running:
        return QCoreApplication::translate(context, "Running");
    case RunState::Paused:
        return QCoreApplication::translate(context, "Paused");
    case RunState::Finishing:
        return QCoreApplication::translate(context, "Finishing");
    case RunState::Finished:
        return QCoreApplication::translate(context, "Finished");
    case RunState::Stopped:
        return QCoreApplication::translate(context, "Stopped");
    case RunState::Failed:
        return QCoreApplication::translate(context, "Failed");
    case RunState::Interrupted:
        return QCoreApplication::translate(context, "Interrupted");
    }
    return {};
}

bool isLive(RunState state)
{
    return state == RunState::Preparing || state == RunState::Running ||
           state == RunState::Paused || state == RunState::Finishing;
}

const MetricSummary* RunRow::metric(const QString& metricName) const
{
    for (const MetricSummary& summary : metrics) {
        if (summary.name == metricName) {
            return &summary;
        }
    }
    return nullptr;
}

QString RunRow::shownMetric() const
{
    // A regression is decided by its mean squared loss. Its root has the unit of the label, and the
    // same order.
    const QString squared = QStringLiteral("average_loss");
    if (decisionMetric.section('/', -1) != squared) {
        return decisionMetric;
    }
    const QString root = decisionMetric.chopped(squared.size()) + QStringLiteral("cannery/rmse");
    return metric(root) != nullptr ? root : decisionMetric;
}

std::optional<double> RunRow::metricAt(const QString& metricName, qint64 step) const
{
    const auto [evaluation, metric] = splitMetric(metricName);
    for (const EvaluationRow& row : evaluations) {
        if (row.step != step || row.name != evaluation) {
            continue;
        }
        for (const auto& [name, value] : row.values) {
            if (name == metric) {
                return value;
            }
        }
    }
    return std::nullopt;
}

QString RunRow::parameter(const QString& path) const
{
    for (const auto& [name, value] : parameters) {
        if (name == path) {
            return value;
        }
    }
    return {};
}

double RunRow::stepsPerEpoch() const
{
    // Runs of earlier versions recorded no replicas.
    const double rows = rowsPerStep > 0
                            ? static_cast<double>(rowsPerStep)
                            : parameter(QStringLiteral("train_spec.input.batch_size")).toDouble();
    return rows > 0 && trainRows > 0 ? static_cast<double>(trainRows) / rows : 0;
}

QString RunRow::subtitle() const
{
    if (isForeign) {
        return QCoreApplication::translate("RunRow", "event files");
    }
    const QString units = unitsText(*this);
    const QString word = estimatorWord(estimator);
    return units.isEmpty() ? word : word + ' ' + units;
}

double RunRow::durationSeconds(const QDateTime& now) const
{
    if (!startedAt.isValid()) {
        return -1;
    }
    const QDateTime end = finishedAt.isValid() && !isLive(state) ? finishedAt : now;
    if (!isLive(state) && !finishedAt.isValid()) {
        return -1;
    }
    return secondsBefore + static_cast<double>(startedAt.msecsTo(end)) / 1000;
}

namespace {

template <std::size_t N>
bool hasOneOf(const QString& name, const std::array<const char*, N>& parts)
{
    return std::any_of(parts.begin(), parts.end(),
                       [&](const char* part) { return name.contains(QLatin1String(part)); });
}

std::optional<bool> directionOf(const QString& name)
{
    static constexpr std::array kLess{"loss", "error", "rmse", "mae", "brier_score"};
    static constexpr std::array kMore{"auc", "accuracy", "precision", "recall", "f1_score", "r2"};
    // The score of k-means is a distance, unlike an F1 score.
    if (name == QLatin1String("score") || hasOneOf(name, kLess)) {
        return false;
    }
    return hasOneOf(name, kMore) ? std::optional(true) : std::nullopt;
}

} // namespace

std::optional<bool> metricDirection(const QString& metricName)
{
    // Of "auc/second", a head follows the metric; of "eval_loss/auc", the metric is last.
    const std::optional<bool> last = directionOf(metricName.section('/', -1));
    return last ? last : directionOf(metricName);
}

bool higherIsBetter(const QString& metricName)
{
    static constexpr std::array kCosts{"global_norm", "sec/", "wait"};
    return metricDirection(metricName).value_or(!hasOneOf(metricName, kCosts));
}

QString plainValue(const QString& parameterText)
{
    if (parameterText.size() >= 2 && parameterText.startsWith('"') && parameterText.endsWith('"')) {
        return parameterText.mid(1, parameterText.size() - 2);
    }
    return parameterText;
}

QString ProjectSnapshot::changeHindrance() const
{
    return isReadOnly ? QCoreApplication::translate(
                            "RunRow", "The project is read-only: its folder is not writable. "
                                      "Copy it to another folder to change or train it.")
                      : QString();
}

QString ProjectSnapshot::changeHindrance(const RunRow* run) const
{
    return run && run->isForeign
               ? QCoreApplication::translate("RunRow",
                                             "Event files from another program are read-only here.")
               : changeHindrance();
}

const RunRow* ProjectSnapshot::find(const QString& run) const
{
    for (const RunRow& row : runs) {
        if (row.name == run) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace cannery::ui
