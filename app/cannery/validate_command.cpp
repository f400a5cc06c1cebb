// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/validate_command.h"

#include "app/cannery/experiment_input.h"
#include "app/cannery/table_settings.h"
#include "core/base/json_text.h"
#include "core/data/data_source_catalog.h"
#include "core/data/validation.h"
#include "storage/io/files.h"
#include "storage/tf/metadata_schema.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cannery::app {

namespace {

using Json = nlohmann::ordered_json;

/// Enough to compare categories value by value.
constexpr std::size_t kComparedValues = 10'000;

/// A table and its statistics.
struct Described
{
    data::TableSchema schema;
    data::TableStatistics statistics;
    std::uint64_t badRows = 0;
};

Result<Described> describeTable(const spec::DataSource& message, data::SourceOptions options)
{
    options.badRows = spec::BadRows::SKIP;
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::DataSource> source,
                       data::openDataSource(message, options));
    data::ChunkRequest request;
    for (const std::string& column : source->schema().names()) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source->read(request));
    data::StatisticsCollector collector({.topValues = kComparedValues});
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        CANNERY_TRY(collector.add(*chunk));
    }
    return Described{source->schema(), collector.finish(), stream->report().badRowCount};
}

std::string typeText(const data::ColumnSchema& column)
{
    return column.listOf ? fmt::format("list of {}", name(*column.listOf))
                         : std::string(name(column.dtype));
}

/// A row of the table of columns.
std::vector<std::string> cellsOf(const data::ColumnSchema& column,
                                 const data::ColumnStatistics& one, std::uint64_t rows)
{
    const bool isNumber = column.dtype != DType::String && one.count > 0;
    const auto number = [&](double value) {
        return isNumber ? fmt::format("{:.6g}", value) : std::string();
    };
    const double present =
        rows == 0 ? 0.0 : 100.0 * static_cast<double>(one.count) / static_cast<double>(rows);
    return {column.name,
            typeText(column),
            fmt::format("{:.4g} %", present),
            fmt::format("{}{}", one.distinctIsExact ? "" : "about ", one.distinct),
            number(one.min),
            number(one.mean),
            number(one.max)};
}

std::string distanceText(const data::Distance& distance)
{
    std::string text;
    if (distance.infinityNorm) {
        text += fmt::format("L-infinity {:.4g}", *distance.infinityNorm);
    }
    if (distance.jensenShannon) {
        text += fmt::format("{}Jensen-Shannon {:.4g}", text.empty() ? "" : ", ",
                            *distance.jensenShannon);
    }
    return text;
}

} // namespace

struct ValidateCommand::Found
{
    Described train;
    std::vector<data::Distance> distances;
    std::vector<data::Anomaly> anomalies;
    std::vector<data::Anomaly> evalAnomalies;
};

void ValidateCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "a table of any kind, or an experiment");
    options.option("--schema", "FILE", m_schema,
                   "a schema.pbtxt (default: the one that the experiment names)");
    options.option("--eval", "FILE", m_eval,
                   "a table to compare with (default: data.eval of the experiment)");
    options.flag("--json", m_json, "print one JSON object");
}

Result<ValidateCommand::Found> ValidateCommand::validate() const
{
    spec::Data data;
    data::SourceOptions options;
    if (std::filesystem::path(m_file).extension() == ".cannery") {
        CANNERY_TRY_ASSIGN(const spec::ParsedExperiment parsed, loadExperimentFile(m_file));
        data = parsed.experiment.data();
        options.folder = storage::parentFolder(m_file);
        options.columns.assign(data.column().begin(), data.column().end());
    } else {
        *data.mutable_train() = sourceOfTable(m_file);
    }
    // What the schema and the records disagree on is found here, and stops no reading.
    spec::DataSource train = data.train();
    spec::DataSource eval = m_eval ? sourceOfTable(*m_eval) : data.eval();
    const std::string named = takeField(train, "schema");
    takeField(eval, "schema");
    std::optional<std::string> schemaFile = m_schema;
    if (!schemaFile && !named.empty()) {
        schemaFile = storage::joinPath(options.folder, named);
    }
    Found found;
    CANNERY_TRY_ASSIGN(found.train, describeTable(train, options));
    std::optional<storage::MetadataSchema> schema;
    if (schemaFile) {
        CANNERY_TRY_ASSIGN(schema, storage::readMetadataSchema(*schemaFile));
        found.anomalies = data::findAnomalies(found.train.schema, found.train.statistics, *schema);
    }
    if (m_eval || data.has_eval()) {
        data::SourceOptions evalOptions = options;
        evalOptions.folder = m_eval ? std::string() : options.folder;
        evalOptions.like = &found.train.schema;
        CANNERY_TRY_ASSIGN(const Described other, describeTable(eval, evalOptions));
        found.distances = data::distancesOf(found.train.statistics, other.statistics);
        if (schema) {
            found.evalAnomalies = data::findAnomalies(other.schema, other.statistics, *schema);
            const std::vector<data::Anomaly> skew = data::findSkew(found.distances, *schema);
            found.anomalies.insert(found.anomalies.end(), skew.begin(), skew.end());
        }
    }
    return found;
}

