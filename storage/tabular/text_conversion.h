// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"

#include <cstddef>

namespace cannery::storage {

struct CsvFiles;

/// Rewrites the text of files in another format as CSV while it is read: records in UTF-8 with
/// commas, quotes where needed and no header, so that one path reads, types and checks the cells of
/// all of them. Immutable; thread-safe.
class TextConversion
{
public:
    virtual ~TextConversion() = default;

    /// The records of a file (by its number), for one thread; fills every span but the last.
    /// `text`: decompressed, in UTF-8.
    virtual ByteSource convert(ByteSource text, std::size_t file) const = 0;
};

/// The text of one file of a table: decompressed, decoded and converted. `bytes`: as it is on disk.
Result<ByteSource> openText(const CsvFiles& files, std::size_t file, ByteSource bytes);

} // namespace cannery::storage
