// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_filter.h"

#include "core/base/catalog.h"
#include "core/base/folded_case.h"
#include "core/data/rows/row_conditions.h"
#include "core/data/rows/row_filter_tokens.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace cannery::data {

namespace {

using Kind = RowFilterToken::Kind;

constexpr ErrorKind kNoColumn{"data.filter_no_column",
                              "Character {}: the table has no column \"{}\".{}"};
constexpr ErrorKind kNoName{"data.filter_no_name", "Character {}: a column is missing before {}. "
                                                   "Write, for example, age > 30."};
constexpr ErrorKind kNoComparison{
    "data.filter_no_comparison",
    "Character {}: {} needs a comparison. Write, for example, {} after it."};
constexpr ErrorKind kUnknownOperator{
    "data.filter_unknown_operator",
    "Character {}: {} is not a comparison. Use =, !=, <, <=, >, >=, contains, in or is missing."};
constexpr ErrorKind kNoValue{"data.filter_no_value",
                             "Character {}: a value is missing after {}. Write a number, or a text "
                             "in quotation marks."};
constexpr ErrorKind kNotNumber{"data.filter_not_a_number",
                               "Character {}: {} holds numbers, but \"{}\" is not one. Write a "
                               "number, or {} is missing."};
constexpr ErrorKind kNotText{"data.filter_not_a_text", "Character {}: {} holds numbers; "
                                                       "\"contains\" is for texts. Use = or <."};
constexpr ErrorKind kNotMissing{"data.filter_not_missing",
                                "Character {}: only \"missing\" can follow \"{}\". "
                                "Write = to compare with a value."};
constexpr ErrorKind kNoBracket{"data.filter_no_bracket",
                               "Character {}: this bracket is not closed. Add a ) to the filter."};
constexpr ErrorKind kNoList{"data.filter_no_list", "Character {}: \"in\" needs values in brackets. "
                                                   "Write, for example, in (1, 2)."};
constexpr ErrorKind kGoesOn{"data.filter_goes_on", "Character {}: {} is not expected here. Write "
                                                   "\"and\" or \"or\" before it."};
constexpr ErrorKind kTooDeep{"data.filter_too_deep",
                             "Character {}: brackets and \"not\" are nested more than {} deep. "
                             "Simplify the filter."};

/// Each level takes some stack.
constexpr int kDeepest = 100;

using Parsed = tl::expected<RowCondition, FilterProblem>;

class RowFilterParser
{
public:
    RowFilterParser(std::vector<RowFilterToken> tokens, const TableSchema& schema)
        : m_tokens(std::move(tokens)), m_schema(schema)
    {}

    Parsed parseAll()
    {
        // What is left over after a whole condition is a mistake.
        Parsed root = parseAny();
        if (root && peek().kind != Kind::End) {
            return failAt(peek(), kGoesOn, quoted(peek()));
        }
        return root;
    }

    std::vector<ColumnRequest> columns;

private:
    const RowFilterToken& peek() const { return m_tokens[m_at]; }
    // The last token is the end, which is never passed: peek() is always valid.
    RowFilterToken take() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }
    bool isWord(std::string_view word) const
    {
        return peek().kind == Kind::Word && foldedCase(peek().text) == word;
    }
    bool isValue() const { return peek().kind == Kind::Word || peek().kind == Kind::Quoted; }

    /// A token in a sentence.
    static std::string quoted(const RowFilterToken& token)
    {
        return token.kind == Kind::End ? "the end" : fmt::format("\"{}\"", token.text);
    }

    template <typename... Arguments>
    tl::unexpected<FilterProblem> failAt(const RowFilterToken& token, const ErrorKind& kind,
                                         const Arguments&... arguments) const
    {
        return tl::make_unexpected(FilterProblem{
            .position = token.position,
            .length = token.length,
            .error = error(ErrorCode::InvalidArgument, kind, token.position + 1, arguments...)});
    }

    /// "or" binds more loosely than "and", so it is parsed around it.
    Parsed parseAny()
    {
        std::vector<RowCondition> parts;
        do {
            CANNERY_TRY_ASSIGN(parts.emplace_back(), parseTogether());
        } while (takeWord("or"));
        // A single part stays what it is.
        return anyOf(std::move(parts));
    }

    Parsed parseTogether()
    {
        std::vector<RowCondition> parts;
        do {
            CANNERY_TRY_ASSIGN(parts.emplace_back(), parsePart());
        } while (takeWord("and"));
        return allOf(std::move(parts));
    }

    bool takeWord(std::string_view word)
    {
        const bool isThere = isWord(word);
        m_at += isThere ? 1 : 0;
        return isThere;
    }

    Parsed parsePart()
    {
        // Brackets and "not" both come through here, so one count bounds the recursion.
        if (m_depth >= kDeepest) {
            return failAt(peek(), kTooDeep, kDeepest);
        }
        ++m_depth;
        Parsed part = parseWithin();
        --m_depth;
        return part;
    }

    Parsed parseWithin()
    {
        if (takeWord("not")) {
            CANNERY_TRY_ASSIGN(RowCondition part, parsePart());
            return noneOf(std::move(part));
        }
        if (peek().kind != Kind::Open) {
            return parseComparison();
        }
        const RowFilterToken open = take();
        CANNERY_TRY_ASSIGN(RowCondition inside, parseAny());
        // Reported at the bracket that is open: the end of the text is not where it is mended.
        if (peek().kind == Kind::End) {
            return failAt(open, kNoBracket);
        }
        if (peek().kind != Kind::Close) {
            return failAt(peek(), kGoesOn, quoted(peek()));
        }
        take();
        return inside;
    }

