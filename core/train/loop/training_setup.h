// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/data/pipeline/file_shards.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/graph/lowered_model.h"
#include "core/parameters/parameter_client.h"
#include "core/plan/class_weights.h"
#include "core/spec/experiment.pb.h"
#include "core/strategies/worker_group.h"
#include "core/train/loop/training_device.h"
#include "core/train/loop/training_observer.h"
#include "core/train/preparation/row_cache.h"
#include "core/train/trainable_model.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// Everything that a training needs before its first step: encoded rows and a fresh model.
struct TrainingSetup
{
    features::FeatureEncoder encoder;
    graph::LoweredModel lowered;
    features::EncodedDataset trainRows;
    std::optional<features::EncodedDataset> evalRows;
    /// The files of each batch of a step, if every one has its own.
    std::shared_ptr<const data::FileShards> files;
    DataSummary summary;
    plan::Sharding sharding; ///< of a training step
    TrainingDevice device;   ///< outlives the model
    std::unique_ptr<kernels::Accelerator>
        evaluationDevice; ///< if it is another one; outlives the model, too
    std::unique_ptr<TrainableModel> model;
};

struct TrainingSetupRequest
{
    const spec::Experiment& experiment; ///< resolved
    std::string folder;                 ///< base of its relative paths
    const data::Dataset& trainData;
    kernels::ThreadPool& pool; ///< reads and trains; outlives what is set up
    RowCache* cache = nullptr; ///< may have the rows, or keeps them; null: neither
    std::vector<KnownStatistics> statistics = {};      ///< of the training rows, for the cache
    strategies::WorkerGroup* group = nullptr;          ///< other processes that train in step
    parameters::ParameterClient* parameters = nullptr; ///< keeps the variables
    std::string device = {};                           ///< DeviceQuestion::before
};

/// train_spec.class_weight by the class ids of the head. Errors: those of spec::weightedClass.
Result<std::vector<plan::ClassWeight>> classWeightsOf(const spec::TrainSpec& training,
                                                      const spec::Head& head);

/// Reads and encodes the rows and compiles the model for the device that trains. Errors:
/// "train.no_train_rows" if there are none, and those of chooseDevice().
Result<TrainingSetup> setUpTraining(const TrainingSetupRequest& request);

} // namespace cannery::train
