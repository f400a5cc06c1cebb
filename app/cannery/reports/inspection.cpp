// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/inspection.h"

#include "app/cannery/reports/export_features.h"
#include "core/base/counted.h"
#include "core/base/json_text.h"
#include "core/base/text_table.h"
#include "core/data/sources/record_signature.h"
#include "core/reports/inspection.pb.h"
#include "core/reports/report_json.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/record_file.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <limits>
#include <map>

namespace cannery::app {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr ErrorKind kNothingThere{"inspect.not_found", "There is no file or folder {} to inspect."};
constexpr ErrorKind kNoCheckpoint{
    "inspect.no_checkpoint",
    "There is no checkpoint at {}: give the folder of a run, a SavedModel or a checkpoint such as "
    "model.ckpt-200."};

constexpr std::string_view kIndexEnding = ".index";
constexpr std::int64_t kShownRecords = 5;
constexpr std::int64_t kAllEvents = std::numeric_limits<std::int64_t>::max();

/// Appends a member with a new name: a lookup in an ordered object compares all names before it,
/// and a file may have hundreds of thousands.
void addMember(Json& object, const std::string& name, Json value)
{
    auto& members = object.get_ref<Json::object_t&>();
    static_cast<Json::object_t::Container&>(members).emplace_back(name, std::move(value));
}

Json signatureJson(const std::map<std::string, storage::TensorInfo>& tensors)
{
    Json result = Json::object();
    for (const auto& [key, info] : tensors) {
        addMember(result, key,
                  {{"dtype", std::string(name(info.dtype))},
                   {"shape", info.hasUnknownRank ? "unknown" : info.shape.toString()},
                   {"tensor", info.name}});
    }
    return result;
}

void addSignatureLines(std::vector<std::string>& lines, std::string_view what,
                       const std::map<std::string, storage::TensorInfo>& tensors)
{
    for (const auto& [key, info] : tensors) {
        lines.push_back(fmt::format("    {} {}: {} {}", what, key, name(info.dtype),
                                    info.hasUnknownRank ? "unknown shape" : info.shape.toString()));
    }
}

std::string featureText(const storage::FeatureValues& values)
{
    if (const auto* strings = std::get_if<std::vector<std::string>>(&values)) {
        return jsonText(Json(*strings));
    }
    if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
        return jsonText(Json(*floats));
    }
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&values)) {
        return jsonText(Json(*integers));
    }
    return "[]";
}

Inspection tableOf(std::string title, const std::vector<std::string>& header,
                   const std::vector<std::vector<std::string>>& rows, std::string json)
{
    Inspection result{.lines = {std::move(title)}, .json = std::move(json)};
    for (std::string& line : alignedTable(header, rows)) {
        result.lines.push_back("  " + std::move(line));
    }
    return result;
}

} // namespace

Result<Inspection> inspectCheckpoint(const std::string& prefix)
{
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(prefix));
    reports::InspectedCheckpoint report;
    report.set_kind("checkpoint");
    report.set_path(prefix);
    std::vector<std::vector<std::string>> rows;
    std::int64_t parameters = 0;
    for (const storage::CheckpointEntry& entry : reader.entries()) {
        rows.push_back({entry.name, std::string(name(entry.dtype)), entry.shape.toString()});
        reports::CheckpointTensor& tensor = *report.add_tensors();
        tensor.set_name(entry.name);
        tensor.set_dtype(std::string(name(entry.dtype)));
        tensor.mutable_shape()->mutable_dims()->Assign(entry.shape.dims.begin(),
                                                       entry.shape.dims.end());
        parameters += entry.shape.elementCount();
    }
    const std::string title = fmt::format("Checkpoint {}: {}, {}", prefix,
                                          counted(static_cast<std::int64_t>(rows.size()), "tensor"),
                                          counted(parameters, "value"));
    return tableOf(title, {"tensor", "dtype", "shape"}, rows, reports::reportJson(report, 2));
}

Result<Inspection> inspectSavedModel(const std::string& folder)
{
    CANNERY_TRY_ASSIGN(const storage::SavedModelContent content, storage::readSavedModel(folder));
    Inspection result{.lines = {fmt::format("SavedModel {}", folder)}};
    Json graphs = Json::array();
    for (const storage::MetaGraph& graph : content.metaGraphs) {
        Json signatures = Json::object();
        for (const auto& [key, signature] : graph.signatures) {
            result.lines.push_back(fmt::format("  signature {} ({})", key, signature.methodName));
            addSignatureLines(result.lines, "input", signature.inputs);
            addSignatureLines(result.lines, "output", signature.outputs);
            addMember(signatures, key,
                      {{"method", signature.methodName},
                       {"inputs", signatureJson(signature.inputs)},
                       {"outputs", signatureJson(signature.outputs)}});
        }
        Json assets = Json::array();
        for (const storage::AssetInfo& asset : graph.assets) {
            result.lines.push_back("  asset " + asset.fileName);
            assets.push_back(asset.fileName);
        }
        graphs.push_back({{"tags", graph.tags},
                          {"signatures", signatures},
                          {"assets", assets},
                          {"variables", graph.variables.size()}});
    }
    const Result<ExportFeatures> features = featuresOfExport(folder);
    for (const std::string& line :
         features ? featureLines(*features) : std::vector<std::string>()) {
        result.lines.push_back("  " + line);
    }
    if (content.checkpointPrefix) {
        CANNERY_TRY_ASSIGN(const Inspection variables,
                           inspectCheckpoint(*content.checkpointPrefix));
        result.lines.insert(result.lines.end(), variables.lines.begin(), variables.lines.end());
    }
    Json json{{"kind", "saved_model"}, {"path", folder}, {"meta_graphs", graphs}};
    if (features) {
        json["serving"] = Json::parse(reports::reportJson(servingReport(*features)));
    }
    result.json = jsonText(json, 2);
    return result;
}

