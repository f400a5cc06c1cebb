// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cannery::strategies {

/// What a network between workers does with messages.
struct NetworkFigures
{
    double latencySeconds = 30e-6;  ///< α: until a short message is with a peer, software included
    double bytesPerSecond = 1.14e9; ///< B: usable, in each direction at once
    double messageSeconds = 5e-6;   ///< of each further message that is sent at the same time
};

/// Ethernet of so many Gbit/s, of which a little more than nine tenths are usable over TCP.
NetworkFigures ethernet(double gigabits);

/// The order in which workers add up dense gradients.
enum class SumOrder
{
    Tree, ///< see collectives::Communicator::allReduce
    Ring,
    Quick, ///< whichever takes less
};

/// How sparse gradients get from worker to worker.
enum class SparseWay
{
    Chosen,  ///< gathered or shared, as workers do it
    Gather,  ///< every worker sends its rows to all others
    Share,   ///< every worker adds up its share of the rows, and all get the sums
    Sharded, ///< each row of a table is on one worker: ids and values travel to it and back
};

/// The rows of a table that have a gradient in one worker's step.
struct SparseTraffic
{
    double rows = 0;      ///< k: each row counts once
    double cols = 0;      ///< d: floats
    double tableRows = 0; ///< V
    SparseWay way = SparseWay::Chosen;
};

/// A training step of one worker, without the others.
struct WorkerStep
{
    double computeSeconds = 0; ///< forward, backward, optimizer
    double fixedSeconds = 0;   ///< that no batch shortens: summaries, log
    double inputSeconds = 0;   ///< to prepare the next batch meanwhile
    double denseBytes = 0;     ///< S
    std::vector<SparseTraffic> sparse;
    double gathers = 0;       ///< g: so often it waits for what all workers have gathered
    double gatheredBytes = 0; ///< G: that it sends to each of them in all of these
    /// n: dense gradients travel in so many parts, while others are computed; 0: as many as parts
    /// of bytesPerPack give, or if that is 0, too, as many as workers choose.
    int packs = 0;
    double bytesPerPack = 0;
    double jitter = 0.03; ///< standard deviation of computeSeconds, relative to it
    SumOrder order = SumOrder::Tree;
};

/// The seconds of a step of several workers.
struct StepSeconds
{
    double compute = 0; ///< of the slowest worker
    double dense = 0;   ///< to add up dense gradients
    double exposed = 0; ///< of `dense`, while nothing is computed
    double sparse = 0;
    double gathered = 0;
    double total = 0;
};

/// What a step of `workers` workers takes on average, in seconds:
///
///     total   = max(compute + exposed + sparse + gathered + fixedSeconds, inputSeconds)
///     compute = computeSeconds (1 + jitter sqrt(2 ln P))
///     dense   = 2 log2(P) α + 2 (P-1)/P S/B          (halving-doubling; P a power of two)
///               2 (P-1) α   + 2 (P-1)/P S/B          (ring)
///     exposed = max(0, (1 - 1/n) dense - 0.66 (2/3) computeSeconds) + dense / n
///     sparse  = (P-1) (k (4d + 4) / B + 2 message)                        (gather)
///               (P-1) (k 4 / B + 4 message) + (P-1)/P (k + u) 4d/B         (share)
///               2 ((P-1)/P k 4d/B + (P-1) message)                         (sharded)
///     gathered = g (α + (P-2) message) + (P-1) G / B
///
/// where u = V (1 - (1 - k/V)^P) rows are expected in the union of all workers' (ids are 4 bytes).
///
/// Source: the cost model A7 of the design notes for scale and speed (sqrt(2 ln P): the expected
/// maximum of P normal deviates; 2/3 of compute is backward, 0.66 of which overlaps). Beyond it, as
/// workers do it: log2(P) (α + S/B) for short gradients if that is less (recursive doubling), the
/// cost of joining the parts of a tree over other numbers than powers of two, and shared rows.
StepSeconds stepSeconds(const WorkerStep& step, const NetworkFigures& network,
                        std::int64_t workers);

/// The term `dense` for this many bytes.
double allReduceSeconds(const NetworkFigures& network, double bytes, std::int64_t workers,
                        SumOrder order);

} // namespace cannery::strategies
