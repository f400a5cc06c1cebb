// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/csv/csv_dialect.h"

#include <string_view>

namespace cannery::storage {

/// Finds the table in the first bytes of a file. Its width is that of most records (or the number
/// of given names); its first record is the first one of this width; lines above it are remarks, as
/// are lines that begin with #, % or //, and lines that describe the columns below the header.
/// A header may be one name short: then the first column holds the names of the rows, or each row
/// ends with a delimiter too many. Names beyond the cells of every row are dropped. With
/// `hints.skipRows`, the record after these lines is the header or the first row, and nothing else
/// is left out. `isWhole`: the text is the whole file. It needs the padding of scanCells().
CsvLayout findLayout(std::string_view text, bool isWhole, const CsvDialect& dialect,
                     const DialectHints& hints);

/// The delimiter that a first line such as "sep=;" names; 0: there is no such line.
char namedDelimiter(std::string_view text);

/// Whether a line is a remark by its first bytes: # % //
bool isRemark(std::string_view line);

} // namespace cannery::storage
