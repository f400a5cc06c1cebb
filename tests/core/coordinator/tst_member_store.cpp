// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/key_value_store.h"
#include "tests/core/coordinator/test_cluster.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstddef>

using namespace cannery;
using namespace cannery::coordinator;
using namespace cannery::tests;
using collectives::KeyValueStore;

namespace {

constexpr std::chrono::milliseconds kLong(kPatience);

std::vector<std::byte> bytesOf(std::size_t size, unsigned seed)
{
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<std::byte>((i * 31 + i / 251 + seed) & 0xFF);
    }
    return bytes;
}

} // namespace

/// The store through which the tasks of a generation find each other.
class TstMemberStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void everyTaskSeesWhatOneHasSet();
    void aQuestionWaitsForItsValue();
    void anyBytesPass_data();
    void anyBytesPass();
    void everyTaskAsksEveryOther();
    void aValueThatNobodySetsIsNamed();
    void aValueThatIsTooLongIsRefused();
    void aBrokenGenerationEndsWaiting();
    void aGenerationForgetsTheValuesOfTheOneBefore();

private:
    std::unique_ptr<KeyValueStore> storeOf(int rank, std::int64_t generation = 1)
    {
        return m_cluster->members[static_cast<std::size_t>(rank)]->store({.number = generation});
    }

    static constexpr int kSize = 3;
    std::unique_ptr<TestCluster> m_cluster;
};

void TstMemberStore::init()
{
    m_cluster = std::make_unique<TestCluster>(kSize);
    VERIFY_OK(m_cluster->start());
    VERIFY_OK(m_cluster->connectAll());
    QVERIFY(areAllIn(m_cluster->joinAll(), 1));
}

void TstMemberStore::cleanup()
{
    m_cluster.reset();
}

void TstMemberStore::everyTaskSeesWhatOneHasSet()
{
    VERIFY_OK(storeOf(1)->set("key", bytesOf(10, 1)));
    VERIFY_OK(storeOf(1)->set("key", bytesOf(11, 2))); // the later value counts
    QVERIFY(storeOf(1)->get("key", kLong) == bytesOf(11, 2));
    QVERIFY(storeOf(0)->get("key", kLong) == bytesOf(11, 2));
    QVERIFY(storeOf(2)->get("key", kLong) == bytesOf(11, 2));
}

void TstMemberStore::aQuestionWaitsForItsValue()
{
    const auto asking = storeOf(2);
    auto answer = std::async(std::launch::async, [&asking] { return asking->get("late", kLong); });
    VERIFY_ERROR(storeOf(2)->get("never", std::chrono::milliseconds(50)), "coordinator.no_value");
    VERIFY_OK(storeOf(0)->set("late", bytesOf(5, 0)));
    QVERIFY(answer.get() == bytesOf(5, 0));
}

void TstMemberStore::anyBytesPass_data()
{
    QTest::addColumn<int>("size");
    QTest::newRow("none") << 0;
    QTest::newRow("all 256") << 256;
    QTest::newRow("1 MiB") << (1 << 20);
    QTest::newRow("8 MiB") << (8 << 20);
}

void TstMemberStore::anyBytesPass()
{
    QFETCH(int, size);
    const std::vector<std::byte> value = bytesOf(static_cast<std::size_t>(size), 3);
    const std::string key("k\0\xff", 3);
    VERIFY_OK(storeOf(0)->set(key, value));
    QVERIFY(storeOf(1)->get(key, kLong) == value);
}

void TstMemberStore::everyTaskAsksEveryOther()
{
    std::vector<std::future<bool>> tasks;
    for (int rank = 0; rank < kSize; ++rank) {
        tasks.push_back(std::async(std::launch::async, [this, rank] {
            const auto store = storeOf(rank);
            bool isRight = true;
            for (int other = 0; other < kSize; ++other) {
                const std::string key = fmt::format("{}-{}", rank, other);
                isRight &= store->set(key, bytesOf(100, rank * kSize + other)).has_value();
            }
            for (int other = 0; other < kSize; ++other) {
                const auto value = store->get(fmt::format("{}-{}", other, rank), kLong);
                isRight &= value == bytesOf(100, other * kSize + rank);
            }
            return isRight;
        }));
    }
    for (auto& task : tasks) {
        QVERIFY(task.get());
    }
}

void TstMemberStore::aValueThatNobodySetsIsNamed()
{
    const auto value = storeOf(0)->get("rank1", std::chrono::milliseconds(20));
    VERIFY_ERROR(value, "coordinator.no_value");
    QCOMPARE(value.error().sentence, "No task of the cluster has published \"rank1\" within 0.02 "
                                     "s; look for the reason in their logs.");
}

void TstMemberStore::aValueThatIsTooLongIsRefused()
{
    VERIFY_ERROR(storeOf(0)->set("key", bytesOf((8 << 20) + 1, 0)), "coordinator.value_too_long");
    QVERIFY(!m_cluster->members[0]->isBroken(1));
}

void TstMemberStore::aBrokenGenerationEndsWaiting()
{
    const auto asking = storeOf(1);
    auto answer = std::async(std::launch::async, [&asking] { return asking->get("late", kLong); });
    m_cluster->members[2].reset();
    VERIFY_ERROR(answer.get(), "coordinator.generation_broken");
    QTRY_VERIFY_WITH_TIMEOUT(m_cluster->members[0]->isBroken(1), kPatience);
    VERIFY_ERROR(storeOf(0)->set("late", bytesOf(1, 0)), "coordinator.generation_broken");
    VERIFY_ERROR(storeOf(0)->get("late", kLong), "coordinator.generation_broken");
}

void TstMemberStore::aGenerationForgetsTheValuesOfTheOneBefore()
{
    VERIFY_OK(storeOf(0)->set("key", bytesOf(3, 1)));
    QVERIFY(storeOf(1)->get("key", kLong) == bytesOf(3, 1));
    QVERIFY(areAllIn(m_cluster->joinAll(), 2));
    VERIFY_ERROR(storeOf(1, 2)->get("key", std::chrono::milliseconds(20)), "coordinator.no_value");
    VERIFY_ERROR(storeOf(1, 1)->get("key", kLong), "coordinator.generation_broken");
}

CANNERY_TEST(TstMemberStore)
#include "tst_member_store.moc"
