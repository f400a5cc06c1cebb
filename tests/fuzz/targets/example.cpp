// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/example_codec.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::storage;

/// A tf.Example or a tf.SequenceExample; what was read is always written as the same bytes.
void fuzzExample(std::string_view bytes)
{
    if (const auto example = parseExample(bytes)) {
        const std::string written = serializeExample(*example);
        const auto again = parseExample(written);
        FUZZ_REQUIRE(again && serializeExample(*again) == written);
    }
    if (const auto example = parseSequenceExample(bytes)) {
        const std::string written = serializeSequenceExample(*example);
        const auto again = parseSequenceExample(written);
        FUZZ_REQUIRE(again && serializeSequenceExample(*again) == written);
    }
}

} // namespace cannery::tests
