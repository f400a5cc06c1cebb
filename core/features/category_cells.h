#pragma once

#include "core/features/id_rows.h"
#include "core/features/raw_rows.h"

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace cannery::features {

/// What a missing integer category reads as, TensorFlow's marker for dense integers.
inline constexpr std::int64_t kNoCategory = -1;

/// Whether a cell of a dense feature means "no category": the empty text, -1, or no value at all.
/// A sparse feature has no such cells: what is there counts.
inline bool isNoCategory(const data::FeatureValues& values, std::int64_t element,
                         std::string_view text)
{
    return !values.sparse && (text.empty() || isInvalid(values, element));
}
inline bool isNoCategory(const data::FeatureValues& values, std::int64_t element,
                         std::int64_t number)
{
    return !values.sparse && (number == kNoCategory || isInvalid(values, element));
}

/// Every category of a feature through `idOf` (one call for string_view, one for int64), row by
/// row. `Elements` is what the feature holds.
template <typename Elements, typename IdOf>
void readCategoriesOf(const data::FeatureValues& values, const Elements& elements,
                      std::int64_t rowCount, const IdOf& idOf, IdRows& out)
{
    out.start(rowCount);
    out.ids.reserve(elements.size());
    const RowCells rowCells(values);
    for (std::int64_t row = 0; row < rowCount; ++row) {
        const CellRange cells = rowCells.of(row);
        for (std::int64_t element = cells.begin; element < cells.end; ++element) {
            const auto cell = elements[static_cast<std::size_t>(element)];
            if (isNoCategory(values, element, cell)) {
                continue;
            }
            out.ids.push_back(idOf(cell));
            if (out.recordCells) {
                out.cells.push_back(static_cast<std::int32_t>(element - cells.begin));
            }
        }
        out.endRow();
    }
}

/// A feature whose type suits categories (checkCategoryType): texts or integers.
template <typename IdOf>
void readCategories(const data::FeatureValues& values, std::int64_t rowCount, const IdOf& idOf,
                    IdRows& out)
{
    if (const auto* texts = std::get_if<StringColumn>(&values.elements)) {
        readCategoriesOf(values, *texts, rowCount, idOf, out);
    } else {
        readCategoriesOf(values, std::get<std::vector<std::int64_t>>(values.elements), rowCount,
                         idOf, out);
    }
}

/// Texts where the column wants texts, integers where it wants integers, as TensorFlow insists.
/// `wanted` Invalid: either. Error: "features.category_type".
Result<void> checkCategoryType(const data::FeatureValues& values, DType wanted,
                               std::string_view column);

} // namespace cannery::features
