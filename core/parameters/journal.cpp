// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/journal.h"

#include "storage/io/crc32c.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <cstring>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kDamaged{
    "parameters.damaged_snapshot",
    "The snapshot {} of a parameter server is damaged. Delete it: training then continues from the "
    "last checkpoint."};

/// With the version of the format.
constexpr std::string_view kMagic = "CANNPS2\n";
constexpr std::uint64_t kLargestSnapshot = std::uint64_t{1} << 40U;

using Bytes = std::span<const std::byte>;

template <typename T>
Bytes bytesOf(const T& value)
{
    return std::as_bytes(std::span<const T>(&value, 1));
}

/// Takes a number from the front; false if there are too few bytes.
template <typename T>
bool take(Bytes& bytes, T& value)
{
    if (bytes.size() < sizeof(T)) {
        return false;
    }
    std::memcpy(&value, bytes.data(), sizeof(T));
    bytes = bytes.subspan(sizeof(T));
    return true;
}

/// Takes a record; nothing if it is incomplete or damaged.
std::optional<Bytes> takeRecord(Bytes& bytes)
{
    Bytes rest = bytes;
    std::uint64_t size = 0;
    std::uint32_t sum = 0;
    if (!take(rest, size) || !take(rest, sum) || size > rest.size() ||
        storage::crc32c(rest.first(size)) != sum) {
        return std::nullopt;
    }
    bytes = rest.subspan(size);
    return rest.first(size);
}

/// The front of a record of several pieces.
std::vector<std::byte> recordHead(std::initializer_list<Bytes> pieces)
{
    std::uint64_t size = 0;
    std::uint32_t sum = 0;
    for (const Bytes piece : pieces) {
        size += piece.size();
        sum = storage::crc32c(piece, sum);
    }
    std::vector<std::byte> head;
    for (const Bytes number : {bytesOf(size), bytesOf(sum)}) {
        head.insert(head.end(), number.begin(), number.end());
    }
    return head;
}

template <typename File>
Result<void> appendRecord(File& file, std::initializer_list<Bytes> pieces)
{
    CANNERY_TRY(file.append(recordHead(pieces)));
    for (const Bytes piece : pieces) {
        CANNERY_TRY(file.append(piece));
    }
    return {};
}

template <typename Message>
bool takeMessage(Bytes& bytes, Message& message)
{
    std::uint64_t size = 0;
    if (!take(bytes, size) || size > bytes.size() ||
        !message.ParseFromArray(bytes.data(), static_cast<int>(size))) {
        return false;
    }
    bytes = bytes.subspan(size);
    return true;
}

std::optional<Journal::Event> eventOf(Bytes record)
{
    Journal::Event event;
    if (!take(record, event.kind) || !take(record, event.rank) ||
        !take(record, event.incarnation)) {
        return std::nullopt;
    }
    const bool isMessage = event.kind == Journal::Event::Kind::Changed
                               ? takeMessage(record, event.changes)
                               : takeMessage(record, event.push);
    if (!isMessage) {
        return std::nullopt;
    }
    event.payload.assign(record.begin(), record.end());
    return event;
}

template <typename File>
Result<void> appendEvent(File& file, const Journal::Event& event)
{
    const std::string message = event.kind == Journal::Event::Kind::Changed
                                    ? event.changes.SerializeAsString()
                                    : event.push.SerializeAsString();
    const std::uint64_t size = message.size();
    return appendRecord(file,
                        {bytesOf(event.kind), bytesOf(event.rank), bytesOf(event.incarnation),
                         bytesOf(size), std::as_bytes(std::span(message)), Bytes(event.payload)});
}

/// What is in a snapshot besides the log; false if it is damaged.
bool takeSnapshot(Bytes rest, std::uint64_t& number, Journal::Content& content)
{
    std::optional<Bytes> record = takeRecord(rest);
    if (!record || !take(*record, number)) {
        return false;
    }
    // The last record is the event with what changed while the others were copied.
    for (record = takeRecord(rest); record && !rest.empty(); record = takeRecord(rest)) {
        content.contents.insert(content.contents.end(), record->begin(), record->end());
    }
    std::optional<Journal::Event> last = record ? eventOf(*record) : std::nullopt;
    if (!last || last->kind != Journal::Event::Kind::Changed) {
        return false;
    }
    content.changes = std::move(*last);
    return true;
}

} // namespace

