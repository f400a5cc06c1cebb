// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

class ExtremeValues;
class NormalizerStatistics;

/// The experiment as a run freezes it: every default filled in, the columns of the training data
/// with their inferred types, and the values of normalizers computed from the training rows (one
/// pass over them, only if a normalizer needs it). `seed`: becomes tf_random_seed if the experiment
/// has none. Errors: those of reading the rows.
Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const data::Dataset& trainData,
                                               std::optional<std::int64_t> seed = std::nullopt,
                                               const LentThreads& threads = {});
/// The same with statistics of the experiment and its training data, which may already be computed.
Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const data::Dataset& trainData,
                                               NormalizerStatistics& statistics,
                                               std::optional<std::int64_t> seed = std::nullopt);

struct LoadOptions
{
    LentThreads threads;      ///< used for reading and encoding
    bool fingerprint = false; ///< compute data::Dataset::fingerprint() while reading
    std::uint64_t memoryLimit = std::uint64_t{2} << 30U; ///< bytes of rows held in memory
    features::Labels labels = features::Labels::Needed;
    ExtremeValues* extremes = nullptr; ///< sees every row
};

/// All rows of a dataset, encoded.
struct LoadedRows
{
    features::EncodedDataset rows;
    data::ReadReport report;
    std::vector<std::int64_t> fileRows; ///< rows of each of the dataset's files
};

/// Reads and encodes every row, chunk by chunk, several chunks at a time; the result does not
/// depend on the threads. Rows that the experiment's data leaves out (bad_rows, unlabelled_rows)
/// are counted in the report. Errors name the row as file:line; "data.none_usable" if no row is
/// left.
Result<LoadedRows> loadRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                            const LoadOptions& options);

/// All rows of both parts of a table, encoded.
struct LoadedParts
{
    features::EncodedDataset train;
    features::EncodedDataset eval;
    std::vector<std::int64_t> trainFileRows; ///< rows to train on of each file
    data::ReadReport report;                 ///< of the whole table
};

/// loadRows() of both parts of a data set that isSplit(), by one pass over its table: the same rows
/// and the same errors as one part after the other. `options.extremes` sees the rows to train on,
/// `options.memoryLimit` is for each part.
Result<LoadedParts> loadParts(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                              const LoadOptions& options);

/// Sees some rows of a part in their order, without those that are left out.
using UsedRowsVisitor = std::function<void(data::DataPart, const data::FeatureBatch&)>;

/// Passes over the rows that loadRows() loads, of both parts if the data set isSplit(). Errors: of
/// loadRows().
Result<void> visitUsedRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                           const LoadOptions& options, const UsedRowsVisitor& visit);

/// Numbers of rows that are not left out.
struct UsedRows
{
    std::int64_t rows = 0;
    std::int64_t otherRows = 0; ///< in the other part of a split table
};

/// Takes a pass over the rows. `dataset`: the training part if it isSplit().
Result<UsedRows> countUsedRows(const data::Dataset& dataset,
                               const features::FeatureEncoder& encoder, const LoadOptions& options);

/// True if the experiment has its own evaluation rows.
bool hasEvalData(const spec::Experiment& experiment);

} // namespace cannery::train
