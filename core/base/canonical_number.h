// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cannery {

/// One notation for each decimal number, exactly, however many digits it has: "7" of "7", "+7.0",
/// "007" and "70e-1", "-25e-3" of "-.0250". Blanks around it do not matter. Nothing for a text that
/// is not a finite decimal number.
std::optional<std::string> canonicalNumber(std::string_view text);

} // namespace cannery
