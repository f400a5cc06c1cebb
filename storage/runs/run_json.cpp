// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_json.h"

#include "core/base/json_text.h"
#include "storage/io/text_checksum.h"
#include "storage/runs/ordered_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <variant>

namespace cannery::storage {
namespace {

using Json = nlohmann::ordered_json;

constexpr ErrorKind kDamaged{"run.damaged", "The description of a run cannot be read ({}); restore "
                                            "the file or move the run's folder away."};

Json number(double value)
{
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "Infinity" : "-Infinity";
    }
    return value;
}

double number(const Json& json)
{
    if (!json.is_string()) {
        return json.get<double>();
    }
    const auto text = json.get<std::string>();
    if (text == "NaN") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return (text == "-Infinity" ? -1 : 1) * std::numeric_limits<double>::infinity();
}

template <typename T>
T valueOr(const Json& json, const char* key, T otherwise)
{
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? otherwise : found->template get<T>();
}

template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value)
{
    if (value) {
        json[key] = *value;
    }
}

template <typename T>
std::optional<T> optionalValue(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? std::nullopt
                                                   : std::optional<T>(found->template get<T>());
}

Json metricsJson(const std::vector<MetricValue>& metrics)
{
    Json json = Json::object();
    for (const MetricValue& metric : metrics) {
        json[metric.name] = number(metric.value);
    }
    return json;
}

std::vector<MetricValue> metricsOf(const Json& json)
{
    std::vector<MetricValue> metrics;
    for (const auto& [metric, value] : json.items()) {
        metrics.push_back({metric, number(value)});
    }
    return metrics;
}

Json tableJson(const ResultTable& table)
{
    Json values = Json::array();
    const std::size_t width = table.columns.size();
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        Json numbers = Json::array();
        for (std::size_t column = 0; column < width; ++column) {
            numbers.push_back(number(table.values[row * width + column]));
        }
        values.push_back(std::move(numbers));
    }
    return {{"name", table.name},
            {"rows", table.rows},
            {"columns", table.columns},
            {"values", std::move(values)}};
}

ResultTable tableOf(const Json& json)
{
    ResultTable table{.name = json.at("name").get<std::string>(),
                      .rows = json.at("rows").get<std::vector<std::string>>(),
                      .columns = json.at("columns").get<std::vector<std::string>>()};
    for (const Json& row : json.at("values")) {
        for (const Json& value : row) {
            table.values.push_back(number(value));
        }
    }
    return table;
}

/// The group's values: null for a missing one.
Json groupJson(const SliceGroup& group)
{
    Json json = Json::object();
    if (group.merged > 0) {
        json["merged"] = group.merged;
    } else {
        json["values"] = Json::array();
        for (const std::optional<std::string>& value : group.values) {
            json["values"].push_back(value ? Json(*value) : Json());
        }
    }
    json["rows"] = group.rows;
    json["metrics"] = metricsJson(group.metrics);
    return json;
}

SliceGroup groupOf(const Json& json)
{
    SliceGroup group{.merged = json.value("merged", std::int64_t{0}),
                     .rows = json.at("rows").get<std::int64_t>(),
                     .metrics = metricsOf(json.at("metrics"))};
    for (const Json& value : json.value("values", Json::array())) {
        group.values.push_back(value.is_null() ? std::nullopt
                                               : std::optional(value.get<std::string>()));
    }
    return group;
}

/// "tables" and "slices", if there are any.
void addDetails(const RunEvaluation& evaluation, Json& json)
{
    for (const ResultTable& table : evaluation.tables) {
        json["tables"].push_back(tableJson(table));
    }
    for (const EvaluationSlice& slice : evaluation.slices) {
        Json groups = Json::array();
        for (const SliceGroup& group : slice.groups) {
            groups.push_back(groupJson(group));
        }
        json["slices"].push_back({{"columns", slice.columns}, {"groups", std::move(groups)}});
    }
}

