// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/tf/graphs/saved_model.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

namespace cannery::storage {

/// Below assets.extra/: our list of the checksums of the other files.
inline constexpr const char* kChecksumsFile = "checksums.crc32c";

struct SavedModelOptions
{
    /// Name of the version folder in seconds since 1970; 0: now. Increased if it would not be above
    /// every existing version; see nextVersion().
    std::int64_t timestamp = 0;
    /// Files for `assets.extra/`: name there → current path.
    std::map<std::string, std::string> assetsExtra;
    /// Further files there: name → content.
    std::map<std::string, std::string> extraContents;
    bool asText = false; ///< saved_model.pbtxt instead of saved_model.pb
    /// Called with the finished folder before it appears; after an error it never does.
    std::function<Result<void>(const std::string& folder)> check = {};
};

/// Writes a SavedModel into `<base>/<version>/` and returns that path. It is written as
/// `<base>/temp-<version>/` and appears by one rename; after an error nothing of it remains.
/// `tensors` are the values of the graphs' variables by name, all of them: the MetaGraphs share
/// them, and assets of the same name.
Result<std::string> writeSavedModel(const std::string& base, std::span<const MetaGraph> metaGraphs,
                                    std::span<const NamedTensor> tensors,
                                    const SavedModelOptions& options = {},
                                    FileSystem& system = realFileSystem());
/// The same with one MetaGraph.
inline Result<std::string> writeSavedModel(const std::string& base, const MetaGraph& metaGraph,
                                           std::span<const NamedTensor> tensors,
                                           const SavedModelOptions& options = {},
                                           FileSystem& system = realFileSystem())
{
    return writeSavedModel(base, std::span(&metaGraph, 1), tensors, options, system);
}

} // namespace cannery::storage
