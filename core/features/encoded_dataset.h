// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/features/encoded_rows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cannery::storage {
class FileSystem;
} // namespace cannery::storage

namespace cannery::features {

struct EncodedDatasetOptions
{
    /// Bytes of rows held in memory; when there are more, all of them move to a cache file, but for
    /// the last few, which stay in memory until there are enough to be written together. Never more
    /// than a quarter of the address space, where the process has a limit on that.
    std::uint64_t memoryLimit = std::uint64_t{1} << 30U;
    /// Where the cache file is made (it has no name there, so that it is gone with the process);
    /// empty: the system's folder for temporary files.
    std::string cacheFolder;
    /// Bytes of the cache file that are mapped into the address space; the others are read row by
    /// row. Unset: a quarter of what the process may use, everything when it may use what it
    /// likes.
    std::uint64_t mapLimit = kMapLimitOfProcess;

    /// Where the cache file is written; null: the disk.
    storage::FileSystem* fileSystem = nullptr;

    static constexpr std::uint64_t kMapLimitOfProcess = ~std::uint64_t{0};
};

/// All rows of a data set, encoded once: appended chunk by chunk, then gathered by row number for
/// every batch of every epoch. Rows stand one after the other, each as one record, so that a row is
/// one or two places in memory however many columns it has.
class EncodedDataset
{
public:
    EncodedDataset(const InputLayout& layout, EncodedDatasetOptions options);
    EncodedDataset(EncodedDataset&&) noexcept;
    EncodedDataset& operator=(EncodedDataset&&) noexcept;
    ~EncodedDataset();

    /// Adds rows of the layout at the end. All rows have labels, or none; likewise weights. Not
    /// while another thread gathers. Errors: the cache file cannot be made or written.
    Result<void> append(const EncodedRows& rows);

    std::int64_t rowCount() const;
    /// Bytes that the rows take, in memory or in the cache file.
    std::uint64_t byteCount() const;
    bool isInCacheFile() const;

    /// Makes `out` these rows, in this order; rows may repeat. Allocates nothing once `out` has
    /// grown. Safe from several threads; a large batch is cut into blocks where somebody runs
    /// them. Errors: only those of a disk that cannot be read.
    Result<void> gather(std::span<const std::int64_t> rows, EncodedRows& out,
                        const RunBlocks& runBlocks = {}) const;
    /// The same for the `count` rows from `first`.
    Result<void> gatherRange(std::int64_t first, std::int64_t count, EncodedRows& out) const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace cannery::features
