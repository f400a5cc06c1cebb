// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/quote_settings.h"

#include "core/data/data_errors.h"

#include <cctype>
#include <string>
#include <string_view>
#include <utility>

namespace cannery::data {

namespace {

/// A character with which cells are quoted or escaped.
Result<char> quoteCharOf(const std::string& field, const std::string& text)
{
    constexpr std::string_view kOthers = "\r\n \t,;";
    // Letters and digits occur in cells.
    if (text.size() != 1 || kOthers.find(text) != std::string_view::npos ||
        std::isalnum(static_cast<unsigned char>(text.front())) != 0) {
        return fail(ErrorCode::InvalidArgument, kBadQuoteChar, field, text);
    }
    return text.front();
}

} // namespace

Result<void> takeQuotes(const spec::CsvSource& csv, storage::DialectHints& hints)
{
    if (csv.has_quote_char()) {
        CANNERY_TRY_ASSIGN(hints.quote, quoteCharOf("quote_char", csv.quote_char()));
    }
    if (csv.has_escape_char()) {
        hints.escape = '\0';
        // An empty text turns escaping off.
        if (!csv.escape_char().empty()) {
            CANNERY_TRY_ASSIGN(hints.escape, quoteCharOf("escape_char", csv.escape_char()));
        }
    }
    if (csv.has_skip_initial_space()) {
        hints.skipsBlanks = csv.skip_initial_space();
    }
    if (csv.has_formula_quotes()) {
        hints.formulaQuotes = csv.formula_quotes();
    }
    // Last, as it wins over the character.
    if (!csv.use_quote_delim()) {
        hints.quote = '\0';
    }
    return {};
}

void addQuoteSettings(const spec::CsvSource& csv, const storage::DialectGuess& guess,
                      std::vector<SourceSetting>& settings)
{
    const storage::CsvDialect& dialect = guess.dialect;
    const auto add = [&](const char* field, std::string value, bool isUsual, bool isSet) {
        // The usual is not worth a line.
        if (!isUsual || isSet) {
            settings.push_back({.field = field,
                                .value = std::move(value),
                                .reason = isSet ? "as the experiment says" : guess.quoteReason,
                                .isDetected = !isSet,
                                .belongsInExperiment = !isSet});
        }
    };
    const bool hasQuotes = dialect.quote != '\0';
    add("quote_char", std::string(hasQuotes ? 1 : 0, dialect.quote),
        dialect.quote == '"' || !hasQuotes, csv.has_quote_char());
    add("use_quote_delim", hasQuotes ? "true" : "false", hasQuotes, csv.has_use_quote_delim());
    add("escape_char", std::string(dialect.escape != '\0' ? 1 : 0, dialect.escape),
        dialect.escape == '\0', csv.has_escape_char());
    add("skip_initial_space", dialect.skipsBlanks ? "true" : "false", !dialect.skipsBlanks,
        csv.has_skip_initial_space());
    add("formula_quotes", dialect.formulaQuotes ? "true" : "false", !dialect.formulaQuotes,
        csv.has_formula_quotes());
}

} // namespace cannery::data
