// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/train_and_evaluate.h"

#include <QTemporaryDir>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::tests {

/// A project in a temporary folder with a small table and an experiment that trains on it.
class TrainingFixture
{
public:
    TrainingFixture();

    /// For request(): a model of three megabytes, which is saved in the background.
    static constexpr const char* kLarge =
        "estimator { dnn_linear_combined_classifier { dnn_hidden_units: [500, 500] } } ";

    std::string path(const std::string& name) const;
    std::string modelDir() const { return path("model"); }

    /// The experiment with additional text merged into it ("train_spec { ... }").
    train::TrainRequest request(const std::string& more, const std::string& evenMore = "") const;
    /// Trains into modelDir() and returns the report.
    Result<train::TrainReport> train(const std::string& more, int threads = 1);
    /// Trains in a separate process, which is killed after a step; false if it ended in another
    /// way.
    bool trainUntilKilled(const std::string& more, std::int64_t step) const;

    /// Every byte of a file; a missing one fails the test.
    static std::string bytes(const std::string& path);
    /// The step of the newest checkpoint in a folder, after reading all of its tensors.
    static Result<std::int64_t> readNewest(const std::string& modelDir);
    /// Steps of the checkpoints in a folder, ascending.
    static std::vector<std::int64_t> steps(const std::string& modelDir);

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

/// Records events; optionally stops the training after a step.
class RecordingObserver : public train::TrainingObserver
{
public:
    void stepDone(std::int64_t globalStep, double loss) override;
    void checkpointSaved(std::int64_t globalStep, const std::string& prefix) override;
    void evaluated(const train::EvaluationResult& result) override;
    void exported(const train::ExportResult& result) override;
    void logged(train::LogLevel level, std::string_view sentence) override;

    std::vector<double> losses;
    std::vector<std::int64_t> saved;
    std::vector<std::int64_t> evaluatedSteps;
    std::vector<std::string> exporters;
    std::vector<std::string> log;
    std::int64_t stopAfter = -1;
    std::atomic<bool> stop = false;
};

} // namespace cannery::tests
