// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

#include <filesystem>

namespace cannery::tests {

using namespace cannery::storage;

/// The file `checkpoint` of a model folder: any content refers to files of this folder.
void fuzzCheckpointState(std::string_view bytes)
{
    static const FuzzFolder folder;
    folder.write("checkpoint", bytes);
    const auto state = readCheckpointState(folder.path());
    if (!state) {
        return;
    }
    std::vector<std::string> paths = (*state)->all;
    paths.push_back((*state)->latest);
    for (const std::string& path : paths) {
        const std::string plain = std::filesystem::path(path).lexically_normal().native();
        FUZZ_REQUIRE(plain.rfind(folder.path() + "/", 0) == 0);
        checkpointStep(path);
    }
}

} // namespace cannery::tests
