// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/case_run.h"

#include "core/data/dataset.h"
#include "core/data/pipeline/sharded_input.h"
#include "core/estimators/estimator_catalog.h"
#include "core/features/feature_encoder.h"
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/strategies/strategy_catalog.h"
#include "core/train/checkpoints/checkpoint_restore.h"
#include "core/train/checkpoints/warm_start.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"

#include <algorithm>
#include <limits>

namespace cannery::tests {

namespace {

constexpr ErrorKind kBadExperiment{"golden.experiment", "{}"};

Result<spec::Experiment> experimentOf(const GoldenCase& golden)
{
    const spec::ParsedExperiment parsed = spec::checkExperiment(golden.experimentText, {});
    if (spec::hasErrors(parsed.problems)) {
        return fail(ErrorCode::InvalidArgument, kBadExperiment,
                    spec::render(parsed.problems.front(), golden.name));
    }
    return spec::resolve(parsed.experiment);
}

Result<features::EncodedDataset> encodedRows(const spec::Experiment& experiment,
                                             const GoldenCase& golden,
                                             const features::FeatureEncoder& encoder,
                                             data::DataPart part)
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(experiment.data(), golden.folder.string(), part));
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<data::FeatureStream> stream,
        dataset.read({.features = encoder.featureKeys(),
                      .labels = encoder.layout().labelWidth > 0 ? data::LabelNeed::Required
                                                                : data::LabelNeed::None}));
    features::EncodedDataset rows(encoder.layout(), {});
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, stream->next());
        if (!batch) {
            return rows;
        }
        CANNERY_TRY_ASSIGN(const features::EncodedRows encoded,
                           encoder.encode(*batch, features::Labels::Needed));
        CANNERY_TRY(rows.append(encoded));
    }
}

Result<void> restore(plan::Model& model, const std::string& prefix)
{
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(prefix));
    for (const plan::StateTensor& tensor : model.state()) {
        if (!tensor.isOptional) {
            CANNERY_TRY(train::restoreTensor(reader, tensor));
        }
    }
    return {};
}

Result<void> warmStart(CaseRun& run, const spec::Experiment& experiment, const GoldenCase& golden)
{
    if (!experiment.has_warm_start()) {
        return {};
    }
    CANNERY_TRY(
        train::warmStart(experiment.warm_start(), golden.folder.string(), run.model->state(), 0));
    for (const plan::StateTensor& tensor : run.model->state()) {
        run.warmStarted[tensor.name].assign(tensor.bytes.begin(), tensor.bytes.end());
    }
    return {};
}

/// As TensorFlow's summary has it: of the first replica.
double summarizedLoss(plan::Model& model)
{
    const std::vector<metrics::MetricValue> summaries = model.head().lossSummaries();
    const auto loss = std::ranges::find(summaries, "loss", &metrics::MetricValue::name);
    return loss == summaries.end() ? std::numeric_limits<double>::quiet_NaN() : loss->value;
}

Result<void> train(CaseRun& run, const GoldenCase& golden, const plan::Sharding& sharding,
                   const features::EncodedDataset& rows)
{
    data::ShardedInput input(
        {.pipeline = {.rows = rows.rowCount(),
                      .batchSize = golden.description.at("batch_size").get<std::int64_t>()},
         .shards = sharding.total,
         .count = sharding.count});
    std::vector<std::vector<std::int64_t>> numbers;
    std::vector<features::EncodedRows> batches(static_cast<std::size_t>(sharding.count));
    for (std::int64_t step = 0; step < golden.steps() && !run.model->trainingEnd();) {
        input.next(numbers);
        for (std::size_t shard = 0; shard < batches.size(); ++shard) {
            CANNERY_TRY(rows.gather(numbers[shard], batches[shard]));
        }
        CANNERY_TRY_ASSIGN(const std::optional<double> loss, run.model->train(batches, step));
        run.losses.push_back(sharding.total == 1 ? loss.value() : summarizedLoss(*run.model));
        step += run.model->lastStep().advanced() ? 1 : 0;
    }
    return {};
}

Result<void> evaluate(CaseRun& run, const GoldenCase& golden, const features::EncodedDataset& rows)
{
    const auto batchSize = golden.description.at("eval_batch_size").get<std::int64_t>();
    const std::unique_ptr<metrics::MetricSet> metrics = run.model->head().createMetrics();
    features::EncodedRows batch;
    for (std::int64_t first = 0; first < rows.rowCount(); first += batchSize) {
        CANNERY_TRY(rows.gatherRange(first, std::min(batchSize, rows.rowCount() - first), batch));
        run.model->inference().evaluate(batch, *metrics);
    }
    for (const metrics::MetricValue& metric : metrics->results()) {
        run.evaluation[metric.name] = metric.value;
    }
    CANNERY_TRY(rows.gatherRange(0, std::min(kPredictedRows, rows.rowCount()), batch));
    run.model->inference().predict(batch, run.predictions);
    return {};
}

} // namespace

Result<CaseRun> runGoldenCase(const GoldenCase& golden, int threads,
                              kernels::Accelerator* accelerator)
{
    CANNERY_TRY_ASSIGN(const spec::Experiment experiment, experimentOf(golden));
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, golden.folder));
    CANNERY_TRY_ASSIGN(const features::EncodedDataset trainRows,
                       encodedRows(experiment, golden, encoder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(const features::EncodedDataset evalRows,
                       encodedRows(experiment, golden, encoder, data::DataPart::Eval));
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       estimators::lower(experiment, encoder.layout()));
    CANNERY_TRY_ASSIGN(const plan::Sharding sharding, strategies::shardingOf(experiment));
    CaseRun run{.encoder = encoder, .lowered = lowered};
    CANNERY_TRY_ASSIGN(run.model,
                       plan::Model::create(std::move(lowered), {.threads = threads,
                                                                .sharding = sharding,
                                                                .accelerator = accelerator,
                                                                .folder = golden.folder}));
    CANNERY_TRY(warmStart(run, experiment, golden));
    if (golden.hasCheckpoints()) {
        CANNERY_TRY(restore(*run.model, golden.initialPrefix()));
    }
    CANNERY_TRY(train(run, golden, sharding, trainRows));
    if (golden.deterministicSteps()) {
        CANNERY_TRY(restore(*run.model, golden.finalPrefix()));
    }
    CANNERY_TRY(evaluate(run, golden, evalRows));
    return run;
}

} // namespace cannery::tests
