// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/tf/tensor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::storage {

/// Writes a checkpoint that TensorFlow can read: `<prefix>.data-00000-of-00001`, then
/// `<prefix>.index`, each completely or not at all, and on disk when this returns; the folder must
/// exist. Names are the keys, in any order, each once. Replaces an older checkpoint of this prefix.
/// Returns the bytes of both files.
Result<std::uint64_t> writeCheckpoint(const std::string& prefix,
                                      std::span<const NamedTensor> tensors,
                                      FileSystem& system = realFileSystem());

/// Deletes the files of a checkpoint, the index first: what remains after an interruption is not a
/// checkpoint. Also deletes `<prefix>.meta`. Not an error if there is no checkpoint.
Result<void> removeCheckpoint(const std::string& prefix, FileSystem& system = realFileSystem());

} // namespace cannery::storage
