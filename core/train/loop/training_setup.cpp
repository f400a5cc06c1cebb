// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/training_setup.h"

#include "core/estimators/estimator_catalog.h"
#include "core/plan/model_size.h"
#include "core/spec/class_weights.h"
#include "core/strategies/strategy_catalog.h"
#include "core/train/evaluation/evaluation_device.h"
#include "core/train/evaluation/row_groups.h"
#include "core/train/loop/sequence_steps.h"
#include "core/train/loop/step_probe.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/preparation/normalizer_check.h"
#include "kernels/accelerator/plugin.h"

#include <algorithm>

namespace cannery::train {
namespace {

/// For each device when the faster one is wanted.
constexpr double kTrySeconds = 0.3;

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

/// The model and what trains it.
Result<ChosenDevice> makeModel(const TrainingSetupRequest& request,
                               const graph::LoweredModel& lowered, const plan::Sharding& sharding,
                               const features::EncodedDataset& rows)
{
    const spec::Experiment& experiment = request.experiment;
    CANNERY_TRY_ASSIGN(const auto weights, classWeightsOf(experiment.train_spec(), lowered.head));
    const std::int64_t batchSize = experiment.train_spec().input().batch_size();
    const auto make = [&](std::span<kernels::Accelerator* const> accelerators,
                          std::int64_t trainedAtOnce) {
        const std::span<kernels::Accelerator* const> peers =
            accelerators.empty() ? accelerators : accelerators.subspan(1);
        return plan::Model::create(
            lowered,
            {.maxBatchSize = std::max(trainedAtOnce, experiment.eval_spec().input().batch_size()),
             .pool = &request.pool,
             .seed = static_cast<std::uint64_t>(experiment.run_config().tf_random_seed()),
             .sharding = sharding,
             .exchange = request.group == nullptr ? nullptr : &request.group->exchange(),
             .parameters = request.parameters,
             .classWeights = weights,
             .accelerator = accelerators.empty() ? nullptr : accelerators.front(),
             .peers = {peers.begin(), peers.end()},
             .precision = precisionOf(experiment.strategy()),
             .folder = request.folder});
    };
    const auto rate = [&](plan::Model& model) -> Result<double> {
        CANNERY_TRY_ASSIGN(const MeasuredSteps steps, measureSteps({.model = model,
                                                                    .rows = rows,
                                                                    .batchSize = batchSize,
                                                                    .shards = sharding.count,
                                                                    .partSeconds = kTrySeconds}));
        return 1 / steps.seconds;
    };
    return chooseDevice(
        {.experiment = experiment,
         .rankOnHost = request.group != nullptr ? request.group->process().rankOnHost : 0,
         .before = request.device,
         .plugin = kernels::acceleratorPlugin,
         .make = make,
         .rate = rate});
}

/// "plan.too_large" if the sequences of a batch, which only the rows tell, do not fit into memory.
Result<void> checkSequences(const TrainingSetupRequest& request,
                            const features::InputLayout& layout, const graph::LoweredModel& lowered,
                            const EncodedData& data, const plan::Sharding& sharding)
{
    const spec::Experiment& experiment = request.experiment;
    plan::ModelSizeOptions options{.batchSize = experiment.train_spec().input().batch_size(),
                                   .shards = sharding.count,
                                   .threads = request.pool.threadCount(),
                                   .isAcross = sharding.isAcross};
    CANNERY_TRY_ASSIGN(options.steps,
                       mostSteps(lowered.graph, layout, data.trainRows, options.batchSize));
    return options.steps ? plan::checkFits(lowered, options) : Result<void>();
}

/// Reads both parts: in one pass if they are cut from one table. `evalData`: a table of its own, or
/// null.
Result<EncodedData> readRows(const TrainingSetupRequest& request,
                             const features::FeatureEncoder& encoder, LoadOptions options,
                             const data::Dataset* evalData)
{
    ExtremeValues extremes(encoder);
    options.extremes = &extremes;
    DataSummary summary;
    if (request.trainData.isSplit()) {
        CANNERY_TRY_ASSIGN(LoadedParts parts, loadParts(request.trainData, encoder, options));
        addReport(parts.report, summary);
        addWarnings(extremes, summary);
        return EncodedData{.trainRows = std::move(parts.train),
                           .evalRows = std::move(parts.eval),
                           .trainFileRows = std::move(parts.trainFileRows),
                           .summary = std::move(summary)};
    }
    CANNERY_TRY_ASSIGN(LoadedRows train, loadRows(request.trainData, encoder, options));
    addReport(train.report, summary);
    addWarnings(extremes, summary);
    EncodedData data{.trainRows = std::move(train.rows),
                     .trainFileRows = std::move(train.fileRows)};
    if (evalData != nullptr) {
        options.extremes = nullptr;
        options.fingerprint = false;
        CANNERY_TRY_ASSIGN(LoadedRows eval, loadRows(*evalData, encoder, options));
        addReport(eval.report, summary);
        data.evalRows.emplace(std::move(eval.rows));
    }
    data.summary = std::move(summary);
    return data;
}

bool readsByFile(const spec::Experiment& experiment)
{
    return experiment.train_spec().input().shard() == spec::InputSharding::file;
}

/// The rows, from the cache file if it has them, else from their tables; the file then keeps them.
Result<EncodedData> encodeData(const TrainingSetupRequest& request,
                               const features::FeatureEncoder& encoder)
{
    const spec::Experiment& experiment = request.experiment;
    const LoadOptions options{
        .threads = kernels::lend(request.pool),
        .fingerprint = true,
        .memoryLimit = static_cast<std::uint64_t>(experiment.run_config().cache_memory_mb())
                       << 20U};
    std::optional<data::Dataset> evalTable;
    if (hasEvalData(experiment) && !request.trainData.isSplit()) {
        CANNERY_TRY_ASSIGN(evalTable, data::Dataset::openEval(experiment.data(), request.folder,
                                                              request.trainData));
    }
    const data::Dataset* evalData = evalTable ? &*evalTable : nullptr;
    // A cache does not know which rows are of which file.
    RowCache* cache = readsByFile(experiment) ? nullptr : request.cache;
    if (cache != nullptr) {
        CANNERY_TRY_ASSIGN(std::optional<EncodedData> kept,
                           cache->load(encoder, evalData, options.memoryLimit));
        if (kept) {
            return *std::move(kept);
        }
    }
    CANNERY_TRY_ASSIGN(EncodedData data, readRows(request, encoder, options, evalData));
    data.summary.trainRows = data.trainRows.rowCount();
    data.summary.evalRows = data.evalRows ? data.evalRows->rowCount() : 0;
    CANNERY_TRY_ASSIGN(data.summary.fingerprint, request.trainData.fingerprint());
    if (cache != nullptr && data.summary.trainRows > 0) {
        CANNERY_TRY(cache->keep(encoder, evalData, request.statistics, data));
    }
    return data;
}

} // namespace

Result<std::vector<plan::ClassWeight>> classWeightsOf(const spec::TrainSpec& training,
                                                      const spec::Head& head)
{
    std::vector<plan::ClassWeight> weights;
    for (const spec::ClassWeight& one : training.class_weight()) {
        CANNERY_TRY_ASSIGN(const std::int64_t id, spec::weightedClass(head, one.label()));
        weights.push_back({.id = id, .weight = static_cast<float>(one.weight())});
    }
    return weights;
}

Result<TrainingSetup> setUpTraining(const TrainingSetupRequest& request)
{
    const spec::Experiment& experiment = request.experiment;
    CANNERY_TRY(checkSlices(experiment, request.trainData.schema()));
    CANNERY_TRY_ASSIGN(features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, request.folder));
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       estimators::lower(experiment, encoder.layout()));
    // After everything that can be wrong without the rows, and before all that depends on them.
    CANNERY_TRY_ASSIGN(EncodedData data, encodeData(request, encoder));
    if (data.summary.trainRows == 0) {
        return fail(ErrorCode::InvalidArgument, kNoRows);
    }
    CANNERY_TRY_ASSIGN(plan::Sharding sharding,
                       strategies::shardingOf(experiment, request.group != nullptr
                                                              ? request.group->process()
                                                              : strategies::Process{}));
    std::shared_ptr<const data::FileShards> files;
    if (readsByFile(experiment)) {
        const int tasks = request.parameters == nullptr ? 1 : request.parameters->tasks();
        CANNERY_TRY_ASSIGN(data::FileShards dealt,
                           data::dealFiles(data.trainFileRows, sharding.total * tasks));
        files = std::make_shared<const data::FileShards>(std::move(dealt));
    }
    if (request.parameters != nullptr) { // a step of its own, with random numbers of its own
        sharding.first = request.parameters->rank() * sharding.count;
    }
    CANNERY_TRY(checkSequences(request, encoder.layout(), lowered, data, sharding));
    CANNERY_TRY_ASSIGN(ChosenDevice chosen, makeModel(request, lowered, sharding, data.trainRows));
    data.summary.device = chosen.device.name;
    data.summary.deviceChoice = chosen.device.choice;
    data.summary.notes.insert(data.summary.notes.end(), chosen.device.notes.begin(),
                              chosen.device.notes.end());
    auto model = std::make_unique<TrainableModel>(std::move(chosen.model));
    EvaluationDevice evaluation = chooseEvaluationDevice({.experiment = experiment,
                                                          .trainedOn = chosen.device.name,
                                                          .training = firstOf(chosen.device),
                                                          .plugin = kernels::acceleratorPlugin});
    if (evaluation.accelerator != nullptr) {
        model->deviceEvaluations().runOn(*evaluation.accelerator,
                                         precisionOf(evaluationStrategy(experiment)));
    }
    if (!evaluation.note.empty()) {
        data.summary.notes.push_back(evaluation.note);
    }
    return TrainingSetup{.encoder = std::move(encoder),
                         .lowered = std::move(lowered),
                         .trainRows = std::move(data.trainRows),
                         .evalRows = std::move(data.evalRows),
                         .files = std::move(files),
                         .summary = std::move(data.summary),
                         .sharding = sharding,
                         .device = std::move(chosen.device),
                         .evaluationDevice = std::move(evaluation.own),
                         .model = std::move(model)};
}

} // namespace cannery::train
