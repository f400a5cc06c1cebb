// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/served_share.h"

#include "core/coordinator/refusals.h"
#include "storage/io/files.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kNoSnapshot{
    "parameters.note_no_snapshot",
    "Parameter server {} cannot write its snapshot; if it is killed, more is lost: {}"};

/// Below `folder` of the chief's setup, the run's folder.
constexpr const char* kFolder = "parameters";
constexpr std::chrono::milliseconds kWaitedLook(100);
/// A log longer than this is replaced by a new snapshot.
constexpr std::uint64_t kLongestLog = std::uint64_t{256} << 20U;

std::vector<std::byte> copyOf(ParameterStore& store)
{
    std::vector<std::byte> all;
    for (const std::span<float> part : store.contents()) {
        const auto bytes = std::as_bytes(part);
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
}

} // namespace

ServedShare::ServedShare(Options options) : m_options(std::move(options)) {}

std::optional<Error> ServedShare::objectionTo(const coordinator::MemberIdentity& candidate)
{
    const std::lock_guard lock(m_mutex);
    const bool isChief = candidate.rank == 0;
    coordinator::MemberIdentity chief = m_chief.value_or(m_options.own);
    if (!m_chief || (isChief && m_stores.empty())) {
        chief.digest = candidate.digest;
    }
    chief.incarnation = candidate.incarnation; // a newer chief replaces the older one
    std::optional<Error> objection = coordinator::objectionTo(candidate, chief, m_options.tasks);
    if (!objection && isChief) {
        m_chief = candidate;
    }
    return objection;
}

bool ServedShare::awaitSetup(const IsOver& isOver)
{
    std::unique_lock lock(m_mutex);
    const auto limit = std::chrono::steady_clock::now() + m_options.longestWait;
    while (!m_isOpen && !m_end && std::chrono::steady_clock::now() < limit) {
        m_changed.wait_for(lock, kWaitedLook);
        if (isOver()) {
            return false;
        }
    }
    return m_isOpen || m_end;
}

void ServedShare::open()
{
    const std::lock_guard lock(m_mutex);
    if (!std::exchange(m_isOpen, true)) {
        m_changed.notify_all();
    }
}

ParameterStore* ServedShare::store()
{
    const std::lock_guard lock(m_mutex);
    return m_stores.empty() ? nullptr : m_stores.back().get();
}

Result<bool> ServedShare::resume(const wire::Setup& setup)
{
    const std::scoped_lock lock(m_mutex, m_journalMutex);
    m_journal = setup.folder().empty()
                    ? nullptr
                    : std::make_unique<Journal>(storage::joinPath(setup.folder(), kFolder),
                                                m_options.server, *m_options.system);
    if (!setup.resumes() || m_journal == nullptr) {
        return false;
    }
    CANNERY_TRY_ASSIGN(std::optional<Journal::Content> content, m_journal->load());
    if (!content || content->setup.session() != setup.session()) {
        return false;
    }
    CANNERY_TRY_ASSIGN(auto store,
                       ParameterStore::create(std::move(content->setup), m_options.threads));
    std::span<const std::byte> rest = content->contents;
    for (const std::span<float> part : store->contents()) {
        const auto bytes = std::as_writable_bytes(part);
        if (bytes.size() > rest.size()) {
            return false;
        }
        std::ranges::copy(rest.first(bytes.size()), bytes.begin());
        rest = rest.subspan(bytes.size());
    }
    replay(*store, std::move(content->events));
    m_stores.push_back(std::move(store));
    writeSnapshot(m_stores.back()->describe(), copyOf(*m_stores.back()));
    m_changed.notify_all();
    return true;
}

void ServedShare::replay(ParameterStore& store, std::vector<Journal::Event> events)
{
    for (Journal::Event& event : events) {
        switch (event.kind) {
        case Journal::Event::Kind::Entered:
            store.enter(event.rank, event.incarnation);
            break;
        case Journal::Event::Kind::Left:
            store.leave(event.rank, event.incarnation);
            break;
        case Journal::Event::Kind::Pushed:
            (void)store.push(event.rank, event.incarnation, std::move(event.push),
                             std::move(event.payload));
            break;
        }
    }
    store.forgetPresence();
}

void ServedShare::install(std::unique_ptr<ParameterStore> store)
{
    const std::scoped_lock lock(m_mutex, m_journalMutex);
    m_stores.push_back(std::move(store));
    writeSnapshot(m_stores.back()->describe(), copyOf(*m_stores.back()));
    m_changed.notify_all();
}

