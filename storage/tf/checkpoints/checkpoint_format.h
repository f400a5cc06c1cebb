// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <fmt/core.h>

#include <string>

/// Shared by the reader and the writer of checkpoints.
namespace cannery::storage::detail {

inline constexpr ErrorKind kCheckpointDamaged{
    "checkpoint.damaged", "The checkpoint {} is damaged: {}. Use an earlier checkpoint."};

inline std::string indexPath(const std::string& prefix)
{
    return prefix + ".index";
}

inline std::string shardPath(const std::string& prefix, int shard, int shards)
{
    return fmt::format("{}.data-{:05d}-of-{:05d}", prefix, shard, shards);
}

} // namespace cannery::storage::detail