Result<void> readDetails(const Json& json, RunEvaluation& evaluation)
{
    for (const Json& table : json.value("tables", Json::array())) {
        evaluation.tables.push_back(tableOf(table));
        const ResultTable& read = evaluation.tables.back();
        if (read.values.size() != read.rows.size() * read.columns.size()) {
            return fail(ErrorCode::DataLoss, kDamaged, "a table has other numbers than cells");
        }
    }
    for (const Json& slice : json.value("slices", Json::array())) {
        EvaluationSlice& read = evaluation.slices.emplace_back();
        read.columns = slice.at("columns").get<std::vector<std::string>>();
        for (const Json& group : slice.at("groups")) {
            read.groups.push_back(groupOf(group));
        }
    }
    return {};
}

constexpr const char* kChecksum = "crc32c";
constexpr const char* kWriting = "writing";
constexpr const char* kDeleting = "deleting";

/// Adds a member with the checksum of the others.
Json sealed(Json json)
{
    json[kChecksum] = checksumText(jsonText(json));
    return json;
}

/// Whether the checksum of an object, or of every object of a list, is correct; an older one
/// without a checksum is accepted.
bool isSound(Json json)
{
    if (json.is_array()) {
        return std::all_of(json.begin(), json.end(), isSound);
    }
    const auto found = json.find(kChecksum);
    if (found == json.end()) {
        return true;
    }
    const auto checksum = found->get<std::string>();
    json.erase(kChecksum);
    return checksum == checksumText(jsonText(json));
}

/// Nesting limit: the library recurses when it copies and writes.
constexpr int kMostLevels = 64;

bool isShallow(std::string_view text)
{
    int level = 0;
    bool isInText = false;
    for (std::size_t i = 0; i < text.size() && level <= kMostLevels; ++i) {
        const char character = text[i];
        if (isInText) {
            i += character == '\\' ? 1 : 0;
            isInText = character != '"';
        } else {
            isInText = character == '"';
            level += character == '[' || character == '{' ? 1 : 0;
            level -= character == ']' || character == '}' ? 1 : 0;
        }
    }
    return level <= kMostLevels;
}

/// The library's messages quote all that it has read of an unterminated text.
std::string shortened(std::string text)
{
    constexpr std::size_t kMost = 200;
    if (text.size() > kMost) {
        text.resize(kMost);
        text += "…";
    }
    return text;
}

/// Where the JSON library's exceptions are caught.
template <typename Record, typename Convert>
Result<Record> parse(const std::string& text, const Convert& convert)
{
    if (!isShallow(text)) {
        return fail(ErrorCode::DataLoss, kDamaged,
                    fmt::format("it has more than {} levels", kMostLevels));
    }
    try {
        const std::variant<Json, std::string> read = parseOrderedJson<Json>(text);
        if (const auto* problem = std::get_if<std::string>(&read)) {
            return fail(ErrorCode::DataLoss, kDamaged, shortened(*problem));
        }
        const Json& json = std::get<Json>(read);
        if (!isSound(json)) {
            return fail(ErrorCode::DataLoss, kDamaged, "it is not as it was written");
        }
        return convert(json);
    } catch (const nlohmann::json::exception& failure) {
        return fail(ErrorCode::DataLoss, kDamaged, shortened(failure.what()));
    }
}

/// A text as the library writes it: most have nothing to escape.
std::string quoted(const std::string& text)
{
    const bool isPlain = std::all_of(text.begin(), text.end(), [](char character) {
        return character >= ' ' && character <= '~' && character != '"' && character != '\\';
    });
    return isPlain ? '"' + text + '"' : jsonText(Json(text));
}

/// Of parameters with the same path the last one, at the place of the first.
std::vector<const RunParameter*> distinct(const std::vector<RunParameter>& parameters)
{
    std::vector<const RunParameter*> kept;
    std::unordered_map<std::string_view, std::size_t> places;
    kept.reserve(parameters.size());
    places.reserve(parameters.size());
    for (const RunParameter& parameter : parameters) {
        const auto [place, isNew] = places.emplace(parameter.path, kept.size());
        if (isNew) {
            kept.push_back(&parameter);
        } else {
            kept[place->second] = &parameter;
        }
    }
    return kept;
}

} // namespace

