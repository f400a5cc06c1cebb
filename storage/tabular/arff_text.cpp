// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/arff_text.h"

#include "storage/tabular/csv/csv_cell.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/text_bytes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace cannery::storage {

namespace {

constexpr ErrorKind kArffHeader{"csv.arff_header", "{}:{}: {}. Correct the file's header."};

constexpr char kArffComment = '%';
constexpr std::string_view kArffMissing = "?";
constexpr std::string_view kRelation = "@relation";
constexpr std::string_view kAttribute = "@attribute";
constexpr std::string_view kArffData = "@data";

bool beginsAs(std::string_view text, std::string_view word)
{
    return text.size() >= word.size() &&
           std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
               return a == std::tolower(static_cast<unsigned char>(b));
           });
}

std::string_view withoutBlanks(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(kTextBlanks);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(kTextBlanks) - begin + 1);
}

/// One value of a line.
struct Value
{
    std::string text;
    bool isQuoted = false;
};

/// Reads the values of a line one after the other.
class ValueReader
{
public:
    explicit ValueReader(std::string_view text) : m_text(text) { skipBlanks(); }

    bool isOver() const { return m_text.empty() || m_text.front() == kArffComment; }
    std::string_view rest() const { return m_text; }

    bool take(char sign)
    {
        if (m_text.empty() || m_text.front() != sign) {
            return false;
        }
        m_text.remove_prefix(1);
        skipBlanks();
        return true;
    }

    /// Up to one of `ends` or the end of the text; nothing if a quote is not closed.
    std::optional<Value> value(std::string_view ends)
    {
        Value value;
        const char quote = m_text.empty() ? '\0' : m_text.front();
        if (quote == '\'' || quote == '"') {
            value.isQuoted = true;
            m_text.remove_prefix(1);
            if (!takeQuoted(quote, value.text)) {
                return std::nullopt;
            }
        } else {
            const std::size_t end = std::min(m_text.find_first_of(ends), m_text.size());
            value.text = withoutBlanks(m_text.substr(0, end));
            m_text.remove_prefix(end);
        }
        skipBlanks();
        return value;
    }

private:
    void skipBlanks()
    {
        m_text.remove_prefix(std::min(m_text.find_first_not_of(kTextBlanks), m_text.size()));
    }

    bool takeQuoted(char quote, std::string& text)
    {
        constexpr std::array<std::pair<char, char>, 4> kEscapes{
            {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'0', ' '}}};
        for (std::size_t i = 0; i < m_text.size(); ++i) {
            if (m_text[i] == quote) {
                m_text.remove_prefix(i + 1);
                return true;
            }
            if (m_text[i] == '\\' && i + 1 < m_text.size()) {
                const char letter = m_text[++i];
                const auto row =
                    std::find_if(kEscapes.begin(), kEscapes.end(),
                                 [&](const auto& escape) { return escape.first == letter; });
                text += row == kEscapes.end() ? letter : row->second;
            } else {
                text += m_text[i];
            }
        }
        return false;
    }

    std::string_view m_text;
};

/// What is wrong with the declaration, or the attribute.
tl::expected<ArffAttribute, std::string> parseAttribute(std::string_view text)
{
    ValueReader reader(text);
    ArffAttribute attribute;
    const std::optional<Value> name = reader.value(" \t\r");
    if (!name || name->text.empty()) {
        return tl::make_unexpected(std::string("the name of an attribute is not readable"));
    }
    attribute.name = name->text;
    if (reader.take('{')) {
        attribute.isText = true;
        while (!reader.take('}')) {
            const std::optional<Value> value = reader.value(",}");
            // Also at a comment: the list goes on, but its line does not.
            if (!value || reader.isOver()) {
                return tl::make_unexpected(
                    fmt::format("the values of attribute {} do not end", attribute.name));
            }
            attribute.values.push_back(value->text);
            reader.take(',');
        }
        return attribute;
    }
    const std::string_view type = reader.rest();
    // "date" is followed by a pattern in quotes. Dates are recognized by their texts instead.
    if (beginsAs(type, "string") || beginsAs(type, "date")) {
        attribute.isText = true;
    } else if (!beginsAs(type, "numeric") && !beginsAs(type, "real") &&
               !beginsAs(type, "integer")) {
        return tl::make_unexpected(
            fmt::format("attribute {} has the type \"{}\", which is not read", attribute.name,
                        withoutBlanks(type)));
    }
    return attribute;
}

