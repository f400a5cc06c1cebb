// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::serving {

/// How a command writes a table as text.
struct OutputDialect
{
    char delimiter = ',';
    char decimalMark = '.';
    std::string_view lineEnd = "\n";
    storage::TextEncoding encoding = storage::TextEncoding::Utf8;
    bool isBigEndian = false;
    bool hasByteOrderMark = false;

    bool isPlain() const { return encoding == storage::TextEncoding::Utf8 && !hasByteOrderMark; }
};

/// That of a text table, which is not compressed. `settings`: as its source was opened. Errors:
/// those of reading.
Result<OutputDialect> dialectOf(const std::string& file,
                                const std::vector<data::SourceSetting>& settings);

} // namespace cannery::serving
