// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

class ExtremeValues;
class NormalizerStatistics;

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
                                               std::optional<std::int64_t> seed = std::nullopt,
                                               const LentThreads& threads = {});
/// The same with statistics of the experiment and its training data, which may have been asked.
Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const data::Dataset& trainData,
                                               NormalizerStatistics& statistics,
                                               std::optional<std::int64_t> seed = std::nullopt);

struct LoadOptions
{
    LentThreads threads;      ///< help to read and to encode
    bool fingerprint = false; ///< data::Dataset::fingerprint() is taken on the way
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

/// Reads and encodes every row, chunk by chunk, several chunks at once; the result does not depend
/// on the threads. Errors name the row as file:line.
Result<LoadedRows> loadRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                            const LoadOptions& options);

/// True when the experiment has rows of its own to evaluate on.
bool hasEvalData(const spec::Experiment& experiment);

} // namespace cannery::train
