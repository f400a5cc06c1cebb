// SPDX-License-Identifier: Apache-2.0
#include "core/serving/json_row.h"

#include <cstddef>

namespace cannery::serving {

bool isFlatJson(std::string_view text)
{
    constexpr int kDeepest = 64;
    int depth = 0;
    bool isText = false;
    for (std::size_t i = 0; i < text.size() && depth <= kDeepest; ++i) {
        if (isText && text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            isText = !isText;
        } else if (!isText) {
            depth += text[i] == '[' || text[i] == '{' ? 1 : 0;
            depth -= text[i] == ']' || text[i] == '}' ? 1 : 0;
        }
    }
    return depth <= kDeepest;
}

} // namespace cannery::serving
