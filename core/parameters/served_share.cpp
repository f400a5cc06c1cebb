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
constexpr ErrorKind kTornLog{
    "parameters.note_torn_log",
    "The last {} bytes that parameter server {} wrote before it was killed are not complete, or "
    "damaged, and are ignored: it continues from what it wrote before."};

/// Below `folder` of the chief's setup, the run's folder.
constexpr const char* kFolder = "parameters";
constexpr std::chrono::milliseconds kWaitedLook(100);
/// Copied at a time, while nobody else works.
constexpr std::size_t kPiece = std::size_t{1} << 20U;

/// A disk that was full is not tried at every step.
constexpr std::chrono::seconds kPauseAfterFailure(10);

/// False: they do not belong to this store.
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
    }
    return true;
}

bool fill(ParameterStore& store, std::span<const std::byte> contents)
{
    for (const std::span<float> part : store.contents()) {
        const auto bytes = std::as_writable_bytes(part);
        if (bytes.size() > contents.size()) {
            return false;
        }
        std::ranges::copy(contents.first(bytes.size()), bytes.begin());
        contents = contents.subspan(bytes.size());
    }
    return contents.empty();
}

/// What would make everybody as present in another store as they are here.
std::vector<Journal::Event> presenceIn(const ParameterStore& store)
{
    using Kind = Journal::Event::Kind;
    std::vector<Journal::Event> events;
    for (int rank = 0; rank < store.setup().tasks(); ++rank) {
        const ParameterStore::Presence& presence = store.presenceOf(rank);
        const std::uint64_t incarnation = store.incarnationOf(rank);
        const int entered = std::max(presence.conversations, presence.isGone() ? 1 : 0);
        for (int i = 0; i < entered; ++i) {
            events.push_back({.kind = Kind::Entered, .rank = rank, .incarnation = incarnation});
        }
        if (presence.isGone()) {
            events.push_back({.kind = Kind::Left, .rank = rank, .incarnation = incarnation});
        }
    }
    return events;
}

Journal::Event takeChanges(ParameterStore& store)
{
    Journal::Event event{.kind = Journal::Event::Kind::Changed};
    event.changes = store.takeChanges(event.payload);
    return event;
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

/// Null: there is none of this session.
Result<std::unique_ptr<ParameterStore>> ServedShare::load(const wire::Setup& setup)
{
    CANNERY_TRY_ASSIGN(std::optional<Journal::Content> content, m_journal->load());
    if (!content || content->changes.changes.setup().session() != setup.session()) {
        return nullptr;
    }
    CANNERY_TRY_ASSIGN(auto store,
                       ParameterStore::create(content->changes.changes.setup(), m_options.threads));
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
    store->forgetPresence();
    return store;
}

void ServedShare::install(std::unique_ptr<ParameterStore> store)
{
    const std::scoped_lock lock(m_mutex, m_journalMutex);
    take(std::move(store));
}

void ServedShare::take(std::unique_ptr<ParameterStore> store)
{
    m_savedChanges = store->changes();
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

void ServedShare::log(const Journal::Event& event)
{
    if (!isDurable()) {
        return;
    }
    const std::lock_guard lock(m_journalMutex);
    const bool isLong =
        m_journal->logSize() > std::max(m_options.longestLog, m_journal->snapshotSize());
    // A push that waits is in the log only.
    if (((m_needsSnapshot && Clock::now() >= m_nextTry) || isLong) &&
        !m_stores.back()->isInRound()) {
        writeSnapshot();
        logPresence();
    }
    if (!m_needsSnapshot) {
        check(m_journal->append(event));
    }
}

/// Whom the next rounds wait for.
void ServedShare::logPresence()
{
    for (const Journal::Event& event : presenceIn(*m_stores.back())) {
        if (!m_needsSnapshot) {
            check(m_journal->append(event));
        }
    }
}

void ServedShare::syncLog()
{
    const std::lock_guard lock(m_journalMutex);
    if (m_journal != nullptr && !m_needsSnapshot) {
        check(m_journal->sync());
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

void ServedShare::saveChanges()
{
    Journal::Event changed;
    bool isWhole = false;
    int filling = 0;
    {
        const std::scoped_lock lock(m_mutex, m_journalMutex);
        if (m_stores.empty() || m_journal == nullptr ||
            (m_stores.back()->changes() == m_savedChanges && !m_needsSnapshot)) {
            return;
        }
        ParameterStore& store = *m_stores.back();
        m_savedChanges = store.changes();
        if (isDurable()) {
            return m_needsSnapshot ? writeSnapshot() : void();
        }
        filling = m_fillings;
        isWhole = m_needsSnapshot ||
                  m_journal->logSize() + store.changedBytes() > m_journal->snapshotSize();
        if (isWhole) {
            store.clearMarks();
        } else {
            changed = takeChanges(store);
        }
    }
    const Result<void> saved =
        isWhole ? copySnapshot(filling) : write(filling, [&](Journal& journal) -> Result<void> {
            CANNERY_TRY(journal.append(changed));
            return journal.sync();
        });
    const std::lock_guard lock(m_journalMutex);
    if (filling == m_fillings) {
        m_needsSnapshot = false;
        check(saved);
    }
}

/// Piece by piece, while others change it; then what they have changed.
Result<void> ServedShare::copySnapshot(int filling)
{
    CANNERY_TRY(write(filling, [](Journal& journal) { return journal.begin(); }));
    std::vector<std::byte> copy;
    for (const std::span<const float> part : store()->contents()) {
        std::span<const std::byte> rest = std::as_bytes(part);
        while (!rest.empty()) {
            const auto piece = rest.first(std::min(rest.size(), kPiece));
            rest = rest.subspan(piece.size());
            {
                const std::lock_guard lock(m_mutex);
                copy.assign(piece.begin(), piece.end());
            }
            CANNERY_TRY(write(filling, [&](Journal& journal) { return journal.add(copy); }));
        }
    }
    Journal::Event changed;
    {
        const std::lock_guard lock(m_mutex);
        if (filling != m_fillings) {
            return {};
        }
        changed = takeChanges(*m_stores.back());
    }
    return write(filling, [&](Journal& journal) { return journal.commit(changed); });
}

/// Unless the chief has filled the server anew.
Result<void> ServedShare::write(int filling,
                                const std::function<Result<void>(Journal& journal)>& how)
{
    const std::lock_guard lock(m_journalMutex);
    return filling == m_fillings ? how(*m_journal) : Result<void>();
}

void ServedShare::writeSnapshot()
{
    if (m_journal != nullptr) {
        m_needsSnapshot = false;
        check(trySnapshot());
    }
}

Result<void> ServedShare::trySnapshot()
{
    ParameterStore& store = *m_stores.back();
    CANNERY_TRY(m_journal->begin());
    for (const std::span<const float> part : store.contents()) {
        CANNERY_TRY(m_journal->add(std::as_bytes(part)));
    }
    store.clearMarks();
    return m_journal->commit(takeChanges(store));
}

void ServedShare::check(const Result<void>& written)
{
    if (written) {
        return;
    }
    m_needsSnapshot = true;
    m_nextTry = Clock::now() + kPauseAfterFailure;
    if (!std::exchange(m_hasWarned, true)) {
        note(error(written.error().code, kNoSnapshot, m_options.server, written.error().message()));
    }
}

void ServedShare::removeFiles()
{
    const std::lock_guard lock(m_journalMutex);
    if (m_journal != nullptr) {
        m_journal->remove();
    }
}

void ServedShare::note(const Error& error)
{
    if (m_options.onNote) {
        m_options.onNote({error.id, error.sentence});
    }
}

} // namespace cannery::parameters