bool ServedShare::isDurable() const
{
    return m_journal != nullptr && m_stores.back()->setup().snapshot_secs() <= 0;
}

wire::Welcome ServedShare::enter(int rank, std::uint64_t incarnation)
{
    const std::lock_guard lock(m_mutex);
    wire::Welcome welcome;
    if (m_stores.empty()) {
        return welcome;
    }
    ParameterStore& store = *m_stores.back();
    log({.kind = Journal::Event::Kind::Entered, .rank = rank, .incarnation = incarnation});
    store.enter(rank, incarnation);
    welcome.set_session(store.session());
    welcome.set_step(store.step());
    *welcome.mutable_position() = store.positionOf(rank);
    return welcome;
}

void ServedShare::leave(int rank, std::uint64_t incarnation)
{
    const std::lock_guard lock(m_mutex);
    if (!m_stores.empty()) {
        log({.kind = Journal::Event::Kind::Left, .rank = rank, .incarnation = incarnation});
        m_stores.back()->leave(rank, incarnation);
        m_changed.notify_all();
    }
}

PushOutcome ServedShare::push(int rank, std::uint64_t incarnation, wire::Push push,
                              std::vector<std::byte> payload, const IsOver& isOver)
{
    std::unique_lock lock(m_mutex);
    ParameterStore& store = *m_stores.back();
    const std::int64_t sequence = push.sequence();
    if (isDurable()) { // spares the copies
        log({.rank = rank, .incarnation = incarnation, .push = push, .payload = payload});
    }
    PushOutcome outcome = store.push(rank, incarnation, std::move(push), std::move(payload));
    if (outcome.kind == PushOutcome::Kind::Applied) {
        m_changed.notify_all(); // it may have completed a round
    }
    while (outcome.kind == PushOutcome::Kind::Waiting && !m_end && !isOver()) {
        m_changed.wait_for(lock, kWaitedLook);
        outcome = store.outcomeOf(rank, incarnation, sequence);
    }
    return outcome;
}

void ServedShare::log(const Journal::Event& event)
{
    if (!isDurable()) {
        return;
    }
    const std::lock_guard lock(m_journalMutex);
    if (m_journal->logSize() > kLongestLog) {
        writeSnapshot(m_stores.back()->describe(), copyOf(*m_stores.back()));
    }
    if (const Result<void> logged = m_journal->append(event); !logged) {
        warn(logged.error());
    }
}

bool ServedShare::hasChief() const
{
    const std::lock_guard lock(m_mutex);
    return !m_stores.empty() && m_stores.back()->isHere(0);
}

void ServedShare::end(const coordinator::JobEnd& end)
{
    const std::lock_guard lock(m_mutex);
    m_end = end;
    m_changed.notify_all();
}

std::optional<coordinator::JobEnd> ServedShare::ended() const
{
    const std::lock_guard lock(m_mutex);
    return m_end;
}

double ServedShare::snapshotSeconds() const
{
    const std::lock_guard lock(m_mutex);
    return m_stores.empty() ? 0 : m_stores.back()->setup().snapshot_secs();
}

void ServedShare::saveSnapshot()
{
    wire::Setup setup;
    std::vector<std::byte> contents;
    {
        const std::lock_guard lock(m_mutex);
        if (m_stores.empty() || m_journal == nullptr ||
            m_stores.back()->changes() == m_savedChanges) {
            return;
        }
        m_savedChanges = m_stores.back()->changes();
        setup = m_stores.back()->describe();
        contents = copyOf(*m_stores.back());
    }
    const std::lock_guard lock(m_journalMutex);
    writeSnapshot(setup, contents);
}

void ServedShare::writeSnapshot(const wire::Setup& setup, std::span<const std::byte> contents)
{
    if (m_journal == nullptr) {
        return;
    }
    if (const Result<void> saved = m_journal->save(setup, contents); !saved) {
        warn(saved.error());
    }
}

void ServedShare::removeFiles()
{
    const std::lock_guard lock(m_journalMutex);
    if (m_journal != nullptr) {
        m_journal->remove();
    }
}

void ServedShare::warn(const Error& error)
{
    if (!std::exchange(m_hasWarned, true) && m_options.onNote) {
        const Error note =
            cannery::error(error.code, kNoSnapshot, m_options.server, error.message());
        m_options.onNote({note.id, note.sentence});
    }
}

} // namespace cannery::parameters
