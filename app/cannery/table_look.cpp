// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/table_look.h"

#include "app/cannery/column_report.h"
#include "app/cannery/table_settings.h"
#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace cannery::app {

namespace {

/// Opens the training rows; column descriptions are ignored if one of them is of no column.
Result<std::unique_ptr<data::DataSource>>
openLeniently(const spec::Data& data, const std::string& folder, std::uint64_t rows)
{
    data::SourceOptions options{.folder = folder,
                                .columns = {data.column().begin(), data.column().end()},
                                .badRows = spec::BadRows::SKIP,
                                .inferenceRows = rows};
    Result<std::unique_ptr<data::DataSource>> opened = data::openDataSource(data.train(), options);
    if (!opened && opened.error().id == "data.no_such_column") {
        options.columns.clear();
        opened = data::openDataSource(data.train(), options);
    }
    return opened;
}

} // namespace

Result<TableLook> lookAtTable(const spec::Data& data, const std::string& folder, std::uint64_t rows)
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::DataSource> source,
                       openLeniently(data, folder, rows));
    TableLook look{
        .files = source->files(), .settings = source->settings(), .schema = source->schema()};
    CANNERY_TRY_ASSIGN(look.texts, source->preview(static_cast<std::size_t>(rows)));
    data::ChunkRequest request{.maxRows = rows};
    for (const std::string& column : look.schema.names()) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source->read(request));
    for (bool isOver = false; !isOver;) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        isOver = !chunk;
    }
    data::ReadReport report = stream->report();
    look.badRowCount = report.badRowCount;
    look.badRows = std::move(report.badRows);
    return look;
}

spec::Experiment experimentOfTable(const std::filesystem::path& table)
{
    spec::Experiment experiment;
    *experiment.mutable_data()->mutable_train() =
        sourceOfTable(std::filesystem::absolute(table).string());
    return experiment;
}

std::string lookJson(const TableLook& look)
{
    using Json = nlohmann::ordered_json;
    const Json json{{"files", look.files},
                    {"settings", Json::parse(settingsJson(look.settings))},
                    {"columns", Json::parse(columnsJson(look.schema, nullptr, {}))},
                    {"texts", Json::parse(textsJson(look.schema, look.texts))},
                    {"bad_rows", {{"count", look.badRowCount}, {"sentences", look.badRows}}}};
    return jsonText(json);
}

} // namespace cannery::app
