// SPDX-License-Identifier: Apache-2.0
#include "core/train/model_export.h"

#include "core/export/saved_model_exporter.h"
#include "core/plan/part_optimizer.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoint_reader.h"

namespace cannery::train {

Result<std::string> exportCheckpoint(const features::FeatureEncoder& encoder,
                                     const graph::LoweredModel& lowered,
                                     const ModelExportRequest& request)
{
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(request.checkpoint));
    std::vector<storage::HostTensor> values;
    values.reserve(lowered.graph.variables.size());
    std::vector<storage::NamedTensor> tensors;
    for (const graph::Variable& variable : lowered.graph.variables) {
        CANNERY_TRY_ASSIGN(storage::HostTensor value,
                           reader.read(plan::inferenceTensor(lowered, variable)));
        values.push_back(std::move(value));
        tensors.push_back({variable.name, values.back()});
    }
    if (lowered.learner != nullptr) {
        values.reserve(reader.entries().size());
        for (const storage::CheckpointEntry& entry : reader.entries()) {
            CANNERY_TRY_ASSIGN(storage::HostTensor value, reader.read(entry.name));
            values.push_back(std::move(value));
            tensors.push_back({entry.name, values.back()});
        }
    }
    CANNERY_TRY_ASSIGN(const std::int64_t globalStep, reader.readInt64("global_step"));
    CANNERY_TRY(storage::makeFolders(request.exportBase));
    const features::Receiver receiver = request.receiver == spec::Receiver::raw
                                            ? features::Receiver::Raw
                                            : features::Receiver::Parsing;
    return exporting::exportSavedModel(
        {.encoder = encoder,
         .lowered = lowered,
         .receiver = {.receiver = receiver, .rawFeatures = request.rawFeatures},
         .tensors = tensors,
         .globalStep = globalStep,
         .version = request.version},
        request.exportBase);
}

} // namespace cannery::train
