// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/data/pipeline/feature_maker.h"
#include "core/data/rows/row_splitter.h"
#include "core/data/sources/data_source.h"

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
    /// ChunkStream::refused(): rows that are in no batch. Those before the last row that next() has
    /// returned are all there.
    virtual std::vector<RefusedRow> refused(std::size_t from) const = 0;
};

/// What was made of some rows of one part. An error is that part's alone: the other part's rows go
/// on coming.
struct PartBatch
{
    DataPart part = DataPart::Train;
    Result<FeatureBatch> batch;
};

/// Raw features of the rows of several parts by one pass over the table that they were cut from,
/// each part in file order, with bounded memory. One thread. Must not outlive its Dataset.
class PartStream
{
public:
    virtual ~PartStream() = default;

    /// The next rows (at least one) of some part, or nothing at the end. A part without any row is
    /// that part's error. Errors: of reading, which end all parts.
    virtual Result<std::optional<PartBatch>> next() = 0;
    virtual ReadReport report() const = 0;
};

struct FeatureStreamOptions
{
    FeatureMaker maker;
    LentThreads threads;
    std::uint64_t maxRows = 0;                 ///< stop after about this many rows; all if 0
    std::function<Error(DataPart)> emptyError; ///< for a part without rows
    /// Called once after the last row has been read, with the stream's fingerprint.
    std::function<void(std::optional<std::string>)> ended;
};

/// The features of the rows of a reader of one part.
std::unique_ptr<FeatureStream> makeFeatures(PartReader rows, FeatureStreamOptions options);

/// The same of several parts.
std::unique_ptr<PartStream> makeFeaturesOfParts(PartReader rows, FeatureStreamOptions options);

} // namespace cannery::data
