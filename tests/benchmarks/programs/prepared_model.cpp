// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/prepared_model.h"

#include "core/data/dataset.h"
#include "core/spec/experiment_file.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/train/loop/training_setup.h"
#include "core/train/preparation/dataset_loader.h"

#include <algorithm>
#include <filesystem>

namespace cannery::benchmarks {

Result<void> PreparedModel::step()
{
    CANNERY_TRY(model->train(batches, steps));
    ++steps;
    return {};
}

Result<PreparedModel> prepareModel(const ModelRequest& request)
{
    CANNERY_TRY_ASSIGN(spec::ParsedExperiment parsed, spec::loadExperiment(request.experimentFile));
    parsed.experiment.mutable_train_spec()->mutable_input()->set_batch_size(request.batch);
    parsed.experiment.clear_eval_spec();
    if (!request.strategy.empty()) {
        const std::string text = "strategy { " + request.strategy + " }";
        *parsed.experiment.mutable_strategy() = spec::parseExperiment(text).experiment.strategy();
    }
    const std::string folder =
        std::filesystem::absolute(request.experimentFile).parent_path().string();
    CANNERY_TRY_ASSIGN(
        const data::Dataset dataset,
        data::Dataset::open(parsed.experiment.data(), folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(const spec::Experiment experiment,
                       train::resolveWithStatistics(parsed.experiment, dataset, 1));
    PreparedModel prepared{.pool = std::make_unique<kernels::ThreadPool>(request.threads)};
    CANNERY_TRY_ASSIGN(train::TrainingSetup training,
                       train::setUpTraining({.experiment = experiment,
                                             .folder = folder,
                                             .trainData = dataset,
                                             .pool = *prepared.pool,
                                             .group = request.group}));
    prepared.model = std::move(training.model);
    const std::int64_t rows = training.trainRows.rowCount();
    for (std::int64_t shard = 0; shard < training.sharding.count; ++shard) {
        const std::int64_t first = shard * request.batch % std::max<std::int64_t>(1, rows);
        CANNERY_TRY(training.trainRows.gatherRange(first, std::min(request.batch, rows - first),
                                                   prepared.batches.emplace_back()));
    }
    return prepared;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

} // namespace cannery::benchmarks
