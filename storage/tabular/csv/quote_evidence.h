// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/csv/csv_dialect.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace cannery::storage {

/// What a dialect makes of the quotes in a sample.
struct QuoteUse
{
    char delimiter = ',';
    std::size_t records = 0;
    std::size_t quoted = 0;   ///< cells in quotes
    std::size_t formulas = 0; ///< of these, such as ="00123"
    std::size_t faults = 0;   ///< records with text behind a closing quote, or with an open one
};

/// Counts them in the whole records of a sample, which needs the padding of scanCells().
QuoteUse quoteUse(std::string_view text, bool isWhole, const CsvDialect& dialect);

/// A way of quoting besides that of RFC 4180.
struct QuoteStyle
{
    std::string_view sign; ///< what a text has that may need it; " is the dialect's quote
    bool (*isOpen)(const DialectHints&);
    void (*apply)(CsvDialect&);
    bool (*isBetter)(const QuoteUse& before, const QuoteUse& after);
    const char* reason;
};

/// All of them; several may be combined, in this order.
std::span<const QuoteStyle> quoteStyles();

} // namespace cannery::storage
