// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/object_graph.h"
#include "tests/fuzz/checkpoint_reading.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

/// Index and data file of a checkpoint as stored on disk.
void fuzzCheckpointFiles(std::string_view bytes)
{
    static const FuzzFolder folder;
    folder.write("a.index", takePart(bytes));
    folder.write("a.data-00000-of-00001", bytes);
    readWholeCheckpoint(folder.path() + "/a");
}

} // namespace cannery::tests
