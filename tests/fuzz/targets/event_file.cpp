// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/event_reading.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

/// An event file as stored on disk.
void fuzzEventFile(std::string_view bytes)
{
    static FuzzFile file;
    readEventsBothWays(file.with(bytes));
}

} // namespace cannery::tests