void ValidateCommand::print(const Console& console, const Found& found) const
{
    const std::uint64_t rows = found.train.statistics.rows;
    console.result(fmt::format("{} rows, {} columns, {} left out", rows,
                               found.train.schema.columns.size(), found.train.badRows));
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < found.train.schema.columns.size(); ++i) {
        cells.push_back(
            cellsOf(found.train.schema.columns[i], found.train.statistics.columns[i], rows));
    }
    for (const std::string& line :
         alignedTable({"feature", "type", "present", "distinct", "min", "mean", "max"}, cells)) {
        console.result(line);
    }
    for (const data::Distance& distance : found.distances) {
        console.result(fmt::format("training and evaluation, {}: {}", distance.feature,
                                   distanceText(distance)));
    }
    for (const data::Anomaly& anomaly : found.anomalies) {
        console.result(fmt::format("anomaly {}: {}", anomaly.kind, anomaly.sentence));
    }
    for (const data::Anomaly& anomaly : found.evalAnomalies) {
        console.result(fmt::format("anomaly {}: evaluation: {}", anomaly.kind, anomaly.sentence));
    }
}

std::string ValidateCommand::json(const Found& found) const
{
    Json columns = Json::array();
    for (std::size_t i = 0; i < found.train.schema.columns.size(); ++i) {
        const data::ColumnSchema& column = found.train.schema.columns[i];
        const data::ColumnStatistics& one = found.train.statistics.columns[i];
        columns.push_back({{"feature", column.name},
                           {"type", typeText(column)},
                           {"present", one.count},
                           {"missing", one.missing},
                           {"distinct", one.distinct},
                           {"min", one.min},
                           {"mean", one.mean},
                           {"max", one.max}});
    }
    const auto listOf = [](const std::vector<data::Anomaly>& anomalies, const char* part) {
        Json list = Json::array();
        for (const data::Anomaly& anomaly : anomalies) {
            list.push_back({{"feature", anomaly.feature},
                            {"kind", anomaly.kind},
                            {"part", part},
                            {"sentence", anomaly.sentence}});
        }
        return list;
    };
    Json anomalies = listOf(found.anomalies, "train");
    for (const Json& one : listOf(found.evalAnomalies, "eval")) {
        anomalies.push_back(one);
    }
    Json distances = Json::array();
    for (const data::Distance& distance : found.distances) {
        Json one{{"feature", distance.feature}};
        if (distance.infinityNorm) {
            one["l_infinity"] = *distance.infinityNorm;
        }
        if (distance.jensenShannon) {
            one["jensen_shannon"] = *distance.jensenShannon;
        }
        distances.push_back(std::move(one));
    }
    return jsonText(Json{{"rows", found.train.statistics.rows},
                         {"left_out", found.train.badRows},
                         {"columns", std::move(columns)},
                         {"distances", std::move(distances)},
                         {"anomalies", std::move(anomalies)}},
                    2);
}

ExitCode ValidateCommand::run(Console& console)
{
    const Result<Found> found = validate();
    if (!found) {
        return reportFailure(console, found.error());
    }
    if (m_json) {
        console.document(json(*found));
    } else {
        print(console, *found);
    }
    const bool isSound = found->anomalies.empty() && found->evalAnomalies.empty();
    return isSound ? ExitCode::Done : ExitCode::Failed;
}

} // namespace cannery::app
