// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/features/batch_places.h"
#include "core/features/encoded_rows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace cannery::storage {
class FileSystem;
} // namespace cannery::storage

namespace cannery::features {

struct EncodedDatasetOptions
{
    /// Bytes of rows held in memory. If there are more, all rows move to a spill file, except the
    /// last few, which stay in memory until there are enough to write at once. Never more than a
    /// quarter of the address space if the process has a limit on it.
    std::uint64_t memoryLimit = std::uint64_t{1} << 30U;
    /// Where the spill file is created (unnamed, so it disappears with the process); the system's
    /// folder for temporary files if empty.
    std::string spillFolder;
    /// Bytes of the spill file that are mapped into the address space; the rest is read row by row.
    /// A quarter of what the process may use if unset, or everything if it has no limit.
    std::uint64_t mapLimit = kMapLimitOfProcess;

    /// Where the spill file is written; the disk if null.
    storage::FileSystem* fileSystem = nullptr;

    static constexpr std::uint64_t kMapLimitOfProcess = ~std::uint64_t{0};
};

/// All rows of a dataset, encoded once: appended chunk by chunk, then gathered by row number for
/// every batch of every epoch. Rows are stored one after the other, each as one record, so a row is
/// one or two locations in memory however many columns it has.
class EncodedDataset
{
public:
    EncodedDataset(const InputLayout& layout, EncodedDatasetOptions options);
    EncodedDataset(EncodedDataset&&) noexcept;
    EncodedDataset& operator=(EncodedDataset&&) noexcept;
    ~EncodedDataset();

    /// Appends rows of the layout. Either all rows have labels or none; likewise weights. Not while
    /// another thread gathers. Errors: the spill file cannot be created or written.
    Result<void> append(const EncodedRows& rows);

    std::int64_t rowCount() const;
    /// Bytes used by the rows, in memory or in the spill file.
    std::uint64_t byteCount() const;
    bool isSpilled() const;

    /// Sets `out` to these rows, in this order; rows may repeat. Allocates nothing once `out` has
    /// grown. Thread-safe; a large batch is split into blocks if a thread pool is given. Errors:
    /// only read errors of the disk.
    Result<void> gather(std::span<const std::int64_t> rows, EncodedRows& out,
                        const RunBlocks& runBlocks = {}) const;
    /// The same for the `count` rows from `first`.
    Result<void> gatherRange(std::int64_t first, std::int64_t count, EncodedRows& out) const;
    /// Whether gatherTo() takes these rows: each has one id in every block, and no sequences. A
    /// batch with others grows while it is gathered. Thread-safe.
    bool hasPlacesFor(std::span<const std::int64_t> rows) const;
    /// Whether ids of this block carry weights.
    bool hasWeightedIds(std::int32_t block) const;
    /// Like gather(), into memory of the caller's.
    Result<void> gatherTo(const BatchPlaces& places, std::span<const std::int64_t> rows,
                          const RunBlocks& runBlocks = {}) const;

private:
    friend class BatchGathering;
    struct State;
    std::unique_ptr<State> m_state;
};

/// A batch that is being gathered by several threads: they call gatherBlock() for every block, at
/// any time before finish(). The dataset, `rows` and `out` must live and stay as they are
/// meanwhile. Allocates nothing once `out` has grown.
class BatchGathering
{
public:
    BatchGathering(const EncodedDataset& dataset, std::span<const std::int64_t> rows,
                   EncodedRows& out);

    /// 0 if rows may differ in length: these have no known places, and finish() gathers them.
    std::int64_t blockCount() const;
    /// Thread-safe; each block once.
    void gatherBlock(std::int64_t block);
    /// After all blocks. Errors: those of EncodedDataset::gather.
    Result<void> finish();

private:
    const EncodedDataset::State& m_dataset;
    std::span<const std::int64_t> m_rows;
    EncodedRows& m_out;
    std::size_t m_rowsOfBlock; ///< 0: see blockCount()
    std::mutex m_mutex;
    Result<void> m_result; ///< guarded by the mutex until finish()
};

} // namespace cannery::features
