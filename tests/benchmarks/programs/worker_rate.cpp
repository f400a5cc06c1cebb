// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/worker_rate.h"

#include "core/cluster/launcher.h"
#include "core/spec/text/parsed_experiment.h"
#include "tests/benchmarks/programs/prepared_model.h"

#include <algorithm>
#include <chrono>

namespace cannery::benchmarks {

namespace {

constexpr ErrorKind kNoCluster{"benchmarks.no_cluster",
                               "TF_CONFIG names no cluster: it must name every worker."};
/// A step is measured as often as this at least.
constexpr std::int64_t kFewestCalls = 5;

double clockSeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

using Group = std::unique_ptr<strategies::WorkerGroup>;

Result<Group> joinGroup(const strategies::SumOptions& sums)
{
    CANNERY_TRY_ASSIGN(const std::optional<cluster::ClusterSpec> cluster,
                       cluster::clusterOfEnvironment(cluster::environmentOfProcess()));
    if (!cluster) {
        return fail(ErrorCode::InvalidArgument, kNoCluster);
    }
    auto group = std::make_unique<strategies::WorkerGroup>(strategies::WorkerGroup::Options{
        .cluster = *cluster, .version = "benchmark", .sums = sums, .silenceSeconds = 60});
    CANNERY_TRY(group->open("benchmark"));
    CANNERY_TRY(group->join());
    return group;
}

Result<double> secondsOfSum(strategies::WorkerGroup& group, std::span<float> values)
{
    const double begin = clockSeconds();
    group.exchange().begin(values, true);
    CANNERY_TRY(group.exchange().finish({}));
    return clockSeconds() - begin;
}

/// All workers come together, and go on with the first one's number.
Result<std::int64_t> agree(strategies::WorkerGroup& group, std::int64_t number)
{
    CANNERY_TRY(group.share(0, std::as_writable_bytes(std::span(&number, 1))));
    return number;
}

/// Nobody leaves while others measure. Whoever leaves first may break this last call.
void leave(strategies::WorkerGroup& group)
{
    (void)agree(group, 0);
    group.leave(coordinator::Outcome::Done, "");
}

std::int64_t trainableBytes(PreparedModel& model)
{
    std::int64_t bytes = 0;
    for (const plan::StateTensor& tensor : model.model->state()) {
        bytes += tensor.trainable ? static_cast<std::int64_t>(tensor.bytes.size()) : 0;
    }
    return bytes;
}

/// The means of a slice.
struct StepSeconds
{
    double whole = 0;
    double waited = 0; ///< for others, after its own computation
};

Result<StepSeconds> runSteps(PreparedModel& model, std::int64_t steps,
                             const strategies::WorkerGroup& group)
{
    StepSeconds seconds;
    const double begin = clockSeconds();
    for (std::int64_t step = 0; step < steps; ++step) {
        CANNERY_TRY(model.step());
        seconds.waited += group.waitSeconds() / static_cast<double>(steps);
    }
    seconds.whole = (clockSeconds() - begin) / static_cast<double>(steps);
    return seconds;
}

/// What the rounds have measured.
struct Rounds
{
    std::vector<double> alone;
    std::vector<double> together;
    std::vector<double> waits;
    std::vector<double> sums;
    std::vector<double> ratios;
};

} // namespace

Result<WorkerRate> measureWorker(const WorkerRateRequest& request)
{
    const std::string strategy = "multi_worker_mirrored { communication_options { " +
                                 request.options + " } } " + request.strategy;
    const spec::Strategy parsed =
        spec::parseExperiment("strategy { " + strategy + " }").experiment.strategy();
    CANNERY_TRY_ASSIGN(const Group group, joinGroup(strategies::sumOptionsOf(parsed)));
    ModelRequest model{.experimentFile = request.experimentFile,
                       .strategy = "one_device {}",
                       .batch = request.batch};
    CANNERY_TRY_ASSIGN(PreparedModel alone, prepareModel(model));
    model.strategy = strategy;
    model.group = group.get();
    CANNERY_TRY_ASSIGN(PreparedModel together, prepareModel(model));
    WorkerRate rate{.denseBytes = trainableBytes(alone)};
    std::vector<float> values(static_cast<std::size_t>(rate.denseBytes) / sizeof(float), 0.0F);
    CANNERY_TRY(runSteps(alone, 1, *group));
    Rounds rounds;
    for (int round = 0; round < request.rounds; ++round) {
        CANNERY_TRY(agree(*group, 0));
        CANNERY_TRY_ASSIGN(const StepSeconds own, runSteps(alone, request.steps, *group));
        CANNERY_TRY(runSteps(together, 1, *group)); // until the last worker is there
        CANNERY_TRY_ASSIGN(const StepSeconds shared, runSteps(together, request.steps, *group));
        CANNERY_TRY(agree(*group, 0));
        CANNERY_TRY_ASSIGN(const double sum, secondsOfSum(*group, values));
        rounds.alone.push_back(own.whole);
        rounds.together.push_back(shared.whole);
        rounds.waits.push_back(shared.waited);
        rounds.ratios.push_back(own.whole / shared.whole);
        rounds.sums.push_back(sum);
    }
    leave(*group);
    rate.aloneMilliseconds = median(rounds.alone) * 1e3;
    rate.togetherMilliseconds = median(rounds.together) * 1e3;
    rate.waitMilliseconds = median(rounds.waits) * 1e3;
    rate.sumMilliseconds = median(rounds.sums) * 1e3;
    rate.speed = median(rounds.ratios);
    return rate;
}

Result<std::vector<AllReduceRate>> measureAllReduce(const AllReduceRequest& request, int* workers)
{
    CANNERY_TRY_ASSIGN(const Group group, joinGroup({.isExact = request.order == "exact",
                                                     .isRing = request.order == "ring"}));
    *workers = group->process().count;
    std::vector<AllReduceRate> rates;
    for (const std::int64_t bytes : request.sizes) {
        std::vector<float> values(static_cast<std::size_t>(bytes) / sizeof(float), 0.0F);
        CANNERY_TRY_ASSIGN(const double once, secondsOfSum(*group, values));
        AllReduceRate rate{.bytes = bytes};
        CANNERY_TRY_ASSIGN(
            rate.calls, agree(*group, std::max(kFewestCalls,
                                               static_cast<std::int64_t>(request.seconds / once))));
        std::vector<double> times;
        for (std::int64_t call = 0; call < rate.calls; ++call) {
            CANNERY_TRY_ASSIGN(const double seconds, secondsOfSum(*group, values));
            times.push_back(seconds);
        }
        rate.leastSeconds = *std::ranges::min_element(times);
        rate.medianSeconds = median(std::move(times));
        rates.push_back(rate);
    }
    leave(*group);
    return rates;
}

} // namespace cannery::benchmarks
