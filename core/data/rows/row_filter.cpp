// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_filter.h"

#include "core/base/catalog.h"
#include "core/data/rows/row_conditions.h"
#include "core/filter/filter_syntax.h"

#include <algorithm>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kOpenQuotation{"data.filter_open_quotation",
                                   "The quotation from character {} is not closed. Add {} at its "
                                   "end."};
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

using Parsed = tl::expected<RowCondition, FilterProblem>;
using filter::Node;
using filter::SyntaxError;
using filter::Token;

/// A token in a sentence.
std::string quoted(const Token& token)
{
    return token.kind == Token::Kind::End ? "the end" : fmt::format("\"{}\"", token.text);
}

template <typename... Arguments>
FilterProblem problemAt(const Token& token, const ErrorKind& kind, const Arguments&... arguments)
{
    return {.position = token.position,
            .length = token.length,
            .error = error(ErrorCode::InvalidArgument, kind, token.position + 1, arguments...)};
}

/// Turns the tree of a filter into conditions on a table's columns.
class ConditionBuilder
{
public:
    explicit ConditionBuilder(const TableSchema& schema) : m_schema(schema) {}

    Parsed build(const Node& node)
    {
        switch (node.kind) {
        case Node::Kind::All: {
            CANNERY_TRY_ASSIGN(std::vector<RowCondition> parts, buildAll(node.parts));
            return allOf(std::move(parts));
        }
        case Node::Kind::Any: {
            CANNERY_TRY_ASSIGN(std::vector<RowCondition> parts, buildAll(node.parts));
            return anyOf(std::move(parts));
        }
        case Node::Kind::Not: {
            CANNERY_TRY_ASSIGN(RowCondition part, build(node.parts.front()));
            return noneOf(std::move(part));
        }
        default:
            return comparison(node);
        }
    }

    /// What is wrong with a filter that has no tree. A mistake before the one of the syntax is
    /// reported first: people read from the left.
    FilterProblem problem(const SyntaxError& wrong)
    {
        for (const Node& node : wrong.complete) {
            if (auto built = build(node); !built) {
                return std::move(built).error();
            }
        }
        const Token& at = wrong.at;
        const ColumnSchema* column = m_schema.find(wrong.name.text);
        if (column == nullptr && wrong.name.kind != Token::Kind::End) {
            return noColumn(wrong.name);
        }
        switch (wrong.kind) {
        case SyntaxError::Kind::UnclosedQuotation:
            return problemAt(at, kOpenQuotation, at.text);
        case SyntaxError::Kind::NoName:
            return problemAt(at, kNoName, quoted(at));
        case SyntaxError::Kind::NoComparison: {
            const bool isText = column != nullptr && column->dtype == DType::String;
            return problemAt(at, kNoComparison, quoted(wrong.name), isText ? "= \"text\"" : "> 30");
        }
        case SyntaxError::Kind::UnknownSign:
            return problemAt(at, kUnknownOperator, quoted(at));
        case SyntaxError::Kind::NoValue:
            return problemAt(at, kNoValue, quoted(wrong.before));
        case SyntaxError::Kind::NotMissing:
            return problemAt(at, kNotMissing, wrong.before.text == "not" ? "is not" : "is");
        case SyntaxError::Kind::UnclosedBracket:
            return problemAt(at, kNoBracket);
        case SyntaxError::Kind::NoList:
            return problemAt(at, kNoList);
        case SyntaxError::Kind::TooDeep:
            return problemAt(at, kTooDeep, filter::kDeepest);
        case SyntaxError::Kind::Unexpected:
            break;
        }
        return problemAt(at, kGoesOn, quoted(at));
    }

    std::vector<ColumnRequest> columns;

private:
    tl::expected<std::vector<RowCondition>, FilterProblem> buildAll(const std::vector<Node>& nodes)
    {
        std::vector<RowCondition> conditions;
        for (const Node& node : nodes) {
            CANNERY_TRY_ASSIGN(conditions.emplace_back(), build(node));
        }
        return conditions;
    }

    Parsed comparison(const Node& node)
    {
        const ColumnSchema* column = m_schema.find(node.name.text);
        if (column == nullptr) {
            return tl::make_unexpected(noColumn(node.name));
        }
        // Columns are read by the filter in the order in which it names them.
        note(*column);
        if (node.kind == Node::Kind::Contains && column->dtype != DType::String) {
            return tl::make_unexpected(problemAt(node.mark, kNotText, column->name));
        }
        std::vector<std::string> values;
        for (const Token& value : node.values) {
            // A text can be compared with anything.
            if (column->dtype != DType::String && !isRowNumber(value.text)) {
                return tl::make_unexpected(
                    problemAt(value, kNotNumber, column->name, value.text, column->name));
            }
            values.push_back(value.text);
        }
        switch (node.kind) {
        case Node::Kind::Contains:
            return contains(column->name, values.front());
        case Node::Kind::OneOf:
            return isOneOf(*column, values);
        case Node::Kind::Missing:
            return isMissing(column->name);
        default: // rows are not searched for words
            return compares(*column, node.sign, values.front());
        }
    }

    FilterProblem noColumn(const Token& name) const
    {
        return problemAt(name, kNoColumn, name.text, suggestion(name.text, m_schema.names()));
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

    const TableSchema& m_schema;
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
    ConditionBuilder builder(schema);
    const auto tree = filter::parse(text, filter::Grammar::Comparisons);
    if (!tree) {
        return tl::make_unexpected(builder.problem(tree.error()));
    }
    RowFilter filter;
    if (!*tree) {
        return filter;
    }
    CANNERY_TRY_ASSIGN(filter.m_root, builder.build(**tree));
    filter.m_columns = std::move(builder.columns);
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
