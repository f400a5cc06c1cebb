// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/prediction/prediction_server.h"

#include "core/base/error_json.h"
#include "core/base/line_reader.h"
#include "core/data/dataset_opening.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/sources/json_lines_source.h"
#include "core/data/typing/column_settlement.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace cannery::app {

namespace {

constexpr ErrorKind kBadRow{"predict.bad_row", "'{}' is not a row: write a JSON object."};
constexpr std::size_t kShown = 80;

} // namespace

Result<PredictionServer> PredictionServer::create(train::OpenedModel& model, const Console& console)
{
    const spec::Data& data = model.experiment.data();
    const std::vector<std::string> keys(data.key_column().begin(), data.key_column().end());
    PredictionServer server(
        serving::PredictionWriter(
            {.format = serving::PredictionFormat::JsonLines,
             .keyColumns = keys,
             .print = [&console](std::string_view text) { console.content(text); }}),
        console);
    CANNERY_TRY_ASSIGN(server.m_predictor,
                       serving::RowPredictor::create(model.encoder, model.model->model()));
    std::vector<std::string> columns = server.m_predictor->columns();
    columns.insert(columns.end(), keys.begin(), keys.end());
    server.m_columns = data::jsonColumns(data::optionsOf(data, model.folder), columns,
                                         data::decimalMarkOf(data.train()));
    // Key columns are copied into the answer as texts, as for files.
    server.m_key.emplace(DType::String, data::missingTokens(data.train()),
                         storage::NumberNotation());
    server.m_keys.rowCount = 1;
    for (const std::string& key : keys) {
        server.m_keys.features.push_back({.name = key, .elements = StringColumn()});
    }
    return server;
}

/// Copies the key columns of the row; one that it lacks is empty.
void PredictionServer::setKeys()
{
    for (data::FeatureValues& key : m_keys.features) {
        std::string_view text;
        for (const storage::JsonCell& cell : m_cells) {
            // Of equal names the last counts.
            text = cell.name == key.name ? std::string_view(cell.text) : text;
        }
        const bool isMissing = m_key->isMissingText(text);
        StringColumn texts;
        texts.push_back(isMissing ? std::string_view() : text);
        key.elements = std::move(texts);
        key.valid = {static_cast<std::uint8_t>(isMissing ? 0 : 1)};
    }
}

Result<std::string> PredictionServer::predict(std::string_view line)
{
    if (!storage::readJsonCells(line, m_columns, m_cells)) {
        return fail(ErrorCode::InvalidArgument, kBadRow, line.substr(0, kShown));
    }
    // Cells of the row before are still there.
    m_predictor->clearAll();
    for (const storage::JsonCell& cell : m_cells) {
        CANNERY_TRY(m_predictor->setCell(cell.name, cell.text));
    }
    setKeys();
    CANNERY_TRY_ASSIGN(const auto predictions, m_predictor->predict());
    std::string text;
    m_writer.appendLines({.rows = m_keys, .rowCount = 1, .predictions = predictions}, {}, text);
    return text;
}

std::string PredictionServer::answer(const std::string& line)
{
    // Blanks around a row do not count.
    Result<std::string> text = predict(storage::withoutBlanks(line));
    return text ? std::move(*text) : errorJson(text.error()) + "\n";
}

void PredictionServer::print(const std::string& line)
{
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
        return;
    }
    std::string text = answer(line);
    // The end of the line, which document() adds.
    text.pop_back();
    m_console->document(text);
    // At once: the client waits for this answer before it sends the next row.
    m_console->flush();
}

void PredictionServer::run(const launch::StopSignals& signals)
{
    LineReader lines(STDIN_FILENO, signals.descriptor());
    while (const std::optional<std::string> line = lines.next()) {
        print(*line);
        if (m_console->isResultLost() || signals.flag()) {
            return;
        }
    }
    if (!signals.flag()) {
        // The last line may have no end.
        print(lines.rest());
    }
}

} // namespace cannery::app
