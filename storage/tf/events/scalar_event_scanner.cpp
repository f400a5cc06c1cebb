// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/scalar_event_scanner.h"

#include "core/base/memory_guard.h"
#include "storage/io/coding.h"
#include "storage/tf/events/common_scalar_records.h"
#include "storage/tf/events/event_codec.h"
#include "storage/tf/events/event_records.h"
#include "storage/tf/events/scalar_wire.h"

#include <algorithm>

namespace cannery::storage {

namespace {

constexpr std::size_t kReadAhead = std::size_t{256} << 10U;

template <typename T>
std::optional<float> oneNumber(const HostTensor& tensor)
{
    if (tensor.dtype != dtypeOf<T>() || tensor.bytes.size() != sizeof(T)) {
        return std::nullopt;
    }
    return static_cast<float>(tensor.values<T>().front());
}

/// The scalars among the values returned by EventReader.
std::optional<float> scalarOf(const EventValue& value)
{
    if (const auto* number = std::get_if<float>(&value.value)) {
        return *number;
    }
    const auto* tensor = std::get_if<HostTensor>(&value.value);
    if (tensor == nullptr || value.plugin != "scalars") {
        return std::nullopt;
    }
    if (const auto number = oneNumber<double>(*tensor)) {
        return number;
    }
    if (const auto number = oneNumber<std::int64_t>(*tensor)) {
        return number;
    }
    return oneNumber<std::int32_t>(*tensor);
}

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

} // namespace

std::uint32_t ScalarTags::find(std::string_view tag) const
{
    const auto found = m_byName.find(tag);
    return found == m_byName.end() ? kNone : found->second;
}

std::uint32_t ScalarTags::intern(std::string_view tag)
{
    if (const std::uint32_t known = find(tag); known != kNone) {
        return known;
    }
    const auto number = static_cast<std::uint32_t>(m_rows.size());
    // Reserve first: memory may run out, and a name without its row would be found forever.
    if (m_rows.size() == m_rows.capacity()) {
        m_rows.reserve(std::max<std::size_t>(2 * m_rows.size(), 16));
    }
    const auto row = m_byName.emplace(std::string(tag), number).first;
    m_rows.push_back({.name = &row->first});
    return number;
}

std::uint32_t ScalarTags::findAfter(std::uint32_t previous, std::string_view tag)
{
    if (previous == kNone) {
        return find(tag);
    }
    const std::uint32_t guess = m_rows[previous].follower;
    if (guess != kNone && *m_rows[guess].name == tag) {
        return guess;
    }
    const std::uint32_t known = find(tag);
    m_rows[previous].follower = known;
    return known;
}

struct ScalarEventScanner::State
{
    detail::EventRecords records;
    ScalarTags* tags;
    std::uint32_t previous = ScalarTags::kNone;
    std::vector<detail::WireScalar> scalars; ///< those of one event; kept for its memory
    /// Plugins as they were before the current event, in case it is only partially consumed.
    std::vector<std::pair<std::uint32_t, ScalarTags::Plugin>> replaced;

