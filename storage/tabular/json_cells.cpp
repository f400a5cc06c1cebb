// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/json_cells.h"

#include "core/base/json_text.h"
#include "storage/tabular/csv/csv_cell.h"
#include "storage/tabular/text_bytes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace cannery::storage {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepestJson = 64;
constexpr std::string_view kBetween = " \t\r\n,[]";

/// Receives the tokens of one object and makes cells of them.
class CellMaker final : public nlohmann::json_sax<Json>
{
public:
    CellMaker(const JsonColumns& columns, std::vector<JsonCell>& cells)
        : m_columns(columns), m_cells(cells)
    {}

    /// A null in a list is left out; elsewhere it is an empty cell, which may be a number of any
    /// type.
    bool null() override
    {
        if (m_nested > 0) {
            return addNested("null");
        }
        return !m_open.empty() && (m_isInList || addCell("", true, true));
    }
    bool boolean(bool value) override { return add(value ? "true" : "false", false, false); }
    bool number_integer(number_integer_t value) override
    {
        return add(fmt::format("{}", value), true, true);
    }
    bool number_unsigned(number_unsigned_t value) override
    {
        return add(fmt::format("{}", value), true, true);
    }
    /// The text as written: printing the parsed value might give other digits.
    bool number_float(number_float_t value, const string_t& raw) override
    {
        return m_nested > 0 ? addNested(raw) : add(written(value, raw), false, true);
    }
    bool string(string_t& value) override
    {
        if (m_nested > 0) {
            return addNested(jsonText(Json(value)));
        }
        return add(value, false, false);
    }
    bool binary(binary_t& /*value*/) override { return false; }

    bool start_object(std::size_t /*elements*/) override
    {
        // An object in a list has no column of its own: its text becomes an element of the cell.
        if (m_isInList) {
            return startNested('{');
        }
        if (m_open.size() >= kDeepestJson) {
            return false;
        }
        // Names of nested objects are joined by points: {"a": {"b": 1}} is the cell a.b.
        m_open.push_back(m_name.size());
        m_name += m_open.size() > 1 ? "." : "";
        m_prefix.push_back(m_name);
        return true;
    }
    bool key(string_t& name) override
    {
        if (m_nested > 0) {
            addNested(jsonText(Json(name)));
            m_list.text += ':';
            m_isFirst = true;
            return true;
        }
        m_name = m_prefix.back() + name;
        return true;
    }
    bool end_object() override
    {
        if (m_nested > 0) {
            return endNested('}');
        }
        m_name.resize(m_open.back());
        m_open.pop_back();
        m_prefix.pop_back();
        return true;
    }
    bool start_array(std::size_t /*elements*/) override
    {
        if (m_isInList) {
            return startNested('[');
        }
        // Without an open object there is no name for a cell: a record is an object.
        m_isInList = !m_open.empty();
        m_list = JsonCell();
        m_list.name = m_name;
        m_list.isList = true;
        m_hasElement = false;
        return m_isInList;
    }
    bool end_array() override
    {
        if (m_nested > 0) {
            return endNested(']');
        }
        m_isInList = false;
        m_cells.push_back(std::move(m_list));
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string& /*last*/,
                     const nlohmann::detail::exception& /*problem*/) override
    {
        return false;
    }

private:
    /// Of the member that is read.
    const JsonColumn& column() const
    {
        static const JsonColumn kUsual;
        const auto found = m_columns.find(m_isInList ? m_list.name : m_name);
        return found == m_columns.end() ? kUsual : found->second;
    }
    /// A number with a point or an exponent, as its column writes it.
    std::string written(number_float_t value, std::string raw) const
    {
        const JsonColumn& own = column();
        // Up to 2^53, whole numbers are all different, so that none is changed.
        constexpr double kMostWhole = 9007199254740992.0;
        if (own.isInteger && value == std::floor(value) && std::fabs(value) < kMostWhole) {
            return fmt::format("{}", static_cast<std::int64_t>(value));
        }
        std::replace(raw.begin(), raw.end(), '.', own.decimalMark);
        return raw;
    }
    bool add(std::string text, bool isInteger, bool isNumber)
    {
        if (m_nested > 0) {
            return addNested(text);
        }
        if (!m_isInList) {
            return !m_open.empty() && addCell(std::move(text), isInteger, isNumber);
        }
        // An empty first element adds no separator, as it would be an empty piece in front.
        if (!std::exchange(m_hasElement, true) || m_list.text.empty()) {
            m_list.text += text;
        } else {
            m_list.text += column().separator + text;
        }
        m_list.areIntegers = m_list.areIntegers && isInteger;
        m_list.areNumbers = m_list.areNumbers && isNumber;
        return true;
    }
    bool addCell(std::string text, bool isInteger, bool isNumber)
    {
        m_cells.push_back({.name = m_name,
                           .text = std::move(text),
                           .areIntegers = isInteger,
                           .areNumbers = isNumber});
        return true;
    }

    bool startNested(char bracket)
    {
        if (m_nested + m_open.size() >= kDeepestJson) {
            return false;
        }
        // add() puts the separator before an element; the brackets inside are written without it.
        if (m_nested == 0) {
            add("", false, false);
        } else {
            m_list.text += m_isFirst ? "" : ",";
        }
        m_list.text += bracket;
        ++m_nested;
        m_isFirst = true;
        return true;
    }
    bool endNested(char bracket)
    {
        m_list.text += bracket;
        --m_nested;
        m_isFirst = false;
        return true;
    }
    bool addNested(std::string_view text)
    {
        m_list.text += m_isFirst ? "" : ",";
        m_list.text += text;
        m_isFirst = false;
        return true;
    }

