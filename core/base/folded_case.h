// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery {

/// A to Z in lower case; all other bytes as they are.
std::string foldedCase(std::string_view text);

} // namespace cannery
