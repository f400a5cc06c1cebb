// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/text/spec_path.h"
#include "core/spec/text/syntax_tree.h"

#include <cstddef>

namespace cannery::spec {

/// Where a path is found in a text; absent parts are null.
struct SyntaxMatch
{
    const SyntaxMessage* message = nullptr; ///< deepest message in the path that exists; never null
    const SyntaxField* field = nullptr;     ///< the path's last field (the one with the element)
    const SyntaxValue* value = nullptr;     ///< the element, or the first value of the field
    std::size_t depth = 0; ///< number of steps found; steps.size() if the path exists
};

SyntaxMatch findSyntax(const SyntaxTree& tree, const SpecPath& path);

/// The location of a path, or of the nearest enclosing element that exists. For a message this is
/// its field's name, for a scalar its value.
TextPlace placeOf(const SyntaxTree& tree, const SpecPath& path);

} // namespace cannery::spec
