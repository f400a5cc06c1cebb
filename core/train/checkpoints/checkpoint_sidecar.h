// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::train {

/// What our checkpoints store besides TensorFlow's own tensors, in `<prefix>.cannery`, which
/// TensorFlow ignores:
///
///     cannery_checkpoint 2
///     crc32c 89abcdef                     (of everything below; version 1 has no such line)
///     global_step 200
///     data_fingerprint 0123456789abcdef
///     engine cannery 0.1.0 x86-64-v3
///     input
///     <the text of data::toText, to the end>
struct CheckpointSidecar
{
    std::int64_t globalStep = 0;
    std::string dataFingerprint;
    std::string engine;
    std::string input;

    bool operator==(const CheckpointSidecar&) const = default;
};

/// "<prefix>.cannery".
std::string sidecarPath(const std::string& checkpointPrefix);

Result<void> writeSidecar(const std::string& checkpointPrefix, const CheckpointSidecar& sidecar,
                          storage::FileSystem& system);

/// Nothing if there is none (TensorFlow wrote the checkpoint). "train.sidecar_damaged" if it cannot
/// be parsed or belongs to another step.
Result<std::optional<CheckpointSidecar>> readSidecar(const std::string& checkpointPrefix);

} // namespace cannery::train