    void setPlugin(std::uint32_t tag, ScalarTags::Plugin plugin);
    void restorePlugins();
    bool take(std::string_view payload, std::vector<ScalarPoint>& points);
    bool takeQuickly(const detail::WireEvent& event, std::vector<ScalarPoint>& points);
    bool takeSlowly(std::string_view payload, std::vector<ScalarPoint>& points);
};

void ScalarEventScanner::State::setPlugin(std::uint32_t tag, ScalarTags::Plugin plugin)
{
    if (tags->plugin(tag) != plugin) {
        replaced.emplace_back(tag, tags->plugin(tag));
        tags->setPlugin(tag, plugin);
    }
}

void ScalarEventScanner::State::restorePlugins()
{
    for (; !replaced.empty(); replaced.pop_back()) {
        tags->setPlugin(replaced.back().first, replaced.back().second);
    }
}

/// False if the record is not an event.
bool ScalarEventScanner::State::take(std::string_view payload, std::vector<ScalarPoint>& points)
{
    scalars.clear();
    restorePlugins(); // of an event for which memory ran out
    detail::WireEvent event;
    const std::size_t before = points.size();
    bool isTaken = detail::scanEvent(payload, event, scalars) && takeQuickly(event, points);
    if (!isTaken) {
        restorePlugins();
        points.resize(before);
        isTaken = takeSlowly(payload, points);
    }
    replaced.clear();
    return isTaken;
}

/// False if the event needs the full decoder.
bool ScalarEventScanner::State::takeQuickly(const detail::WireEvent& event,
                                            std::vector<ScalarPoint>& points)
{
    using Plugin = ScalarTags::Plugin;
    for (const detail::WireScalar& scalar : scalars) {
        std::uint32_t tag = tags->findAfter(previous, scalar.tag);
        if (tag == ScalarTags::kNone) {
            // A tag must be UTF-8, otherwise the whole record is damaged, which the decoder
            // reports.
            if (!isAscii(scalar.tag)) {
                return false;
            }
            tag = tags->intern(scalar.tag);
        }
        previous = tag;
        if (scalar.hasPlugin) {
            setPlugin(tag, scalar.plugin == "scalars" ? Plugin::Scalars
                           : scalar.plugin.empty()    ? Plugin::Unknown
                                                      : Plugin::Other);
        }
        if (scalar.kind == detail::WireScalar::Kind::Nothing) {
            continue;
        }
        if (scalar.kind != detail::WireScalar::Kind::SimpleValue) {
            if (tags->plugin(tag) == Plugin::Other) {
                continue;
            }
            if (scalar.kind == detail::WireScalar::Kind::OtherTensor) {
                return false;
            }
        }
        points.push_back({tag, scalar.value, event.step, event.wallTime});
    }
    return true;
}

bool ScalarEventScanner::State::takeSlowly(std::string_view payload,
                                           std::vector<ScalarPoint>& points)
{
    using Plugin = ScalarTags::Plugin;
    // The decoder finds the plugins of earlier records in the table of tags.
    const auto knownPlugin = [this](const std::string& name) -> std::string_view {
        const std::uint32_t tag = tags->find(name);
        if (tag == ScalarTags::kNone || tags->plugin(tag) == Plugin::Unknown) {
            return {};
        }
        return tags->plugin(tag) == Plugin::Scalars ? "scalars" : "other";
    };
    detail::TagPlugins learned;
    const std::optional<Event> event = detail::decodeEvent(payload, knownPlugin, learned);
    if (!event) {
        return false;
    }
    if (event->kind == Event::Kind::SessionLog &&
        event->sessionStatus == static_cast<int>(detail::kSessionStart)) {
        points.push_back({ScalarPoint::kSessionStart, 0, event->step, event->wallTime});
    }
    for (const EventValue& value : event->values) {
        const std::optional<float> number = scalarOf(value);
        if (!number && value.plugin.empty()) {
            continue;
        }
        const std::uint32_t tag = tags->intern(value.tag);
        setPlugin(tag, value.plugin.empty()        ? Plugin::Unknown
                       : value.plugin == "scalars" ? Plugin::Scalars
                                                   : Plugin::Other);
        if (number) {
            points.push_back({tag, *number, event->step, event->wallTime});
        }
    }
    return true;
}

ScalarEventScanner::ScalarEventScanner(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ScalarEventScanner::ScalarEventScanner(ScalarEventScanner&&) noexcept = default;
ScalarEventScanner& ScalarEventScanner::operator=(ScalarEventScanner&&) noexcept = default;
ScalarEventScanner::~ScalarEventScanner() = default;

Result<ScalarEventScanner> ScalarEventScanner::open(const std::string& path, ScalarTags& tags,
                                                    std::uint64_t position)
{
    return guardMemory(path, [&]() -> Result<ScalarEventScanner> {
        CANNERY_TRY_ASSIGN(detail::EventRecords records,
                           detail::EventRecords::open(path, position, kReadAhead));
        return ScalarEventScanner(
            std::make_unique<State>(State{.records = std::move(records), .tags = &tags}));
    });
}

Result<bool> ScalarEventScanner::read(std::vector<ScalarPoint>& points, std::size_t limit,
                                      std::uint64_t maxBytes)
{
    const std::uint64_t begin = position();
    std::size_t whole = points.size(); // points of consumed records
    Result<bool> more = guardMemory(m_state->records.path(), [&]() -> Result<bool> {
        while (points.size() < limit && position() - begin < maxBytes) {
            const std::size_t common =
                detail::takeCommonRecords({.bytes = m_state->records.buffered(),
                                           .limit = limit,
                                           .maxBytes = maxBytes - (position() - begin)},
                                          *m_state->tags, m_state->previous, points);
            m_state->records.advance(common);
            whole = points.size();
            if (points.size() >= limit || position() - begin >= maxBytes) {
                break;
            }
            CANNERY_TRY_ASSIGN(const std::optional<std::string_view> payload,
                               m_state->records.peek());
            if (!payload) {
                return false;
            }
            if (!m_state->take(*payload, points)) {
                return m_state->records.damaged("a record is not an event");
            }
            m_state->records.advance();
            whole = points.size();
        }
        return true;
    });
    points.resize(std::min(whole, points.size()));
    return more;
}

std::uint64_t ScalarEventScanner::position() const
{
    return m_state->records.position();
}

bool ScalarEventScanner::hasPartialRecord() const
{
    return m_state->records.hasPartialRecord();
}

std::uint64_t ScalarEventScanner::bytesRead() const
{
    return m_state->records.bytesRead();
}

} // namespace cannery::storage
