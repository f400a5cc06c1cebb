// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"
#include "core/train/loop/training_observer.h"
#include "core/train/preparation/normalizer_statistics.h"
#include "storage/io/file_system.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// The rows of a training, encoded.
struct EncodedData
{
    features::EncodedDataset trainRows;
    std::optional<features::EncodedDataset> evalRows;
    std::vector<std::int64_t> trainFileRows; ///< of each file; not kept in a cache
    DataSummary summary;
};

struct RowCacheRequest
{
    const spec::Experiment& experiment; ///< need not be resolved
    std::string folder;                 ///< base of its relative paths
    const data::Dataset& trainData;
    /// Time before the data was first read: rows of files that changed later are not kept.
    std::chrono::system_clock::time_point begin;
    storage::FileSystem* system = nullptr; ///< the disk if null
};

/// The file in which an experiment keeps its encoded rows (run_config.cache_file). It is used only
/// while the files that it was made from have the same stamps and the experiment has the same data
/// and columns. One thread.
class RowCache
{
public:
    /// Reads the file's header. "features.row_file_foreign" if the file contains something else,
    /// which must not be replaced.
    static Result<RowCache> open(const RowCacheRequest& request);
    RowCache(RowCache&&) noexcept;
    RowCache& operator=(RowCache&&) noexcept;
    ~RowCache();

    /// Statistics of the training rows, if the file was made from the same data.
    std::vector<KnownStatistics> statistics() const;
    /// The rows, if this encoder would make the same ones of the data. `evalData`: a table of its
    /// own, or null. Errors: "base.no_memory", "features.spill".
    Result<std::optional<EncodedData>> load(const features::FeatureEncoder& encoder,
                                            const data::Dataset* evalData,
                                            std::uint64_t memoryLimit);
    /// Writes the file atomically. A failure becomes a warning of the summary, since training does
    /// not need the file. Errors: "base.interrupted".
    Result<void> keep(const features::FeatureEncoder& encoder, const data::Dataset* evalData,
                      const std::vector<KnownStatistics>& statistics, EncodedData& data);

private:
    struct State;
    explicit RowCache(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace cannery::train
