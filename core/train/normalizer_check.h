// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/data/feature_batch.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

/// A normalized number beyond this, on either side, is pointed out: most numbers of a column that
/// suits its normalizer lie within 5.
inline constexpr float kExtremeNormalized = 50;

/// Notices numbers that a normalizer leaves far from all others, which is mostly a wrong cell or a
/// column that wants buckets, while rows go by. One thread.
class ExtremeValues
{
public:
    explicit ExtremeValues(const features::FeatureEncoder& encoder);

    /// Rows as they were read and as they were encoded; `files` are the names that fileIndex
    /// counts.
    void look(const data::FeatureBatch& raw, const features::EncodedRows& rows,
              std::span<const std::string> files);
    /// "data.extreme_value" for each column that has one: its first, and how many more there are.
    /// Bound to the column's normalizer.
    std::vector<Error> warnings() const;

private:
    struct Column
    {
        std::string name;    ///< of the feature column
        std::string feature; ///< that it reads
        std::size_t block = 0;
        std::uint64_t count = 0;
        std::string place; ///< of the first
        std::string value;
        float normalized = 0;
    };

    std::vector<Column> m_columns;
};

/// "data.no_deviation": the error of a column that a z-score or min-max is to learn its numbers
/// from, but that holds one number only.
Error noDeviation(const std::string& column, const std::string& feature, double value);

/// What normalizers do to the training rows: "data.no_deviation" (errors), then
/// "data.extreme_value" (warnings), each bound to its field. One pass over the columns that have a
/// normalizer, and over the rows only when something lies far off. Errors: of reading the rows.
Result<std::vector<Error>> checkNormalizers(const spec::Experiment& experiment,
                                            const std::string& folder,
                                            const data::Dataset& trainData,
                                            const LentThreads& threads = {});

} // namespace cannery::train
