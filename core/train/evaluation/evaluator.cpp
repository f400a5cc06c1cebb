// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/evaluator.h"

#include "core/data/pipeline/pipeline.h"
#include "core/plan/inference.h"
#include "core/spec/strategy_devices.h"
#include "core/train/evaluation/slice_metrics.h"
#include "core/train/loop/steps_at_once.h"

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
                           // An evaluation reads its rows once, unlike training, which repeats
                           // them.
                           .numEpochs = std::max<std::int64_t>(1, input.num_epochs()),
                           .dropRemainder = input.drop_remainder()});
}

/// 0 if all batches are wanted.
std::int64_t wantedBatches(const EvaluationRequest& request)
{
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    // A product beyond 64 bits means "all", but the default of 0 is already that.
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

class Evaluation
{
public:
    Evaluation(TrainableModel& model, const features::EncodedDataset& rows,
               const EvaluationRequest& request)
        : m_model(model), m_rows(rows), m_request(request),
          m_pipeline(pipelineOf(request.input, rows.rowCount())), m_wanted(wantedBatches(request))
    {}

    Result<std::optional<EvaluationResult>> run()
    {
        const double begin = now();
        CANNERY_TRY(m_model.beginEvaluation(m_request.metrics));
        CANNERY_TRY_ASSIGN(
            m_slices,
            SliceMetrics::create(m_model.model(), {.slices = m_request.slices,
                                                   .chosen = m_request.metrics,
                                                   .batchSize = m_request.input.batch_size()}));
        CANNERY_TRY_ASSIGN(
            m_device, m_model.deviceEvaluations().prepare(m_rows, m_request.input.batch_size()));
        while (takeNumbers()) {
            if (mustHurry(m_request.stop, m_request.control)) {
                return std::nullopt;
            }
            CANNERY_TRY(m_device != nullptr ? evaluateOnDevice() : evaluateHere());
        }
        if (m_batches == 0) {
            return fail(ErrorCode::InvalidArgument, kNoRows);
        }
        EvaluationResult result{.name = m_request.name,
                                .globalStep = m_request.globalStep,
                                .checkpoint = m_request.checkpoint,
                                .metrics = m_model.evaluationResults(),
                                .slices = m_slices->finish(),
                                .rows = m_done,
                                .note = m_model.deviceEvaluations().takeNote()};
        for (metrics::MetricTable& table : m_model.evaluationTables()) {
            result.tables.push_back(recordOf(std::move(table)));
        }
        result.seconds = now() - begin;
        return result;
    }

private:
    double now() const { return m_request.clock->steadyTime(); }

    /// The rows of the next batches; false after the last one.
    bool takeNumbers()
    {
        const std::int64_t most =
            m_device == nullptr ? 1 : std::min(m_atOnce, plan::DeviceEvaluation::kMostBatches);
        m_taken = 0;
        while (m_taken < most && (m_wanted == 0 || m_batches < m_wanted)) {
            m_numbers.resize(std::max(m_numbers.size(), static_cast<std::size_t>(m_taken) + 1));
            if (!m_pipeline.next(m_numbers[static_cast<std::size_t>(m_taken)])) {
                break;
            }
            ++m_taken;
            ++m_batches;
        }
        return m_taken > 0;
    }

    std::span<const std::vector<std::int64_t>> taken() const
    {
        return std::span(m_numbers).first(static_cast<std::size_t>(m_taken));
    }

    Result<void> evaluateHere()
    {
        for (const std::vector<std::int64_t>& numbers : taken()) {
            CANNERY_TRY(m_rows.gather(numbers, m_batch));
            m_model.evaluate(m_batch);
            done({.rows = numbers,
                  .labelled = m_batch,
                  .logits = m_model.model().inference().logits()});
        }
        return {};
    }

    Result<void> passOnDevice()
    {
        for (const std::vector<std::int64_t>& numbers : taken()) {
            CANNERY_TRY(m_device->queue(numbers));
        }
        return m_device->finish();
    }

    /// If its memory is short, the CPU goes on.
    Result<void> evaluateOnDevice()
    {
        const double begin = now();
        const Result<void> passed = passOnDevice();
        if (!passed && m_model.deviceEvaluations().leavesToCpu(passed.error())) {
            m_device = nullptr;
            return evaluateHere();
        }
        CANNERY_TRY(passed);
        for (std::int64_t index = 0; index < m_device->finished(); ++index) {
            const plan::EvaluatedBatch batch = m_device->batch(index);
            m_model.evaluate(batch);
            done(batch);
        }
        m_atOnce = nextAtOnce(m_taken, now() - begin);
        return {};
    }

    /// After the metrics have it.
    void done(const plan::EvaluatedBatch& batch)
    {
        m_slices->add(batch);
        m_done += batch.labelled.rowCount;
        if (m_request.progress) {
            m_request.progress(m_done, expectedRows(m_request, m_rows.rowCount()));
        }
    }

    TrainableModel& m_model;
    const features::EncodedDataset& m_rows;
    const EvaluationRequest& m_request;
    data::Pipeline m_pipeline;
    std::int64_t m_wanted; ///< batches; 0 if all are
    std::optional<SliceMetrics> m_slices;
    plan::DeviceEvaluation* m_device = nullptr; ///< null if the CPU evaluates
    std::vector<std::vector<std::int64_t>> m_numbers;
    std::int64_t m_taken = 0;   ///< of them
    std::int64_t m_atOnce = 1;  ///< that take no longer than a moment
    std::int64_t m_batches = 0; ///< taken so far
    std::int64_t m_done = 0;    ///< rows
    features::EncodedRows m_batch;
};

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
    const AveragesInUse averagesInUse(model.model());
    return Evaluation(model, rows, request).run();
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
