// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::data {

/// What a sentence about a row says is wrong, without its advice on what to change: for rows that
/// are left out, or where the advice names what a command does not have.
std::string reasonOf(std::string_view sentence);

} // namespace cannery::data