Journal::Journal(std::string folder, int server, storage::FileSystem& system)
    : m_folder(std::move(folder)), m_server(server), m_system(system)
{}

std::string Journal::snapshotPath() const
{
    return storage::joinPath(m_folder, fmt::format("ps-{}.snapshot", m_server));
}

std::string Journal::logPath(std::uint64_t number) const
{
    return storage::joinPath(m_folder, fmt::format("ps-{}.{}.log", m_server, number));
}

Result<std::optional<Journal::Content>> Journal::load()
{
    const std::string path = snapshotPath();
    storage::removeAbandoned(path, m_system);
    if (!storage::exists(path)) {
        return std::nullopt;
    }
    CANNERY_TRY_ASSIGN(const std::string text, storage::readWholeFile(path, kLargestSnapshot));
    Content content;
    if (!std::string_view(text).starts_with(kMagic) ||
        !takeSnapshot(std::as_bytes(std::span(text)).subspan(kMagic.size()), m_number, content)) {
        return fail(ErrorCode::DataLoss, kDamaged, path);
    }
    if (storage::exists(logPath(m_number))) {
        CANNERY_TRY_ASSIGN(const std::string log,
                           storage::readWholeFile(logPath(m_number), kLargestSnapshot));
        Bytes events = std::as_bytes(std::span(log));
        while (!events.empty()) {
            content.ignoredBytes = events.size();
            const std::optional<Bytes> record = takeRecord(events);
            std::optional<Event> event = record ? eventOf(*record) : std::nullopt;
            if (!event) {
                break;
            }
            content.ignoredBytes = 0;
            content.events.push_back(std::move(*event));
        }
    }
    return content;
}

Result<void> Journal::begin()
{
    CANNERY_TRY(storage::makeFolders(m_folder, m_system));
    m_snapshot.reset();
    CANNERY_TRY_ASSIGN(storage::AtomicFile file,
                       storage::AtomicFile::create(snapshotPath(), m_system));
    m_snapshot.emplace(std::move(file));
    CANNERY_TRY(m_snapshot->append(kMagic));
    const std::uint64_t number = m_number + 1;
    return appendRecord(*m_snapshot, {bytesOf(number)});
}

Result<void> Journal::add(std::span<const std::byte> piece)
{
    return appendRecord(*m_snapshot, {piece});
}

Result<void> Journal::commit(const Event& changes)
{
    CANNERY_TRY(appendEvent(*m_snapshot, changes));
    // The log is there before the snapshot that names it. After a crash in between, the old
    // snapshot with the old log is still whole, and the new log is created again by the next
    // commit.
    CANNERY_TRY_ASSIGN(auto log, m_system.create(logPath(m_number + 1)));
    const std::uint64_t size = m_snapshot->size();
    const Result<void> committed = m_snapshot->commit();
    m_snapshot.reset();
    CANNERY_TRY(committed);
    (void)m_system.removeFile(logPath(m_number)); // or there was none
    ++m_number;
    m_log = std::move(log);
    m_isSynced = true;
    m_snapshotSize = size;
    return {};
}

/// Flushed only: a killed process loses nothing, a lost machine what came after the last sync().
Result<void> Journal::append(const Event& event)
{
    m_isSynced = false;
    CANNERY_TRY(appendEvent(*m_log, event));
    return m_log->flush();
}

Result<void> Journal::sync()
{
    if (!m_isSynced) {
        CANNERY_TRY(m_log->sync());
        m_isSynced = true;
    }
    return {};
}

void Journal::remove()
{
    m_log.reset();
    m_snapshot.reset();
    storage::removeAbandoned(snapshotPath(), m_system);
    (void)m_system.removeFile(snapshotPath());
    (void)m_system.removeFile(logPath(m_number));
    (void)m_system.removeFolder(m_folder); // unless another server still has files there
}

} // namespace cannery::parameters
