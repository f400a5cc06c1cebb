// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/feature_encoder.h"
#include "storage/tabular/number_notation.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::serving {

/// One of the raw features that a model reads; returned by RowCells::feature().
struct FeatureSlot
{
    std::size_t index = 0; ///< in RowCells::features()
};

/// The cells of one row, set by a program. They keep their values from row to row until they are
/// set again or cleared. A missing cell (never set, cleared, the empty text or a missing token of
/// the column) means what it means in the training table: the column's default, else no category,
/// else the default of its numeric column, else an error when it is encoded. Allocates nothing once
/// its buffers have grown. One thread.
class RowCells
{
public:
    /// Errors: "features.cannot_emit" if columns contradict each other about a feature.
    static Result<RowCells> create(const features::FeatureEncoder& encoder);

    /// The features that the model reads.
    const std::vector<std::string>& features() const { return m_encoder.inputKeys(); }
    /// Error: "predict.no_feature".
    Result<FeatureSlot> feature(std::string_view name) const;

    /// Sets a feature of one number; a feature of texts takes integers as their decimal text.
    /// NaN is a missing cell. Error: "predict.cell" for a fraction or infinity where integers are
    /// expected;
    /// "predict.cell_count" for features of several values.
    Result<void> setNumber(FeatureSlot slot, double number);
    /// The same for an integer of any size.
    Result<void> setInteger(FeatureSlot slot, std::int64_t number);
    /// Sets a cell as a table would hold it: a text, or a number as text. Error: "predict.cell".
    Result<void> setText(FeatureSlot slot, std::string_view text);
    /// Sets all numbers of a feature of several (a stack, or a split cell of numbers). Errors:
    /// "predict.cell", "predict.cell_count".
    Result<void> setNumbers(FeatureSlot slot, std::span<const double> numbers);
    /// Sets all texts of a split cell, or of a stack, where an empty text is a missing cell.
    /// Errors: "predict.cell", "predict.cell_count".
    Result<void> setTexts(FeatureSlot slot, std::span<const std::string_view> texts);
    /// Makes the cell missing.
    void clear(FeatureSlot slot);
    void clearAll();

    /// The row, its features in the order of features().
    const data::FeatureBatch& row() const { return m_row; }
    /// Appends the row to others of the same model, none at first.
    void appendTo(data::FeatureBatch& rows) const;
    /// Removes all of them again, and keeps their memory.
    static void removeAll(data::FeatureBatch& rows);

private:
    struct Cell
    {
        data::FeatureValues missing;
        std::vector<std::string> missingTokens;
        storage::NotationReader notation;
    };

    explicit RowCells(const features::FeatureEncoder& encoder) : m_encoder(encoder) {}
    data::FeatureValues& values(FeatureSlot slot) { return m_row.features[slot.index]; }
    void accept(FeatureSlot slot, std::size_t count);
    tl::unexpected<Error> refuse(FeatureSlot slot, std::string_view given);
    tl::unexpected<Error> refuseCount(FeatureSlot slot, std::size_t given);

    features::FeatureEncoder m_encoder;
    data::FeatureBatch m_row;
    std::vector<Cell> m_cells;
    std::string m_padded; ///< working memory
};

} // namespace cannery::serving
