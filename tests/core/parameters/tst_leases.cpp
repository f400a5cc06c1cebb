// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/parameters/parameter_store.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::parameters;

/// Of a store without variables, for three tasks.
class TstLeases : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyBatchIsGivenOnce();
    void aTaskHasOneBatchUntilItIsApplied();
    void aPushThatComesAgainGetsTheSameNextBatch();
    void aRestartedTaskHasTheBatchOfTheOneBefore();
    void whatIsGivenBackIsGivenFirst();
    void aBatchOfAnotherTaskIsNotApplied();
    void allIsOverWhenTheLastOneIsApplied();
    void theFirstOpenBatchIsTheFirstThatIsNotApplied();
    void anotherStoreContinuesFromChanges();
};

namespace {

constexpr int kTasks = 3;

std::unique_ptr<ParameterStore> storeWith(std::optional<std::int64_t> batches)
{
    wire::Setup setup;
    setup.set_session(7);
    setup.set_tasks(kTasks);
    setup.mutable_leases();
    if (batches) {
        setup.mutable_leases()->set_batches(*batches);
    }
    auto store = ParameterStore::create(setup, 1);
    CANNERY_CHECK(store.has_value());
    for (int rank = 0; rank < kTasks; ++rank) {
        (*store)->enter(rank, 1);
    }
    return *std::move(store);
}

std::int64_t batchOf(const wire::Leased& leased)
{
    return leased.has_batch() ? leased.batch() : -1;
}

PushOutcome::Kind compute(ParameterStore& store, int rank, std::int64_t sequence,
                          std::int64_t batch, std::uint64_t incarnation = 1)
{
    wire::Push push;
    push.set_sequence(sequence);
    push.set_batch(batch);
    std::vector<std::byte> payload;
    return store.push(rank, incarnation, push, payload).kind;
}

} // namespace

void TstLeases::everyBatchIsGivenOnce()
{
    const auto store = storeWith(std::nullopt);
    QCOMPARE(batchOf(store->tasks().lease(0)), 0LL);
    QCOMPARE(batchOf(store->tasks().lease(2)), 1LL);
    QCOMPARE(batchOf(store->tasks().lease(1)), 2LL);
    QCOMPARE(compute(*store, 2, 1, 1), PushOutcome::Kind::Applied);
    QCOMPARE(batchOf(store->tasks().leaseOf(2)), 3LL);
    QCOMPARE(compute(*store, 0, 1, 0), PushOutcome::Kind::Applied);
    QCOMPARE(batchOf(store->tasks().leaseOf(0)), 4LL);
}

void TstLeases::aTaskHasOneBatchUntilItIsApplied()
{
    const auto store = storeWith(10);
    QCOMPARE(batchOf(store->tasks().lease(0)), 0LL);
    QCOMPARE(batchOf(store->tasks().lease(0)), 0LL);
    QCOMPARE(batchOf(store->tasks().lease(1)), 1LL);
}

void TstLeases::aPushThatComesAgainGetsTheSameNextBatch()
{
    const auto store = storeWith(10);
    QCOMPARE(batchOf(store->tasks().lease(0)), 0LL);
    QCOMPARE(compute(*store, 0, 1, 0), PushOutcome::Kind::Applied);
    QCOMPARE(batchOf(store->tasks().leaseOf(0)), 1LL);
    QCOMPARE(compute(*store, 0, 1, 0), PushOutcome::Kind::Applied);
    QCOMPARE(batchOf(store->tasks().leaseOf(0)), 1LL);
    QCOMPARE(store->step(), 1LL);
}

void TstLeases::aRestartedTaskHasTheBatchOfTheOneBefore()
{
    const auto store = storeWith(10);
    QCOMPARE(batchOf(store->tasks().lease(0)), 0LL);
    QCOMPARE(batchOf(store->tasks().lease(1)), 1LL);
    store->enter(1, 2);
    QCOMPARE(compute(*store, 1, 1, 1, 1), PushOutcome::Kind::Replaced);
    QCOMPARE(batchOf(store->tasks().lease(1)), 1LL);
    QCOMPARE(compute(*store, 1, 1, 1, 2), PushOutcome::Kind::Applied);
    QCOMPARE(store->step(), 1LL);
}

