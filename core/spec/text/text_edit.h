// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/text/spec_path.h"
#include "core/spec/text/syntax_tree.h"

#include <string>
#include <string_view>

namespace cannery::spec {

/// A change of a text: the bytes of `range` become `replacement`. The inverse edit restores the
/// same bytes.
struct TextEdit
{
    TextRange range;
    std::string replacement;

    bool operator==(const TextEdit&) const = default;
};

std::string applyEdit(std::string_view text, const TextEdit& edit);
/// The edit that undoes this one in the edited text.
TextEdit inverseEdit(std::string_view text, const TextEdit& edit);

/// Writes a value (in text format, `[64, 32]`, `"age"`, `{ key: "age" }` or a message without its
/// braces) at a path, in place: all other bytes stay. Missing parts of the path are inserted where
/// the schema's order puts them, in the surrounding layout. If the path's last field is another
/// member of a oneof, it replaces the present one; a oneof further up is not switched
/// ("spec.other_member_set"). The value must be well-formed ("spec.value_not_writable") and,
/// for numbers, one number ("spec.not_one_number", "spec.octal_number"); its type and range are
/// not checked. Elements are addressed by index or name; index == count appends.
Result<TextEdit> setFieldEdit(const SyntaxTree& tree, const SpecPath& path, std::string_view value);

/// Inserts a new element before the one that the path's last index names.
Result<TextEdit> insertElementEdit(const SyntaxTree& tree, const SpecPath& path,
                                   std::string_view value);

/// Removes a field or an element, with its line if nothing else is on it.
Result<TextEdit> clearFieldEdit(const SyntaxTree& tree, const SpecPath& path);

} // namespace cannery::spec
