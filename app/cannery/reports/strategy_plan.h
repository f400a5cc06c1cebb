// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/lowered_model.h"
#include "core/spec/experiment.pb.h"
#include "core/strategies/worker_advice.h"
#include "core/train/loop/step_probe.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// What a strategy would do here: as the experiment has it or, if it has another one, with one
/// replica per CPU where it takes several.
struct PlannedStrategy
{
    std::string name; ///< "mirrored"
    std::string needs;
    std::string reason; ///< why it is not available, or does not do more; a sentence or empty
    bool isAvailable = true;
    bool isChosen = false;
    std::int64_t replicas = 1; ///< of all processes
    std::int64_t batchPerReplica = 0;
    std::int64_t batchPerStep = 0;
    std::int64_t memoryBytes = 0; ///< of one process
    std::optional<double> stepsPerSecond;
    std::optional<double> rowsPerSecond;
};

/// How many workers are worth it.
struct PlannedWorkers
{
    std::string network; ///< "10 Gbit/s"
    strategies::NetworkFigures figures;
    bool isMeasured = false; ///< whether messages were timed on this machine
    strategies::WorkerStep step;
    std::optional<strategies::WorkerAdvice> advice; ///< if steps were measured

    /// The advice, or why there is none.
    std::string sentence() const;
};

struct StrategyPlan
{
    std::vector<PlannedStrategy> strategies; ///< in the order of the catalog
    PlannedWorkers workers;
    std::vector<double> stepSeconds; ///< of measured steps on one batch, in their order
};

inline constexpr const char* kDefaultNetwork = "10";
inline constexpr const char* kLoopbackNetwork = "loopback";
/// Gbit/s, or loopback.
std::vector<std::string> networkChoices();

struct StrategyOptions
{
    bool probe = false;                    ///< measure other strategies and messages, too
    std::int64_t workers = 1;              ///< of strategies that span processes
    std::string network = kDefaultNetwork; ///< one of networkChoices()
};

struct StrategyQuestion
{
    const spec::Experiment& experiment; ///< resolved and valid
    std::string folder;
    const graph::LoweredModel& lowered;
    kernels::ThreadPool& pool;
    const features::EncodedDataset& rows; ///< to measure with
    const train::MeasuredSteps& measured; ///< of the experiment as it is
    std::int64_t trainRows = 0;
    std::int64_t commonBytes = 0; ///< memory that no strategy changes
    StrategyOptions options = {};
};

/// Errors: those of training a throwaway model.
Result<StrategyPlan> planStrategies(const StrategyQuestion& question);

} // namespace cannery::app
