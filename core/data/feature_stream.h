// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/data_source.h"
#include "core/data/feature_batch.h"
#include "core/data/feature_maker.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cannery::data {

/// Raw features in file order, chunk by chunk, with bounded memory. One thread. Must not outlive
/// its Dataset.
class FeatureStream
{
public:
    virtual ~FeatureStream() = default;

    /// The next rows (at least one), or nothing at the end. A source without rows is an error.
    virtual Result<std::optional<FeatureBatch>> next() = 0;
    virtual ReadReport report() const = 0;
};

struct FeatureStreamOptions
{
    FeatureMaker maker;
    LentThreads threads;
    std::uint64_t maxRows = 0; ///< stop after about this many rows; 0: all
    Error emptyError;          ///< for a source without rows
    /// Called once after the last row has been read, with the stream's fingerprint.
    std::function<void(std::optional<std::string>)> ended;
};

/// The features of the rows of a stream.
std::unique_ptr<FeatureStream> makeFeatures(std::unique_ptr<ChunkStream> chunks,
                                            FeatureStreamOptions options);

} // namespace cannery::data
