// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/prediction/prediction_server.h"

#include "core/base/error_json.h"
#include "core/base/json_text.h"
#include "core/base/line_reader.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/column_settlement.h"
#include "core/serving/json_row.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

constexpr ErrorKind kBadRow{"predict.bad_row", "'{}' is not a row: write a JSON object."};
constexpr ErrorKind kNotADate{"predict.not_a_date",
                              "'{}' in {} is not a date or time {}: correct it, or leave it out."};
constexpr std::size_t kShown = 80;

const spec::Feature* derivedFeature(const spec::Data& data, const std::string& name)
{
    const auto found = std::find_if(data.feature().begin(), data.feature().end(),
                                    [&](const spec::Feature& each) { return each.name() == name; });
    return found == data.feature().end() ? nullptr : &*found;
}

/// A cell as the text that a table would hold.
std::string cellText(const Json& cell)
{
    if (cell.is_null()) {
        return {};
    }
    return cell.is_string() ? cell.get<std::string>() : jsonText(cell);
}

/// The value of a list of one, which is also a cell.
const Json& only(const Json& cell)
{
    return cell.is_array() && cell.size() == 1 ? only(cell.front()) : cell;
}

std::vector<Json> pieces(const std::string& text, const std::string& separator)
{
    std::vector<Json> found;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) {
            found.emplace_back(text.substr(begin, end - begin));
        }
        begin = end + separator.size();
    }
    return found;
}

} // namespace

/// Sets the server's inputs to the cells of one row.
class PredictionServer::Row
{
public:
    Row(PredictionServer& server, const Json& cells) : m_server(server), m_cells(cells) {}

    Result<void> setFeature(const Input& input);
    void setKeys();

private:
    static bool isMissing(const Column& column, const Json& cell);
    Result<void> setCell(const Input& input, const Json& cell);
    Result<void> setDate(const Input& input, const std::string& text);
    Result<void> setList(const Input& input, const std::vector<Json>& cells);

    PredictionServer& m_server;
    const Json& m_cells;
};

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
    // The same tokens as for the training table: a cell that was missing there is missing here.
    const std::vector<std::string> tokens = data::missingTokens(data.train());
    data::SourceOptions described;
    described.columns.assign(data.column().begin(), data.column().end());
    for (const std::string& name : server.m_predictor->features()) {
        CANNERY_TRY_ASSIGN(const serving::FeatureSlot slot, server.m_predictor->feature(name));
        Input input{.slot = slot};
        // A row has the table's columns. What a derived feature makes of them is made again here.
        std::vector<std::string> columns{name};
        if (const spec::Feature* feature = derivedFeature(data, name)) {
            columns.assign(feature->stack().columns().begin(), feature->stack().columns().end());
            input.isStack = feature->has_stack();
            if (feature->has_column()) {
                columns = {feature->column()};
            } else if (feature->has_split()) {
                columns = {feature->split().column()};
                input.separator = feature->split().separator();
            }
            if (feature->has_date_part()) {
                columns = {feature->date_part().column()};
                CANNERY_TRY_ASSIGN(input.date, data::dateRecipe(data, *feature));
            }
        }
        for (const std::string& column : columns) {
            input.columns.push_back(
                {.name = column,
                 .missingTokens = data::missingTokensOf(tokens, described, column)});
        }
        server.m_inputs.push_back(std::move(input));
    }
    // Key columns are copied into the answer as texts, as for files.
    server.m_keys.rowCount = 1;
    for (const std::string& key : keys) {
        server.m_keys.features.push_back({.name = key, .elements = StringColumn()});
    }
    return server;
}

