// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/worker_advice.h"

#include "core/base/byte_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace cannery::strategies {

namespace {

/// A worker that does less would do more in a job of its own.
constexpr double kLeastEfficiency = 0.5;
/// Differences below this are none.
constexpr double kAsFast = 0.98;
/// Batches that are a larger part of all rows leave an optimizer too few steps.
constexpr std::int64_t kFewestSteps = 10;

std::int64_t limitOf(const WorkerQuestion& question)
{
    return question.virtualShards > 0 ? std::min(question.virtualShards, kMostWorkers)
                                      : kMostWorkers;
}

/// Workers with which an epoch has enough steps. With virtual shards their number changes nothing.
std::int64_t dataLimitOf(const WorkerQuestion& question)
{
    if (question.virtualShards > 0 || question.trainRows <= 0) {
        return kMostWorkers;
    }
    const std::int64_t rows = kFewestSteps * std::max<std::int64_t>(1, question.batchRows);
    return std::clamp<std::int64_t>(question.trainRows / rows, 1, kMostWorkers);
}

/// The fewest of at most `limit` workers that are about as fast as any useful number.
std::int64_t best(const WorkerQuestion& question, std::int64_t limit)
{
    std::vector<WorkerPoint> useful;
    double fastest = 0;
    for (std::int64_t workers = 1; workers <= limit; ++workers) {
        if (question.virtualShards > 0 && question.virtualShards % workers != 0) {
            continue;
        }
        WorkerPoint point = pointOf(question, workers);
        if (point.efficiency >= kLeastEfficiency) {
            fastest = std::max(fastest, point.rowsPerSecond);
            useful.push_back(point);
        }
    }
    const auto first = std::ranges::find_if(
        useful, [&](const WorkerPoint& point) { return point.rowsPerSecond >= kAsFast * fastest; });
    return first == useful.end() ? 1 : first->workers;
}

std::string secondsText(double seconds)
{
    if (seconds < 1e-3) {
        return fmt::format("{:.3g} µs", seconds * 1e6);
    }
    return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

/// What the workers would wait for if there were more of them.
std::string waitText(const WorkerQuestion& question, std::int64_t workers)
{
    const StepSeconds seconds = pointOf(question, workers).seconds;
    const bool isSparse = seconds.sparse > seconds.exposed;
    const std::string what =
        isSparse ? std::string("rows of embeddings and category weights go to all others")
                 : fmt::format("{} of gradients are added up", byteText(question.step.denseBytes));
    return fmt::format("with {} each would compute for {} of a step and wait for {}, while {} over "
                       "{}",
                       workers, secondsText(seconds.compute),
                       secondsText(seconds.exposed + seconds.sparse + seconds.gathered), what,
                       question.networkName);
}

std::string reason(const WorkerQuestion& question, std::int64_t recommended, std::int64_t unlimited)
{
    if (recommended == question.virtualShards) {
        return fmt::format("strategy.virtual_shards gives a step {} {}", recommended,
                           recommended == 1 ? "batch" : "batches");
    }
    const auto more =
        2 * static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(recommended)));
    if (unlimited > recommended && more > dataLimitOf(question)) {
        const std::int64_t rows = more * question.batchRows;
        const std::int64_t steps = (question.trainRows + rows - 1) / rows;
        return fmt::format("with {} an epoch of {} rows has only {} {} of {} × {} rows", more,
                           question.trainRows, steps, steps == 1 ? "step" : "steps", more,
                           question.batchRows);
    }
    return waitText(question, more);
}

} // namespace

WorkerPoint pointOf(const WorkerQuestion& question, std::int64_t workers)
{
    const double batches =
        question.virtualShards > 0
            ? static_cast<double>(question.virtualShards) / static_cast<double>(workers)
            : 1;
    WorkerStep step = question.step;
    step.computeSeconds *= batches;
    step.inputSeconds *= batches;
    for (SparseTraffic& table : step.sparse) {
        table.rows = std::min(table.tableRows, table.rows * batches);
    }
    WorkerPoint point{.workers = workers, .seconds = stepSeconds(step, question.network, workers)};
    const auto rows = batches * static_cast<double>(question.batchRows);
    point.stepsPerSecond = 1 / point.seconds.total;
    point.rowsPerSecond = static_cast<double>(workers) * rows * point.stepsPerSecond;
    if (workers > 1) {
        point.efficiency =
            point.rowsPerSecond / static_cast<double>(workers) / pointOf(question, 1).rowsPerSecond;
    }
    return point;
}

WorkerAdvice adviseWorkers(const WorkerQuestion& question)
{
    WorkerAdvice advice;
    const std::int64_t limit = limitOf(question);
    for (std::int64_t workers = 1; workers <= limit; workers *= 2) {
        advice.curve.push_back(pointOf(question, workers));
    }
    const std::int64_t unlimited = best(question, limit);
    advice.recommended = std::min(unlimited, dataLimitOf(question));
    if (advice.recommended < unlimited) {
        advice.recommended = best(question, advice.recommended);
    }
    advice.sentence =
        advice.recommended == kMostWorkers
            ? fmt::format("Each of {} workers would gain over {}; more were not computed.",
                          kMostWorkers, question.networkName)
            : fmt::format("No gain beyond {} {}, because {}.", advice.recommended,
                          advice.recommended == 1 ? "worker" : "workers",
                          reason(question, advice.recommended, unlimited));
    return advice;
}

} // namespace cannery::strategies
