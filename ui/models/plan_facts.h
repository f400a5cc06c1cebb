// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>

#include <optional>

class QJsonObject;

namespace cannery::ui {

struct PlanLayer
{
    QString name;
    QString type;
    QString shape; ///< "32 × 64"
    int rank = 0;  ///< dimensions of a row
    qint64 parameters = 0;
    qint64 multiplyAdds = 0; ///< for one row, forward
};

/// The learning rate of an optimizer over the planned steps.
struct LearningRateFacts
{
    QString path;          ///< "estimator.dnn_classifier.optimizer"
    QString optimizer;     ///< "adam"
    QString schedule;      ///< "cosine_decay"; empty if there is none
    QList<QPointF> points; ///< step and rate, by step; at least two
    bool changes() const;  ///< whether it is not the same at every step
    bool operator==(const LearningRateFacts&) const = default;
};

/// What a warm start does with one variable.
struct WarmStartVariableFacts
{
    QString name;
    QString shape; ///< here, "4 × 2"; empty for a single number
    QString previousName;
    QString previousShape;     ///< in the checkpoint
    bool isThere = false;      ///< whether the checkpoint has it
    QList<qsizetype> patterns; ///< those that catch it, by their place
    bool isSelected = false;   ///< by a pattern or by a vocabulary
    bool movesWords = false;   ///< its rows or columns follow their words
    QString problem;           ///< why it is selected but cannot be taken over, a sentence
};

/// What a warm start takes over.
struct WarmStartFacts
{
    QString checkpoint;                      ///< what the values come from
    QStringList restored;                    ///< variables, by name
    QStringList fresh;                       ///< those that keep their initial values
    QString problem;                         ///< why nothing is taken over, a sentence
    QStringList patterns;                    ///< what variables are selected by
    QList<WarmStartVariableFacts> variables; ///< all that could be selected
    /// How many variables a pattern catches, by its place.
    qsizetype caughtBy(qsizetype pattern) const;
    bool isEmpty() const { return restored.isEmpty() && fresh.isEmpty() && problem.isEmpty(); }
};

/// What a strategy would do on this machine.
struct StrategyFacts
{
    QString name; ///< "mirrored"
    bool available = true;
    QString reason;      ///< why it is not available, a sentence
    QString needs;       ///< a sentence
    qint64 replicas = 0; ///< 0: unknown
    qint64 batchPerReplica = 0;
    qint64 batchPerStep = 0;
    qint64 memoryBytes = -1; ///< -1: unknown
    std::optional<double> stepsPerSecond;
    std::optional<double> rowsPerSecond;
    bool operator==(const StrategyFacts&) const = default;
};

/// How training would go with a number of workers.
struct WorkersPoint
{
    qint64 workers = 0;
    double stepsPerSecond = 0;
    double rowsPerSecond = 0;
    double efficiency = 0; ///< of each worker; 1: none lost
    bool operator==(const WorkersPoint&) const = default;
};

/// How many workers pay.
struct WorkersFacts
{
    QString network;        ///< that the estimate is about
    qint64 recommended = 0; ///< 0: unknown
    QString sentence;       ///< why not more
    QList<WorkersPoint> curve;
    bool isEmpty() const { return recommended <= 0; }
};

/// What `cannery plan` reports about a model before training.
struct PlanFacts
{
    QList<PlanLayer> layers;
    /// A layer of a custom network by its name; null if it is not planned.
    const PlanLayer* layer(const QString& name) const;
    /// Of all layers of a block.
    qint64 parametersOf(const QString& block) const;
    qint64 parameters = -1;        ///< -1: unknown
    qint64 memoryBytes = -1;       ///< while training
    qint64 multiplyAdds = -1;      ///< for one row, forward
    std::optional<double> seconds; ///< for the whole run, estimated
    std::optional<double> secondsLow;
    std::optional<double> secondsHigh;
    std::optional<double> secondsPerEpoch;
    qint64 measuredSteps = 0;   ///< 0: not measured
    bool mayTrainOnGpu = false; ///< all the same measured on the CPU
    qint64 measuredRows = 0;    ///< that were held while measuring
    qint64 measuredBytes = -1;  ///< at most resident while measuring
    qint64 programBytes = -1;   ///< resident before that
    WarmStartFacts warmStart;
    qint64 trainRows = -1;
    int wideInputs = -1;
    int deepInputs = -1;
    QList<StrategyFacts> strategies; ///< empty if not reported
    WorkersFacts workers;

    bool isEmpty() const { return parameters < 0 && layers.isEmpty(); }
    /// Null if nothing is known about it.
    const StrategyFacts* strategy(const QString& name) const;
};

/// From the JSON of `cannery plan FILE --json`.
PlanFacts planFactsFromJson(const QJsonObject& plan);
/// From the JSON of `cannery plan FILE --learning-rates --json`, or without that option.
QList<LearningRateFacts> learningRatesFromJson(const QJsonObject& plan);

} // namespace cannery::ui