void TstLeases::whatIsGivenBackIsGivenFirst()
{
    const auto store = storeWith(10);
    for (int rank = 0; rank < kTasks; ++rank) {
        QCOMPARE(batchOf(store->tasks().lease(rank)), qint64(rank));
    }
    store->tasks().giveBack(1);
    store->tasks().giveBack(0);
    store->tasks().giveBack(0); // has none
    QCOMPARE(compute(*store, 2, 1, 2), PushOutcome::Kind::Applied);
    QCOMPARE(batchOf(store->tasks().leaseOf(2)), 0LL);
    QCOMPARE(batchOf(store->tasks().lease(1)), 1LL);
    QCOMPARE(batchOf(store->tasks().lease(0)), 3LL);
}

void TstLeases::aBatchOfAnotherTaskIsNotApplied()
{
    const auto store = storeWith(10);
    QCOMPARE(batchOf(store->tasks().lease(0)), 0LL);
    store->tasks().giveBack(0); // was away for too long
    QCOMPARE(batchOf(store->tasks().lease(1)), 0LL);
    QCOMPARE(compute(*store, 0, 1, 0), PushOutcome::Kind::Lost);
    QCOMPARE(store->step(), 0LL);
    QCOMPARE(batchOf(store->tasks().lease(0)), 1LL);
    QCOMPARE(compute(*store, 0, 2, 1), PushOutcome::Kind::Applied);
    QCOMPARE(compute(*store, 1, 1, 0), PushOutcome::Kind::Applied);
}

void TstLeases::allIsOverWhenTheLastOneIsApplied()
{
    const auto store = storeWith(2);
    QCOMPARE(batchOf(store->tasks().lease(0)), 0LL);
    QCOMPARE(batchOf(store->tasks().lease(1)), 1LL);
    QCOMPARE(batchOf(store->tasks().lease(2)), -1LL);
    QVERIFY(!store->tasks().leaseOf(2).is_over());
    QCOMPARE(compute(*store, 1, 1, 1), PushOutcome::Kind::Applied);
    QVERIFY(!store->tasks().leaseOf(1).is_over()); // the other one may be lost
    QCOMPARE(compute(*store, 0, 1, 0), PushOutcome::Kind::Applied);
    for (int rank = 0; rank < kTasks; ++rank) {
        QCOMPARE(batchOf(store->tasks().lease(rank)), -1LL);
        QVERIFY(store->tasks().leaseOf(rank).is_over());
        QCOMPARE(qint64(store->tasks().leaseOf(rank).first_open()), 2LL);
    }
}

void TstLeases::theFirstOpenBatchIsTheFirstThatIsNotApplied()
{
    const auto store = storeWith(10);
    const auto firstOpen = [&] { return qint64(store->tasks().leaseOf(0).first_open()); };
    QCOMPARE(firstOpen(), 0LL);
    for (int rank = 0; rank < kTasks; ++rank) {
        (void)store->tasks().lease(rank);
    }
    QCOMPARE(compute(*store, 1, 1, 1), PushOutcome::Kind::Applied);
    QCOMPARE(firstOpen(), 0LL);
    store->tasks().giveBack(0);
    QCOMPARE(firstOpen(), 0LL);
    QCOMPARE(compute(*store, 2, 1, 2), PushOutcome::Kind::Applied); // and gets 0
    QCOMPARE(compute(*store, 2, 2, 0), PushOutcome::Kind::Applied);
    QCOMPARE(firstOpen(), 3LL);
}

void TstLeases::anotherStoreContinuesFromChanges()
{
    const auto store = storeWith(10);
    const auto again = storeWith(10);
    for (int rank = 0; rank < kTasks; ++rank) {
        (void)store->tasks().lease(rank);
    }
    store->tasks().giveBack(1);
    std::vector<std::byte> payload;
    const wire::Changes changes = store->takeChanges(payload);
    QVERIFY(again->putChanges(changes, payload));
    QCOMPARE(batchOf(again->tasks().lease(0)), 0LL);
    QCOMPARE(batchOf(again->tasks().lease(2)), 2LL);
    QCOMPARE(batchOf(again->tasks().lease(1)), 1LL);
    QCOMPARE(compute(*again, 0, 1, 0), PushOutcome::Kind::Applied);
    QCOMPARE(batchOf(again->tasks().leaseOf(0)), 3LL);
}

CANNERY_TEST(TstLeases)
#include "tst_leases.moc"
