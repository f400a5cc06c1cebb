// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/step_rate.h"

#include "core/data/dataset.h"
#include "core/spec/experiment_file.h"
#include "core/train/dataset_loader.h"
#include "core/train/training_setup.h"
#include "kernels/device/cpu_level.h"
#include "kernels/device/thread_pool.h"
#include "tests/benchmarks/programs/peak_rate.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace cannery::benchmarks {

namespace {

/// Steps and loop take turns so often that a neighbour who comes or goes meets both.
constexpr double kSliceSeconds = 0.01;

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Prepared
{
    std::unique_ptr<kernels::ThreadPool> pool;
    std::unique_ptr<train::TrainableModel> model;
    features::EncodedRows batch;
};

Result<Prepared> prepare(const StepRateRequest& request)
{
    CANNERY_TRY_ASSIGN(spec::ParsedExperiment parsed, spec::loadExperiment(request.experimentFile));
    parsed.experiment.mutable_train_spec()->mutable_input()->set_batch_size(request.batch);
    parsed.experiment.clear_eval_spec();
    const std::string folder =
        std::filesystem::absolute(request.experimentFile).parent_path().string();
    CANNERY_TRY_ASSIGN(
        const data::Dataset dataset,
        data::Dataset::open(parsed.experiment.data(), folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(const spec::Experiment experiment,
                       train::resolveWithStatistics(parsed.experiment, dataset, 1));
    auto pool = std::make_unique<kernels::ThreadPool>(request.threads);
    CANNERY_TRY_ASSIGN(
        train::TrainingSetup training,
        train::setUpTraining(
            {.experiment = experiment, .folder = folder, .trainData = dataset, .pool = *pool}));
    Prepared prepared{.pool = std::move(pool), .model = std::move(training.model)};
    CANNERY_TRY(training.trainRows.gatherRange(
        0, std::min(request.batch, training.trainRows.rowCount()), prepared.batch));
    return prepared;
}

} // namespace

Result<StepRate> measureSteps(const StepRateRequest& request)
{
    CANNERY_TRY_ASSIGN(Prepared prepared, prepare(request));
    const kernels::CpuLevel level = kernels::cpuLevel();
    StepRate rate;
    const auto step = [&] { (void)prepared.model->train({&prepared.batch, 1}, rate.steps++); };
    step();
    std::vector<double> times;
    std::vector<double> peaks;
    double before = peakRate(level, kSliceSeconds / 4);
    const double begin = processorSeconds();
    do {
        const double start = processorSeconds();
        std::int64_t count = 0;
        do {
            step();
            ++count;
        } while (processorSeconds() - start < kSliceSeconds);
        const double seconds = (processorSeconds() - start) / static_cast<double>(count);
        const double after = peakRate(level, std::max(kSliceSeconds, seconds) / 4);
        times.push_back(seconds);
        peaks.push_back((before + after) / 2 * seconds);
        before = after;
    } while (processorSeconds() - begin < request.seconds);
    rate.millisecondsPerStep = median(times) * 1e3;
    rate.peakGflopPerStep = median(peaks);
    rate.leastPeakGflopPerStep = *std::min_element(peaks.begin(), peaks.end());
    return rate;
}

} // namespace cannery::benchmarks
