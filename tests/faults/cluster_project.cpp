// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/cluster_project.h"

#include "tests/support/patience.h"

#include <QTest>

namespace cannery::tests {

namespace {

/// Normalization over the batches of all adds messages that a fault may interrupt.
constexpr char kClusterExperiment[] = R"(name: "cluster"
data {
  train { csv { files: "table.csv" } }
  eval { csv { files: "table.csv" } }
  label { column: "label" }
}
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "colour" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["red", "green", "blue"] } }
feature_column { name: "colour_embedding" embedding_column { categorical_column: "colour" dimension: 2 } }
estimator {
  dnn_linear_combined_classifier {
    linear_feature_columns: ["x", "colour"]
    dnn_feature_columns: ["x", "colour_embedding"]
    dnn_hidden_units: [8, 4]
    dnn_optimizer { adam { learning_rate: 0.01 } }
    dnn_dropout: 0.1
    batch_norm: true
  }
}
train_spec { max_steps: 100 input { batch_size: 2 shuffle: true } }
eval_spec { steps: 0 input { batch_size: 32 } }
run_config { tf_random_seed: 11 save_checkpoints_steps: 20 save_summary_steps: 20 keep_checkpoint_max: 3 }
strategy {
  multi_worker_mirrored { communication_options { timeout_seconds: 2 } }
  virtual_shards: 8
  batch_norm_scope: global
}
)";

} // namespace

ClusterProject::ClusterProject()
{
    m_project.write("cluster.cannery", kClusterExperiment);
}

QStringList ClusterProject::words(const QString& folder, qint64 steps)
{
    return {"cluster.cannery",
            "--model-dir",
            folder,
            "--threads",
            "1",
            "--quiet",
            "--set",
            QString("train_spec.max_steps=%1").arg(steps)};
}

std::unique_ptr<QProcess> ClusterProject::launch(int workers, const QString& folder, qint64 steps,
                                                 const QStringList& more) const
{
    auto launcher = std::make_unique<QProcess>();
    launcher->setWorkingDirectory(path({}));
    launcher->start(CANNERY_PROGRAM,
                    QStringList{"launch", "-n", QString::number(workers)} + words(folder, steps) +
                        more,
                    QIODevice::ReadOnly);
    launcher->waitForStarted();
    return launcher;
}

bool ClusterProject::waitForStep(const QString& folder, qint64 step) const
{
    return QTest::qWaitFor([&] { return newestStep(path(folder)) >= step; }, kPatience);
}

QByteArray ClusterProject::differenceFromAlone(const QString& folder, qint64 step, bool hasEnded)
{
    const auto resultOf = [&](const QString& name) {
        RunResult result = RunResult::of(path(name).toStdString(), static_cast<int>(step));
        if (!hasEnded) {
            result.evaluations.assign(1, {});
        } else if (!result.evaluations.empty()) { // others depend on when it was disturbed
            result.evaluations = {result.evaluations.back()};
        }
        return result;
    };
    auto known = m_alone.find(step);
    if (known == m_alone.end()) {
        const QString alone = QString("alone-%1").arg(step);
        const Ended ended = m_project.cannery(QStringList{"train"} + words(alone, step));
        if (ended.exitCode != 0) {
            return "one process fails: " + ended.describe();
        }
        known = m_alone.emplace(step, resultOf(alone)).first;
    }
    return resultOf(folder).differenceFrom(known->second);
}

int endOfLauncher(QProcess& launcher)
{
    const Ended ended = endOf(launcher, 3 * kPatience);
    if (ended.exitCode != 0) {
        qWarning("%s", ended.describe().constData());
    }
    return ended.timedOut ? -1 : ended.signal != 0 ? 128 + ended.signal : ended.exitCode;
}

} // namespace cannery::tests
