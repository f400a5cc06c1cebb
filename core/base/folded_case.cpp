// SPDX-License-Identifier: Apache-2.0
#include "core/base/folded_case.h"

#include <algorithm>

namespace cannery {

std::string foldedCase(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return lower;
}

} // namespace cannery
