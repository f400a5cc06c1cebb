// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/record_files.h"
#include "core/data/typing/schema.h"

#include <cstdint>

namespace cannery::data {

struct ExampleInferenceOptions
{
    bool skipDamages = false; ///< otherwise the first one is an error
    bool skipBadRecords = false;
    ColumnKinds kinds = ColumnKinds::Guessed;
    std::uint64_t maxBytes = 16U << 20U; ///< decompressed; anything later is not inspected
};

/// Inspects the first records and infers the columns: one for each feature, in order of name; one
/// int64, float32 or text per record, or a list of them (ColumnSchema::listOf) where a record has
/// several or where they are steps of a sequence. Features of bytes that are not text are left out,
/// with a warning.
Result<TableSchema> inferExamples(const RecordFiles& files, const ExampleInferenceOptions& options);

} // namespace cannery::data
