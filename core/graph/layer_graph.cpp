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

std::vector<std::int64_t> rowShape(const Value& value)
{
    return value.shape.empty() ? std::vector<std::int64_t>{value.width} : value.shape;
}

std::string shapeText(const Value& value)
{
    return Shape(rowShape(value)).toString();
}

} // namespace cannery::graph
