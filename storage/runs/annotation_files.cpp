// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/annotation_files.h"

#include "core/base/memory_guard.h"
#include "storage/io/atomic_write.h"
#include "storage/io/confinement.h"
#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_json.h"
#include "storage/runs/run_name.h"

namespace cannery::storage {
namespace {

/// Maximum size; notes are written by hand.
constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

} // namespace

AnnotationFiles::AnnotationFiles(std::string projectFolder, FileSystem& system)
    : m_folder(joinPath(projectFolder, kAnnotationsFolder)), m_system(&system)
{
    confineItself(m_folder);
}

std::string AnnotationFiles::pathOf(const std::string& run) const
{
    return joinPath(m_folder, run + ".json");
}

Result<std::optional<RunAnnotations>> AnnotationFiles::read(const std::string& run) const
{
    return guardMemory(m_folder, [&]() -> Result<std::optional<RunAnnotations>> {
        CANNERY_TRY(checkRunName(run));
        const std::string path = pathOf(run);
        if (!exists(path)) {
            return std::nullopt;
        }
        CANNERY_TRY_ASSIGN(const std::string text, readWholeFile(path, kMostBytes));
        Result<RunAnnotations> annotations = runAnnotationsFromJson(text);
        if (!annotations) {
            return tl::make_unexpected(std::move(annotations).error().with("reading " + path));
        }
        return asShown(std::move(*annotations));
    });
}

Result<void> AnnotationFiles::write(const std::string& run, const RunAnnotations& annotations)
{
    return guardMemory(m_folder, [&]() -> Result<void> {
        CANNERY_TRY(checkRunName(run));
        // Runs without annotations have no file.
        if (annotations == RunAnnotations()) {
            return remove(run);
        }
        const Result<std::optional<RunAnnotations>> before = read(run);
        // Not written again: a rescan passes the annotations of every run.
        if (before && *before == annotations) {
            return {};
        }
        CANNERY_TRY(makeFolders(m_folder, *m_system));
        return writeFileAtomically(pathOf(run), toJson(annotations), *m_system);
    });
}

Result<void> AnnotationFiles::remove(const std::string& run)
{
    CANNERY_TRY(checkRunName(run));
    return removeTree(pathOf(run), *m_system);
}

} // namespace cannery::storage
