// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/export_ledger.h"

#include "storage/io/beneath.h"
#include "storage/io/files.h"
#include "storage/tf/graphs/version_folders.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::train {

using storage::ExportState;
using storage::RunExport;

std::string deletedExportSentence(const std::string& path)
{
    return "Deleted the older export " + path;
}

ExportLedger::ExportLedger(std::string modelDir, storage::FileSystem& system)
    : m_modelDir(std::move(modelDir)), m_system(&system), m_files(m_modelDir, system)
{}

Result<ExportLedger> ExportLedger::open(const std::string& modelDir, storage::FileSystem& system)
{
    ExportLedger ledger(modelDir, system);
    CANNERY_TRY_ASSIGN(ledger.m_entries, ledger.m_files.readAllExports());
    return ledger;
}

ExportLedger ExportLedger::empty(const std::string& modelDir, storage::FileSystem& system)
{
    return {modelDir, system};
}

std::string ExportLedger::relative(const std::string& path) const
{
    const std::string prefix = storage::joinPath(m_modelDir, "");
    // Relative, as a model_dir may be moved.
    return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

std::string ExportLedger::absolute(const RunExport& entry) const
{
    return storage::joinPath(m_modelDir, entry.path);
}

/// The list may come from elsewhere: only "export/<exporter>/<version>" is ever deleted. If its
/// deletion was interrupted, the folder may already be gone.
bool ExportLedger::isOurs(const RunExport& entry) const
{
    const std::string name = storage::baseName(entry.path);
    const std::string last =
        storage::exists(absolute(entry)) ? entry.path : storage::parentFolder(entry.path);
    return !entry.exporter.empty() && entry.exporter.find('/') == std::string::npos &&
           entry.path == fmt::format("export/{}/{}", entry.exporter, name) &&
           storage::versionOf(name) && storage::isNameBeneath(entry.path) &&
           storage::checkBeneath(m_modelDir, last).has_value();
}

Result<bool> ExportLedger::mend(const std::function<void(const std::string&)>& deleted)
{
    // Compared afterwards: an intact list is not rewritten.
    const std::vector<RunExport> before = m_entries;
    CANNERY_TRY_ASSIGN(const std::vector<std::string> gone, deleteMarked());
    for (const std::string& path : gone) {
        deleted(path);
    }
    // Deleted by hand, or never finished.
    std::erase_if(m_entries,
                  [&](const RunExport& entry) { return !storage::exists(absolute(entry)); });
    for (RunExport& entry : m_entries) {
        // Whatever is there has been renamed to its final name, so it is whole.
        entry.state = ExportState::Done;
    }
    if (m_entries == before) {
        return false;
    }
    CANNERY_TRY(write());
    return true;
}

std::vector<RunExport> ExportLedger::of(std::string_view exporter) const
{
    std::vector<RunExport> exports = all();
    std::erase_if(exports, [&](const RunExport& entry) { return entry.exporter != exporter; });
    return exports;
}

std::vector<RunExport> ExportLedger::all() const
{
    std::vector<RunExport> exports = m_entries;
    // Unfinished ones count as exports for this list only.
    std::erase_if(exports, [](const RunExport& entry) { return entry.state != ExportState::Done; });
    return exports;
}

Result<void> ExportLedger::begin(const RunExport& entry)
{
    // Listed before it is written, so that one cut short is known.
    m_entries.push_back(entry);
    m_entries.back().path = relative(entry.path);
    m_entries.back().state = ExportState::Writing;
    return write();
}

Result<std::vector<std::string>> ExportLedger::finish(const std::string& path, double exportedAt,
                                                      std::int64_t keep)
{
    RunExport& made = m_entries.back();
    // The number can differ from the wanted one if it was taken meanwhile.
    made.path = relative(path);
    made.exportedAt = exportedAt;
    made.state = ExportState::Done;
    markOld(made.exporter, keep);
    CANNERY_TRY(write());
    // After the list: a kill in between leaves a list that still says what to delete.
    return deleteMarked();
}

Result<std::vector<std::string>> ExportLedger::trim(std::string_view exporter, std::int64_t keep)
{
    if (markOld(exporter, keep)) {
        CANNERY_TRY(write());
    }
    return deleteMarked();
}

/// All but the newest; false if there are none.
bool ExportLedger::markOld(std::string_view exporter, std::int64_t keep)
{
    bool isAny = false;
    std::int64_t kept = 0;
    // Newest first, as they are counted from there.
    for (auto entry = m_entries.rbegin(); entry != m_entries.rend(); ++entry) {
        const bool counts = entry->exporter == exporter && entry->state == ExportState::Done;
        // Those that do not look like this engine's exports are never deleted.
        if (counts && ++kept > keep && keep > 0 && isOurs(*entry)) {
            entry->state = ExportState::Deleting;
            isAny = true;
        }
    }
    return isAny;
}

/// Until it is rewritten, the list in the folder says that they are being deleted; if one cannot be
/// deleted, all stay marked.
Result<std::vector<std::string>> ExportLedger::deleteMarked()
{
    std::vector<std::string> gone;
    for (const RunExport& entry : m_entries) {
        if (entry.state == ExportState::Deleting && isOurs(entry)) {
            CANNERY_TRY(removeFolder(entry));
            gone.push_back(absolute(entry));
        }
    }
    // Those that could not be deleted stay listed.
    std::erase_if(m_entries, [&](const RunExport& entry) {
        return std::find(gone.begin(), gone.end(), absolute(entry)) != gone.end();
    });
    return gone;
}

Result<void> ExportLedger::abandon()
{
    m_entries.pop_back();
    return write();
}

bool ExportLedger::hasForeign(const std::string& exporter) const
{
    const std::string base = storage::joinPath(storage::joinPath(m_modelDir, "export"), exporter);
    if (!storage::isFolder(base)) {
        // A folder that cannot be read counts as empty.
        return false;
    }
    const auto names = storage::listFolder(base).value_or(std::vector<std::string>());
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        const std::string path = fmt::format("export/{}/{}", exporter, name);
        // Versions that the list does not have were made by another program.
        return storage::versionOf(name) &&
               std::none_of(m_entries.begin(), m_entries.end(),
                            [&](const RunExport& entry) { return entry.path == path; });
    });
}

/// Renamed first: under its own name, where servers look for it, it is complete until it
/// disappears.
Result<void> ExportLedger::removeFolder(const RunExport& entry)
{
    const std::string path = absolute(entry);
    const std::string aside =
        storage::joinPath(storage::parentFolder(path), "temp-" + storage::baseName(path));
    if (storage::exists(path)) {
        CANNERY_TRY(storage::removeTree(aside, *m_system));
        // A left-over of the same name may be in the way from a kill before.
        CANNERY_TRY(m_system->rename(path, aside));
    }
    return storage::removeTree(aside, *m_system);
}

Result<void> ExportLedger::write()
{
    return m_files.writeExports(m_entries);
}

} // namespace cannery::train
