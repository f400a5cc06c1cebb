// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_targets.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // Readers never see a null pointer for empty input.
    cannery::tests::CANNERY_FUZZ_FUNCTION(
        size == 0 ? std::string_view("")
                  : std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
}
