// SPDX-License-Identifier: Apache-2.0
#include "core/serving/prediction_writer.h"

#include "core/base/error_json.h"
#include "core/base/json_text.h"
#include "storage/tabular/csv/csv_cell.h"

#include <fmt/compile.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cannery::serving {

using Json = nlohmann::ordered_json;

namespace {

/// Whether an output is the same in every row: the names of the classes.
bool isConstant(const heads::Prediction& prediction)
{
    const std::string key = prediction.key.substr(prediction.key.rfind('/') + 1);
    return key == "all_classes" || key == "all_class_ids";
}

void appendNumber(const heads::Prediction& prediction, std::int64_t index, std::string& text)
{
    constexpr std::size_t kMostCharacters = 32; // of a float or an int64
    const auto at = static_cast<std::size_t>(index);
    if (prediction.dtype == DType::Bool) {
        text += prediction.integers[at] != 0 ? "true" : "false";
        return;
    }
    if (prediction.dtype == DType::Float32 && std::isnan(prediction.floats[at])) {
        text += "nan"; // whose sign means nothing
        return;
    }
    std::array<char, kMostCharacters> digits;
    const char* end =
        prediction.dtype == DType::Float32
            ? fmt::format_to(digits.data(), FMT_COMPILE("{}"), prediction.floats[at])
            : fmt::format_to(digits.data(), FMT_COMPILE("{}"), prediction.integers[at]);
    text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

/// A text as JSON; bytes that are not UTF-8 become U+FFFD.
void appendJsonText(std::string_view value, std::string& text)
{
    // Almost every class name; nlohmann's escaping is left to the others.
    const bool isPlain = std::all_of(value.begin(), value.end(), [](char c) {
        return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (isPlain) {
        text.append(1, '"').append(value).append(1, '"');
    } else {
        text += jsonText(Json(std::string(value)));
    }
}

void appendJsonElement(const heads::Prediction& prediction, std::int64_t index, std::string& text)
{
    const auto at = static_cast<std::size_t>(index);
    if (prediction.dtype == DType::String) {
        appendJsonText(prediction.strings[at], text);
        return;
    }
    const bool isFloat = prediction.dtype == DType::Float32;
    // JSON has neither NaN nor infinities, so they are written as texts.
    const bool isNumber = !isFloat || std::isfinite(prediction.floats[at]);
    const std::size_t begin = text.size();
    text += isNumber ? "" : "\"";
    appendNumber(prediction, index, text);
    text += isNumber ? "" : "\"";
    if (isFloat && isNumber && text.find_first_of(".e", begin) == std::string::npos) {
        text += ".0"; // so that no reader takes it for an integer
    }
}

/// The values from an element on, of one row or step.
void appendJsonValues(const heads::Prediction& prediction, std::int64_t first, std::string& text)
{
    if (prediction.width == 1) {
        appendJsonElement(prediction, first, text);
        return;
    }
    for (std::int64_t i = 0; i < prediction.width; ++i) {
        text += i == 0 ? '[' : ',';
        appendJsonElement(prediction, first + i, text);
    }
    text += prediction.width == 0 ? "[]" : "]";
}

void appendJsonElements(const heads::Prediction& prediction, std::int64_t row, std::string& text)
{
    const auto [first, count] = prediction.elementsOf(row);
    if (prediction.stepOffsets.empty()) {
        appendJsonValues(prediction, first, text);
        return;
    }
    text += '[';
    for (std::int64_t i = 0; i < count; i += prediction.width) {
        text += i == 0 ? "" : ",";
        appendJsonValues(prediction, first + i, text);
    }
    text += ']';
}

const data::FeatureValues* findFeature(const data::FeatureBatch& batch, const std::string& name)
{
    for (const data::FeatureValues& feature : batch.features) {
        if (feature.name == name) {
            return &feature;
        }
    }
    return nullptr;
}

Json keyJson(const data::FeatureValues* feature, std::int64_t row)
{
    const auto at = static_cast<std::size_t>(row);
    if (feature == nullptr || (!feature->valid.empty() && feature->valid[at] == 0)) {
        return nullptr;
    }
    return std::visit(
        [at](const auto& elements) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                return std::string(elements[at]);
            } else {
                return elements[at];
            }
        },
        feature->elements);
}

/// One name and its value in every JSON line.
struct JsonMember
{
    std::string name; ///< as JSON
    const data::FeatureValues* key = nullptr;
    const heads::Prediction* output = nullptr;
    std::string constant; ///< for outputs that are the same in every row
};

/// Appends a member, or replaces the one of that name.
void addMember(JsonMember member, std::vector<JsonMember>& members)
{
    const auto known = std::find_if(members.begin(), members.end(),
                                    [&](const JsonMember& row) { return row.name == member.name; });
    if (known == members.end()) {
        members.push_back(std::move(member));
    } else {
        *known = std::move(member);
    }
}

std::vector<JsonMember> jsonMembers(const PredictedRows& rows,
                                    const std::vector<std::string>& keyColumns)
{
    std::vector<JsonMember> members;
    for (const std::string& key : keyColumns) {
        JsonMember member{.key = findFeature(rows.rows, key)};
        appendJsonText(key, member.name);
        addMember(std::move(member), members);
    }
    for (const heads::Prediction& prediction : rows.predictions) {
        JsonMember member{.output = &prediction};
        appendJsonText(prediction.key, member.name);
        // Formatted once, not for each row.
        if (isConstant(prediction) && rows.rowCount > 0) {
            appendJsonElements(prediction, 0, member.constant);
        }
        addMember(std::move(member), members);
    }
    return members;
}

void appendJsonValue(const JsonMember& member, const PredictedRows& rows, std::int64_t row,
                     std::string& text)
{
    if (!member.constant.empty()) {
        text += member.constant;
    } else if (member.output != nullptr) {
        appendJsonElements(*member.output, row, text);
    } else {
        text += jsonText(keyJson(member.key, rows.firstRow + row));
    }
}

/// Calls empty() for each row without a prediction and line() for each other row, in their order.
template <typename Empty, typename Line>
void forEachRow(const PredictedRows& rows, std::span<const UnpredictedRow> others,
                const Empty& empty, const Line& line)
{
    auto other = others.begin();
    for (std::int64_t row = 0; row < rows.rowCount; ++row) {
        for (; other != others.end() && other->before <= rows.firstRow + row; ++other) {
            empty(*other);
        }
        line(row);
    }
    for (; other != others.end(); ++other) {
        empty(*other);
    }
}

} // namespace

Result<PredictionWriter> PredictionWriter::open(const std::string& path,
                                                const storage::OutputOptions& output,
                                                Options options)
{
    const OutputDialect dialect = options.dialect;
    const bool isEncoded = options.format == PredictionFormat::Csv && !dialect.isPlain();
    PredictionWriter writer(std::move(options));
    if (isEncoded) {
        CANNERY_TRY_ASSIGN(writer.m_encoder,
                           storage::TextEncoder::create(dialect.encoding, dialect.isBigEndian));
    }
    // Standard output is written as it comes; a file appears complete when close() commits it.
    if (path != "-") {
        CANNERY_TRY_ASSIGN(storage::OutputFile file, storage::OutputFile::create(path, output));
        writer.m_file.emplace(std::move(file));
    }
    if (isEncoded && dialect.hasByteOrderMark) {
        CANNERY_TRY(writer.write("\xEF\xBB\xBF"));
    }
    return writer;
}

Result<void> PredictionWriter::write(std::string_view text)
{
    if (!m_encoder) {
        return writeBytes(text);
    }
    CANNERY_TRY_ASSIGN(const std::string bytes, m_encoder->encode(text));
    return writeBytes(bytes);
}

Result<void> PredictionWriter::writeBytes(std::string_view bytes)
{
    if (m_file) {
        return m_file->write(bytes);
    }
    m_options.print(bytes);
    return {};
}

Result<void> PredictionWriter::close()
{
    return m_file ? m_file->commit() : Result<void>();
}

/// A cell of text.
void PredictionWriter::appendText(std::string_view cell, std::string& text) const
{
    // A spreadsheet runs a cell that begins like a formula; an apostrophe makes it a text.
    if (m_options.isSpreadsheetSafe && storage::looksLikeFormula(cell)) {
        storage::appendCsvCell("'" + std::string(cell), text, m_options.dialect.delimiter);
    } else {
        storage::appendCsvCell(cell, text, m_options.dialect.delimiter);
    }
}

/// As in a cell, but without quotes.
void PredictionWriter::appendCsvNumber(const heads::Prediction& prediction, std::int64_t index,
                                       std::string& text) const
{
    const std::size_t begin = text.size();
    appendNumber(prediction, index, text);
    if (m_options.dialect.decimalMark != '.') {
        std::replace(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), '.',
                     m_options.dialect.decimalMark);
    }
}

