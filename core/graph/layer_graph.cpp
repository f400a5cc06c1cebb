// SPDX-License-Identifier: Apache-2.0
#include "core/graph/layer_graph.h"

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
    case ValueKind::Sequence:
        return "sequence";
    }
    return "unknown";
}

} // namespace cannery::graph
