// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::spec {

/// Comment lines above something; an empty one is a blank line.
using CommentLines = std::vector<std::string>;

struct LayoutField;

/// The fields of a message, to be laid out.
struct LayoutMessage
{
    std::string openComment; ///< after the opening brace
    std::vector<LayoutField> fields;
    CommentLines dangling; ///< before the closing brace
};

struct LayoutItem
{
    CommentLines leading;
    std::string text;
    std::string trailing;
};

/// `name: text`, `name: [items]` or `name { body }`.
struct LayoutField
{
    std::string name;
    CommentLines leading;
    std::string trailing; ///< comment on the line where it ends
    bool isMessage = false;
    LayoutMessage body;
    std::vector<LayoutItem> items; ///< one: without brackets
    std::string verbatim;          ///< if not empty, replaces everything
};

/// The body of a file in canonical layout: a message or list on one line if it contains no comment
/// and ends before column 100, otherwise one field per line, indented by two spaces.
std::string renderLayout(const LayoutMessage& message);

/// The same on one line, whatever its length.
std::string renderOnOneLine(const LayoutMessage& message);

/// `a` or `[a, b]`.
std::string renderItems(const std::vector<LayoutItem>& items);

} // namespace cannery::spec
