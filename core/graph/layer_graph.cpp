// SPDX-License-Identifier: Apache-2.0
#include "core/graph/layer_graph.h"

#include <cctype>

namespace cannery::graph {

std::string_view name(ValueKind kind)
{
    switch (kind) {
    case ValueKind::Dense:
        return "dense";
    case ValueKind::Ids:
        return "ids";
    case ValueKind::Indicator:
        return "indicator";
    case ValueKind::Columns:
        return "columns";
    }
    return "unknown";
}

std::string scopeSafe(std::string_view name)
{
    std::string safe(name);
    for (char& character : safe) {
        const bool keep = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                          character == '_' || character == '.' || character == '-';
        if (!keep) {
            character = '_';
        }
    }
    return safe;
}

} // namespace cannery::graph