std::string toJson(const RunInfo& info)
{
    const Json head = {{"name", info.name},
                       {"experiment_name", info.experimentName},
                       {"experiment_file", info.experimentFile},
                       {"estimator", info.estimator},
                       {"engine", info.engine},
                       {"device", info.device},
                       {"data_fingerprint", info.dataFingerprint},
                       {"train_rows", info.trainRows},
                       {"eval_rows", info.evalRows},
                       {"rows_per_step", info.rowsPerStep},
                       {"created_at", info.createdAt}};
    // A wide table has thousands of parameters, which are written without the library: on one line
    // for the checksum, and indented.
    std::string line = jsonText(head);
    line.replace(line.size() - 1, 1, ",\"parameters\":{");
    std::string text = jsonText(head, 2);
    text.replace(text.size() - 2, 2, ",\n  \"parameters\": {");
    std::string_view separator;
    for (const RunParameter* parameter : distinct(info.parameters)) {
        const std::string path = quoted(parameter->path);
        const std::string value = quoted(parameter->value);
        line.append(separator).append(path).append(":").append(value);
        text.append(separator).append("\n    ").append(path).append(": ").append(value);
        separator = ",";
    }
    line += "}}";
    text += info.parameters.empty() ? "}" : "\n  }";
    return text + fmt::format(",\n  \"{}\": \"{}\"\n}}\n", kChecksum, checksumText(line));
}

std::string toJson(const RunStatus& status)
{
    Json json = {{"state", name(status.state)},
                 {"reason", status.reason},
                 {"global_step", status.globalStep},
                 {"updated_at", status.updatedAt}};
    put(json, "max_steps", status.maxSteps);
    put(json, "started_at", status.startedAt);
    put(json, "finished_at", status.finishedAt);
    json["seconds_before"] = status.secondsBefore;
    return jsonText(sealed(std::move(json)), 2) + "\n";
}

std::string toJson(const RunEvaluation& evaluation)
{
    Json json = {{"name", evaluation.name},
                 {"global_step", evaluation.globalStep},
                 {"wall_time", evaluation.wallTime},
                 {"metrics", metricsJson(evaluation.metrics)}};
    addDetails(evaluation, json);
    return jsonText(sealed(std::move(json)));
}

std::string toJson(std::span<const RunCheckpoint> checkpoints)
{
    Json list = Json::array();
    for (const RunCheckpoint& checkpoint : checkpoints) {
        list.push_back(sealed({{"global_step", checkpoint.globalStep},
                               {"bytes", checkpoint.bytes},
                               {"saved_at", checkpoint.savedAt},
                               {"kept_because", checkpoint.keptBecause}}));
    }
    return jsonText(list, 2) + "\n";
}

std::string toJson(const RunExport& entry)
{
    Json json = {{"exporter", entry.exporter},
                 {"path", entry.path},
                 {"global_step", entry.globalStep},
                 {"exported_at", entry.exportedAt}};
    if (entry.state != ExportState::Done) {
        json["state"] = entry.state == ExportState::Writing ? kWriting : kDeleting;
    }
    return jsonText(sealed(std::move(json)));
}

std::string toJson(const RunAnnotations& annotations)
{
    Json json = {{"title", annotations.title},
                 {"notes", annotations.notes},
                 {"tags", annotations.tags},
                 {"star", annotations.star},
                 {"colour", annotations.colour}};
    put(json, "trashed_at", annotations.trashedAt);
    put(json, "colour_slot", annotations.colourSlot);
    return jsonText(sealed(std::move(json)), 2) + "\n";
}

Result<RunInfo> runInfoFromJson(const std::string& text)
{
    return parse<RunInfo>(text, [](const Json& json) {
        RunInfo info;
        info.name = json.at("name").get<std::string>();
        info.experimentName = valueOr<std::string>(json, "experiment_name", "");
        info.experimentFile = valueOr<std::string>(json, "experiment_file", "");
        info.estimator = valueOr<std::string>(json, "estimator", "");
        info.engine = valueOr<std::string>(json, "engine", "");
        info.device = valueOr<std::string>(json, "device", "");
        info.dataFingerprint = valueOr<std::string>(json, "data_fingerprint", "");
        info.trainRows = valueOr<std::int64_t>(json, "train_rows", 0);
        info.evalRows = valueOr<std::int64_t>(json, "eval_rows", 0);
        info.rowsPerStep = valueOr<std::int64_t>(json, "rows_per_step", 0);
        info.createdAt = valueOr<double>(json, "created_at", 0);
        const Json parameters = valueOr<Json>(json, "parameters", Json::object());
        for (const auto& [path, value] : parameters.items()) {
            info.parameters.push_back({path, value.get<std::string>()});
        }
        return info;
    });
}

