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

void addWarnings(const ExtremeValues& extremes, DataSummary& summary)
{
    for (const Error& warning : extremes.warnings()) {
        summary.warnings.push_back(warning.sentence);
    }
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

/// Encoded rows of both parts; none to evaluate on when the experiment has none.
struct SetUpRows
{
    features::EncodedDataset train;
    std::optional<features::EncodedDataset> eval;
};

/// Reads both parts: by one pass where they are cut from one table.
Result<SetUpRows> readRows(const TrainingSetupRequest& request,
                           const features::FeatureEncoder& encoder, LoadOptions options,
                           DataSummary& summary)
{
    ExtremeValues extremes(encoder);
    options.extremes = &extremes;
    if (request.trainData.isSplit()) {
        CANNERY_TRY_ASSIGN(LoadedParts parts, loadParts(request.trainData, encoder, options));
        addReport(parts.report, summary);
        addWarnings(extremes, summary);
        return SetUpRows{.train = std::move(parts.train), .eval = std::move(parts.eval)};
    }
    CANNERY_TRY_ASSIGN(LoadedRows train, loadRows(request.trainData, encoder, options));
    addReport(train.report, summary);
    addWarnings(extremes, summary);
    SetUpRows rows{.train = std::move(train.rows)};
    if (hasEvalData(request.experiment)) {
        options.extremes = nullptr;
        options.fingerprint = false;
        CANNERY_TRY_ASSIGN(
            const data::Dataset evalData,
            data::Dataset::openEval(request.experiment.data(), request.folder, request.trainData));
        CANNERY_TRY_ASSIGN(LoadedRows eval, loadRows(evalData, encoder, options));
        addReport(eval.report, summary);
        rows.eval.emplace(std::move(eval.rows));
    }
    return rows;
}

} // namespace

Result<TrainingSetup> setUpTraining(const TrainingSetupRequest& request)
{
    const spec::Experiment& experiment = request.experiment;
    CANNERY_TRY_ASSIGN(features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, request.folder));
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       estimators::lower(experiment, encoder.layout()));
    const LoadOptions options{
        .threads = kernels::lend(request.pool),
        .fingerprint = true,
        .memoryLimit = static_cast<std::uint64_t>(experiment.run_config().cache_memory_mb())
                       << 20U};
    DataSummary summary;
    CANNERY_TRY_ASSIGN(SetUpRows rows, readRows(request, encoder, options, summary));
    summary.trainRows = rows.train.rowCount();
    summary.evalRows = rows.eval ? rows.eval->rowCount() : 0;
    if (summary.trainRows == 0) {
        return fail(ErrorCode::InvalidArgument, kNoRows);
    }
    CANNERY_TRY_ASSIGN(std::unique_ptr<TrainableModel> model, makeModel(request, lowered));
    CANNERY_TRY_ASSIGN(summary.fingerprint, request.trainData.fingerprint());
    return TrainingSetup{.encoder = std::move(encoder),
                         .lowered = std::move(lowered),
                         .trainRows = std::move(rows.train),
                         .evalRows = std::move(rows.eval),
                         .summary = std::move(summary),
                         .model = std::move(model)};
}

} // namespace cannery::train
