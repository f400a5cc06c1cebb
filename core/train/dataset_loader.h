#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::train {

/// The experiment as a run freezes it: every default filled in, the columns of the training data
/// with the types that were inferred, and the numbers of normalizers taken from the training rows
/// (one pass over them, only when a normalizer needs it). `folder`: where relative paths begin.
/// `seed`: becomes tf_random_seed when the experiment has none.
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
