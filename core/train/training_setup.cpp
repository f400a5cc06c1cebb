// SPDX-License-Identifier: Apache-2.0
#include "core/train/training_setup.h"

#include "core/estimators/estimator_catalog.h"
#include "core/train/dataset_loader.h"
#include "core/train/normalizer_check.h"

#include <algorithm>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoRows{
    "train.no_train_rows",
    "There are no rows to train on; check data.train, and the fraction that data.split leaves."};

void addReport(const data::ReadReport& report, DataSummary& summary)
{
    summary.skippedRows += static_cast<std::int64_t>(report.badRowCount);
    summary.warnings.insert(summary.warnings.end(), report.badRows.begin(), report.badRows.end());
    summary.warnings.insert(summary.warnings.end(), report.warnings.begin(), report.warnings.end());
}

Result<std::unique_ptr<TrainableModel>> makeModel(const TrainingSetupRequest& request,
                                                  const graph::LoweredModel& lowered)
{
    const spec::Experiment& experiment = request.experiment;
    CANNERY_TRY_ASSIGN(
        std::unique_ptr<plan::Model> model,
        plan::Model::create(
            lowered, {.maxBatchSize = std::max(experiment.train_spec().input().batch_size(),
                                               experiment.eval_spec().input().batch_size()),
                      .pool = &request.pool,
                      .seed = static_cast<std::uint64_t>(experiment.run_config().tf_random_seed()),
                      .folder = request.folder}));
    return std::make_unique<TrainableModel>(std::move(model));
}

} // namespace

Result<TrainingSetup> setUpTraining(const TrainingSetupRequest& request)
{
    const spec::Experiment& experiment = request.experiment;
    CANNERY_TRY_ASSIGN(features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, request.folder));
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       estimators::lower(experiment, encoder.layout()));
    LoadOptions options{.threads = kernels::lend(request.pool),
                        .fingerprint = true,
                        .memoryLimit =
                            static_cast<std::uint64_t>(experiment.run_config().cache_memory_mb())
                            << 20U};
    DataSummary summary;
    ExtremeValues extremes(encoder);
    options.extremes = &extremes;
    CANNERY_TRY_ASSIGN(LoadedRows train, loadRows(request.trainData, encoder, options));
    options.extremes = nullptr;
    options.fingerprint = false;
    addReport(train.report, summary);
    for (const Error& warning : extremes.warnings()) {
        summary.warnings.push_back(warning.sentence);
    }
    summary.trainRows = train.rows.rowCount();
    if (summary.trainRows == 0) {
        return fail(ErrorCode::InvalidArgument, kNoRows);
    }
    std::optional<features::EncodedDataset> evalRows;
    if (hasEvalData(experiment)) {
        CANNERY_TRY_ASSIGN(
            const data::Dataset evalData,
            data::Dataset::openEval(experiment.data(), request.folder, request.trainData));
        CANNERY_TRY_ASSIGN(LoadedRows loaded, loadRows(evalData, encoder, options));
        addReport(loaded.report, summary);
        summary.evalRows = loaded.rows.rowCount();
        evalRows.emplace(std::move(loaded.rows));
    }
    CANNERY_TRY_ASSIGN(std::unique_ptr<TrainableModel> model, makeModel(request, lowered));
    CANNERY_TRY_ASSIGN(summary.fingerprint, request.trainData.fingerprint());
    return TrainingSetup{.encoder = std::move(encoder),
                         .lowered = std::move(lowered),
                         .trainRows = std::move(train.rows),
                         .evalRows = std::move(evalRows),
                         .summary = std::move(summary),
                         .model = std::move(model)};
}

} // namespace cannery::train