Result<Inspection> inspectRecords(const std::string& file, std::int64_t records)
{
    CANNERY_TRY_ASSIGN(storage::RecordReader reader, storage::RecordReader::open(file));
    Inspection result;
    Json list = Json::array();
    std::int64_t count = 0;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<std::string_view> payload, reader.next());
        if (!payload) {
            break;
        }
        ++count;
        // The others are read all the same: their checksums are checked, and they are counted.
        if (count > records) {
            continue;
        }
        // Any bytes may be a record; one that is not a tf.Example is shown by its size.
        const Result<storage::Example> example = storage::parseExample(*payload);
        Json features = Json::object();
        result.lines.push_back(fmt::format("  record {}: {} bytes{}", count - 1, payload->size(),
                                           example ? "" : ", not a tf.Example"));
        if (example) {
            for (const auto& [key, values] : example->features) {
                result.lines.push_back(fmt::format("    {}: {}", key, featureText(values)));
                addMember(features, key, Json::parse(featureText(values), nullptr, false));
            }
        }
        list.push_back({{"bytes", payload->size()}, {"features", features}});
    }
    result.lines.insert(result.lines.begin(),
                        fmt::format("TFRecord file {}: {}", file, counted(count, "record")));
    result.json = jsonText(
        Json({{"kind", "tfrecord"}, {"path", file}, {"records", count}, {"first", list}}), 2);
    return result;
}

namespace {

/// A damaged one is still shown as one.
bool isNamedAsRecords(const std::string& path)
{
    const std::string name = storage::baseName(path);
    return name.find("tfrecord") != std::string::npos || name.ends_with(".records");
}

/// The latest of the exports in a folder, which are named by their times.
std::optional<std::string> latestExportIn(const std::string& folder)
{
    std::optional<std::string> latest;
    for (const std::string& name :
         storage::listFolder(folder).value_or(std::vector<std::string>())) {
        const bool isTime = name.find_first_not_of("0123456789") == std::string::npos;
        // As numbers: a longer one is greater.
        const bool isLater =
            !latest || std::pair(name.size(), name) > std::pair(latest->size(), *latest);
        if (isTime && isLater && storage::isSavedModel(storage::joinPath(folder, name))) {
            latest = name;
        }
    }
    return latest ? std::optional(storage::joinPath(folder, *latest)) : std::nullopt;
}

/// The folder itself, the model to serve of TFX's Trainer in it, or the latest export.
std::optional<std::string> savedModelIn(const std::string& folder)
{
    const std::string serving = storage::joinPath(folder, "Format-Serving");
    return storage::isSavedModel(folder)    ? std::optional(folder)
           : storage::isSavedModel(serving) ? std::optional(serving)
                                            : latestExportIn(folder);
}

} // namespace

Result<std::string> checkpointAt(const std::string& path)
{
    storage::confineRunAt(path);
    std::optional<std::string> prefix;
    if (const std::optional<std::string> model = savedModelIn(path)) {
        CANNERY_TRY_ASSIGN(const storage::SavedModelContent content,
                           storage::readSavedModel(*model));
        prefix = content.checkpointPrefix;
    } else if (storage::isFolder(path)) {
        CANNERY_TRY_ASSIGN(prefix, storage::latestCheckpoint(path));
    } else if (path.ends_with(kIndexEnding)) {
        prefix = path.substr(0, path.size() - kIndexEnding.size());
    } else {
        prefix = path;
    }
    if (!prefix || !storage::checkpointExists(*prefix)) {
        return fail(ErrorCode::NotFound, kNoCheckpoint, path);
    }
    return *prefix;
}

Result<Inspection> inspect(const std::string& path, std::optional<std::int64_t> records)
{
    storage::confineRunAt(path);
    if (storage::isFolder(path)) {
        // In this order: an export has a checkpoint of its own in it, and a run's folder has event
        // files besides its checkpoints.
        if (const std::optional<std::string> model = savedModelIn(path)) {
            return inspectSavedModel(*model);
        }
        CANNERY_TRY_ASSIGN(const std::optional<std::string> latest,
                           storage::latestCheckpoint(path));
        if (latest) {
            return inspectCheckpoint(*latest);
        }
        const std::vector<std::string> events = eventFilesBelow(path);
        return events.empty() ? inspectTable(path)
                              : inspectEventFolder(path, events, records.value_or(kAllEvents));
    }
    if (storage::checkpointExists(path)) {
        return inspectCheckpoint(path);
    }
    if (path.ends_with(kIndexEnding)) {
        return inspectCheckpoint(path.substr(0, path.size() - kIndexEnding.size()));
    }
    if (!storage::exists(path)) {
        return fail(ErrorCode::NotFound, kNothingThere, path);
    }
    if (storage::isEventFile(fs::path(path).filename().string())) {
        return inspectEvents(path, records.value_or(kAllEvents));
    }
    const bool areRecords = data::holdsRecords(path) || isNamedAsRecords(path);
    return areRecords ? inspectRecords(path, records.value_or(kShownRecords)) : inspectTable(path);
}

} // namespace cannery::app
