// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// What was found in a file or folder, as lines for the terminal and as JSON.
struct Inspection
{
    std::vector<std::string> lines;
    std::string json;                 ///< one object
    std::vector<std::string> damages; ///< what is wrong with it, in sentences
};

/// Each takes what its name says. `inspect()` detects the kind of a path: a SavedModel folder, a
/// checkpoint (prefix, .index file, or a folder with a `checkpoint` file), an event file or folder,
/// a TFRecord file, or a table. `records`: how many records are listed (standard: 5) or events read
/// (all).
Result<Inspection> inspect(const std::string& path, std::optional<std::int64_t> records);
/// The prefix of the checkpoint that `inspect()` would find: also that of a SavedModel's variables.
/// Errors: "inspect.no_checkpoint".
Result<std::string> checkpointAt(const std::string& path);
Result<Inspection> inspectCheckpoint(const std::string& prefix);
Result<Inspection> inspectSavedModel(const std::string& folder);
/// What can be read of the file, and where it is damaged.
Result<Inspection> inspectEvents(const std::string& file, std::int64_t records);
/// A section for each of the files.
Result<Inspection> inspectEventFolder(const std::string& folder,
                                      const std::vector<std::string>& files, std::int64_t records);
/// The event files in a folder and its subfolders, in order of their paths.
std::vector<std::string> eventFilesBelow(const std::string& folder);
/// The columns and first cells of a table of any kind; of a database, its tables.
Result<Inspection> inspectTable(const std::string& path);
Result<Inspection> inspectRecords(const std::string& file, std::int64_t records);

} // namespace cannery::app
