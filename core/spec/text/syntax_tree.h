// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {

/// Bytes [begin, end) of the text.
struct TextRange
{
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const TextRange&) const = default;
};

/// A location for display: both 1-based, the column in characters (not bytes).
struct TextPlace
{
    int line = 1;
    int column = 1;

    bool operator==(const TextPlace&) const = default;
};

struct SyntaxField;

/// The notation of a scalar. A string may be written in several quoted parts.
enum class ScalarKind
{
    Identifier,
    Integer,
    Float,
    String,
    Malformed, ///< already reported; there is a value, but which one is unknown
};

/// The part of a message between its braces, or a whole file.
struct SyntaxMessage
{
    TextRange inside; ///< without the braces
    std::vector<SyntaxField> fields;
};

/// A value: a scalar or a message.
struct SyntaxValue
{
    TextRange range; ///< with sign, quotes or braces
    bool isMessage = false;
    SyntaxMessage message; ///< if isMessage
    ScalarKind kind = ScalarKind::Malformed;
    bool negative = false;
    std::string text; ///< digits or name as written, without the sign; a string's bytes, unescaped
};

/// `name: value`, `name { … }`, `name: [a, b]`.
struct SyntaxField
{
    std::string name; ///< "[a.b]" for an extension
    TextRange nameRange;
    TextRange range; ///< from the name to the end of the value, without a separator after it
    bool isList = false;
    TextRange list;                  ///< with the brackets, if isList
    std::vector<SyntaxValue> values; ///< one, unless isList; none if malformed
};

struct SyntaxComment
{
    TextRange range;      ///< from '#' to the end of the line, without the line break
    bool ownLine = false; ///< only blanks precede it on its line
};

/// A lossless tree of a text-format file: every byte is reachable, so edits and the formatter keep
/// comments and layout. A value type; ranges refer to `text`.
struct SyntaxTree
{
    std::string text;
    SyntaxMessage root;
    std::vector<SyntaxComment> comments; ///< in order
    std::vector<std::size_t> lineStarts; ///< offset of each line

    std::string_view slice(TextRange range) const;
    TextPlace placeOf(std::size_t offset) const;
    /// The same line as in placeOf(), without counting characters.
    int lineOf(std::size_t offset) const;
};

} // namespace cannery::spec
