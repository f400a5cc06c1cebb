// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/key_value_store.h"
#include "tests/core/coordinator/test_cluster.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstddef>
#include <random>

using namespace cannery;
using namespace cannery::coordinator;
using namespace cannery::tests;

/// Whatever happens to a cluster's processes: who is left and who is started again form the next
/// generation.
class TstCoordinatorFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFaultLeadsToTheNextGeneration();

private:
    static constexpr std::size_t kSize = 4;

    enum Fault
    {
        Dies,            ///< a task, and is started again
        IsReplaced,      ///< while it lives
        LosesAPeer,      ///< without anybody having died
        WaitsAndDies,    ///< a task that has asked for a generation already
        CoordinatorDies, ///< with the chief
        Count,
    };
    Result<void> inject(Fault fault, std::size_t rank);
    Result<void> startAgain(std::size_t rank);
    /// The tasks of a generation see each other's values.
    bool canMeet(std::int64_t generation);

    TestCluster m_cluster{kSize};
    std::uint64_t m_incarnation = 1000;
};

Result<void> TstCoordinatorFaults::startAgain(std::size_t rank)
{
    CANNERY_TRY_ASSIGN(m_cluster.members[rank],
                       m_cluster.connect(static_cast<int>(rank), ++m_incarnation));
    return {};
}

Result<void> TstCoordinatorFaults::inject(Fault fault, std::size_t rank)
{
    std::unique_ptr<Member>& member = m_cluster.members[rank];
    switch (fault) {
    case Dies:
        member.reset();
        return startAgain(rank);
    case IsReplaced:
        return startAgain(rank);
    case LosesAPeer:
        return {};
    case WaitsAndDies: {
        auto waiting = std::async(std::launch::async, [&member] { return member->join(); });
        while (!m_cluster.coordinator->members()[rank].isWaiting) {
            std::this_thread::yield();
        }
        std::unique_ptr<Member> newer;
        CANNERY_TRY_ASSIGN(newer, m_cluster.connect(static_cast<int>(rank), ++m_incarnation));
        if (const auto end = waiting.get(); end || end.error().id != "coordinator.replaced") {
            return fail(ErrorCode::Internal, ErrorKind{"test", "was not told"});
        }
        member = std::move(newer);
        return {};
    }
    default:
        m_cluster.members[0].reset();
        m_cluster.coordinator.reset();
        ++m_cluster.chiefIncarnation;
        CANNERY_TRY(m_cluster.start());
        return startAgain(0);
    }
}

bool TstCoordinatorFaults::canMeet(std::int64_t generation)
{
    const auto bytes = std::as_bytes(std::span(&generation, 1));
    for (std::size_t rank = 0; rank < kSize; ++rank) {
        const auto store = m_cluster.members[rank]->store({.number = generation});
        if (!store->set(std::to_string(rank), bytes) ||
            !store->get(std::to_string(rank == 0 ? 0 : rank - 1), std::chrono::seconds(60))) {
            return false;
        }
    }
    return true;
}

void TstCoordinatorFaults::everyFaultLeadsToTheNextGeneration()
{
    VERIFY_OK(m_cluster.start());
    VERIFY_OK(m_cluster.connectAll());
    QVERIFY(areAllIn(m_cluster.joinAll(), 1));
    std::minstd_rand random(12);
    std::int64_t generation = 1;
    for (int round = 0; round < 100; ++round) {
        // The chief dies with its coordinator only.
        const std::size_t rank = 1 + random() % (kSize - 1);
        const auto fault = static_cast<Fault>(random() % Count);
        VERIFY_OK(inject(fault, rank));
        const auto joined = m_cluster.joinAll();
        QVERIFY2(areAllIn(joined, ++generation),
                 qPrintable(QString("round %1, fault %2").arg(round).arg(fault)));
        QVERIFY(canMeet(generation));
    }
}

CANNERY_TEST(TstCoordinatorFaults)
#include "tst_coordinator_faults.moc"
