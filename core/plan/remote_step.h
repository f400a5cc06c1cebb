// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/plan/lane_group.h"
#include "core/plan/parameter_exchange.h"
#include "core/plan/step_record.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cannery::plan {

/// Training steps of a model whose variables are kept elsewhere: values are pulled, and gradients
/// pushed. One controlling thread.
class RemoteStep
{
public:
    /// All of them outlive this.
    struct Parts
    {
        const graph::LayerGraph& graph;
        ParameterExchange& exchange;
        LaneGroup& lanes;
        kernels::ThreadPool& pool;
        Variables& variables;
        std::span<const std::unique_ptr<PartOptimizer>> optimizers;
        StepRecord& record;
        std::int64_t shards = 1; ///< Sharding::total
    };
    explicit RemoteStep(const Parts& parts);

    /// As Model::train(). Nothing: the exchange has ended, or did not apply the step.
    Result<std::optional<double>> train(std::span<const features::EncodedRows> batches,
                                        std::int64_t globalStep);

private:
    void layOut();
    void findRows(std::span<const features::EncodedRows> batches);
    void changeStatistics();

    const graph::LayerGraph& m_graph;
    ParameterExchange& m_exchange;
    LaneGroup& m_lanes;
    kernels::ThreadPool& m_pool;
    Variables& m_variables;
    std::span<const std::unique_ptr<PartOptimizer>> m_optimizers;
    StepRecord& m_record;
    std::int64_t m_shards;
    std::int64_t m_laidOutRows = 0; ///< Network::maxRows() that what follows belongs to
    std::vector<ExchangedVariable> m_exchanged;
    std::vector<std::pair<ExchangedVariable*, std::int32_t>> m_lookups; ///< and blocks of ids
};

} // namespace cannery::plan
