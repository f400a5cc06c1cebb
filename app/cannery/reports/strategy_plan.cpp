// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/strategy_plan.h"

#include "core/plan/model_size.h"
#include "core/spec/spec_validator.h"
#include "core/spec/strategy_devices.h"
#include "core/strategies/network_probe.h"
#include "core/strategies/strategy_catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>

namespace cannery::app {

namespace {

constexpr double kStepSeconds = 0.15; ///< of measuring steps with another number of shards
constexpr double kNetworkSeconds = 0.2;
constexpr std::int64_t kFloatBytes = 4;

constexpr const char* kAlone =
    "Without a cluster (TF_CONFIG, or cannery launch on this machine) it trains alone, as "
    "one_device does.";
constexpr const char* kOneReplica =
    "With one replica it does what one_device does: several need devices such as \"CPU:0\", "
    "\"CPU:1\".";

constexpr const char* kUnmeasured =
    "How many workers are worth it depends on the time of a step, which was not measured.";

std::optional<std::string> firstError(const spec::Experiment& experiment)
{
    const std::vector<spec::Problem> problems = spec::validate(experiment);
    const auto found = std::ranges::find_if(problems, [](const spec::Problem& problem) {
        return problem.severity == spec::Severity::Error;
    });
    return found == problems.end() ? std::nullopt : std::optional(found->error.message());
}

class StrategyPlanner
{
public:
    explicit StrategyPlanner(const StrategyQuestion& question)
        : m_question(question), m_batch(question.experiment.train_spec().input().batch_size())
    {}

    Result<StrategyPlan> plan();

private:
    Result<void> planWorkers();
    Result<PlannedStrategy> planOne(const strategies::StrategyRow& row);
    Result<std::optional<double>> secondsOf(std::int64_t shards);
    Result<train::MeasuredSteps> measure(std::int64_t shards) const;
    Result<void> measureNetwork();
    Result<void> describeStep();
    std::int64_t defaultCpus() const;
    std::int64_t virtualShards() const { return m_question.experiment.strategy().virtual_shards(); }

