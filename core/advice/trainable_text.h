// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace cannery::advice {

/// What `cannery train` looks at before its first step, for the text of an experiment that is about
/// to be written: its fields, the tables, the layers, and every row once. `folder`: base of its
/// relative paths. Errors: "new.not_trainable", with what training would say.
Result<void> checkTrains(const std::string& text, const std::filesystem::path& folder);

/// A text without line breaks and other control characters, for a comment.
std::string inOneLine(std::string_view text);

} // namespace cannery::advice
