// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/cost_model.h"

#include "core/plan/sharding.h"
#include "core/strategies/sparse_exchange.h"
#include "core/strategies/sum_options.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cannery::strategies {

namespace {

constexpr double kBytesPerGigabit = 1e9 / 8;
/// What TCP leaves of Ethernet with frames of 1,500 bytes, minus what gets lost in practice.
constexpr double kUsableShare = 0.92;
constexpr double kFloatBytes = 4;
constexpr double kRowBytes = 4;
constexpr double kBackwardShare = 2.0 / 3;
constexpr double kOverlap = 0.66;

double asDouble(std::int64_t number)
{
    return static_cast<double>(number);
}

double powerOfTwoSeconds(const NetworkFigures& network, double bytes, std::int64_t workers)
{
    const double rounds = std::log2(asDouble(workers));
    const double wire = bytes / network.bytesPerSecond;
    const double doubling = rounds * (network.latencySeconds + wire);
    const double halving =
        2 * rounds * network.latencySeconds + 2 * asDouble(workers - 1) / asDouble(workers) * wire;
    return std::min(doubling, halving);
}

/// The left part is a power of two. Both are summed at the same time; then each rank on the right
/// sends its sum to its share of the ranks on the left, and gets one back.
double treeSeconds(const NetworkFigures& network, double bytes, std::int64_t workers)
{
    if (workers < 2) {
        return 0;
    }
    if (std::has_single_bit(static_cast<std::uint64_t>(workers))) {
        return powerOfTwoSeconds(network, bytes, workers);
    }
    const std::int64_t left = plan::leftPart(workers);
    const std::int64_t right = workers - left;
    const std::int64_t sent = (left + right - 1) / right;
    return std::max(treeSeconds(network, bytes, left), treeSeconds(network, bytes, right)) +
           network.latencySeconds + asDouble(sent) * bytes / network.bytesPerSecond;
}

/// As SparseExchange decides: by what sharing saves in the values that each worker gets.
SparseWay wayOf(const SparseTraffic& table, double workers)
{
    if (table.way != SparseWay::Chosen) {
        return table.way;
    }
    const double all = table.rows * workers;
    const double saved = all - table.rows - std::min(table.tableRows, all);
    return saved * table.cols * kFloatBytes >= asDouble(kWorthwhileBytes) ? SparseWay::Share
                                                                          : SparseWay::Gather;
}

/// The bytes that a worker gets, and its messages.
struct SparseLoad
{
    double bytes = 0;
    double rounds = 0; ///< of messages from every other worker
};

SparseLoad loadOf(const SparseTraffic& table, double workers)
{
    const double rowBytes = table.cols * kFloatBytes;
    const double others = workers - 1;
    switch (wayOf(table, workers)) {
    case SparseWay::Sharded:
        return {.bytes = 2 * others / workers * table.rows * rowBytes, .rounds = 2};
    case SparseWay::Share: {
        const double free = std::max(0.0, 1 - table.rows / table.tableRows);
        const double united = table.tableRows * (1 - std::pow(free, workers));
        return {.bytes = others * table.rows * kRowBytes +
                         others / workers * (table.rows + united) * rowBytes,
                .rounds = 4};
    }
    default:
        return {.bytes = others * table.rows * (rowBytes + kRowBytes), .rounds = 2};
    }
}

/// All tables travel in the same messages.
double sparseSeconds(const WorkerStep& step, const NetworkFigures& network, double workers)
{
    SparseLoad all;
    for (const SparseTraffic& table : step.sparse) {
        const SparseLoad load = loadOf(table, workers);
        all.bytes += load.bytes;
        all.rounds = std::max(all.rounds, load.rounds);
    }
    return workers < 2 ? 0
                       : all.bytes / network.bytesPerSecond +
                             all.rounds * (workers - 1) * network.messageSeconds;
}

double gatherSeconds(const WorkerStep& step, const NetworkFigures& network, double workers)
{
    return workers < 2
               ? 0
               : step.gathers * (network.latencySeconds + (workers - 2) * network.messageSeconds) +
                     (workers - 1) * step.gatheredBytes / network.bytesPerSecond;
}

/// As workers cut them: a first pack that leaves early, and larger ones for more workers.
double packsOf(const WorkerStep& step, double workers)
{
    if (step.packs > 0) {
        return step.packs;
    }
    if (step.bytesPerPack > 0) {
        return std::max(1.0, std::ceil(step.denseBytes / step.bytesPerPack));
    }
    const plan::PackSizes sizes = packSizesFor({}, static_cast<int>(workers));
    return 1 + std::ceil(std::max(0.0, step.denseBytes - asDouble(sizes.first)) /
                         asDouble(sizes.others));
}

} // namespace

NetworkFigures ethernet(double gigabits)
{
    return {.bytesPerSecond = gigabits * kBytesPerGigabit * kUsableShare};
}

double allReduceSeconds(const NetworkFigures& network, double bytes, std::int64_t workers,
                        SumOrder order)
{
    if (workers < 2 || bytes <= 0) {
        return 0;
    }
    const double others = asDouble(workers - 1);
    const double ring = 2 * others * network.latencySeconds +
                        2 * others / asDouble(workers) * bytes / network.bytesPerSecond;
    const double tree = treeSeconds(network, bytes, workers);
    switch (order) {
    case SumOrder::Tree:
        return tree;
    case SumOrder::Ring:
        return ring;
    case SumOrder::Quick:
        break;
    }
    return std::min(tree, ring);
}

StepSeconds stepSeconds(const WorkerStep& step, const NetworkFigures& network, std::int64_t workers)
{
    StepSeconds seconds;
    const double slowest = 1 + step.jitter * std::sqrt(2 * std::log(asDouble(workers)));
    seconds.compute = step.computeSeconds * slowest;
    seconds.dense = allReduceSeconds(network, step.denseBytes, workers, step.order);
    const double last = 1 / packsOf(step, asDouble(workers));
    const double hidden = kOverlap * kBackwardShare * step.computeSeconds;
    seconds.exposed = std::max(0.0, (1 - last) * seconds.dense - hidden) + last * seconds.dense;
    seconds.sparse = sparseSeconds(step, network, asDouble(workers));
    seconds.gathered = gatherSeconds(step, network, asDouble(workers));
    seconds.total = std::max(seconds.compute + seconds.exposed + seconds.sparse + seconds.gathered +
                                 step.fixedSeconds,
                             step.inputSeconds);
    return seconds;
}

} // namespace cannery::strategies
