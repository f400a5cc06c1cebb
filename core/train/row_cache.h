// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"
#include "core/train/normalizer_statistics.h"
#include "core/train/training_observer.h"
#include "storage/io/file_system.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// What setting up a training reads and encodes.
struct EncodedData
{
    features::EncodedDataset trainRows;
    std::optional<features::EncodedDataset> evalRows;
    DataSummary summary;
};

struct RowCacheRequest
{
    const spec::Experiment& experiment; ///< need not be resolved
    std::string folder;                 ///< what its relative paths are relative to
    const data::Dataset& trainData;
    /// Before anything was read of the data: what changes later is not kept.
    std::chrono::system_clock::time_point begin;
    storage::FileSystem* system = nullptr; ///< null: the disk
};

/// The file in which an experiment keeps its encoded rows (run_config.cache_file). It counts only
/// while the files that it was made from have the same stamps, and the data and its columns are the
/// same. One thread.
class RowCache
{
public:
    /// Reads the file's header. "features.row_file_foreign" if the file contains something else,
    /// which must not be replaced.
    static Result<RowCache> open(const RowCacheRequest& request);
    RowCache(RowCache&&) noexcept;
    RowCache& operator=(RowCache&&) noexcept;
    ~RowCache();

    /// Whether the experiment names a file.
    bool isUsed() const;
    /// Statistics of the training rows, if the file was made from the same data.
    std::vector<KnownStatistics> statistics() const;
    /// The rows, if they are what this encoder makes of this data. Errors: no memory; the temporary
    /// file for what memory has no room for.
    Result<std::optional<EncodedData>> load(const features::FeatureEncoder& encoder,
                                            const data::Dataset* evalData,
                                            std::uint64_t memoryLimit);
    /// Writes the file, atomically. What keeps it from being written becomes a warning of the
    /// summary, since training does not need it. Errors: Cancelled.
    Result<void> keep(const features::FeatureEncoder& encoder, const data::Dataset* evalData,
                      const std::vector<KnownStatistics>& statistics, EncodedData& data);

private:
    struct State;
    explicit RowCache(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace cannery::train