void PredictionWriter::appendElement(const heads::Prediction& prediction, std::int64_t index,
                                     std::string& text) const
{
    if (prediction.dtype == DType::String) {
        appendText(prediction.strings[static_cast<std::size_t>(index)], text);
        // A decimal comma in a table of commas needs quotes.
    } else if (m_options.dialect.decimalMark == m_options.dialect.delimiter) {
        std::string cell;
        appendCsvNumber(prediction, index, cell);
        appendText(cell, text);
    } else {
        appendCsvNumber(prediction, index, text);
    }
}

/// The values of one column of a row's steps, as one cell.
void PredictionWriter::appendSteps(const heads::Prediction& prediction, std::int64_t row,
                                   std::int64_t column, std::string& text) const
{
    const auto [first, count] = prediction.elementsOf(row);
    std::string cell;
    for (std::int64_t i = column; i < count; i += prediction.width) {
        cell += i == column ? "" : m_options.stepSeparator;
        if (prediction.dtype == DType::String) {
            cell += prediction.strings[static_cast<std::size_t>(first + i)];
        } else {
            appendCsvNumber(prediction, first + i, cell);
        }
    }
    prediction.dtype == DType::String
        ? appendText(cell, text)
        : storage::appendCsvCell(cell, text, m_options.dialect.delimiter);
}

