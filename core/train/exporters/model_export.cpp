// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/model_export.h"

#include "core/data/dataset.h"
#include "core/export/saved_model_exporter.h"
#include "core/export/served_experiment.h"
#include "core/features/usable_rows.h"
#include "core/plan/part_optimizer.h"
#include "core/train/preparation/dataset_loader.h"
#include "storage/io/beneath.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/saved_model_writer.h"
#include "storage/tf/graphs/warmup_requests.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace cannery::train {
namespace {

constexpr ErrorKind kAssetName{
    "train.asset_name",
    "An extra file cannot be called '{}' in an export: give a relative path without '..', such as "
    "notes/readme.txt, and not the name of a file that is written there anyway."};

/// Name below assets.extra/ → path that can be opened here.
Result<std::map<std::string, std::string>> assetPaths(const ExportExtras& extras,
                                                      const std::string& folder)
{
    std::map<std::string, std::string> paths;
    for (const auto& [name, file] : extras.assets) {
        // These are written by the export itself.
        const bool isTaken = name == storage::kChecksumsFile ||
                             name == exporting::kServedExperimentFile ||
                             (extras.warmupRows > 0 && name == storage::kWarmupRequestsFile);
        if (!storage::isNameBeneath(name) || isTaken) {
            return fail(ErrorCode::InvalidArgument, kAssetName, name);
        }
        paths[name] = (std::filesystem::path(folder) / file).string();
    }
    return paths;
}

/// The first rows of evaluation (or of training, if there are none), with the inputs of the
/// receiver as far as the table has them.
Result<std::vector<data::FeatureBatch>> warmupRows(const features::FeatureEncoder& encoder,
                                                   const ModelExportRequest& request,
                                                   const std::string& folder)
{
    const spec::Experiment& experiment = encoder.experiment();
    // Evaluation rows are closer to what will be sent to a server.
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(experiment.data(), folder,
                                           hasEvalData(experiment) ? data::DataPart::Eval
                                                                   : data::DataPart::Train));
    std::vector<std::string> names = encoder.inputKeys();
    for (const std::string& name : request.rawFeatures) {
        if (std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    // A receiver can take features that the table does not have.
    std::erase_if(names, [&](const std::string& name) {
        return dataset.find(name) == nullptr && dataset.schema().find(name) == nullptr;
    });
    std::int64_t left = request.extras.warmupRows;
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                       dataset.read({.features = std::move(names),
                                     .labels = data::LabelNeed::None,
                                     .maxRows = static_cast<std::uint64_t>(left),
                                     // Rows without a label or with bad cells can still be
                                     // requests.
                                     .keepsUnusable = true}));
    std::vector<data::FeatureBatch> batches;
    while (left > 0) {
        CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> batch, stream->next());
        if (!batch) {
            break;
        }
        features::EncodedRows encoded; // what cannot be encoded is not a request
        CANNERY_TRY(features::encodeUsable(encoder, {.skipsBad = true}, *batch,
                                           features::Labels::None, dataset.files(), encoded));
        // A batch can be larger than what is still missing.
        batch->rowCount = std::min(batch->rowCount, left);
        left -= batch->rowCount;
        batches.push_back(*std::move(batch));
    }
    return batches;
}

/// The values that the graph's variables, or a learner, have in a checkpoint.
struct CheckpointValues
{
    std::vector<storage::HostTensor> tensors;
    std::vector<std::string> names;

    std::vector<storage::NamedTensor> named() const
    {
        std::vector<storage::NamedTensor> all;
        for (std::size_t i = 0; i < names.size(); ++i) {
            all.push_back({names[i], tensors[i]});
        }
        return all;
    }
};

Result<CheckpointValues> readValues(const storage::CheckpointReader& reader,
                                    const graph::LoweredModel& lowered,
                                    exporting::ExportModes modes)
{
    CheckpointValues values;
    for (const graph::Variable& variable : lowered.graph.variables) {
        // Served values are the averages if training kept some.
        CANNERY_TRY_ASSIGN(storage::HostTensor value,
                           reader.read(plan::inferenceTensor(lowered, variable)));
        values.tensors.push_back(std::move(value));
        values.names.push_back(variable.name);
    }
    // A learner's values and those of training are not variables of the graph.
    if (lowered.learner != nullptr || modes == exporting::ExportModes::All) {
        for (const storage::CheckpointEntry& entry : reader.entries()) {
            if (std::ranges::find(values.names, entry.name) != values.names.end()) {
                // Variables of the graph may be served under the name of another tensor.
                continue;
            }
            CANNERY_TRY_ASSIGN(storage::HostTensor value, reader.read(entry.name));
            values.tensors.push_back(std::move(value));
            values.names.push_back(entry.name);
        }
    }
    return values;
}

} // namespace

Result<std::string> exportCheckpoint(const features::FeatureEncoder& encoder,
                                     const graph::LoweredModel& lowered,
                                     const ModelExportRequest& request,
                                     const std::string& experimentFolder)
{
    // Before anything is written: a wrong name must not leave half an export.
    CANNERY_TRY_ASSIGN(auto assets, assetPaths(request.extras, experimentFolder));
    std::vector<data::FeatureBatch> rows;
    if (request.extras.warmupRows > 0) {
        CANNERY_TRY_ASSIGN(rows, warmupRows(encoder, request, experimentFolder));
    }
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(request.checkpoint));
    CANNERY_TRY_ASSIGN(const CheckpointValues values, readValues(reader, lowered, request.modes));
    const std::vector<storage::NamedTensor> tensors = values.named();
    CANNERY_TRY_ASSIGN(const std::int64_t globalStep, reader.readInt64("global_step"));
    // The base is made late, so that a failure leaves no empty folder.
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
         .assetsExtra = std::move(assets),
         .asText = request.extras.asText,
         .warmupRows = rows,
         .version = request.version,
         .modes = request.modes,
         .folder = experimentFolder},
        request.exportBase);
}

} // namespace cannery::train
