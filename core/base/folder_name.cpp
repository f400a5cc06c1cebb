// SPDX-License-Identifier: Apache-2.0
#include "core/base/folder_name.h"

#include "core/base/utf8.h"

#include <algorithm>

namespace cannery {

bool isControlCharacter(char character)
{
    constexpr unsigned char kFirstPrintable = 0x20;
    constexpr unsigned char kDelete = 0x7F;
    const auto byte = static_cast<unsigned char>(character);
    return byte < kFirstPrintable || byte == kDelete;
}

bool isFolderName(std::string_view name)
{
    return !name.empty() && name.size() <= kMostFolderNameBytes && name != "." && name != ".." &&
           name.find('/') == std::string_view::npos &&
           std::none_of(name.begin(), name.end(), isControlCharacter) && isUtf8(name);
}

} // namespace cannery
