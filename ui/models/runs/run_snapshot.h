// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDateTime>
#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace cannery::ui {

/// The state of a run; the store defines the names and rules of run states.
enum class RunState
{
    Queued,
    Preparing,
    Running,
    Paused,
    Finishing,
    Finished,
    Stopped,
    Failed,
    Interrupted,
};

/// How to show a state: "Running", its icon's name and the token pair of its pill.
QString displayName(RunState state);
/// True while an engine owns the run.
bool isLive(RunState state);

/// One metric over the life of a run, from the evaluations of one eval_spec or from a training tag.
struct MetricSummary
{
    QString name; ///< "auc", "eval_test/auc"; training tags as "train/loss"
    double last = 0;
    double min = 0;
    double max = 0;
    double atBest = 0; ///< at the run's best step; NaN if it was not evaluated
    qint64 lastStep = 0;
    qint64 minStep = 0;
    qint64 maxStep = 0;
};

struct CheckpointRow
{
    qint64 step = 0;
    qint64 bytes = 0;
    QDateTime savedAt;
    QString keptBecause;
    bool isBest = false;
    QList<MetricSummary> metrics; ///< from the evaluation at this step: `last` is the value
};

/// One complete evaluation, even if its checkpoint no longer exists.
struct EvaluationRow
{
    QString name; ///< of the eval_spec; empty for the unnamed one
    qint64 step = 0;
    QDateTime at;
    QList<std::pair<QString, double>> values; ///< by the metric's own name
};

struct ExportRow
{
    QString exporter;
    QString path;
    qint64 step = 0;
    QDateTime exportedAt;
};

/// One run of a project at one moment.
struct RunRow
{
    QString name;   ///< the name of its folder; the identity
    QString title;  ///< the user's name for it; if empty, the name is shown
    QString folder; ///< absolute: model_dir
    QString experimentName;
    QString experimentFile;
    QString estimator;
    RunState state = RunState::Queued;
    QString reason;
    qint64 globalStep = 0;
    std::optional<qint64> maxSteps;
    QDateTime createdAt;
    QDateTime startedAt;      ///< of its last session
    QDateTime finishedAt;     ///< of its last session
    double secondsBefore = 0; ///< in all earlier sessions together
    qint64 trainRows = 0;
    qint64 evalRows = 0;
    qint64 rowsPerStep = 0; ///< of all replicas; 0: not recorded
    QString dataFingerprint;
    QString engine;
    bool starred = false;
    bool trashed = false;
    QDateTime trashedAt;
    int colourSlot = 0; ///< 0 … 15, fixed for the run
    QStringList tags;
    QString notes;
    QList<std::pair<QString, QString>> parameters; ///< field path and text in the frozen experiment
    QList<MetricSummary> metrics;
    QList<EvaluationRow> evaluations; ///< by step
    QList<CheckpointRow> checkpoints; ///< by step
    QList<ExportRow> exports;
    qint64 bestStep = -1;
    QString decisionMetric; ///< the metric that decides what is best: "auc"; empty if unknown
    bool higherIsBetter = true;
    bool isForeign = false; ///< a folder of event files from another program: read-only
    QString error;          ///< why the run could not be read (a sentence); the rest may be empty

    QString displayName() const { return title.isEmpty() ? name : title; }
    /// The metric to show for the decision metric: instead of the mean of squares its root, which
    /// orders models alike and is in the unit of the label, where the run has it.
    QString shownMetric() const;
    const MetricSummary* metric(const QString& metricName) const;
    /// From the evaluation at exactly that step; empty if there was none.
    std::optional<double> metricAt(const QString& metricName, qint64 step) const;
    /// The text of a field in the frozen experiment; null if the run does not have it.
    QString parameter(const QString& path) const;
    /// Steps of one pass over the training rows; 0 when unknown.
    double stepsPerEpoch() const;
    /// "wide & deep 64-32": distinguishes runs at a glance.
    QString subtitle() const;
    /// Seconds that all sessions of the run took, the last until `now` while it lives; negative if
    /// it never began or its end is not known.
    double durationSeconds(const QDateTime& now) const;
};

/// Whether more of a metric is better, by its name alone, as runs of other programs have no
/// experiment: false for losses and errors, true for auc and accuracy; empty if neither is.
std::optional<bool> metricDirection(const QString& metricName);
/// The same for whatever has a best value: false for times too, true for what is unknown.
bool higherIsBetter(const QString& metricName);
/// A parameter's text without string quotes: adagrad for `"adagrad"`.
QString plainValue(const QString& parameterText);

/// All runs of a project at one moment, newest first. Immutable once published.
struct ProjectSnapshot
{
    QList<RunRow> runs;
    QStringList queue;       ///< names or titles of the waiting entries, in order
    QString error;           ///< why the store could not be read; empty if it could
    bool isReadOnly = false; ///< the project cannot be written and is shown as it is

    const RunRow* find(const QString& run) const;
    /// Why nothing can be trained or edited here, a sentence; empty if it can.
    QString changeHindrance() const;
    /// Like hindrance(), for one run, which may come from another program, or for all if it is
    /// null.
    QString changeHindrance(const RunRow* run) const;
};

using ProjectSnapshotPtr = std::shared_ptr<const ProjectSnapshot>;

} // namespace cannery::ui
