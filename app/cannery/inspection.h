// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace cannery::app {

/// What was found in a file or folder, as lines for the terminal and as JSON.
struct Inspection
{
    std::vector<std::string> lines;
    std::string json; ///< one object
};

/// Each takes what its name says. `inspect()` detects the kind of a path: a SavedModel folder, a
/// checkpoint (prefix, .index file, or a folder with a `checkpoint` file), an event file or folder,
/// or a TFRecord file. At most `records` events or records are listed.
Result<Inspection> inspect(const std::string& path, std::int64_t records);
/// The prefix of the checkpoint that `inspect()` would find: also that of a SavedModel's variables.
/// Errors: "inspect.no_checkpoint".
Result<std::string> checkpointAt(const std::string& path);
Result<Inspection> inspectCheckpoint(const std::string& prefix);
Result<Inspection> inspectSavedModel(const std::string& folder);
Result<Inspection> inspectEvents(const std::string& file, std::int64_t records);
Result<Inspection> inspectRecords(const std::string& file, std::int64_t records);

} // namespace cannery::app
