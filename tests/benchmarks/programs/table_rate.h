// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cannery::benchmarks {

/// One pass over a table of any kind, every column in its inferred type.
struct TablePass
{
    double seconds = 0;
    double processorSeconds = 0; ///< of all threads
    std::uint64_t rows = 0;
    std::uint64_t cells = 0;
    std::uint64_t bytes = 0; ///< of the file
};

/// `statistics`: those of every column in the same pass.
Result<TablePass> readTable(const std::string& file, std::size_t threads, bool statistics);

} // namespace cannery::benchmarks
