// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/served_share.h"

#include "core/coordinator/refusals.h"
#include "storage/io/files.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kTornLog{
    "parameters.note_torn_log",
    "The last {} bytes that parameter server {} wrote before it was killed are not complete, or "
    "damaged, and are ignored: it continues from what it wrote before."};

/// Below `folder` of the chief's setup, the run's folder.
constexpr const char* kFolder = "parameters";
constexpr std::chrono::milliseconds kWaitedLook(100);
/// The outcome of a push is dropped, since its task has got it, or asks again. False if changes do
/// not belong to this store.
bool replay(ParameterStore& store, Journal::Event event)
{
    switch (event.kind) {
    case Journal::Event::Kind::Entered:
        store.enter(event.rank, event.incarnation);
        break;
    case Journal::Event::Kind::Left:
        store.leave(event.rank, event.incarnation);
        break;
    case Journal::Event::Kind::Pushed:
        (void)store.push(event.rank, event.incarnation, std::move(event.push), event.payload);
        break;
    case Journal::Event::Kind::Changed:
        return store.putChanges(event.changes, event.payload);
    case Journal::Event::Kind::Leased:
        (void)store.tasks().lease(event.rank);
        break;
    case Journal::Event::Kind::Returned:
        store.tasks().giveBack(event.rank);
        break;
    }
    return true;
}

bool fill(ParameterStore& store, std::span<const std::byte> contents)
{
    for (const std::span<float> part : store.parts().contents()) {
        const auto bytes = std::as_writable_bytes(part);
        if (bytes.size() > contents.size()) {
            return false;
        }
        std::ranges::copy(contents.first(bytes.size()), bytes.begin());
        contents = contents.subspan(bytes.size());
    }
    return contents.empty();
}

} // namespace

ServedShare::ServedShare(Options options) : m_options(std::move(options)) {}

std::optional<Error> ServedShare::objectionTo(const coordinator::MemberIdentity& candidate)
{
    const std::lock_guard lock(m_mutex);
    // The chief decides which experiment is trained. Until it has filled the store, it may come
    // with another one; before it has come, those of all tasks are accepted.
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
    // Woken ten times a second: nobody notifies when a caller has gone.
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
    ++m_fillings;
    m_journal = setup.folder().empty()
                    ? nullptr
                    : std::make_unique<Journal>(storage::joinPath(setup.folder(), kFolder),
                                                m_options.server, *m_options.system);
    m_needsSnapshot = true;
    if (!setup.resumes() || m_journal == nullptr) {
        return false;
    }
    CANNERY_TRY_ASSIGN(auto store, load(setup));
    if (store == nullptr) {
        return false;
    }
    take(std::move(store));
    return true;
}

/// Null if there is none of this session.
Result<std::unique_ptr<ParameterStore>> ServedShare::load(const wire::Setup& setup)
{
    CANNERY_TRY_ASSIGN(std::optional<Journal::Content> content, m_journal->load());
    if (!content || content->changes.changes.setup().session() != setup.session()) {
        return nullptr;
    }
    CANNERY_TRY_ASSIGN(auto store,
                       ParameterStore::create(content->changes.changes.setup(), m_options.threads));
    // The contents were copied while others trained, and are of no single moment: only with the
    // changes do they become a state that the store was in, which the events continue.
    if (!fill(*store, content->contents) || !replay(*store, std::move(content->changes))) {
        return nullptr;
    }
    for (Journal::Event& event : content->events) {
        if (!replay(*store, std::move(event))) {
            return nullptr;
        }
    }
    if (content->ignoredBytes > 0) {
        note(error(ErrorCode::DataLoss, kTornLog, content->ignoredBytes, m_options.server));
    }
    store->tasks().forgetPresence();
    return store;
}

void ServedShare::install(std::unique_ptr<ParameterStore> store)
{
    const std::scoped_lock lock(m_mutex, m_journalMutex);
    take(std::move(store));
}

