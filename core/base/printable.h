// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery {

/// What becomes of line breaks in a text that is shown.
enum class LineBreaks
{
    Escape, ///< it is one line, whatever it holds
    Keep,
};

/// A text from a file, a name or a message as it may be printed to a terminal: characters that
/// would command the terminal or turn the text around (C0 but tab, DEL, C1, bidirectional
/// overrides) become `\u001b`, a line break `\n`, bytes that are not UTF-8 `\xff`. Everything else
/// stays as it is. What was valid JSON is valid JSON of the same meaning afterwards.
std::string printable(std::string_view text, LineBreaks breaks = LineBreaks::Escape);

} // namespace cannery
