// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/sharding.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace cannery::strategies {

struct StrategyRow
{
    spec::Strategy::KindCase key;
    std::string_view name;           ///< of the field of spec::Strategy: "mirrored"
    std::string_view tensorflowName; ///< "MirroredStrategy"
    std::string_view needs;          ///< to do more than one_device does: a noun phrase
    bool spansProcesses = false;     ///< trains with all workers of a cluster, in step
    bool hasServers = false; ///< parameter servers hold the variables; see ParameterServerStrategy
    bool mirrorsSlots = false; ///< see slotCopies()
};

/// Every strategy, in the order of the schema.
std::span<const StrategyRow> strategyCatalog();

/// The row of the experiment's strategy, which must be resolved.
const StrategyRow& strategyOf(const spec::Experiment& resolved);

/// How often a checkpoint has each slot of an optimizer: once, or once for each mirrored replica as
/// `<slot>`, `<slot>/replica_1` and so on (seen in TensorFlow 2.15.1).
std::int64_t slotCopies(const spec::Experiment& resolved);

/// One process of those that train together; they are numbered like TensorFlow's global ids.
struct Process
{
    std::int64_t rank = 0;
    std::int64_t count = 1;
    std::int64_t rankOnHost = 0; ///< among those on the same host
};

/// The shards of a training step: virtual_shards, or one for each replica of each process.
/// Consecutive shards belong to one process. Errors: "strategies.shards_of_processes" if the
/// processes cannot share virtual_shards equally.
Result<plan::Sharding> shardingOf(const spec::Experiment& resolved, const Process& process = {});

} // namespace cannery::strategies
