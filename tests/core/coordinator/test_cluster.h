// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/coordinator/coordinator.h"
#include "core/coordinator/member.h"
#include "tests/support/patience.h"

#include <QStringList>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cannery::tests {

/// Nobody is taken for dead in a test, however busy the machine.
inline const coordinator::HeartBeats kPatientBeats{
    .interval = std::chrono::milliseconds(100), .deadAfter = std::chrono::milliseconds(kPatience)};

/// For tests of silence; a busy machine may be taken for dead, and comes back.
inline const coordinator::HeartBeats kImpatientBeats{.interval = std::chrono::milliseconds(100),
                                                     .deadAfter = std::chrono::milliseconds(1000)};

/// What was noted, by any thread.
class Notes
{
public:
    void add(const coordinator::Note& note)
    {
        const std::lock_guard lock(m_mutex);
        m_ids.append(QString::fromStdString(note.id));
        m_sentences.append(QString::fromStdString(note.sentence));
    }
    bool contains(const QString& id) const { return count(id) > 0; }
    qsizetype count(const QString& id) const
    {
        const std::lock_guard lock(m_mutex);
        return m_ids.count(id);
    }
    QString sentences() const
    {
        const std::lock_guard lock(m_mutex);
        return m_sentences.join('\n');
    }

private:
    mutable std::mutex m_mutex;
    QStringList m_ids;
    QStringList m_sentences;
};

/// A coordinator on loopback, at a port chosen by the system, and what its members need.
class TestCluster
{
public:
    explicit TestCluster(int size) : m_size(size) {}

    coordinator::MemberIdentity identityOf(int rank, std::uint64_t incarnation = 1) const
    {
        return {.task = taskOf(rank),
                .rank = rank,
                .incarnation = incarnation,
                .version = "1",
                .digest = "d",
                .experiment = "a: 1",
                .host = "h" + std::to_string(rank),
                .unixTimeMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count(),
                .token = "secret"};
    }

    coordinator::Coordinator::Options coordinatorOptions()
    {
        coordinator::Coordinator::Options options{
            .address = address,
            .port = port,
            .chief = identityOf(0, chiefIncarnation),
            .heartBeats = beats,
            .onNote = [this](const auto& note) { notes.add(note); }};
        for (int rank = 0; rank < m_size; ++rank) {
            options.tasks.push_back(taskOf(rank));
        }
        return options;
    }

    Result<void> start()
    {
        CANNERY_TRY_ASSIGN(coordinator, coordinator::Coordinator::start(coordinatorOptions()));
        address = coordinator->localAddress();
        port.reset();
        return {};
    }

    coordinator::Member::Options memberOptions(int rank, std::uint64_t incarnation = 1) const
    {
        return {.coordinatorAddress = address,
                .identity = identityOf(rank, rank == 0 ? chiefIncarnation : incarnation),
                .heartBeats = beats};
    }

    Result<std::unique_ptr<coordinator::Member>> connect(int rank, std::uint64_t incarnation = 1)
    {
        return coordinator::Member::connect(memberOptions(rank, incarnation));
    }

    /// Connects everybody, by rank.
    Result<void> connectAll()
    {
        for (int rank = 0; rank < m_size; ++rank) {
            CANNERY_TRY_ASSIGN(auto member, connect(rank));
            members.push_back(std::move(member));
        }
        return {};
    }

    /// Everybody joins at once, each on a thread.
    std::vector<Result<coordinator::Generation>> joinAll()
    {
        std::vector<std::future<Result<coordinator::Generation>>> futures;
        for (const auto& member : members) {
            futures.push_back(std::async(std::launch::async, [&member] { return member->join(); }));
        }
        std::vector<Result<coordinator::Generation>> generations;
        for (auto& future : futures) {
            generations.push_back(future.get());
        }
        return generations;
    }

    static std::string taskOf(int rank)
    {
        return rank == 0 ? "chief:0" : "worker:" + std::to_string(rank - 1);
    }

    std::string address = "localhost:2222";
    std::optional<int> port = 0; ///< until it has started
    coordinator::HeartBeats beats = kPatientBeats;
    std::uint64_t chiefIncarnation = 77;
    Notes notes; ///< of the coordinator
    std::unique_ptr<coordinator::Coordinator> coordinator;
    std::vector<std::unique_ptr<coordinator::Member>> members;

private:
    int m_size;
};

/// True if all have joined the generation of this number, each with its own rank.
inline bool areAllIn(const std::vector<Result<coordinator::Generation>>& joined,
                     std::int64_t number)
{
    int rank = 0;
    return std::all_of(joined.begin(), joined.end(), [&](const auto& generation) {
        return generation && generation->number == number && generation->rank == rank++ &&
               generation->size == static_cast<int>(joined.size()) &&
               generation->hosts.size() == joined.size() && generation->hosts.front() == "h0";
    });
}

} // namespace cannery::tests
