// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/runs/run_record.h"

#include <optional>
#include <string>

namespace cannery::storage {

/// Below a project's folder.
inline constexpr std::string_view kAnnotationsFolder = "annotations";

/// The copies of what people say about runs, "annotations/<run>.json" in a project: they bring it
/// back after the store is lost. The store is what counts: where it can be read, a copy that says
/// something else is an old one. A copy is written whole or not at all, and read as what it is, a
/// file of somebody.
class AnnotationFiles
{
public:
    explicit AnnotationFiles(std::string projectFolder, FileSystem& system = realFileSystem());

    /// Nothing for a run of which nobody said anything. "run.damaged" for what is not such a copy.
    Result<std::optional<RunAnnotations>> read(const std::string& run) const;
    /// Nothing is written where the copy says it already; no copy stays of nothing said.
    Result<void> write(const std::string& run, const RunAnnotations& said);
    Result<void> remove(const std::string& run);

    std::string pathOf(const std::string& run) const;

private:
    std::string m_folder;
    FileSystem* m_system;
};

} // namespace cannery::storage