Result<RunStatus> runStatusFromJson(const std::string& text)
{
    return parse<RunStatus>(text, [](const Json& json) -> Result<RunStatus> {
        RunStatus status;
        const auto stateName = json.at("state").get<std::string>();
        const std::optional<RunState> state = runStateFromName(stateName);
        if (!state) {
            return fail(ErrorCode::DataLoss, kDamaged, "unknown state " + shortened(stateName));
        }
        status.state = *state;
        status.reason = valueOr<std::string>(json, "reason", "");
        status.globalStep = valueOr<std::int64_t>(json, "global_step", 0);
        status.maxSteps = optionalValue<std::int64_t>(json, "max_steps");
        status.updatedAt = valueOr<double>(json, "updated_at", 0);
        status.startedAt = optionalValue<double>(json, "started_at");
        status.finishedAt = optionalValue<double>(json, "finished_at");
        status.secondsBefore = valueOr<double>(json, "seconds_before", 0);
        return status;
    });
}

Result<RunEvaluation> runEvaluationFromJson(const std::string& text)
{
    return parse<RunEvaluation>(text, [](const Json& json) -> Result<RunEvaluation> {
        RunEvaluation evaluation;
        evaluation.name = valueOr<std::string>(json, "name", "");
        evaluation.globalStep = json.at("global_step").get<std::int64_t>();
        evaluation.wallTime = valueOr<double>(json, "wall_time", 0);
        evaluation.metrics = metricsOf(json.at("metrics"));
        CANNERY_TRY(readDetails(json, evaluation));
        return evaluation;
    });
}

Result<std::vector<RunCheckpoint>> runCheckpointsFromJson(const std::string& text)
{
    return parse<std::vector<RunCheckpoint>>(text, [](const Json& json) {
        std::vector<RunCheckpoint> checkpoints;
        for (const Json& entry : json) {
            checkpoints.push_back({.globalStep = entry.at("global_step").get<std::int64_t>(),
                                   .bytes = valueOr<std::uint64_t>(entry, "bytes", 0),
                                   .savedAt = valueOr<double>(entry, "saved_at", 0),
                                   .keptBecause = valueOr<std::string>(entry, "kept_because", "")});
        }
        return checkpoints;
    });
}

Result<RunExport> runExportFromJson(const std::string& text)
{
    return parse<RunExport>(text, [](const Json& json) {
        const auto state = valueOr<std::string>(json, "state", "");
        return RunExport{.exporter = valueOr<std::string>(json, "exporter", ""),
                         .path = json.at("path").get<std::string>(),
                         .globalStep = valueOr<std::int64_t>(json, "global_step", 0),
                         .exportedAt = valueOr<double>(json, "exported_at", 0),
                         .state = state == kWriting    ? ExportState::Writing
                                  : state == kDeleting ? ExportState::Deleting
                                                       : ExportState::Done};
    });
}

Result<RunAnnotations> runAnnotationsFromJson(const std::string& text)
{
    return parse<RunAnnotations>(text, [](const Json& json) -> Result<RunAnnotations> {
        if (!json.is_object()) {
            return fail(ErrorCode::DataLoss, kDamaged, "it is not an object");
        }
        RunAnnotations result{.title = valueOr<std::string>(json, "title", ""),
                              .notes = valueOr<std::string>(json, "notes", ""),
                              .tags = valueOr<std::vector<std::string>>(json, "tags", {}),
                              .star = valueOr<bool>(json, "star", false),
                              .colour = valueOr<std::string>(json, "colour", ""),
                              .trashedAt = optionalValue<double>(json, "trashed_at"),
                              .colourSlot = optionalValue<std::int64_t>(json, "colour_slot")};
        std::sort(result.tags.begin(), result.tags.end());
        result.tags.erase(std::unique(result.tags.begin(), result.tags.end()), result.tags.end());
        return result;
    });
}

bool isCompleteJson(std::string_view text)
{
    return text.starts_with('{') && Json::accept(text);
}

} // namespace cannery::storage
