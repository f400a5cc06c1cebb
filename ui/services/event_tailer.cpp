// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/event_tailer.h"

#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tf/event_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace cannery::ui {

namespace {

/// Checksums of the first and the last bytes before a position.
std::optional<std::pair<std::uint32_t, std::uint32_t>> marks(const std::string& path,
                                                             std::uint64_t position)
{
    const auto file = storage::ReadableFile::open(path);
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

EventTailer::EventTailer(std::string folder) : m_folder(std::move(folder)) {}

void EventTailer::restore(std::vector<EventFileState> files, storage::ScalarTags tags)
{
    closeFile();
    m_files = std::move(files);
    m_tags = std::move(tags);
    for (const EventFileState& file : m_files) {
        m_nextNumber = std::max(m_nextNumber, file.number + 1);
    }
}

/// False if this is not the file that was read.
bool EventTailer::refresh(EventFileState& file) const
{
    struct stat status = {};
    if (::stat(storage::joinPath(m_folder, file.name).c_str(), &status) != 0) {
        return file.position == 0;
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const auto inode = static_cast<std::uint64_t>(status.st_ino);
    const auto modified =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
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

void EventTailer::mark(EventFileState& file) const
{
    const auto crcs = marks(storage::joinPath(m_folder, file.name), file.position);
    if (crcs) {
        std::tie(file.headCrc, file.tailCrc) = *crcs;
    }
}

EventTailer::Look EventTailer::look()
{
    const Result<std::vector<std::string>> names = storage::listFolder(m_folder);
    if (!names) {
        m_folderProblem = storage::exists(m_folder) ? names.error().message() : "";
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

bool EventTailer::grew(std::string_view name, std::uint64_t bytes)
{
    const auto file = std::find_if(m_files.begin(), m_files.end(),
                                   [&](const EventFileState& row) { return row.name == name; });
    if (file == m_files.end() || bytes < file->position) {
        return false;
    }
    file->size = std::max(file->size, bytes);
    return true;
}

bool EventTailer::isLeft(const EventFileState& file) const
{
    return file.hasMore() && file.position < m_bytesPerFile;
}

void EventTailer::closeFile()
{
    m_scanner.reset();
}

std::optional<std::uint32_t> EventTailer::read(std::vector<storage::ScalarPoint>& points,
                                               std::size_t limit)
{
    const auto file = std::find_if(m_files.begin(), m_files.end(),
                                   [this](const EventFileState& row) { return isLeft(row); });
    if (file == m_files.end()) {
        closeFile();
        return std::nullopt;
    }
    const auto stop = [&](std::string problem) {
        file->exhaustedSize = file->size;
        file->problem = std::move(problem);
        mark(*file);
        closeFile();
        return file->number;
    };
    if (!m_scanner || m_current != file->number) {
        auto scanner = storage::ScalarEventScanner::open(storage::joinPath(m_folder, file->name),
                                                         m_tags, file->position);
        if (!scanner) {
            return stop(scanner.error().message());
        }
        m_scanner = std::move(*scanner);
        m_current = file->number;
    }
    const std::uint64_t before = m_scanner->bytesRead();
    const Result<bool> more =
        m_scanner->read(points, limit, std::min(m_bytesPerFile, std::uint64_t{32} << 20U));
    m_bytesRead += m_scanner->bytesRead() - before;
    file->position = m_scanner->position();
    if (!more) {
        return stop(more.error().message());
    }
    if (!*more) {
        if (file->position < file->size) {
            // Half a record, or bytes that its writer announced have not arrived yet (a network).
            const auto size = storage::fileSize(storage::joinPath(m_folder, file->name));
            file->size = std::min(file->size, size.value_or(file->size));
        }
        // It may have grown in the meantime; then the next look() finds another size.
        file->size = std::max(file->size, file->position);
        return stop({});
    }
    return file->number;
}

std::uint64_t EventTailer::totalBytes() const
{
    std::uint64_t bytes = 0;
    for (const EventFileState& file : m_files) {
        bytes += file.size;
    }
    return bytes;
}

std::uint64_t EventTailer::doneBytes() const
{
    std::uint64_t bytes = 0;
    for (const EventFileState& file : m_files) {
        bytes += isLeft(file) ? std::min(file.position, file.size) : file.size;
    }
    return bytes;
}

std::string EventTailer::problem() const
{
    for (const EventFileState& file : m_files) {
        if (!file.problem.empty()) {
            return file.problem;
        }
    }
    return m_folderProblem;
}

} // namespace cannery::ui
