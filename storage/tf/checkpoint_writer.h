// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/tf/tensor.h"

#include <span>
#include <string>
#include <vector>

namespace cannery::storage {

/// Writes a checkpoint that TensorFlow reads: `<prefix>.data-00000-of-00001`, then
/// `<prefix>.index`, each whole or not at all and on the disk when this returns; the folder must
/// exist. Names are the keys, in any order, each once. An older checkpoint of this prefix is
/// replaced.
Result<void> writeCheckpoint(const std::string& prefix, std::span<const NamedTensor> tensors,
                             FileSystem& system = realFileSystem());

/// Deletes the files of a checkpoint, the index first: what is left of an interrupted deletion is
/// no checkpoint. Those of `<prefix>.meta` too. No checkpoint is no error.
Result<void> removeCheckpoint(const std::string& prefix, FileSystem& system = realFileSystem());

} // namespace cannery::storage