    const StrategyQuestion& m_question;
    std::int64_t m_batch;
    std::int64_t m_ownShards = 1;                ///< of the experiment as it is
    std::map<std::int64_t, double> m_seconds;    ///< measured, by shards
    strategies::WorkerQuestion m_workerQuestion; ///< once steps were measured
    StrategyPlan m_plan;
};

/// One replica per CPU, if they can share the batches of a step.
std::int64_t StrategyPlanner::defaultCpus() const
{
    const std::int64_t cpus = m_question.pool.threadCount();
    if (virtualShards() == 0) {
        return cpus;
    }
    // Virtual shards are a power of two, so only a power of two can share them evenly.
    const std::int64_t most = std::min(cpus, virtualShards());
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
}

Result<train::MeasuredSteps> StrategyPlanner::measure(std::int64_t shards) const
{
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<plan::Model> model,
        plan::Model::create(
            m_question.lowered,
            {.maxBatchSize = m_batch,
             .pool = &m_question.pool,
             .sharding = {.total = shards,
                          .count = shards,
                          .batchRows = m_batch,
                          .isAcross = m_question.experiment.strategy().batch_norm_scope() ==
                                      spec::BatchNormScope::global},
             .folder = m_question.folder}));
    return train::measureSteps({.model = *model,
                                .rows = m_question.rows,
                                .batchSize = m_batch,
                                .shards = shards,
                                .partSeconds = kStepSeconds});
}

/// Of a step with so many shards in this process. Unless it is measured, it takes as long for each
/// as the experiment's own.
Result<std::optional<double>> StrategyPlanner::secondsOf(std::int64_t shards)
{
    if (m_question.measured.count == 0) {
        return std::nullopt;
    }
    // Several strategies come down to the same number of shards.
    if (const auto found = m_seconds.find(shards); found != m_seconds.end()) {
        return found->second;
    }
    if (m_question.options.probe) {
        CANNERY_TRY_ASSIGN(const train::MeasuredSteps measured, measure(shards));
        m_seconds[shards] = measured.seconds;
        if (shards == 1) {
            m_plan.stepSeconds = measured.each;
        }
        return measured.seconds;
    }
    return m_question.measured.seconds * static_cast<double>(shards) /
           static_cast<double>(m_ownShards);
}

/// Loopback shows what software costs; a network adds to that.
Result<void> StrategyPlanner::measureNetwork()
{
    PlannedWorkers& workers = m_plan.workers;
    const bool isLoopback = m_question.options.network == kLoopbackNetwork;
    workers.network = isLoopback ? "this machine's loopback"
                                 : fmt::format("{} Gbit/s", m_question.options.network);
    if (!isLoopback) {
        workers.figures = strategies::ethernet(std::stod(m_question.options.network));
        if (!m_question.options.probe) {
            return {};
        }
    }
    CANNERY_TRY_ASSIGN(const strategies::NetworkFigures loopback,
                       strategies::measureLoopback(kNetworkSeconds));
    workers.isMeasured = true;
    strategies::NetworkFigures& figures = workers.figures;
    // A network is no faster than this machine's own software.
    figures.latencySeconds = isLoopback ? loopback.latencySeconds
                                        : std::max(figures.latencySeconds, loopback.latencySeconds);
    figures.bytesPerSecond = isLoopback ? loopback.bytesPerSecond
                                        : std::min(figures.bytesPerSecond, loopback.bytesPerSecond);
    return {};
}

/// A worker's step on one batch.
Result<void> StrategyPlanner::describeStep()
{
    // Of several batches, threads compute one each; then one batch is not the measure.
    const std::int64_t shards = virtualShards() > 0 ? m_ownShards : 1;
    CANNERY_TRY_ASSIGN(const std::optional<double> seconds, secondsOf(shards));
    strategies::WorkerStep& step = m_plan.workers.step;
    const plan::GradientSizes& gradients = m_question.measured.gradients;
    step.computeSeconds = *seconds / static_cast<double>(shards);
    step.denseBytes = static_cast<double>(gradients.dense * kFloatBytes);
    for (const plan::GradientSizes::Table& table : gradients.sparse) {
        // The shards of a step have rows in common, so this is the least that one of them has.
        step.sparse.push_back(
            {.rows = static_cast<double>(table.rows) / static_cast<double>(m_ownShards),
             .cols = static_cast<double>(table.cols),
             .tableRows = static_cast<double>(table.tableRows)});
    }
    step.gathers = static_cast<double>(gradients.gathers);
    step.gatheredBytes = static_cast<double>(gradients.gathered) * sizeof(double);
    const spec::Strategy& strategy = m_question.experiment.strategy();
    const spec::CommunicationOptions& options =
        strategy.multi_worker_mirrored().communication_options();
    step.bytesPerPack = static_cast<double>(options.bytes_per_pack());
    if (strategy.reduce() == spec::Reduction::fast) {
        step.order = options.implementation() == spec::CommunicationImplementation::RING
                         ? strategies::SumOrder::Ring
                         : strategies::SumOrder::Quick;
    }
    return {};
}

Result<void> StrategyPlanner::planWorkers()
{
    CANNERY_TRY(measureNetwork());
    if (m_question.measured.count == 0) {
        return {};
    }
    CANNERY_TRY(describeStep());
    PlannedWorkers& workers = m_plan.workers;
    m_workerQuestion = {.step = workers.step,
                        .network = workers.figures,
                        .networkName = workers.network,
                        .batchRows = m_batch,
                        .trainRows = m_question.trainRows,
                        .virtualShards = virtualShards()};
    workers.advice = strategies::adviseWorkers(m_workerQuestion);
    return {};
}

Result<PlannedStrategy> StrategyPlanner::planOne(const strategies::StrategyRow& row)
{
    spec::Experiment experiment = m_question.experiment;
    PlannedStrategy planned{.name = std::string(row.name),
                            .needs = std::string(row.needs),
                            .isChosen = experiment.strategy().kind_case() == row.key,
                            .batchPerReplica = m_batch};
    // A strategy that is not chosen is planned with its usual devices.
    if (!planned.isChosen) {
        *experiment.mutable_strategy() =
            spec::withKind(experiment.strategy(), row.key, defaultCpus());
    }
    const strategies::Process process{.count = row.spansProcesses ? m_question.options.workers : 1};
    planned.replicas = process.count * spec::replicasPerProcess(experiment.strategy());
    const Result<plan::Sharding> sharding = strategies::shardingOf(experiment, process);
    // The validator's sentence first: it names the field that prevents the strategy.
    std::optional<std::string> problem = firstError(experiment);
    if (!problem && !sharding) {
        problem = sharding.error().message();
    }
    if (problem) {
        planned.isAvailable = false;
        planned.reason = *problem;
        return planned;
    }
    if ((row.spansProcesses && process.count == 1) || row.hasServers) {
        planned.reason = kAlone;
    } else if (planned.replicas == 1 && row.key != spec::Strategy::kOneDevice) {
        planned.reason = kOneReplica;
    }
    planned.batchPerStep = sharding->total * m_batch;
    CANNERY_TRY_ASSIGN(const plan::ModelSize size,
                       plan::sizeOf(m_question.lowered, {.batchSize = m_batch,
                                                         .shards = sharding->count,
                                                         .threads = m_question.pool.threadCount(),
                                                         .isAcross = sharding->isAcross}));
    planned.memoryBytes =
        m_question.commonBytes + static_cast<std::int64_t>(size.gradients + size.activations);
    CANNERY_TRY_ASSIGN(std::optional<double> seconds, secondsOf(sharding->count));
    if (seconds && process.count > 1) {
        seconds = strategies::pointOf(m_workerQuestion, process.count).seconds.total;
    }
    if (seconds) {
        planned.stepsPerSecond = 1 / *seconds;
        planned.rowsPerSecond = static_cast<double>(planned.batchPerStep) / *seconds;
    }
    return planned;
}

Result<StrategyPlan> StrategyPlanner::plan()
{
    CANNERY_TRY_ASSIGN(const plan::Sharding own, strategies::shardingOf(m_question.experiment));
    m_ownShards = own.count;
    if (m_question.measured.count > 0) {
        // The experiment's own steps were measured already.
        m_seconds[m_ownShards] = m_question.measured.seconds;
        if (m_ownShards == 1) {
            m_plan.stepSeconds = m_question.measured.each;
        }
    }
    CANNERY_TRY(planWorkers());
    for (const strategies::StrategyRow& row : strategies::strategyCatalog()) {
        CANNERY_TRY_ASSIGN(PlannedStrategy planned, planOne(row));
        m_plan.strategies.push_back(std::move(planned));
    }
    return std::move(m_plan);
}

} // namespace

std::string PlannedWorkers::sentence() const
{
    return advice ? advice->sentence : kUnmeasured;
}

std::vector<std::string> networkChoices()
{
    return {"1", kDefaultNetwork, "25", "100", kLoopbackNetwork};
}

Result<StrategyPlan> planStrategies(const StrategyQuestion& question)
{
    return StrategyPlanner(question).plan();
}

} // namespace cannery::app
