// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "core/data/sources/example_parser.h"
#include "core/data/sources/record_files.h"

#include <memory>
#include <vector>

namespace cannery::data {

struct ExampleStreamOptions
{
    std::vector<ExampleColumn> columns;
    bool skipDamages = false;    ///< otherwise the first one ends reading
    bool skipBadRecords = false; ///< the same for records that do not fit the columns
    ChunkRequest request;        ///< its columns are not used
};

/// The records of files as rows, parsed on the lent threads, in order: the same for any number of
/// threads. The files must outlive it.
std::unique_ptr<ChunkStream> streamExamples(const RecordFiles& files, ExampleStreamOptions options);

} // namespace cannery::data
