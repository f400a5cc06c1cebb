// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <vector>

namespace cannery::data {

/// What a message says about how cells are quoted. Error: data.bad_quote_char.
Result<void> takeQuotes(const spec::CsvSource& csv, storage::DialectHints& hints);

/// Adds how cells are quoted, if that is said or unusual; what was found belongs in an experiment.
void addQuoteSettings(const spec::CsvSource& csv, const storage::DialectGuess& guess,
                      std::vector<SourceSetting>& settings);

} // namespace cannery::data