class ArffConverter final : public RecordConverter
{
public:
    explicit ArffConverter(std::vector<ArffAttribute> attributes)
        : m_attributes(std::move(attributes))
    {}

    tl::expected<bool, std::string> append(std::string_view record, std::string& csv) override
    {
        const std::string_view line = withoutBlanks(record);
        // The header was parsed before; here it only has to be skipped.
        if (!m_isData) {
            m_isData = beginsAs(line, kArffData);
            return false;
        }
        ValueReader reader(line);
        if (reader.isOver()) {
            return false;
        }
        const auto read = line.front() == '{' ? readSparse(reader) : readDense(reader, line);
        if (!read) {
            return tl::make_unexpected(read.error());
        }
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            csv += i == 0 ? "" : ",";
            const Value& value = m_values[i];
            // '?' in quotes is a text; without them it is a missing value, an empty cell.
            if (value.isQuoted || value.text != kArffMissing) {
                appendCsvCell(value.text, csv);
            }
        }
        return true;
    }

private:
    using Read = tl::expected<void, std::string>;

    Read readDense(ValueReader& reader, std::string_view line)
    {
        // Commas are usual; some files have blanks.
        const bool hasCommas = line.find(',') != std::string_view::npos || m_attributes.size() == 1;
        const std::string_view ends = hasCommas ? ",%" : " \t%";
        m_values.clear();
        while (true) {
            std::optional<Value> value = reader.value(ends);
            if (!value) {
                return tl::make_unexpected(std::string("a quote is not closed"));
            }
            m_values.push_back(*std::move(value));
            const bool goesOn = hasCommas ? reader.take(',') : !reader.isOver();
            // One value too many is enough to know that the row is wrong.
            if (!goesOn || m_values.size() > m_attributes.size()) {
                break;
            }
            if (reader.rest().starts_with('{') && m_values.size() == m_attributes.size()) {
                break; // the weight of the row
            }
        }
        return m_values.size() == m_attributes.size()
                   ? Read()
                   : tl::make_unexpected(fmt::format("{} values instead of {}", m_values.size(),
                                                     m_attributes.size()));
    }

    Read readSparse(ValueReader& reader)
    {
        m_values.clear();
        // What a sparse row leaves out is 0, and of a nominal attribute the first value: ARFF
        // stores the index 0 for it.
        for (const ArffAttribute& attribute : m_attributes) {
            m_values.push_back({.text = !attribute.isText          ? "0"
                                        : attribute.values.empty() ? ""
                                                                   : attribute.values.front()});
        }
        reader.take('{');
        while (!reader.take('}')) {
            const std::optional<Value> number = reader.value(" \t,}");
            std::optional<Value> value = reader.value(",}");
            std::size_t index = 0;
            const char* end = number ? number->text.data() + number->text.size() : nullptr;
            const bool isNumber = number && !number->text.empty() &&
                                  std::from_chars(number->text.data(), end, index).ptr == end;
            if (!isNumber || !value || index >= m_values.size() || reader.isOver()) {
                return tl::make_unexpected(
                    std::string("the sparse row is not a list of attribute numbers and values"));
            }
            m_values[index] = *std::move(value);
            reader.take(',');
        }
        return {};
    }

    std::vector<ArffAttribute> m_attributes;
    std::vector<Value> m_values;
    bool m_isData = false;
};

} // namespace

bool beginsAsArff(std::string_view text)
{
    text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = withoutBlanks(text.substr(0, end));
        if (!line.empty() && line.front() != kArffComment) {
            return beginsAs(line, kRelation) || beginsAs(line, kAttribute);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

Result<ArffHeader> parseArffHeader(std::string_view text, const std::string& path)
{
    ArffHeader header;
    for (std::uint64_t number = 1; !text.empty() && !header.isWhole; ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = withoutBlanks(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        header.isWhole = beginsAs(line, kArffData);
        if (!beginsAs(line, kAttribute)) {
            continue;
        }
        auto attribute = parseAttribute(line.substr(kAttribute.size()));
        if (!attribute) {
            return fail(ErrorCode::InvalidArgument, kArffHeader, path, number, attribute.error());
        }
        header.attributes.push_back(*std::move(attribute));
    }
    return header;
}

std::unique_ptr<RecordConverter> makeArffConverter(std::vector<ArffAttribute> attributes)
{
    return std::make_unique<ArffConverter>(std::move(attributes));
}

} // namespace cannery::storage
