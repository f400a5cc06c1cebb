// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/typing/schema.h"
#include "storage/tabular/table_chunk.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// A new file that rows are written to; it appears when it is complete. Used by one thread.
class ConvertedTable
{
public:
    virtual ~ConvertedTable() = default;

    /// Whether a file of this name takes records, not lines.
    static bool areRecords(const std::string& file);

    /// By the end of `file`: .csv; .tfrecord, .tfrecord.gz or .tfrecord.z, with a schema at
    /// `schemaFile` (default: schema.pbtxt next to the file). Errors: another end, a file that
    /// exists, a folder that does not.
    static Result<std::unique_ptr<ConvertedTable>>
    create(const std::string& file, const std::optional<std::string>& schemaFile,
           const data::TableSchema& schema);

    /// Rows with the columns of the schema, in its order.
    virtual Result<void> append(const storage::TableChunk& chunk) = 0;
    /// After the last row.
    virtual Result<void> publish() = 0;
    /// What publish() makes.
    virtual std::vector<std::string> files() const = 0;
    /// What the file could not take of the rows, one sentence for each column.
    virtual std::vector<std::string> remarks() const { return {}; }
};

} // namespace cannery::app