    const JsonColumns& m_columns;
    std::vector<JsonCell>& m_cells;
    std::vector<std::size_t> m_open;   ///< of each open object: the length of the name around it
    std::vector<std::string> m_prefix; ///< of the names of its members
    std::string m_name;
    JsonCell m_list;
    bool m_isInList = false;
    bool m_hasElement = false;
    bool m_isFirst = true; ///< of the members of what is nested in a list
    std::size_t m_nested = 0;
};

/// The numbers that JSON does not have, as null.
std::string withoutOddNumbers(std::string_view object)
{
    using namespace std::string_view_literals;
    constexpr std::array kOdd{"NaN"sv, "-Infinity"sv, "Infinity"sv};
    std::string text;
    bool isText = false;
    for (std::size_t i = 0; i < object.size(); ++i) {
        const std::string_view rest = object.substr(i);
        const auto odd = std::find_if(kOdd.begin(), kOdd.end(), [&](std::string_view word) {
            return !isText && rest.starts_with(word);
        });
        if (odd != kOdd.end()) {
            text += "null";
            i += odd->size() - 1;
            continue;
        }
        isText = object[i] == '"' ? !isText : isText;
        text += object[i];
        if (isText && object[i] == '\\' && i + 1 < object.size()) {
            text += object[++i];
        }
    }
    return text;
}

bool cellsOf(std::string_view object, const JsonColumns& columns, std::vector<JsonCell>& cells)
{
    cells.clear();
    CellMaker maker(columns, cells);
    return object.starts_with('{') && Json::sax_parse(object.begin(), object.end(), &maker);
}

class JsonConverter final : public RecordConverter
{
public:
    JsonConverter(const std::vector<std::string>& names, JsonColumns columns)
        : m_columns(std::move(columns)), m_texts(names.size())
    {
        for (std::size_t i = 0; i < names.size(); ++i) {
            m_places.emplace(names[i], i);
        }
    }

    std::size_t recordEnd(std::string_view text, bool isWhole) override
    {
        return jsonRecordEnd(text, isWhole);
    }

    tl::expected<bool, std::string> append(std::string_view record, std::string& csv) override
    {
        const std::string_view object = jsonObjectIn(record);
        if (object.empty()) {
            return false;
        }
        if (!readJsonCells(object, m_columns, m_cells)) {
            return tl::make_unexpected(std::string("this is not a JSON object"));
        }
        for (std::string& text : m_texts) {
            text.clear();
        }
        for (JsonCell& cell : m_cells) {
            // Keys beyond the columns, which were collected before, are left out. A key that is
            // missing leaves an empty cell.
            const auto place = m_places.find(cell.name);
            if (place != m_places.end()) {
                m_texts[place->second].swap(cell.text);
            }
        }
        for (std::size_t i = 0; i < m_texts.size(); ++i) {
            csv += i == 0 ? "" : ",";
            appendCsvCell(m_texts[i], csv);
        }
        return true;
    }

private:
    JsonColumns m_columns;
    std::unordered_map<std::string, std::size_t> m_places;
    std::vector<std::string> m_texts;
    std::vector<JsonCell> m_cells;
};

} // namespace

bool readJsonCells(std::string_view object, const JsonColumns& columns,
                   std::vector<JsonCell>& cells)
{
    if (cellsOf(object, columns, cells)) {
        return true;
    }
    // Parsed as it is first: the copy is made only for what Python writes beyond the standard.
    const bool mayBeOdd = object.find("NaN") != std::string_view::npos ||
                          object.find("Infinity") != std::string_view::npos;
    return mayBeOdd && cellsOf(withoutOddNumbers(object), columns, cells);
}

std::size_t jsonRecordEnd(std::string_view text, bool isWhole)
{
    const std::size_t begin = text.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) {
        return isWhole ? text.size() : 0;
    }
    const auto lineEnd = [&](std::size_t from) {
        const std::size_t end = text.find('\n', from);
        return end != std::string_view::npos ? end + 1 : isWhole ? text.size() : 0;
    };
    if (text[begin] != '{') {
        return lineEnd(begin);
    }
    // A depth of brackets, not a parse: the record is parsed once, by append(). A broken record
    // must not swallow those behind it, so two rules end it early.
    std::size_t depth = 0;
    bool isText = false;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char letter = text[i];
        if (isText && letter == '\\') {
            ++i;
        } else if (letter == '"') {
            isText = !isText;
        } else if (letter == '\n' && (isText || text.substr(i + 1).starts_with('{'))) {
            // A text ends with its line, and in a file of lines the next one begins a record: this
            // one is broken.
            return i + 1;
        } else if (!isText && (letter == '{' || letter == '[')) {
            ++depth;
        } else if (!isText && (letter == '}' || letter == ']')) {
            if (--depth == 0) {
                return i + 1;
            }
        }
    }
    return isWhole ? text.size() : 0;
}

std::string_view jsonObjectIn(std::string_view record)
{
    const std::size_t begin = record.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) {
        return {};
    }
    record.remove_prefix(begin);
    return record.substr(0, record.find_last_not_of(kTextBlanks) + 1);
}

std::unique_ptr<RecordConverter> makeJsonConverter(const std::vector<std::string>& names,
                                                   JsonColumns written)
{
    return std::make_unique<JsonConverter>(names, std::move(written));
}

} // namespace cannery::storage
