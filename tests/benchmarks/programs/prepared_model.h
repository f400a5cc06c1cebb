// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/strategies/worker_group.h"
#include "core/train/trainable_model.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cannery::benchmarks {

struct ModelRequest
{
    std::string experimentFile;
    std::string strategy;   ///< text of its fields; empty: the experiment's own
    std::int64_t batch = 0; ///< rows of each shard; all of a process at most as many as there are
    int threads = 1;
    strategies::WorkerGroup* group = nullptr; ///< other processes; may be null
};

/// A model ready to train on batches that stay in memory, one for each shard of this process.
struct PreparedModel
{
    std::unique_ptr<kernels::ThreadPool> pool;
    std::unique_ptr<train::TrainableModel> model;
    std::vector<features::EncodedRows> batches;
    std::int64_t steps = 0; ///< so far

    Result<void> step();
};

/// Errors: those of reading and compiling the experiment.
Result<PreparedModel> prepareModel(const ModelRequest& request);

double median(std::vector<double> values);

} // namespace cannery::benchmarks
