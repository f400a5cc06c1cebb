// SPDX-License-Identifier: Apache-2.0
#include "core/features/sequence_categorical_column.h"

#include "core/features/category_cells.h"
#include "core/features/feature_graph.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace cannery::features {

namespace {

constexpr ErrorKind kNoList{
    "features.no_list",
    "Feature '{}' has one value per row, and the sequence '{}' needs a list of them. Cut the cells "
    "at a separator, as in data.feature {{ name: \"steps\" split {{ column: \"{}\" separator: "
    "\"|\" }} }}, and read that feature."};

/// Places the ids of rows of fixed length, of which some cells have none, at the steps they stand
/// for.
void putAtTheirSteps(const IdRows& ids, IdRows& out)
{
    const auto rows = static_cast<std::int64_t>(ids.rowOffsets.size()) - 1;
    out.start(rows);
    for (std::size_t row = 1; row < ids.rowOffsets.size(); ++row) {
        const auto first = static_cast<std::size_t>(out.rowOffsets.back());
        for (auto i = static_cast<std::size_t>(ids.rowOffsets[row - 1]);
             i < static_cast<std::size_t>(ids.rowOffsets[row]); ++i) {
            // Steps without a category in between count, so they get "no category".
            out.ids.resize(first + static_cast<std::size_t>(ids.cells[i]), kNoCategory);
            out.ids.push_back(ids.ids[i]);
        }
        out.endRow();
    }
}

} // namespace

Result<void> expectList(const data::FeatureValues& values, const std::string& column)
{
    if (!values.sparse && values.shape.elementCount() == 1) {
        return fail(ErrorCode::InvalidArgument, kNoList, values.name, column, values.name);
    }
    return {};
}

ColumnPointer SequenceCategoricalColumn::of(ColumnPointer ids)
{
    ColumnInfo info = ids->info();
    info.isSequence = true;
    std::vector<RawUse> uses;
    ids->addUses(uses);
    return std::make_shared<const SequenceCategoricalColumn>(std::move(info), std::move(ids),
                                                             std::move(uses.front().feature));
}

Result<void> SequenceCategoricalColumn::encodeIds(const RawRows& rows, EncodeScratch& scratch,
                                                  IdRows& out) const
{
    CANNERY_TRY_ASSIGN(const data::FeatureValues* values, rows.find(m_feature));
    CANNERY_TRY(expectList(*values, info().name));
    if (values->sparse) {
        return m_ids->encodeIds(rows, scratch, out);
    }
    // The cells show at which step each id stood, as ids without a category were left out.
    scratch.crossed.resize(std::max<std::size_t>(scratch.crossed.size(), 1));
    IdRows& ids = scratch.crossed.front();
    ids.recordCells = true;
    const Result<void> encoded = m_ids->encodeIds(rows, scratch, ids);
    ids.recordCells = false;
    CANNERY_TRY(encoded);
    putAtTheirSteps(ids, out);
    return {};
}

Result<storage::EmittedValue> SequenceCategoricalColumn::emit(FeatureGraph& graph) const
{
    return m_ids->emit(graph);
}

} // namespace cannery::features
