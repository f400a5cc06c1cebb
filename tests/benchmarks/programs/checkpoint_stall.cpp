// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/checkpoint_stall.h"

#include "core/base/check.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/train/train_and_evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

namespace cannery::benchmarks {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr const char* kExperiment = R"(
data {{ train {{ csv {{ files: "rows.csv" }} }} label {{ column: "label" }} }}
feature_column {{ name: "word" categorical_column_with_hash_bucket {{ key: "word" hash_bucket_size: {} }} }}
estimator {{ linear_classifier {{ feature_columns: ["word"] }} }}
train_spec {{ max_steps: {} input {{ batch_size: 32 }} }}
run_config {{ tf_random_seed: 1 save_checkpoints_steps: {} keep_checkpoint_max: 2 }}
)";

/// When each step was done.
class StepWatch : public train::TrainingObserver
{
public:
    explicit StepWatch(std::size_t steps) { m_times.reserve(steps + 1); }
    void started(std::int64_t, std::optional<std::int64_t>) override
    {
        m_times.push_back(SteadyClock::now());
    }
    void stepDone(std::int64_t, double) override { m_times.push_back(SteadyClock::now()); }
    void checkpointSaved(std::int64_t globalStep, const std::string&) override
    {
        m_saved.emplace_back(globalStep, SteadyClock::now());
    }

    /// From the end of the step that is saved until the checkpoint is told of, which is once it is
    /// committed; without those of step 0 and of the last step.
    std::vector<double> savesInMilliseconds() const
    {
        std::vector<double> result;
        for (const auto& [step, time] : m_saved) {
            const auto index = static_cast<std::size_t>(step);
            if (index > 0 && index + 1 < m_times.size()) {
                result.push_back(
                    std::chrono::duration<double, std::milli>(time - m_times[index]).count());
            }
        }
        return result;
    }

    /// Element s: from the end of step s to that of step s + 1; a save after step s is within.
    std::vector<double> milliseconds() const
    {
        std::vector<double> result;
        for (std::size_t i = 1; i < m_times.size(); ++i) {
            result.push_back(
                std::chrono::duration<double, std::milli>(m_times[i] - m_times[i - 1]).count());
        }
        return result;
    }

private:
    std::vector<SteadyClock::time_point> m_times;
    std::vector<std::pair<std::int64_t, SteadyClock::time_point>> m_saved;
};

double middle(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

CheckpointStall addToMetrics(const std::vector<double>& steps, const CheckpointRequest& request)
{
    CheckpointStall stall{.stepMilliseconds = middle(steps), .checkpoints = request.checkpoints};
    std::vector<double> stalls;
    double all = 0;
    for (std::size_t step = 1; step < steps.size(); ++step) {
        all += steps[step];
        if (step % static_cast<std::size_t>(request.stepsBetween) == 0) {
            stalls.push_back(steps[step] - stall.stepMilliseconds);
        }
    }
    stall.medianMilliseconds = middle(stalls);
    stall.greatestMilliseconds = *std::max_element(stalls.begin(), stalls.end());
    const double usual = stall.stepMilliseconds * static_cast<double>(steps.size() - 1);
    stall.secondsPerCheckpoint = (all - usual) / 1e3 / request.checkpoints;
    return stall;
}

} // namespace

Result<CheckpointStall> measureCheckpoints(const CheckpointRequest& request)
{
    const std::int64_t buckets = request.megabytes * 1'000'000 / 12;
    const std::int64_t steps = request.stepsBetween * (request.checkpoints + 1);
    std::filesystem::create_directories(request.folder);
    std::ofstream rows(request.folder + "/rows.csv");
    rows << "word,label\n";
    for (int row = 0; row < 4096; ++row) {
        rows << "w" << row << ',' << row % 2 << '\n';
    }
    rows.close();
    spec::ParsedExperiment parsed =
        spec::parseExperiment(fmt::format(kExperiment, buckets, steps, request.stepsBetween));
    CANNERY_CHECK(!spec::hasErrors(parsed.problems));
    StepWatch watch(static_cast<std::size_t>(steps));
    CANNERY_TRY_ASSIGN(const train::TrainReport report,
                       train::trainAndEvaluate({.experiment = std::move(parsed.experiment),
                                                .experimentFile = request.folder + "/stall.cannery",
                                                .modelDir = request.folder + "/model",
                                                .threads = 1,
                                                .observer = &watch}));
    CheckpointStall stall = addToMetrics(watch.milliseconds(), request);
    stall.wholeMilliseconds = middle(watch.savesInMilliseconds());
    stall.bytes = std::filesystem::file_size(
        fmt::format("{}/model.ckpt-{}.data-00000-of-00001", report.modelDir, steps));
    return stall;
}

} // namespace cannery::benchmarks
