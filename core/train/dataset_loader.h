// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/spec_resolver.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

class ExtremeValues;

/// What one pass over the training rows says of the columns that have a normalizer.
class NormalizedColumns
{
public:
    /// No pass when there are none. Errors: of reading the rows.
    static Result<NormalizedColumns> read(const spec::Experiment& experiment,
                                          const data::Dataset& trainData);

    /// "data.no_deviation" of those whose normalizer would take its numbers from one number.
    std::vector<Error> withoutDeviation() const;
    /// Whether some number may lie beyond kExtremeNormalized once normalized.
    bool mayHaveExtremes() const;

private:
    struct Column
    {
        const spec::FeatureColumn* spec = nullptr; ///< of the experiment, which must live
        spec::ColumnStatistics statistics;
    };

    std::vector<Column> m_columns;
};

/// The experiment as a run freezes it: every default filled in, the columns of the training data
/// with the types that were inferred, and the numbers of normalizers taken from the training rows
/// (one pass over them, only when a normalizer needs it). `folder`: where relative paths begin.
/// `seed`: becomes tf_random_seed when the experiment has none. Errors: those of reading the rows,
/// and "data.no_deviation".
Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const std::string& folder,
                                               std::optional<std::int64_t> seed = std::nullopt);
/// The same with the training data opened already.
Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const data::Dataset& trainData,
                                               std::optional<std::int64_t> seed = std::nullopt);

struct LoadOptions
{
    int threads = 1;
    std::uint64_t memoryLimit = std::uint64_t{2} << 30U; ///< bytes of rows held in memory
    features::Labels labels = features::Labels::Needed;
    ExtremeValues* extremes = nullptr; ///< sees every row
};

/// All rows of a data set, encoded.
struct LoadedRows
{
    features::EncodedDataset rows;
    data::ReadReport report;
};

/// Reads and encodes every row, chunk by chunk, several chunks at once on several threads; the
/// result does not depend on them. Errors name the row as file:line.
Result<LoadedRows> loadRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                            const LoadOptions& options);

/// True when the experiment has rows of its own to evaluate on.
bool hasEvalData(const spec::Experiment& experiment);

} // namespace cannery::train