    Parsed parseComparison()
    {
        // A name that is a word such as "and" must be quoted.
        const bool isName = isValue() || peek().kind == Kind::Name;
        if (!isName || isWord("and") || isWord("or")) {
            return failAt(peek(), kNoName, quoted(peek()));
        }
        // In quotation marks, a name can be any text.
        const RowFilterToken name = take();
        const ColumnSchema* column = m_schema.find(name.text);
        if (column == nullptr) {
            return failAt(name, kNoColumn, name.text, suggestion(name.text, m_schema.names()));
        }
        // Columns are read by the filter in the order in which it names them.
        note(*column);
        if (takeWord("is")) {
            return parseMissing(*column);
        }
        if (takeWord("in")) {
            return parseList(*column);
        }
        if (isWord("contains") || (peek().kind == Kind::Operator && peek().text == "~")) {
            return parseContains(*column);
        }
        if (peek().kind != Kind::Operator) {
            return failAt(peek(), kNoComparison, quoted(name),
                          column->dtype == DType::String ? "= \"text\"" : "> 30");
        }
        const RowFilterToken sign = take();
        const std::optional<RowComparison> comparison = comparisonOf(sign.text);
        if (!comparison) {
            return failAt(sign, kUnknownOperator, quoted(sign));
        }
        CANNERY_TRY_ASSIGN(const std::string value, parseValue(*column, sign));
        return compares(*column, *comparison, value);
    }

    tl::expected<std::string, FilterProblem> parseValue(const ColumnSchema& column,
                                                        const RowFilterToken& before)
    {
        if (!isValue()) {
            return failAt(peek(), kNoValue, quoted(before));
        }
        const RowFilterToken value = take();
        // Checked here, where its place in the text is still there.
        // A text can be compared with anything.
        if (column.dtype != DType::String && !isRowNumber(value.text)) {
            return failAt(value, kNotNumber, column.name, value.text, column.name);
        }
        return value.text;
    }

    Parsed parseMissing(const ColumnSchema& column)
    {
        // "is not missing" is one comparison.
        const bool isNot = takeWord("not");
        if (!takeWord("missing")) {
            return failAt(peek(), kNotMissing, isNot ? "is not" : "is");
        }
        return isNot ? noneOf(isMissing(column.name)) : isMissing(column.name);
    }

    Parsed parseList(const ColumnSchema& column)
    {
        if (peek().kind != Kind::Open) {
            return failAt(peek(), kNoList);
        }
        const RowFilterToken open = take();
        RowFilterToken before = open;
        std::vector<std::string> values;
        do {
            CANNERY_TRY_ASSIGN(values.emplace_back(), parseValue(column, before));
            // The comma is named if the value after it is missing.
            before = peek();
        } while (peek().kind == Kind::Comma && take().kind == Kind::Comma);
        if (peek().kind != Kind::Close) {
            return failAt(open, kNoBracket);
        }
        take();
        return isOneOf(column, values);
    }

    Parsed parseContains(const ColumnSchema& column)
    {
        const RowFilterToken sign = take();
        if (column.dtype != DType::String) {
            return failAt(sign, kNotText, column.name);
        }
        CANNERY_TRY_ASSIGN(const std::string part, parseValue(column, sign));
        return contains(column.name, part);
    }

    static std::optional<RowComparison> comparisonOf(std::string_view sign)
    {
        static constexpr std::array<std::pair<std::string_view, RowComparison>, 8> kSigns{
            {{"=", RowComparison::Equal},
             {"==", RowComparison::Equal},
             {"!=", RowComparison::NotEqual},
             {"<>", RowComparison::NotEqual},
             {"<", RowComparison::Less},
             {"<=", RowComparison::LessOrEqual},
             {">", RowComparison::Greater},
             {">=", RowComparison::GreaterOrEqual}}};
        const auto* found = std::find_if(kSigns.begin(), kSigns.end(),
                                         [&](const auto& row) { return row.first == sign; });
        return found == kSigns.end() ? std::nullopt : std::optional(found->second);
    }

    /// The filter reads each column once, however often it is compared.
    void note(const ColumnSchema& column)
    {
        // A list of a few columns is searched faster than a set.
        const bool isKnown =
            std::any_of(columns.begin(), columns.end(),
                        [&](const ColumnRequest& one) { return one.column == column.name; });
        if (!isKnown) {
            columns.push_back(comparedColumn(column));
        }
    }

    std::vector<RowFilterToken> m_tokens;
    const TableSchema& m_schema;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace

ColumnRequest comparedColumn(const ColumnSchema& column)
{
    // 0.1 in a filter is a double: as a float32, the column would not have the value that its text
    // shows.
    const bool isShort = column.dtype == DType::Float32;
    return {.column = column.name, .dtype = isShort ? std::optional(DType::Float64) : std::nullopt};
}

tl::expected<RowFilter, FilterProblem> RowFilter::parse(std::string_view text,
                                                        const TableSchema& schema)
{
    auto tokens = rowFilterTokens(text);
    if (!tokens) {
        return tl::make_unexpected(std::move(tokens).error());
    }
    RowFilter filter;
    // The end alone: an empty filter matches every row.
    if (tokens->size() == 1) {
        return filter;
    }
    RowFilterParser parser(std::move(*tokens), schema);
    Parsed root = parser.parseAll();
    if (!root) {
        return tl::make_unexpected(std::move(root).error());
    }
    filter.m_root = std::move(*root);
    filter.m_columns = std::move(parser.columns);
    return filter;
}

std::vector<std::uint8_t> RowFilter::match(const storage::TableChunk& chunk) const
{
    std::vector<std::uint8_t> matches(chunk.rows, 1);
    if (m_root) {
        m_root->match(chunk, matches);
    }
    return matches;
}

} // namespace cannery::data
