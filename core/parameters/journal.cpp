// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/journal.h"

#include "storage/io/atomic_write.h"
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

constexpr std::string_view kMagic = "CANNPS1\n";
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

std::optional<Journal::Event> eventOf(Bytes record)
{
    Journal::Event event;
    std::uint64_t size = 0;
    if (!take(record, event.kind) || !take(record, event.rank) ||
        !take(record, event.incarnation) || !take(record, size) || size > record.size() ||
        !event.push.ParseFromArray(record.data(), static_cast<int>(size))) {
        return std::nullopt;
    }
    const Bytes payload = record.subspan(size);
    event.payload.assign(payload.begin(), payload.end());
    return event;
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
    if (!storage::exists(path)) {
        return std::nullopt;
    }
    CANNERY_TRY_ASSIGN(const std::string text, storage::readWholeFile(path, kLargestSnapshot));
    Bytes rest = std::as_bytes(std::span(text));
    Content content;
    const bool isOurs = std::string_view(text).starts_with(kMagic);
    rest = rest.subspan(isOurs ? kMagic.size() : 0);
    const std::optional<Bytes> setup = isOurs ? takeRecord(rest) : std::nullopt;
    const std::optional<Bytes> contents = setup ? takeRecord(rest) : std::nullopt;
    if (!contents || !take(rest, m_number) ||
        !content.setup.ParseFromArray(setup->data(), static_cast<int>(setup->size()))) {
        return fail(ErrorCode::DataLoss, kDamaged, path);
    }
    content.contents.assign(contents->begin(), contents->end());
    if (storage::exists(logPath(m_number))) {
        CANNERY_TRY_ASSIGN(const std::string log,
                           storage::readWholeFile(logPath(m_number), kLargestSnapshot));
        Bytes events = std::as_bytes(std::span(log));
        while (const std::optional<Bytes> record = takeRecord(events)) {
            std::optional<Event> event = eventOf(*record);
            if (!event) {
                break;
            }
            content.events.push_back(std::move(*event));
        }
    }
    return content;
}

Result<void> Journal::save(const wire::Setup& setup, std::span<const std::byte> contents)
{
    CANNERY_TRY(storage::makeFolders(m_folder, m_system));
    const std::uint64_t before = m_number++;
    const std::string text = setup.SerializeAsString();
    CANNERY_TRY_ASSIGN(m_log, m_system.create(logPath(m_number)));
    CANNERY_TRY_ASSIGN(storage::AtomicFile file,
                       storage::AtomicFile::create(snapshotPath(), m_system));
    CANNERY_TRY(file.append(kMagic));
    CANNERY_TRY(appendRecord(file, {std::as_bytes(std::span(text))}));
    CANNERY_TRY(appendRecord(file, {contents}));
    CANNERY_TRY(file.append(bytesOf(m_number)));
    CANNERY_TRY(file.commit());
    (void)m_system.removeFile(logPath(before)); // or there was none
    return {};
}

Result<void> Journal::append(const Event& event)
{
    const std::string push = event.push.SerializeAsString();
    const std::uint64_t size = push.size();
    CANNERY_TRY(appendRecord(*m_log, {bytesOf(event.kind), bytesOf(event.rank),
                                      bytesOf(event.incarnation), bytesOf(size),
                                      std::as_bytes(std::span(push)), Bytes(event.payload)}));
    return m_log->flush();
}

void Journal::remove()
{
    m_log.reset();
    (void)m_system.removeFile(snapshotPath());
    (void)m_system.removeFile(logPath(m_number));
    (void)m_system.removeFolder(m_folder); // unless another server still has files there
}

} // namespace cannery::parameters
