// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery {

/// How line breaks in a displayed text are treated.
enum class LineBreaks
{
    Escape, ///< the text is one line, whatever it contains
    Keep,
};

/// A text from a file, a name or a message, made safe for a terminal: characters that control the
/// terminal or reverse the text (C0 except tab, DEL, C1, bidirectional overrides) become `\u001b`,
/// a line break `\n`, bytes that are not UTF-8 `\xff`. Everything else is unchanged. Valid JSON
/// remains valid JSON with the same meaning.
std::string printable(std::string_view text, LineBreaks breaks = LineBreaks::Escape);

} // namespace cannery
