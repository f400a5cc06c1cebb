// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/event_file_list.h"

#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tf/events/event_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace cannery::ui {

namespace {

/// Checksums of the first and the last bytes before a position.
std::optional<std::pair<std::uint32_t, std::uint32_t>> marks(const std::string& path,
                                                             std::uint64_t position)
{
    const auto file = storage::ReadableFile::open(path);
    // Both ends, as a copied log may begin alike and go on otherwise. At most 8 KiB are read.
    std::string bytes(std::min(position, EventFileState::kMarkBytes), '\0');
    const auto crcAt = [&](std::uint64_t offset) -> std::optional<std::uint32_t> {
        const auto got = file->readAt(offset, std::as_writable_bytes(std::span(bytes)));
        return got && *got == bytes.size() ? std::optional(storage::crc32c(bytes)) : std::nullopt;
    };
    if (!file) {
        return std::nullopt;
    }
    const std::optional<std::uint32_t> head = crcAt(0);
    const std::optional<std::uint32_t> tail = crcAt(position - bytes.size());
    return head && tail ? std::optional(std::pair(*head, *tail)) : std::nullopt;
}

bool isMarked(const std::string& folder, const EventFileState& file)
{
    const auto crcs = marks(storage::joinPath(folder, file.name), file.position);
    return crcs && crcs->first == file.headCrc && crcs->second == file.tailCrc;
}

} // namespace

EventFileList::EventFileList(std::string folder) : m_folder(std::move(folder)) {}

std::string EventFileList::pathOf(const EventFileState& file) const
{
    return storage::joinPath(m_folder, file.name);
}

void EventFileList::restore(std::vector<EventFileState> files)
{
    m_files = std::move(files);
    for (const EventFileState& file : m_files) {
        m_nextNumber = std::max(m_nextNumber, file.number + 1);
    }
}

/// False if this is not the file that was read.
bool EventFileList::refresh(EventFileState& file) const
{
    struct stat status = {};
    // A file of which nothing was read may disappear.
    if (::stat(pathOf(file).c_str(), &status) != 0) {
        return file.position == 0;
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const auto inode = static_cast<std::uint64_t>(status.st_ino);
    const auto modified =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    // Event files are only appended to.
    if (size < file.position) {
        return false;
    }
    // Programs that copy logs put a new file in place of the old one, which usually begins with the
    // same bytes.
    const bool isOther = inode != file.inode || !file.isTrusted;
    const bool isUntouched = inode == file.inode && size == file.size && modified == file.modified;
    if (file.position > 0 && isOther && !isUntouched && !isMarked(m_folder, file)) {
        return false;
    }
    file.size = size;
    file.inode = inode;
    file.modified = modified;
    file.isTrusted = true;
    return true;
}

void EventFileList::mark(EventFileState& file) const
{
    const auto crcs = marks(pathOf(file), file.position);
    if (crcs) {
        std::tie(file.headCrc, file.tailCrc) = *crcs;
    }
}

EventFileList::Look EventFileList::look()
{
    const Result<std::vector<std::string>> names = storage::listFolder(m_folder);
    if (!names) {
        m_folderProblem = storage::exists(m_folder) ? names.error().message() : "";
        // Its files are gone with it, as after a deletion.
        return m_files.empty() ? Look::Missing : Look::Replaced;
    }
    m_folderProblem.clear();
    std::set<std::string_view> known;
    for (const EventFileState& file : m_files) {
        known.insert(file.name);
    }
    for (const std::string& name : *names) {
        if (storage::isEventFile(name) && known.count(name) == 0) {
            m_files.push_back({.name = name, .number = m_nextNumber++});
        }
    }
    // Names have TensorFlow's time stamp in front: the order in which files were begun.
    std::sort(m_files.begin(), m_files.end(),
              [](const EventFileState& a, const EventFileState& b) { return a.name < b.name; });
    for (EventFileState& file : m_files) {
        if (!refresh(file)) {
            return Look::Replaced;
        }
    }
    const bool more = std::any_of(m_files.begin(), m_files.end(),
                                  [this](const EventFileState& file) { return isLeft(file); });
    return more ? Look::More : Look::Nothing;
}

bool EventFileList::grew(std::string_view name, std::uint64_t bytes)
{
    const auto file = std::find_if(m_files.begin(), m_files.end(),
                                   [&](const EventFileState& row) { return row.name == name; });
    // Fewer bytes than were read: another file has its name.
    if (file == m_files.end() || bytes < file->position) {
        return false;
    }
    file->size = std::max(file->size, bytes);
    return true;
}

bool EventFileList::isLeft(const EventFileState& file) const
{
    return file.hasMore() && file.position < m_bytesPerFile;
}

EventFileState* EventFileList::next()
{
    const auto file = std::find_if(m_files.begin(), m_files.end(),
                                   [this](const EventFileState& row) { return isLeft(row); });
    return file == m_files.end() ? nullptr : &*file;
}

void EventFileList::exhaust(EventFileState& file, std::string problem) const
{
    if (problem.empty()) {
        if (file.position < file.size) {
            // Half a record, or bytes that its writer announced have not arrived yet (a network).
            const auto size = storage::fileSize(pathOf(file));
            file.size = std::min(file.size, size.value_or(file.size));
        }
        // It may have grown in the meantime; then the next look() finds another size.
        file.size = std::max(file.size, file.position);
    }
    // A damaged file also counts as read to its end, until its size changes.
    file.exhaustedSize = file.size;
    file.problem = std::move(problem);
    mark(file);
}

std::uint64_t EventFileList::totalBytes() const
{
    std::uint64_t bytes = 0;
    for (const EventFileState& file : m_files) {
        bytes += file.size;
    }
    return bytes;
}

std::uint64_t EventFileList::doneBytes() const
{
    std::uint64_t bytes = 0;
    for (const EventFileState& file : m_files) {
        bytes += isLeft(file) ? std::min(file.position, file.size) : file.size;
    }
    return bytes;
}

std::string EventFileList::problem() const
{
    for (const EventFileState& file : m_files) {
        if (!file.problem.empty()) {
            return file.problem;
        }
    }
    return m_folderProblem;
}

} // namespace cannery::ui
