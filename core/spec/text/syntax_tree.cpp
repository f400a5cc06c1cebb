// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/syntax_tree.h"

#include "core/base/utf8.h"

#include <algorithm>

namespace cannery::spec {

std::string_view SyntaxTree::slice(TextRange range) const
{
    const std::size_t begin = std::min(range.begin, text.size());
    const std::size_t end = std::clamp(range.end, begin, text.size());
    return std::string_view(text).substr(begin, end - begin);
}

int SyntaxTree::lineOf(std::size_t offset) const
{
    const auto after = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
    return static_cast<int>(after - lineStarts.begin());
}

TextPlace SyntaxTree::placeOf(std::size_t offset) const
{
    offset = std::min(offset, text.size());
    const auto after = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
    if (after == lineStarts.begin()) {
        return {};
    }
    const auto line = after - lineStarts.begin();
    const std::string_view before = slice({*std::prev(after), offset});
    return {static_cast<int>(line), static_cast<int>(characterCount(before)) + 1};
}

} // namespace cannery::spec
