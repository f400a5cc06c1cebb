// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/sweep_note.h"

#include "storage/io/files.h"

#include <fmt/core.h>

namespace cannery::app {

SweepNote::SweepNote(const std::string& experimentFile, const std::vector<std::string>& overrides)
    : m_note(storage::noteOfThisProcess())
{
    m_note.subject = experimentFile;
    m_note.folder = storage::parentFolder(experimentFile);
    m_note.arguments = {"sweep", experimentFile};
    for (const std::string& change : overrides) {
        m_note.arguments.insert(m_note.arguments.end(), {"--set", change});
    }
    m_note.isInTerminal = true;
    const std::string folder = storage::jobNoteFolder();
    if (!folder.empty()) {
        m_path = storage::joinPath(
            folder, fmt::format("{}-{}.json", storage::thisMachine(), m_note.process));
    }
    advance(0, {});
}

SweepNote::~SweepNote()
{
    if (!m_path.empty()) {
        (void)storage::realFileSystem().removeFile(m_path);
    }
}

void SweepNote::advance(double share, const std::string& message)
{
    m_note.progress = share;
    m_note.message = message;
    if (!m_path.empty()) {
        (void)storage::writeJobNote(m_path, m_note);
    }
}

} // namespace cannery::app
