// SPDX-License-Identifier: Apache-2.0
// What a parameter server writes.
#include "core/parameters/served_share.h"

#include <algorithm>
#include <utility>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kNoSnapshot{
    "parameters.note_no_snapshot",
    "Parameter server {} cannot write its snapshot; if it is killed, more is lost: {}"};

/// Copied at a time, while nobody else works.
constexpr std::size_t kPiece = std::size_t{1} << 20U;

/// A disk that was full is not tried at every step.
constexpr std::chrono::seconds kPauseAfterFailure(10);

/// What would make everybody as present in another store as they are here.
std::vector<Journal::Event> presenceIn(const ParameterStore& store)
{
    using Kind = Journal::Event::Kind;
    std::vector<Journal::Event> events;
    for (int rank = 0; rank < store.setup().tasks(); ++rank) {
        const StoreTasks::Presence& presence =
            store.tasks().presence()[static_cast<std::size_t>(rank)];
        const std::uint64_t incarnation = store.tasks().recordOf(rank).incarnation();
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

void ServedShare::saveChanges()
{
    Journal::Event changed;
    bool isWhole = false;
    int filling = 0;
    {
        const std::scoped_lock lock(m_mutex, m_journalMutex);
        if (m_stores.empty() || m_journal == nullptr ||
            (m_stores.back()->tasks().changes() == m_savedChanges && !m_needsSnapshot)) {
            return;
        }
        ParameterStore& store = *m_stores.back();
        m_savedChanges = store.tasks().changes();
        if (isDurable()) {
            return m_needsSnapshot ? writeSnapshot() : void();
        }
        filling = m_fillings;
        isWhole = m_needsSnapshot ||
                  m_journal->logSize() + store.parts().changedBytes() > m_journal->snapshotSize();
        if (isWhole) {
            store.parts().clearMarks();
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
    for (const std::span<const float> part : store()->parts().contents()) {
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
    for (const std::span<const float> part : store.parts().contents()) {
        CANNERY_TRY(m_journal->add(std::as_bytes(part)));
    }
    store.parts().clearMarks();
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