void PredictionWriter::appendKey(const data::FeatureValues* feature, std::int64_t row,
                                 std::string& text) const
{
    const auto* texts =
        feature == nullptr ? nullptr : std::get_if<StringColumn>(&feature->elements);
    if (texts == nullptr) {
        const Json value = keyJson(feature, row);
        appendText(value.is_null() ? "" : jsonText(value), text);
    } else if (feature->valid.empty() || feature->valid[static_cast<std::size_t>(row)] != 0) {
        appendText((*texts)[static_cast<std::size_t>(row)], text);
    } else {
        appendText("", text);
    }
}

void PredictionWriter::appendHeader(const PredictedRows& rows, std::string& text) const
{
    if (m_options.format == PredictionFormat::JsonLines) {
        return;
    }
    bool isFirst = true;
    const auto addCell = [&](const std::string& cell) {
        text.append(isFirst ? 0 : 1, m_options.dialect.delimiter);
        appendText(cell, text);
        isFirst = false;
    };
    for (const std::string& key : m_options.keyColumns) {
        addCell(key);
    }
    for (const heads::Prediction& prediction : rows.predictions) {
        // A table would repeat the names of the classes in every row.
        if (isConstant(prediction)) {
            continue;
        }
        for (std::int64_t i = 0; i < prediction.width; ++i) {
            addCell(prediction.width == 1 ? prediction.key
                                          : fmt::format("{}_{}", prediction.key, i));
        }
    }
    text += m_options.dialect.lineEnd;
}

