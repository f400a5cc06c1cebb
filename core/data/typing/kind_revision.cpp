// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/kind_revision.h"

#include <fmt/core.h>

namespace cannery::data {

namespace {

/// As in guessKind().
constexpr double kUnique = 0.95;
constexpr double kMostlyUnique = 0.5;

void revise(const ColumnStatistics& all, ColumnSchema& column)
{
    if (all.count == 0) {
        return;
    }
    const double uniqueness = static_cast<double>(all.distinct) / static_cast<double>(all.count);
    const bool isText = column.dtype == DType::String;
    const auto decide = [&](ColumnKind kind, std::string reason) {
        column.kind = kind;
        column.kindReason = std::move(reason);
    };
    const bool isWrong =
        (column.kind == ColumnKind::Identifier && uniqueness <= kUnique) ||
        (column.kind == ColumnKind::FreeText && uniqueness <= kMostlyUnique) ||
        (column.kind == ColumnKind::Constant && (all.distinct > 1 || all.missing > 0)) ||
        column.kind == ColumnKind::Empty;
    if (isWrong && isText) {
        decide(
            ColumnKind::Category,
            fmt::format("{}{} different texts", all.distinctIsExact ? "" : "about ", all.distinct));
    } else if (isWrong) {
        decide(ColumnKind::Number, "numbers");
    } else if (column.kind == ColumnKind::Category && isText && uniqueness > kUnique) {
        decide(ColumnKind::Identifier, "nearly every row has its own value");
    }
}

} // namespace

void reviseKinds(const TableStatistics& statistics, TableSchema& schema)
{
    if (schema.sawAllRows) {
        return;
    }
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        ColumnSchema& column = schema.columns[i];
        const ColumnStatistics* all = statistics.find(column.name, i);
        if (all != nullptr && !column.kindReason.empty() && !column.listOf) {
            revise(*all, column);
        }
    }
}

} // namespace cannery::data
