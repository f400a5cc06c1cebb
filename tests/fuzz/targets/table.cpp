// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/table_reader.h"
#include "storage/tf/checkpoints/table_writer.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::storage;

/// A sorted string table: an index file as stored on disk. What can be read can be written.
void fuzzTable(std::string_view bytes)
{
    const auto rows = readTable(bytes, "fuzz");
    if (rows) {
        const auto again = readTable(writeTable(*rows), "fuzz");
        FUZZ_REQUIRE(again && *again == *rows);
    }
}

} // namespace cannery::tests