void ServedShare::take(std::unique_ptr<ParameterStore> store)
{
    m_savedChanges = store->tasks().changes();
    m_lastHere.assign(static_cast<std::size_t>(store->setup().tasks()), Clock::now());
    m_stores.push_back(std::move(store));
    ++m_fillings;
    writeSnapshot();
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
    // Under the lock that guards the store: the log has events in the order in which they count.
    log({.kind = Journal::Event::Kind::Entered, .rank = rank, .incarnation = incarnation});
    store.enter(rank, incarnation);
    welcome.set_session(store.setup().session());
    welcome.set_step(store.step());
    *welcome.mutable_position() = store.tasks().positionOf(rank);
    return welcome;
}

void ServedShare::leave(int rank, std::uint64_t incarnation)
{
    const std::lock_guard lock(m_mutex);
    if (!m_stores.empty()) {
        log({.kind = Journal::Event::Kind::Left, .rank = rank, .incarnation = incarnation});
        m_stores.back()->leave(rank, incarnation);
        m_lastHere[static_cast<std::size_t>(rank)] = Clock::now();
        m_changed.notify_all();
    }
}

PushOutcome ServedShare::push(int rank, std::uint64_t incarnation, wire::Push push,
                              std::vector<std::byte>& payload, const IsOver& isOver)
{
    std::unique_lock lock(m_mutex);
    ParameterStore& store = *m_stores.back();
    const std::int64_t sequence = push.sequence();
    const bool isLogged = isDurable();
    if (isLogged) { // spares copies
        Journal::Event event{
            .rank = rank, .incarnation = incarnation, .push = push, .payload = std::move(payload)};
        log(event);
        payload = std::move(event.payload);
    }
    PushOutcome outcome = store.push(rank, incarnation, std::move(push), payload);
    if (outcome.kind == PushOutcome::Kind::Applied) {
        m_changed.notify_all(); // it may have completed a round
    }
    // The disk is waited for without the lock, so that other tasks push meanwhile. The answer is
    // given only afterwards: what a task knows to be applied survives a crash.
    if (isLogged) {
        lock.unlock();
        syncLog();
        lock.lock();
    }
    while (outcome.kind == PushOutcome::Kind::Waiting && !m_end && !isOver()) {
        m_changed.wait_for(lock, kWaitedLook);
        outcome = store.outcomeOf(rank, incarnation, sequence);
    }
    return outcome;
}

std::optional<wire::Leased> ServedShare::lease(int rank, std::uint64_t incarnation)
{
    const std::lock_guard lock(m_mutex);
    ParameterStore& store = *m_stores.back();
    if (store.tasks().recordOf(rank).incarnation() != incarnation) {
        return std::nullopt;
    }
    const auto give = [&] {
        log({.kind = Journal::Event::Kind::Leased, .rank = rank, .incarnation = incarnation});
        return store.tasks().lease(rank);
    };
    const wire::Leased leased = give();
    if (leased.has_batch() || leased.is_over()) {
        return leased;
    }
    // Only now that no other batch is left: a task that is away for a moment keeps its own.
    for (int other = 0; other < store.setup().tasks(); ++other) {
        const Clock::duration away = Clock::now() - m_lastHere[static_cast<std::size_t>(other)];
        if (!store.tasks().isHere(other) && away >= m_options.longestAbsence) {
            takeBack(other);
        }
    }
    return give();
}

void ServedShare::giveBack(int rank, std::uint64_t incarnation)
{
    const std::lock_guard lock(m_mutex);
    if (!m_stores.empty() && m_stores.back()->tasks().recordOf(rank).incarnation() == incarnation) {
        takeBack(rank);
    }
}

void ServedShare::takeBack(int rank)
{
    if (m_stores.back()->tasks().leaseOf(rank).has_batch()) {
        log({.kind = Journal::Event::Kind::Returned, .rank = rank});
        m_stores.back()->tasks().giveBack(rank);
    }
}

wire::Leased ServedShare::leaseOf(int rank) const
{
    const std::lock_guard lock(m_mutex);
    return m_stores.back()->tasks().leaseOf(rank);
}

bool ServedShare::hasChief() const
{
    const std::lock_guard lock(m_mutex);
    return !m_stores.empty() && m_stores.back()->tasks().isHere(0);
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

} // namespace cannery::parameters
