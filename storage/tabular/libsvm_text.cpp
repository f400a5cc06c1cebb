// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/libsvm_text.h"

#include "storage/tabular/csv/csv_cell.h"
#include "storage/tabular/text_bytes.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace cannery::storage {

namespace {

constexpr std::string_view kQueryMark = "qid:";
constexpr char kLibsvmComment = '#';
/// A beginning that is one line without an end is cut.
constexpr std::size_t kLongLine = 4096;
constexpr std::size_t kTimeBytes = 3; ///< of ":30"

/// "12:0.5", or the qid.
struct Pair
{
    std::uint64_t index = 0;
    std::string_view value;
    bool isQuery = false;
};

/// The tokens of a line.
class LineTokens
{
public:
    explicit LineTokens(std::string_view line)
        : m_rest(line.substr(0, std::min(line.find(kLibsvmComment), line.size())))
    {}

    /// Empty at the end.
    std::string_view next()
    {
        m_rest.remove_prefix(std::min(m_rest.find_first_not_of(kTextBlanks), m_rest.size()));
        const std::size_t end = std::min(m_rest.find_first_of(kTextBlanks), m_rest.size());
        const std::string_view token = m_rest.substr(0, end);
        m_rest.remove_prefix(end);
        return token;
    }

private:
    std::string_view m_rest;
};

bool isDecimal(std::string_view text)
{
    // std::from_chars takes no plus sign.
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [behind, failure] = std::from_chars(text.data(), end, value);
    // A number beyond double is still one: the column's parser decides.
    return !text.empty() && behind == end &&
           (failure == std::errc() || failure == std::errc::result_out_of_range);
}

/// A number, or several classes: "1,3".
bool isLabel(std::string_view text)
{
    while (true) {
        const std::size_t end = std::min(text.find(','), text.size());
        if (!isDecimal(text.substr(0, end))) {
            return false;
        }
        if (end == text.size()) {
            return true;
        }
        text.remove_prefix(end + 1);
    }
}

std::optional<Pair> pairOf(std::string_view token)
{
    if (token.starts_with(kQueryMark)) {
        const std::string_view value = token.substr(kQueryMark.size());
        return isDecimal(value) ? std::optional(Pair{.value = value, .isQuery = true})
                                : std::nullopt;
    }
    Pair pair;
    const std::size_t colon = token.find(':');
    const char* end = token.data() + std::min(colon, token.size());
    const bool isIndex = colon != std::string_view::npos && colon > 0 &&
                         std::from_chars(token.data(), end, pair.index).ptr == end;
    pair.value = token.substr(std::min(colon + 1, token.size()));
    return isIndex && isDecimal(pair.value) && pair.index <= LibsvmShape::kMostFeatures
               ? std::optional(pair)
               : std::nullopt;
}

class LibsvmConverter final : public RecordConverter
{
public:
    explicit LibsvmConverter(const LibsvmShape& shape)
        : m_shape(shape), m_first(shape.hasZero ? 0 : 1), m_values(shape.largest + 1 - m_first)
    {}

    tl::expected<bool, std::string> append(std::string_view record, std::string& csv) override
    {
        LineTokens tokens(record);
        const std::string_view label = tokens.next();
        if (label.empty()) {
            return false;
        }
        if (!isLabel(label)) {
            return tl::make_unexpected(std::string("the line does not begin with a label"));
        }
        // What a line leaves out is 0.
        std::fill(m_values.begin(), m_values.end(), std::string_view("0"));
        std::string_view query;
        for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
            const std::optional<Pair> pair = pairOf(token);
            if (!pair) {
                return tl::make_unexpected(
                    fmt::format("\"{}\" is not a number of a column and its value", token));
            }
            if (pair->isQuery) {
                query = pair->value;
                // Columns beyond those that were found in the first place are left out.
            } else if (pair->index >= m_first && pair->index <= m_shape.largest) {
                m_values[pair->index - m_first] = pair->value;
            }
        }
        appendCsvCell(label, csv);
        if (m_shape.hasQuery) {
            csv += ',';
            csv += query;
        }
        for (const std::string_view value : m_values) {
            csv += ',';
            csv += value;
        }
        return true;
    }

private:
    LibsvmShape m_shape;
    std::uint64_t m_first;
    std::vector<std::string_view> m_values;
};

} // namespace

bool addToShape(std::string_view line, LibsvmShape& shape)
{
    LineTokens tokens(line);
    const std::string_view label = tokens.next();
    if (!label.empty() && !isLabel(label)) {
        return false;
    }
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        const std::optional<Pair> pair = pairOf(token);
        if (!pair) {
            return false;
        }
        shape.hasQuery = shape.hasQuery || pair->isQuery;
        shape.hasZero = shape.hasZero || (!pair->isQuery && pair->index == 0);
        shape.largest = std::max(shape.largest, pair->index);
    }
    return true;
}

bool beginsAsLibsvm(std::string_view text)
{
    constexpr int kMostLines = 20;
    LibsvmShape shape;
    int lines = 0;
    bool areTimes = true; // "5 12:30" in every line
    while (lines < kMostLines && !text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos && lines > 0) {
            break; // the last line of a beginning may be cut
        }
        std::string_view line = text.substr(0, std::min(end, text.size()));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        // The beginning of one long line ends in the middle of a pair.
        if (end == std::string_view::npos && line.size() >= kLongLine) {
            line = line.substr(0, line.find_last_of(kTextBlanks));
        }
        if (!addToShape(line, shape)) {
            return false;
        }
        LineTokens tokens(line);
        lines += tokens.next().empty() ? 0 : 1;
        const std::string_view pair = tokens.next();
        areTimes = areTimes && tokens.next().empty() &&
                   (pair.empty() || pair.size() - pair.find(':') == kTimeBytes);
    }
    return lines > 0 && shape.largest > 0 && !areTimes;
}

std::vector<std::string> libsvmColumns(const LibsvmShape& shape)
{
    std::vector<std::string> names{"label"};
    if (shape.hasQuery) {
        names.emplace_back("qid");
    }
    for (std::uint64_t i = shape.hasZero ? 0 : 1; i <= shape.largest; ++i) {
        names.push_back(fmt::format("f{}", i));
    }
    return names;
}

std::unique_ptr<RecordConverter> makeLibsvmConverter(const LibsvmShape& shape)
{
    return std::make_unique<LibsvmConverter>(shape);
}

} // namespace cannery::storage
