// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluator.h"

#include "core/data/pipeline.h"
#include "core/spec/strategy_devices.h"
#include "core/train/slice_metrics.h"

#include <algorithm>
#include <limits>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoRows{"train.no_eval_rows",
                            "There are no rows to evaluate on; check data.eval, or the fraction "
                            "that data.split holds back."};

data::Pipeline pipelineOf(const spec::Input& input, std::int64_t rows)
{
    return data::Pipeline({.rows = rows,
                           .batchSize = input.batch_size(),
                           .shuffle = input.has_shuffle() && input.shuffle(),
                           .seed = static_cast<std::uint64_t>(input.shuffle_seed()),
                           .numEpochs = std::max<std::int64_t>(1, input.num_epochs()),
                           .dropRemainder = input.drop_remainder()});
}

/// 0: all.
std::int64_t wantedBatches(const EvaluationRequest& request)
{
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return request.steps <= 0 ? 0
           : request.steps > kMost / request.batchesPerStep
               ? kMost
               : request.steps * request.batchesPerStep;
}

std::int64_t expectedRows(const EvaluationRequest& request, std::int64_t rows)
{
    const std::int64_t all = rows * std::max<std::int64_t>(1, request.input.num_epochs());
    const std::int64_t batches = wantedBatches(request);
    return batches > 0 && batches <= all / request.input.batch_size()
               ? batches * request.input.batch_size()
               : all;
}

/// Weights are their moving averages as long as this exists.
class AveragesInUse
{
public:
    explicit AveragesInUse(plan::Model& model) : m_model(model) { m_model.swapAverages(); }
    ~AveragesInUse() { m_model.swapAverages(); }
    AveragesInUse(const AveragesInUse&) = delete;
    AveragesInUse& operator=(const AveragesInUse&) = delete;

private:
    plan::Model& m_model;
};

storage::ResultTable recordOf(metrics::MetricTable table)
{
    return {.name = std::move(table.name),
            .rows = std::move(table.rows),
            .columns = std::move(table.columns),
            .values = std::move(table.values)};
}

} // namespace

EvaluationRequest evaluationOf(const spec::Experiment& experiment)
{
    const spec::EvalSpec& evalSpec = experiment.eval_spec();
    return {.input = evalSpec.input(),
            .steps = evalSpec.steps(),
            .batchesPerStep = spec::batchesPerEvaluationStep(experiment.run_config()),
            .name = evalSpec.name(),
            .metrics = {evalSpec.metric().begin(), evalSpec.metric().end()}};
}

Result<std::optional<EvaluationResult>> evaluate(TrainableModel& model,
                                                 const features::EncodedDataset& rows,
                                                 const EvaluationRequest& request)
{
    if (rows.rowCount() == 0) {
        return fail(ErrorCode::InvalidArgument, kNoRows);
    }
    const double begin = request.clock->steadyTime();
    data::Pipeline pipeline = pipelineOf(request.input, rows.rowCount());
    EvaluationResult result{
        .name = request.name, .globalStep = request.globalStep, .checkpoint = request.checkpoint};
    std::vector<std::int64_t> batchRows;
    features::EncodedRows batch;
    const AveragesInUse averagesInUse(model.model());
    CANNERY_TRY(model.beginEvaluation(request.metrics));
    CANNERY_TRY_ASSIGN(
        SliceMetrics slices,
        SliceMetrics::create(model.model(), {.slices = request.slices,
                                             .chosen = request.metrics,
                                             .batchSize = request.input.batch_size()}));
    const std::int64_t wanted = wantedBatches(request);
    std::int64_t batches = 0;
    while ((wanted == 0 || batches < wanted) && pipeline.next(batchRows)) {
        if (mustHurry(request.stop, request.control)) {
            return std::nullopt;
        }
        CANNERY_TRY(rows.gather(batchRows, batch));
        model.evaluate(batch);
        slices.add(batchRows, batch);
        result.rows += batch.rowCount;
        ++batches;
        if (request.progress) {
            request.progress(result.rows, expectedRows(request, rows.rowCount()));
        }
    }
    if (batches == 0) {
        return fail(ErrorCode::InvalidArgument, kNoRows);
    }
    result.metrics = model.evaluationResults();
    for (metrics::MetricTable& table : model.evaluationTables()) {
        result.tables.push_back(recordOf(std::move(table)));
    }
    result.slices = slices.finish();
    result.seconds = request.clock->steadyTime() - begin;
    return result;
}

std::string describe(const EvaluationResult& result)
{
    std::vector<metrics::MetricValue> all = result.metrics;
    all.push_back({"global_step", static_cast<double>(result.globalStep)});
    std::sort(all.begin(), all.end(),
              [](const auto& left, const auto& right) { return left.name < right.name; });
    std::string text;
    for (const metrics::MetricValue& metric : all) {
        text += fmt::format("{}{} = {:.8g}", text.empty() ? "" : ", ", metric.name, metric.value);
    }
    return text;
}

} // namespace cannery::train
