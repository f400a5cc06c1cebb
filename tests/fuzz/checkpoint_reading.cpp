// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/checkpoint_reading.h"

#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/object_graph.h"
#include "tests/fuzz/fuzz_support.h"

namespace cannery::tests {

using namespace cannery::storage;

void readWholeCheckpoint(const std::string& prefix)
{
    const auto reader = CheckpointReader::open(prefix);
    if (!reader) {
        return;
    }
    for (const CheckpointEntry& entry : reader->entries()) {
        const auto tensor = reader->read(entry.name);
        if (!tensor) {
            continue;
        }
        FUZZ_REQUIRE(tensor->dtype == entry.dtype && tensor->shape == entry.shape);
        const auto count = static_cast<std::size_t>(entry.shape.elementCount());
        FUZZ_REQUIRE(entry.dtype == DType::String
                         ? tensor->strings.size() == count
                         : tensor->bytes.size() == count * byteSize(entry.dtype));
    }
    if (isObjectBased(*reader)) {
        if (const auto graph = readObjectGraph(*reader)) {
            objectVariables(*graph);
        }
    }
}

} // namespace cannery::tests
