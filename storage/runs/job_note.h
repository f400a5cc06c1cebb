// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::storage {

/// What is known of a command that goes on by itself, such as a sweep: a small file of the user's,
/// by which a window finds, follows and stops it.
struct JobNote
{
    std::int64_t process = 0;
    std::string startTime; ///< processStartTime()
    std::string machine;   ///< on which the process runs
    std::string subject;   ///< what it works on, such as an experiment file; one job for each
    std::string folder;    ///< in which it works, that of the project
    std::vector<std::string> arguments;
    std::int64_t startedAt = 0; ///< milliseconds since 1970
    std::string title;          ///< in the window's language, if the window started it
    /// Started in a terminal: it prints its results there, keeps the next two up to date, and
    /// removes the note when it ends.
    bool isInTerminal = false;
    double progress = 0; ///< 0 to 1
    std::string message;

    /// Whether it runs, as far as this machine can tell: nothing if it is another one's.
    std::optional<bool> isAlive() const;
    bool operator==(const JobNote&) const = default;
};

/// Of the calling process, started now.
JobNote noteOfThisProcess();
/// The machine's name.
std::string thisMachine();

/// Where a user's notes are; empty if the user has no folder for data.
std::string jobNoteFolder();

/// Replaces the file, whose folder is made.
Result<void> writeJobNote(const std::string& path, const JobNote& note);
/// Nothing if the file is missing or no note.
std::optional<JobNote> readJobNote(const std::string& path);

} // namespace cannery::storage
