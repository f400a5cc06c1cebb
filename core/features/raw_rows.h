#pragma once

#include "core/base/result.h"
#include "core/data/feature_batch.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cannery::features {

/// The rows of a FeatureBatch as columns read them: features by name, rows by their place in the
/// files. A view; the batch and the file names must outlive it.
class RawRows
{
public:
    explicit RawRows(const data::FeatureBatch& batch, std::span<const std::string> files = {})
        : m_batch(&batch), m_files(files)
    {}

    std::int64_t count() const { return m_batch->rowCount; }
    const data::FeatureBatch& batch() const { return *m_batch; }

    /// Error: "features.missing_feature".
    Result<const data::FeatureValues*> find(std::string_view feature) const;

    /// "train.csv:17", or as much of it as is known.
    std::string place(std::int64_t row) const;

private:
    const data::FeatureBatch* m_batch;
    std::span<const std::string> m_files;
};

/// The elements of one row, an index range into FeatureValues::elements.
struct CellRange
{
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// Where the elements of a feature's rows stand.
class RowCells
{
public:
    explicit RowCells(const data::FeatureValues& values)
        : m_offsets(values.sparse ? values.rowOffsets.data() : nullptr),
          m_width(values.sparse ? 0 : values.shape.elementCount())
    {}

    CellRange of(std::int64_t row) const
    {
        return m_offsets != nullptr ? CellRange{m_offsets[row], m_offsets[row + 1]}
                                    : CellRange{row * m_width, (row + 1) * m_width};
    }

private:
    const std::int64_t* m_offsets;
    std::int64_t m_width;
};

inline bool isInvalid(const data::FeatureValues& values, std::int64_t element)
{
    return !values.valid.empty() && values.valid[static_cast<std::size_t>(element)] == 0;
}

/// One element as a person reads it, for messages.
std::string elementText(const data::FeatureValues& values, std::int64_t element);

} // namespace cannery::features
