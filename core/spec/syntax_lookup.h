// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/spec_path.h"
#include "core/spec/syntax_tree.h"

#include <cstddef>

namespace cannery::spec {

/// Where a path stands in a text; what is absent is null.
struct SyntaxMatch
{
    const SyntaxMessage* message = nullptr; ///< deepest message on the way that exists; never null
    const SyntaxField* field = nullptr;     ///< the path's last field (the one with the element)
    const SyntaxValue* value = nullptr;     ///< the element, or the first value of the field
    std::size_t depth = 0; ///< steps that were found; steps.size() when the path exists
};

SyntaxMatch findSyntax(const SyntaxTree& tree, const SpecPath& path);

/// The place of a path, or of the nearest thing around it that exists. Of a message this is its
/// field's name, of a scalar its value.
TextPlace placeOf(const SyntaxTree& tree, const SpecPath& path);

} // namespace cannery::spec