Result<void> PredictionServer::Row::setList(const Input& input, const std::vector<Json>& cells)
{
    std::vector<double> numbers;
    std::vector<std::string> texts;
    for (const Json& cell : cells) {
        // Integers stay texts, which a feature of integers reads exactly beyond 2^53 as well.
        if (cell.is_number_float()) {
            numbers.push_back(cell.get<double>());
        }
        texts.push_back(cellText(cell));
    }
    if (numbers.size() == cells.size()) {
        return m_server.m_predictor->setNumbers(input.slot, numbers);
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    return m_server.m_predictor->setTexts(input.slot, views);
}

bool PredictionServer::Row::isMissing(const Column& column, const Json& cell)
{
    // Lists and objects are not cells of a table.
    if (!cell.is_primitive()) {
        return false;
    }
    const std::string text = cellText(cell);
    const std::vector<std::string>& tokens = column.missingTokens;
    return text.empty() || std::find(tokens.begin(), tokens.end(), text) != tokens.end();
}

Result<void> PredictionServer::Row::setCell(const Input& input, const Json& cell)
{
    if (isMissing(input.columns.front(), cell)) {
        return {};
    }
    if (input.date && cell.is_primitive()) {
        return setDate(input, cellText(cell));
    }
    if (cell.is_array()) {
        auto cells = cell.get<std::vector<Json>>();
        if (!input.separator.empty()) { // as where two separators meet in a table's cell
            std::erase_if(cells, [](const Json& each) { return cellText(each).empty(); });
        }
        return setList(input, cells);
    }
    if (!input.separator.empty()) {
        return setList(input, pieces(cellText(cell), input.separator));
    }
    return cell.is_number_float() ? m_server.m_predictor->setNumber(input.slot, cell.get<double>())
                                  : m_server.m_predictor->setText(input.slot, cellText(cell));
}

Result<void> PredictionServer::Row::setDate(const Input& input, const std::string& text)
{
    const std::optional<std::string> part = input.date->readText(text);
    if (!part) {
        return fail(ErrorCode::InvalidArgument, kNotADate, text.substr(0, kShown),
                    input.columns.front().name, data::describe(input.date->notation));
    }
    return m_server.m_predictor->setText(input.slot, *part);
}

Result<void> PredictionServer::Row::setFeature(const Input& input)
{
    // Cells of the row before are still there.
    m_server.m_predictor->clear(input.slot);
    if (!input.isStack) {
        const auto cell = m_cells.find(input.columns.front().name);
        if (cell == m_cells.end()) {
            return {};
        }
        // A split cell may be given as a list of its pieces; elsewhere a list of one is its value.
        return setCell(input, input.separator.empty() ? only(*cell) : *cell);
    }
    std::vector<Json> cells;
    for (const Column& column : input.columns) {
        const auto cell = m_cells.find(column.name);
        const bool isThere = cell != m_cells.end() && !isMissing(column, only(*cell));
        // A stack needs a value for each of its columns, also for a missing one.
        cells.push_back(isThere ? only(*cell) : Json());
    }
    return setList(input, cells);
}

void PredictionServer::Row::setKeys()
{
    for (data::FeatureValues& key : m_server.m_keys.features) {
        const auto cell = m_cells.find(key.name);
        const std::string text = cell == m_cells.end() ? std::string() : cellText(only(*cell));
        StringColumn texts;
        texts.push_back(text);
        key.elements = std::move(texts);
        key.valid = {static_cast<std::uint8_t>(text.empty() ? 0 : 1)};
    }
}

Result<std::string> PredictionServer::predict(const std::string& line)
{
    const std::optional<Json> cells = serving::jsonRow<Json>(line);
    if (!cells) {
        return fail(ErrorCode::InvalidArgument, kBadRow, line.substr(0, kShown));
    }
    Row row(*this, *cells);
    for (const Input& input : m_inputs) {
        CANNERY_TRY(row.setFeature(input));
    }
    row.setKeys();
    CANNERY_TRY_ASSIGN(const auto predictions, m_predictor->predict());
    std::string text;
    m_writer.appendLines({.rows = m_keys, .rowCount = 1, .predictions = predictions}, {}, text);
    return text;
}

std::string PredictionServer::answer(const std::string& line)
{
    Result<std::string> text = predict(line);
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
