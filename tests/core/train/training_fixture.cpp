// SPDX-License-Identifier: Apache-2.0
#include "tests/core/train/training_fixture.h"

#include "core/base/check.h"
#include "core/spec/text/parsed_experiment.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

namespace cannery::tests {
namespace {

constexpr std::string_view kExperiment = R"(name: "Small"
data {
  train { csv { files: "train.csv" } }
  eval { csv { files: "eval.csv" } }
  label { column: "label" }
}
feature_column { name: "x" numeric_column { key: "x" normalizer { z_score {} } } }
feature_column { name: "c" categorical_column_with_vocabulary_list { key: "c" vocabulary_list: ["a", "b", "d"] } }
feature_column { name: "c_emb" embedding_column { categorical_column: "c" dimension: 3 } }
estimator {
  dnn_linear_combined_classifier {
    linear_feature_columns: ["c"]
    dnn_feature_columns: ["x", "c_emb"]
    dnn_hidden_units: [8, 4]
    dnn_dropout: 0.2
    dnn_optimizer { adam { learning_rate: 0.01 } }
  }
}
run_config { tf_random_seed: 7 }
)";

void writeTable(const std::string& path, int rows)
{
    std::ofstream file(path);
    file << "x,c,label\n";
    for (int row = 0; row < rows; ++row) {
        const int mixed = (row * 7919 + 13) % 101;
        file << mixed / 10.0 << ","
             << "abd"[row % 3] << "," << (mixed > 50 ? 1 : 0) << "\n";
    }
}

/// Kills the process after a step.
class KillingObserver : public train::TrainingObserver
{
public:
    explicit KillingObserver(std::int64_t step) : m_step(step) {}
    void stepDone(std::int64_t globalStep, double /*loss*/) override
    {
        if (globalStep == m_step) {
            kill(getpid(), SIGKILL);
        }
    }

private:
    std::int64_t m_step;
};

} // namespace

TrainingFixture::TrainingFixture() : m_folder(std::make_unique<QTemporaryDir>())
{
    writeTable(path("train.csv"), 100);
    writeTable(path("eval.csv"), 30);
}

std::string TrainingFixture::path(const std::string& name) const
{
    return m_folder->filePath(QString::fromStdString(name)).toStdString();
}

train::TrainRequest TrainingFixture::request(const std::string& more,
                                             const std::string& evenMore) const
{
    spec::ParsedExperiment base = spec::parseExperiment(std::string(kExperiment));
    CANNERY_CHECK(!spec::hasErrors(base.problems));
    for (const std::string& text : {more, evenMore}) {
        const spec::ParsedExperiment added = spec::parseExperiment(text);
        CANNERY_CHECK(!spec::hasErrors(added.problems));
        base.experiment.MergeFrom(added.experiment);
    }
    train::TrainRequest request;
    request.experiment = std::move(base.experiment);
    request.experimentFile = path("small.cannery");
    request.modelDir = modelDir();
    request.threads = 1;
    return request;
}

Result<train::TrainReport> TrainingFixture::train(const std::string& more, int threads)
{
    train::TrainRequest all = request(more);
    all.threads = threads;
    return train::trainAndEvaluate(all);
}

bool TrainingFixture::trainUntilKilled(const std::string& more, std::int64_t step) const
{
    const pid_t child = fork();
    if (child == 0) {
        KillingObserver observer(step);
        train::TrainRequest killed = request(more);
        killed.observer = &observer;
        (void)train::trainAndEvaluate(killed);
        _exit(0);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGKILL;
}

std::string TrainingFixture::bytes(const std::string& path)
{
    const Result<std::string> read = storage::readWholeFile(path);
    if (!read) {
        QTest::qFail(read.error().message().c_str(), __FILE__, __LINE__);
    }
    return read.value_or("(missing)");
}

Result<std::int64_t> TrainingFixture::readNewest(const std::string& modelDir)
{
    CANNERY_TRY_ASSIGN(const auto latest, storage::latestCheckpoint(modelDir));
    CANNERY_TRY_ASSIGN(const auto reader, storage::CheckpointReader::open(latest.value_or("none")));
    for (const storage::CheckpointEntry& entry : reader.entries()) {
        CANNERY_TRY(reader.read(entry.name));
    }
    return reader.readInt64("global_step");
}

std::vector<std::int64_t> TrainingFixture::steps(const std::string& modelDir)
{
    std::vector<std::int64_t> steps;
    for (const std::string& name :
         storage::listFolder(modelDir).value_or(std::vector<std::string>())) {
        if (name.ends_with(".index")) {
            steps.push_back(storage::checkpointStep(name.substr(0, name.size() - 6)).value_or(-1));
        }
    }
    std::sort(steps.begin(), steps.end());
    return steps;
}

void RecordingObserver::stepDone(std::int64_t globalStep, double loss)
{
    losses.push_back(loss);
    if (globalStep == stopAfter) {
        stop = true;
    }
}

void RecordingObserver::checkpointSaved(std::int64_t globalStep, const std::string&)
{
    saved.push_back(globalStep);
}

void RecordingObserver::evaluated(const train::EvaluationResult& result)
{
    evaluatedSteps.push_back(result.globalStep);
}

void RecordingObserver::exported(const train::ExportResult& result)
{
    exporters.push_back(result.exporter);
}

void RecordingObserver::logged(train::LogLevel, std::string_view sentence)
{
    log.emplace_back(sentence);
}

} // namespace cannery::tests
