// SPDX-License-Identifier: Apache-2.0
#include "storage/images/image.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::storage;

/// A picture, as it is and with each number of channels: all agree on its size.
void fuzzImage(std::string_view bytes)
{
    const Result<Image> plain = readImage(bytes, "picture");
    // The same once more would cost only time.
    constexpr std::size_t kFewValues = 1U << 20U;
    if (!plain || plain->valueCount() > kFewValues) {
        FUZZ_REQUIRE(plain || !plain.error().sentence.empty());
        return;
    }
    for (const bool wide : {false, true}) {
        for (int channels = 1; channels <= 4; ++channels) {
            const Result<Image> image =
                readImage(bytes, "picture", {.channels = channels, .sixteenBits = wide});
            FUZZ_REQUIRE(image.has_value());
            FUZZ_REQUIRE(image->height == plain->height && image->width == plain->width);
            FUZZ_REQUIRE(image->channels == channels);
            const std::size_t values =
                std::visit([](const auto& list) { return list.size(); }, image->values);
            FUZZ_REQUIRE(values == image->valueCount());
        }
    }
}

} // namespace cannery::tests
