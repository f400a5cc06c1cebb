// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cannery::features {

/// Some rows of a FeatureBatch as columns read them: features by name, rows numbered from 0
/// wherever in the batch they begin. A view; the batch and the file names must outlive it. One
/// thread.
class RawRows
{
public:
    explicit RawRows(const data::FeatureBatch& batch, std::span<const std::string> files = {})
        : RawRows(batch, files, 0, batch.rowCount)
    {}
    /// The `count` rows from `first`.
    RawRows(const data::FeatureBatch& batch, std::span<const std::string> files, std::int64_t first,
            std::int64_t count)
        : m_batch(&batch), m_files(files), m_first(first), m_count(count)
    {}

    /// The row of the batch that is row 0 here.
    std::int64_t first() const { return m_first; }
    std::int64_t count() const { return m_count; }
    const data::FeatureBatch& batch() const { return *m_batch; }

    /// Error: "features.missing_feature".
    Result<const data::FeatureValues*> find(std::string_view feature) const;

    /// "train.csv:17", or as much of it as is known.
    std::string place(std::int64_t row) const;

private:
    Result<const data::FeatureValues*> missing(std::string_view feature) const;

    const data::FeatureBatch* m_batch;
    std::span<const std::string> m_files;
    std::int64_t m_first;
    std::int64_t m_count;
    /// Columns mostly look up features in the order of the batch.
    mutable std::size_t m_next = 0;
};

/// The elements of one row, an index range into FeatureValues::elements.
struct CellRange
{
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// Where the elements of a feature's rows are.
class RowCells
{
public:
    RowCells(const data::FeatureValues& values, const RawRows& rows)
        : m_offsets(values.sparse ? values.rowOffsets.data() + rows.first() : nullptr),
          m_width(values.sparse ? 0 : values.shape.elementCount()), m_first(rows.first() * m_width),
          m_count(rows.count())
    {}

    CellRange of(std::int64_t row) const
    {
        return m_offsets != nullptr
                   ? CellRange{m_offsets[row], m_offsets[row + 1]}
                   : CellRange{m_first + row * m_width, m_first + (row + 1) * m_width};
    }
    /// The elements of all rows.
    CellRange all() const
    {
        return m_offsets != nullptr ? CellRange{m_offsets[0], m_offsets[m_count]}
                                    : CellRange{m_first, m_first + m_count * m_width};
    }
    /// Whether every row has exactly one element.
    bool areSingle() const { return m_offsets == nullptr && m_width == 1; }

private:
    const std::int64_t* m_offsets;
    std::int64_t m_width;
    std::int64_t m_first;
    std::int64_t m_count;
};

inline bool isInvalid(const data::FeatureValues& values, std::int64_t element)
{
    return !values.valid.empty() && values.valid[static_cast<std::size_t>(element)] == 0;
}

/// One element in readable form, for messages.
std::string elementText(const data::FeatureValues& values, std::int64_t element);

} // namespace cannery::features
