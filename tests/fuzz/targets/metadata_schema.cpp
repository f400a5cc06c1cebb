// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/metadata_schema.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::storage;

/// A schema.pbtxt; every feature that was read has a name of its own.
void fuzzMetadataSchema(std::string_view bytes)
{
    static FuzzFile file;
    const auto schema = readMetadataSchema(file.with(bytes));
    if (!schema) {
        FUZZ_REQUIRE(!schema.error().id.empty());
        return;
    }
    for (const MetadataFeature& feature : schema->features) {
        FUZZ_REQUIRE(!feature.name.empty() && schema->find(feature.name) == &feature);
    }
    (void)printMetadataSchema(*schema);
}

} // namespace cannery::tests
