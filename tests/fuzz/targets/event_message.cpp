// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/record_file.h"
#include "tests/fuzz/event_reading.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

/// Parts that become the messages of an event file with valid checksums.
void fuzzEventMessage(std::string_view bytes)
{
    static FuzzFile file;
    std::string content;
    while (!bytes.empty()) {
        content += storage::frameRecord(takePart(bytes));
    }
    readEventsBothWays(file.with(content));
}

} // namespace cannery::tests
