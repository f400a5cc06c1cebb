// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/number_parser.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

#include <bit>
#include <cstdlib>

namespace cannery::tests {

using namespace cannery::storage;

/// One number as text: our result agrees with strtof, strtod and strtoll.
void fuzzNumber(std::string_view bytes)
{
    const PaddedText padded(bytes);
    constexpr std::string_view kMinus = "\u2212";
    std::string text(trimmed(bytes));
    if (text.starts_with(kMinus)) {
        text.replace(0, kMinus.size(), "-"); // C knows no other
    }
    float single = 0;
    if (parseFloat(padded.view(), single) == NumberStatus::Ok) {
        const float expected = std::strtof(text.c_str(), nullptr);
        FUZZ_REQUIRE(single == expected || (single != single && expected != expected));
    }
    double wide = 0;
    if (parseDouble(padded.view(), wide) == NumberStatus::Ok) {
        const double expected = std::strtod(text.c_str(), nullptr);
        FUZZ_REQUIRE(wide == expected || (wide != wide && expected != expected));
    }
    std::int64_t integer = 0;
    if (parseInteger(padded.view(), integer) == NumberStatus::Ok) {
        FUZZ_REQUIRE(integer == std::strtoll(text.c_str(), nullptr, 10));
    }
}

} // namespace cannery::tests
