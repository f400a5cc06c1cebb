// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/feature_encoder.h"
#include "core/spec/normalized_columns.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

/// A normalized number beyond this, on either side, is reported: in a column that suits its
/// normalizer, most numbers lie within 5.
inline constexpr float kExtremeNormalized = 50;

/// Detects numbers that normalization leaves far from all others, usually a wrong cell or a column
/// that should be bucketized, as rows pass by. One thread.
class ExtremeValues
{
public:
    explicit ExtremeValues(const features::FeatureEncoder& encoder);

    /// Rows as read and as encoded; fileIndex indexes `files`.
    void look(const data::FeatureBatch& raw, const features::EncodedRows& rows,
              std::span<const std::string> files);
    /// "data.extreme_value" for each column that has one: the first, and how many more there are.
    /// Bound to the column's normalizer.
    std::vector<Error> warnings() const;

private:
    struct Column
    {
        std::string name;    ///< of the feature column
        std::string feature; ///< the feature it reads
        std::string path;    ///< of its normalizer
        std::size_t block = 0;
        std::uint64_t count = 0;
        std::string place; ///< of the first
        std::string value;
        float normalized = 0;
    };

    std::vector<Column> m_columns;
};

/// "data.no_deviation": the warning about a column with a z-score or min-max normalizer whose
/// values are all equal, and become 0.
Error noDeviation(const spec::NormalizedColumn& column, double value);

/// Warnings about what normalizers do to the training rows: "data.no_deviation", then
/// "data.extreme_value", each bound to its field. One pass over the columns that have a
/// normalizer, and over the rows only if some value is far off. Errors: of reading the rows.
Result<std::vector<Error>> checkNormalizers(const spec::Experiment& experiment,
                                            const std::string& folder,
                                            const data::Dataset& trainData,
                                            const LentThreads& threads = {});

} // namespace cannery::train
