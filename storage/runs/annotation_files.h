// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/runs/run_record.h"

#include <optional>
#include <string>

namespace cannery::storage {

/// Relative to a project's folder.
inline constexpr std::string_view kAnnotationsFolder = "annotations";

/// Copies of the users' annotations of runs, "annotations/<run>.json" in a project, from which a
/// lost store is restored. The store is authoritative: where it can be read, a differing copy is
/// out of date. A copy is written completely or not at all, and read as an untrusted file.
class AnnotationFiles
{
public:
    explicit AnnotationFiles(std::string projectFolder, FileSystem& system = realFileSystem());

    /// Nothing for a run without annotations. "run.damaged" for a file that is not such a copy.
    Result<std::optional<RunAnnotations>> read(const std::string& run) const;
    /// Does not write if the copy is up to date; removes the copy of empty annotations.
    Result<void> write(const std::string& run, const RunAnnotations& annotations);
    Result<void> remove(const std::string& run);

    std::string pathOf(const std::string& run) const;

private:
    std::string m_folder;
    FileSystem* m_system;
};

} // namespace cannery::storage
