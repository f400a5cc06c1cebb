// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/event_reader.h"

#include "core/base/memory_guard.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tf/events/event_codec.h"
#include "storage/tf/events/event_records.h"
#include "storage/tf/record_errors.h"
#include "storage/tf/record_file.h"

namespace cannery::storage {

namespace {

constexpr std::size_t kReadAhead = std::size_t{64} << 10U;
constexpr std::size_t kSearchedBytes = std::size_t{1} << 20U;

} // namespace

struct EventReader::State
{
    detail::EventRecords records;
    detail::TagPlugins plugins;

    /// Allocates nothing: the plugins of a consumed event must be recorded.
    void keep(detail::TagPlugins&& learned) noexcept
    {
        while (!learned.empty()) {
            auto entry = learned.extract(learned.begin());
            const auto known = plugins.find(entry.key());
            if (known == plugins.end()) {
                plugins.insert(std::move(entry));
            } else {
                known->second.swap(entry.mapped());
            }
        }
    }
};

EventReader::EventReader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
EventReader::EventReader(EventReader&&) noexcept = default;
EventReader& EventReader::operator=(EventReader&&) noexcept = default;
EventReader::~EventReader() = default;

Result<EventReader> EventReader::open(const std::string& path, std::uint64_t position,
                                      Plugins plugins)
{
    return guardMemory(path, [&]() -> Result<EventReader> {
        CANNERY_TRY_ASSIGN(detail::EventRecords records,
                           detail::EventRecords::open(path, position, kReadAhead));
        return EventReader(std::make_unique<State>(State{std::move(records), std::move(plugins)}));
    });
}

Result<std::optional<Event>> EventReader::next()
{
    // An event is consumed only after it was decoded, so next() can be retried.
    return guardMemory(path(), [&]() -> Result<std::optional<Event>> {
        CANNERY_TRY_ASSIGN(const std::optional<std::string_view> payload, m_state->records.peek());
        if (!payload) {
            return std::optional<Event>();
        }
        // Kept aside until the event is consumed: a retry must find the state of before.
        detail::TagPlugins learned;
        std::optional<Event> event = detail::decodeEvent(
            *payload,
            [this](const std::string& tag) {
                const auto known = m_state->plugins.find(tag);
                return known == m_state->plugins.end() ? std::string_view()
                                                       : std::string_view(known->second);
            },
            learned);
        if (!event) {
            return m_state->records.damaged("a record is not an event");
        }
        m_state->records.advance();
        m_state->keep(std::move(learned));
        return event;
    });
}

Result<bool> EventReader::skipDamage()
{
    return guardMemory(path(), [&]() -> Result<bool> {
        CANNERY_TRY_ASSIGN(const ReadableFile file, ReadableFile::open(path()));
        std::string piece;
        // From the next byte on, because a damaged length says nothing about where its record ends.
        for (std::uint64_t offset = position() + 1;;) {
            piece.resize(kSearchedBytes);
            CANNERY_TRY_ASSIGN(const std::size_t got,
                               file.readAt(offset, std::as_writable_bytes(std::span(piece))));
            if (got < kRecordHeaderBytes) {
                return false;
            }
            const std::string_view text(piece.data(), got);
            const std::size_t last = got - kRecordHeaderBytes;
            for (std::size_t at = 0; at <= last; ++at) {
                // A length has a checksum of its own: other bytes pass for a header once in 2^32
                // places.
                if (hasGoodLength(text.substr(at, kRecordHeaderBytes))) {
                    CANNERY_TRY_ASSIGN(m_state->records,
                                       detail::EventRecords::open(path(), offset + at, kReadAhead));
                    return true;
                }
            }
            // The next piece begins where a header could have begun that this one cuts.
            offset += last + 1;
        }
    });
}

std::uint64_t EventReader::position() const
{
    return m_state->records.position();
}

bool EventReader::hasPartialRecord() const
{
    return m_state->records.hasPartialRecord();
}

const std::string& EventReader::path() const
{
    return m_state->records.path();
}

const EventReader::Plugins& EventReader::plugins() const
{
    return m_state->plugins;
}

bool isEventFile(std::string_view name)
{
    return name.find("tfevents") != std::string_view::npos;
}

Result<std::vector<std::string>> listEventFiles(const std::string& folder)
{
    return guardMemory(folder, [&]() -> Result<std::vector<std::string>> {
        CANNERY_TRY_ASSIGN(const std::vector<std::string> names, listFolder(folder));
        std::vector<std::string> paths;
        for (const std::string& name : names) {
            if (isEventFile(name)) {
                paths.push_back(joinPath(folder, name));
            }
        }
        return paths;
    });
}

} // namespace cannery::storage
