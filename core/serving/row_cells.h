// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/feature_encoder.h"
#include "core/serving/row_input.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
/// set again or cleared. A cell means what it means in the training table, and is read by the same
/// code (storage::CellReader, data::PieceReader, data::DateRecipe). One that is missing (never set,
/// cleared, the empty text, a missing token of the column, NaN) is the column's default, else no
/// category, else the default of its numeric column, else an error when it is encoded. Allocates
/// nothing once its buffers have grown. One thread.
class RowCells
{
public:
    /// Errors: "features.cannot_emit" if columns contradict each other about a feature,
    /// "data.bad_default".
    static Result<RowCells> create(const features::FeatureEncoder& encoder);

    /// The features that the model reads.
    const std::vector<std::string>& features() const { return m_encoder.inputKeys(); }
    /// Error: "predict.no_feature".
    Result<FeatureSlot> feature(std::string_view name) const;
    /// The columns of the training table that these features are made of, each once.
    std::vector<std::string> columns() const;

    /// Sets what the features make of a cell of the table; a column that none reads is ignored.
    /// Errors: "predict.cell", "predict.not_a_date"; the feature that cannot be made is missing
    /// then.
    Result<void> setCell(std::string_view column, std::string_view text);

    /// Sets a feature of one number; a feature of texts takes it as its shortest text. NaN is a
    /// missing cell, and so is a number that is a missing token. Error: "predict.cell" for a
    /// fraction, an infinity or more than 2^53 where integers are expected; "predict.cell_count"
    /// for features of several values.
    Result<void> setNumber(FeatureSlot slot, double number);
    /// The same for an integer of any size.
    Result<void> setInteger(FeatureSlot slot, std::int64_t number);
    /// Sets the cell of a feature of one column as a table would hold it: a text, a number as text,
    /// several values with their separator. The part of a date is set as a number. Errors:
    /// "predict.cell", "predict.cell_count" for a stack.
    Result<void> setText(FeatureSlot slot, std::string_view text);
    /// Sets all numbers of a feature of several (a stack, where NaN is a missing cell, or a split
    /// cell of numbers). Errors: "predict.cell", "predict.cell_count".
    Result<void> setNumbers(FeatureSlot slot, std::span<const double> numbers);
    /// Sets all pieces of a split cell, of which empty ones do not count, or the cells of a stack.
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
    /// Where a column is read.
    struct Place
    {
        FeatureSlot slot;
        std::size_t element = 0;
    };

    explicit RowCells(const features::FeatureEncoder& encoder) : m_encoder(encoder) {}
    data::FeatureValues& values(FeatureSlot slot) { return m_row.features[slot.index]; }
    Result<void> setCell(FeatureSlot slot, std::size_t place, std::string_view text);
    Result<void> setSplit(FeatureSlot slot, std::string_view cell);
    Result<void> setDate(FeatureSlot slot, std::string_view cell);
    template <typename Given>
    Result<void> setOne(FeatureSlot slot, Given given);
    template <typename Given>
    Result<void> setAll(FeatureSlot slot, std::span<const Given> given);
    template <typename Given>
    bool put(FeatureSlot slot, std::size_t place, Given given);
    void putText(StringColumn& texts, std::size_t place, std::string_view text);
    tl::unexpected<Error> refuseCount(FeatureSlot slot, std::size_t given);
    tl::unexpected<Error> refuse(FeatureSlot slot, const std::string& given);

    features::FeatureEncoder m_encoder;
    data::FeatureBatch m_row;
    std::vector<RowInput> m_inputs;                                  ///< in the order of features()
    std::map<std::string, std::vector<Place>, std::less<>> m_places; ///< of the columns
    std::string m_scratch;
    StringColumn m_texts; ///< working memory
};

} // namespace cannery::serving