void PredictionWriter::appendLines(const PredictedRows& rows,
                                   std::span<const UnpredictedRow> others, std::string& text) const
{
    const std::int64_t end = rows.firstRow + rows.rowCount;
    // Blocks are written by several threads, and every row without a prediction belongs to one:
    // those behind the last predicted row to the last block.
    const bool isLast = end == rows.rows.rowCount;
    const auto isBefore = [](const UnpredictedRow& row, std::int64_t place) {
        return row.before < place;
    };
    const auto first = std::lower_bound(others.begin(), others.end(), rows.firstRow, isBefore);
    const auto last = isLast ? others.end() : std::lower_bound(first, others.end(), end, isBefore);
    const std::span<const UnpredictedRow> here(first, last);
    if (m_options.format == PredictionFormat::Csv) {
        appendCsvLines(rows, here, text);
        return;
    }
    appendJsonLines(rows, here, text);
}

void PredictionWriter::appendCsvLines(const PredictedRows& rows,
                                      std::span<const UnpredictedRow> others,
                                      std::string& text) const
{
    std::vector<const data::FeatureValues*> keys;
    for (const std::string& key : m_options.keyColumns) {
        keys.push_back(findFeature(rows.rows, key));
    }
    std::vector<const heads::Prediction*> outputs;
    std::size_t columns = 0;
    for (const heads::Prediction& prediction : rows.predictions) {
        if (!isConstant(prediction)) {
            outputs.push_back(&prediction);
            columns += static_cast<std::size_t>(prediction.width);
        }
    }
    const auto empty = [&](const UnpredictedRow& row) { appendEmptyCsvLine(row, columns, text); };
    forEachRow(rows, others, empty, [&](std::int64_t row) {
        for (const data::FeatureValues* key : keys) {
            appendKey(key, rows.firstRow + row, text);
            text += m_options.dialect.delimiter;
        }
        for (const heads::Prediction* output : outputs) {
            for (std::int64_t i = 0; i < output->width; ++i) {
                if (output->stepOffsets.empty()) {
                    appendElement(*output, row * output->width + i, text);
                } else {
                    appendSteps(*output, row, i, text);
                }
                text += m_options.dialect.delimiter;
            }
        }
        text.pop_back();
        text += m_options.dialect.lineEnd;
    });
}

void PredictionWriter::appendEmptyCsvLine(const UnpredictedRow& row, std::size_t outputs,
                                          std::string& text) const
{
    const std::size_t begin = text.size();
    for (std::size_t i = 0; i < m_options.keyColumns.size() + outputs; ++i) {
        text.append(i == 0 ? 0 : 1, m_options.dialect.delimiter);
        appendText(i < row.keys.size() ? row.keys[i].value_or("") : "", text);
    }
    text += text.size() == begin ? "\"\"" : ""; // readers skip a line without any letter
    text += m_options.dialect.lineEnd;
}

void PredictionWriter::appendJsonLines(const PredictedRows& rows,
                                       std::span<const UnpredictedRow> others,
                                       std::string& text) const
{
    const std::vector<JsonMember> members = jsonMembers(rows, m_options.keyColumns);
    const auto empty = [&](const UnpredictedRow& row) { appendJsonError(row, text); };
    forEachRow(rows, others, empty, [&](std::int64_t row) {
        char before = '{';
        for (const JsonMember& member : members) {
            text.append(1, std::exchange(before, ',')).append(member.name).append(1, ':');
            appendJsonValue(member, rows, row, text);
        }
        text += "}\n";
    });
}

void PredictionWriter::appendJsonError(const UnpredictedRow& row, std::string& text) const
{
    text += '{';
    for (std::size_t i = 0; i < row.keys.size(); ++i) {
        const auto end = m_options.keyColumns.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find(m_options.keyColumns.begin(), end, *end) != end) {
            continue; // asked for twice, written once, as in rows with a prediction
        }
        appendJsonText(m_options.keyColumns[i], text);
        text += ':';
        if (row.keys[i]) {
            appendJsonText(*row.keys[i], text);
        } else {
            text += "null";
        }
        text += ',';
    }
    text += "\"error\":" + errorObjectJson(row.reason) + "}\n";
}

} // namespace cannery::serving
