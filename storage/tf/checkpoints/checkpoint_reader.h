// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/tensor.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// Maximum bytes of an index file; each key takes about 50.
inline constexpr std::size_t kMaxIndexBytes = std::size_t{64} << 20U;
/// Maximum number of data files of one checkpoint.
inline constexpr int kMaxCheckpointShards = 65536;
/// Maximum number of slices of one partitioned variable.
inline constexpr int kMaxVariableSlices = 4096;

/// What a checkpoint says about one tensor without reading it.
struct CheckpointEntry
{
    std::string name;
    DType dtype = DType::Invalid;
    Shape shape; ///< of the whole tensor, even if it is partitioned

    bool operator==(const CheckpointEntry&) const = default;
};

/// A checkpoint in TensorFlow's V2 format (`<prefix>.index`, `<prefix>.data-*`), written by any
/// program. Partitioned variables appear whole. Every checksum is verified; sizes are checked
/// against the files before memory is allocated; no two tensors may share bytes of a file. Reading
/// is thread-safe.
///
/// Errors: NotFound (no such checkpoint, shard or tensor), DataLoss (damaged), InvalidArgument
/// (dtype or shape differs from the requested one), Unimplemented (unsupported dtypes),
/// ResourceExhausted (beyond a limit above or of table_reader.h, or out of memory).
class CheckpointReader
{
public:
    /// `prefix` is the path without suffix: "dir/model.ckpt-1000".
    static Result<CheckpointReader> open(const std::string& prefix);
    CheckpointReader(CheckpointReader&&) noexcept;
    CheckpointReader& operator=(CheckpointReader&&) noexcept;
    ~CheckpointReader();

    const std::string& prefix() const;
    /// Sorted by name. Unsupported dtypes are DType::Invalid.
    const std::vector<CheckpointEntry>& entries() const;
    const CheckpointEntry* find(std::string_view name) const;

    Result<HostTensor> read(std::string_view name) const;
    /// Reads into memory of the caller, with this dtype and shape. Not for strings.
    Result<void> readInto(std::string_view name, DType dtype, const Shape& shape,
                          std::span<std::byte> bytes) const;
    /// A tensor with one element: the global step.
    Result<std::int64_t> readInt64(std::string_view name) const;

    /// The files of the checkpoint: the index, then its shards.
    std::vector<std::string> files() const;

private:
    struct State;
    explicit CheckpointReader(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

/// Whether `<prefix>.index` exists, which defines whether there is a checkpoint.
bool checkpointExists(const std::string& prefix);

} // namespace cannery::storage
