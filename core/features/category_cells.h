// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/features/id_rows.h"
#include "core/features/raw_rows.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <variant>
#include <vector>

namespace cannery::features {

/// The value of a missing integer category, TensorFlow's marker for dense integers.
inline constexpr std::int64_t kNoCategory = -1;

/// Whether a cell of a dense feature means "no category": the empty text, -1, or no value at all. A
/// sparse feature has no such cells: every value counts.
inline bool isNoCategory(std::string_view text)
{
    return text.empty();
}
inline bool isNoCategory(std::int64_t number)
{
    return number == kNoCategory;
}

/// An id as IdRows and as IdBlock hold it. An IdBlock takes only ids below the number of buckets.
inline void putId(std::int64_t id, std::int64_t& place)
{
    place = id;
}
inline void putId(std::int64_t id, std::int32_t& place)
{
    place = static_cast<std::int32_t>(
        std::max<std::int64_t>(id, std::numeric_limits<std::int32_t>::min()));
}

inline bool recordsCells(const IdRows& out)
{
    return out.recordCells;
}
inline bool recordsCells(const IdBlock&)
{
    return false;
}
inline void recordCell(IdRows& out, std::int64_t cell)
{
    out.cells.push_back(static_cast<std::int32_t>(cell));
}
inline void recordCell(IdBlock&, std::int64_t) {}

/// Reserves space for some rows with at most this many ids; `out` is an IdRows or an IdBlock.
template <typename Ids>
void startIds(Ids& out, std::int64_t rowCount, std::int64_t mostIds)
{
    out.rowOffsets.resize(static_cast<std::size_t>(rowCount) + 1);
    out.rowOffsets[0] = 0;
    out.ids.resize(static_cast<std::size_t>(mostIds));
    out.weights.clear();
    if constexpr (std::is_same_v<Ids, IdRows>) {
        out.cells.clear();
    }
}

/// Passes every category of a feature through `idOf`, row by row. `Elements` is what the feature
/// holds; `Ids` is an IdRows or, for ids below the number of buckets, an IdBlock.
template <typename Elements, typename IdOf, typename Ids>
void readCategoriesOf(const data::FeatureValues& values, const Elements& elements,
                      const RawRows& rows, const IdOf& idOf, Ids& out)
{
    const RowCells rowCells(values, rows);
    const CellRange all = rowCells.all();
    startIds(out, rows.count(), all.end - all.begin);
    auto* ids = out.ids.data();
    std::int64_t* offsets = out.rowOffsets.data();
    std::int64_t count = 0;
    if (rowCells.areSingle() && values.valid.empty() && !recordsCells(out)) {
        for (std::int64_t row = 0; row < rows.count(); ++row) {
            const auto cell = elements[static_cast<std::size_t>(all.begin + row)];
            if (!isNoCategory(cell)) {
                putId(idOf(cell), ids[count++]);
            }
            offsets[row + 1] = count;
        }
        out.ids.resize(static_cast<std::size_t>(count));
        return;
    }
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const CellRange cells = rowCells.of(row);
        for (std::int64_t element = cells.begin; element < cells.end; ++element) {
            const auto cell = elements[static_cast<std::size_t>(element)];
            if (!values.sparse && (isNoCategory(cell) || isInvalid(values, element))) {
                continue;
            }
            putId(idOf(cell), ids[count++]);
            if (recordsCells(out)) {
                recordCell(out, element - cells.begin);
            }
        }
        offsets[row + 1] = count;
    }
    out.ids.resize(static_cast<std::size_t>(count));
}

/// A feature whose type suits categories (checkCategoryType): texts or integers; idOf accepts both.
template <typename IdOf, typename Ids>
void readCategories(const data::FeatureValues& values, const RawRows& rows, const IdOf& idOf,
                    Ids& out)
{
    if (const auto* texts = std::get_if<StringColumn>(&values.elements)) {
        readCategoriesOf(values, *texts, rows, idOf, out);
    } else {
        readCategoriesOf(values, std::get<std::vector<std::int64_t>>(values.elements), rows, idOf,
                         out);
    }
}

/// Texts where the column expects texts, integers where it expects integers, as in TensorFlow.
/// `wanted` Invalid: either. Errors: "features.category_type", "features.category_of_floats".
Result<void> checkCategoryType(const data::FeatureValues& values, DType wanted,
                               std::string_view column);

} // namespace cannery::features
