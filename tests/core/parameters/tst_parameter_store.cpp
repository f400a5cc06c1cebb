// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/parameters/parameter_store.h"
#include "core/spec/optimizers.pb.h"
#include "tests/core/parameters/store_toys.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <utility>

using namespace cannery;
using namespace cannery::parameters;
using Kind = PushOutcome::Kind;

/// What pushes do to the toy of store_toys.h.
class TstParameterStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void appliesDenseAndSparseGradients();
    void averagesWeightsInEveryStep();
    void drawsNoiseWithTheSeedOfTheTraining();
    void appliesAPushOnce();
    void aRestartedTaskBeginsAnew();
    void refusesStepsBeyondTheLast();
    void aRoundIsTheMeanOfAllTasks();
    void aRoundDoesNotWaitForWhoIsGone();
    void anOldConversationMayEndAfterANewOneHasBegun();
    void aRoundIsOfEqualGradients();
    void mixesAsyncAndSyncParts();
    void numbersStepsAsAnotherServerHas();
    void impossiblePushesAreFound();
    void impossibleSetupsAreRefused();
};

void TstParameterStore::appliesDenseAndSparseGradients()
{
    const auto store = made(setup());
    store->enter(0, 1);
    Sent sent = dense(1, 1.0F);
    wire::Segment& rows = *sent.push.add_segment();
    rows.set_part(kTable);
    rows.set_first(2);
    rows.set_count(6);
    rows.set_rows(2);
    sent.add({std::int32_t{2}, std::int32_t{0}}); // from the second row on
    sent.add({10.0F, 20.0F, 30.0F, 40.0F});
    wire::Segment& change = *sent.push.add_segment();
    change.set_part(kCounter);
    change.set_count(1);
    change.set_rows(-1);
    sent.add({0.25F});
    QCOMPARE(store->parts().payloadSize(sent.push), std::optional(sent.payload.size()));
    QVERIFY(store->parts().hasItsRows(sent.push, sent.payload));
    QCOMPARE(give(*store, 0, sent), (PushOutcome{.step = 1}));
    const std::vector<float> expected{-1, -1, -31, -41, -1, -1, -11, -21};
    QVERIFY(std::ranges::equal(store->parts().values(kTable), expected));
    QCOMPARE(store->parts().values(kCounter)[0], 0.25F);
}

/// Also rows without a gradient, and their averages move towards weights that stay.
void TstParameterStore::averagesWeightsInEveryStep()
{
    wire::Setup averaged = setup();
    spec::Optimizer sgd;
    sgd.mutable_sgd()->set_learning_rate(1);
    sgd.set_moving_average_decay(0.75);
    averaged.mutable_optimizer(0)->set_message(sgd.SerializeAsString());
    const auto store = made(averaged);
    store->enter(0, 1);
    std::ranges::fill(store->parts().contents()[0].last(8), 4.0F);
    give(*store, 0, dense(1, 8.0F)); // weights 0 become -8
    Sent sparse;
    sparse.push.set_sequence(2);
    wire::Segment& rows = *sparse.push.add_segment();
    rows.set_part(kTable);
    rows.set_count(8);
    rows.set_rows(1);
    sparse.add({std::int32_t{1}});
    sparse.add({4.0F, 4.0F});
    give(*store, 0, sparse); // the second row becomes -12
    const std::vector<float> expected{-1.25F, -1.25F, -2.25F, -2.25F,
                                      -1.25F, -1.25F, -1.25F, -1.25F};
    QVERIFY(std::ranges::equal(store->parts().contents()[0].last(8), expected));
}

void TstParameterStore::drawsNoiseWithTheSeedOfTheTraining()
{
    spec::Optimizer noisy;
    noisy.mutable_sgd();
    auto& schedule = *noisy.mutable_learning_rate_schedule()->mutable_noisy_linear_cosine_decay();
    schedule.set_learning_rate(1);
    schedule.set_decay_steps(100);
    const auto stepWith = [&](std::uint64_t seed) {
        wire::Setup description = setup();
        description.set_seed(seed);
        wire::Optimizer& optimizer = *description.mutable_optimizer(0);
        optimizer.set_message(noisy.SerializeAsString());
        optimizer.clear_scalar();
        optimizer.add_scalar(0); // decay
        optimizer.add_scalar(0); // momentum
        const auto store = made(description);
        store->enter(0, 1);
        give(*store, 0, dense(1, 1.0F));
        return first(*store);
    };
    const auto here = optimizers::makeOptimizer(noisy, 3);
    (*here)->beginStep(0);
    QCOMPARE(stepWith(3), -(*here)->learningRate());
    QVERIFY(stepWith(4) != stepWith(3));
}

void TstParameterStore::appliesAPushOnce()
{
    const auto store = made(setup());
    store->enter(0, 1);
    QCOMPARE(give(*store, 0, dense(1, 1.0F)), (PushOutcome{.step = 1}));
    QCOMPARE(give(*store, 0, dense(2, 1.0F)), (PushOutcome{.step = 2}));
    QCOMPARE(give(*store, 0, dense(2, 1.0F)), (PushOutcome{.step = 2}));
    QCOMPARE(give(*store, 0, dense(1, 1.0F)), (PushOutcome{.step = 2}));
    QCOMPARE(first(*store), -2.0F);
    QCOMPARE(store->step(), std::int64_t{2});
}

void TstParameterStore::aRestartedTaskBeginsAnew()
{
    const auto store = made(setup());
    store->enter(0, 1);
    Sent sent = dense(1, 1.0F);
    sent.push.mutable_position()->set_offset(40);
    QCOMPARE(give(*store, 0, sent), (PushOutcome{.step = 1}));
    store->enter(0, 2);
    QCOMPARE(give(*store, 0, dense(2, 1.0F), 1).kind, Kind::Replaced);
    QCOMPARE(store->tasks().positionOf(0).offset(), std::int64_t{40});
    QCOMPARE(give(*store, 0, dense(1, 1.0F), 2), (PushOutcome{.step = 2}));
    QCOMPARE(first(*store), -2.0F);
}

void TstParameterStore::refusesStepsBeyondTheLast()
{
    wire::Setup limited = setup(2);
    limited.set_max_steps(2);
    const auto store = made(limited);
    store->enter(0, 1);
    store->enter(1, 1);
    QCOMPARE(give(*store, 0, dense(1, 1.0F)), (PushOutcome{.step = 1}));
    QCOMPARE(give(*store, 1, dense(1, 1.0F)), (PushOutcome{.step = 2}));
    QCOMPARE(give(*store, 0, dense(2, 1.0F)), (PushOutcome{.kind = Kind::Refused, .step = 2}));
    QCOMPARE(first(*store), -2.0F);
}

void TstParameterStore::aRoundIsTheMeanOfAllTasks()
{
    const auto store = made(roundsOf(3));
    store->enter(1, 1);
    QCOMPARE(give(*store, 1, dense(1, 3.0F)).kind, Kind::Waiting);
    QCOMPARE(give(*store, 1, dense(1, 3.0F)).kind, Kind::Waiting); // sent again
    store->enter(0, 1);
    QCOMPARE(give(*store, 0, dense(1, 1.0F)).kind, Kind::Waiting); // one has not come yet
    QCOMPARE(first(*store), 0.0F);
    store->enter(2, 1);
    QCOMPARE(give(*store, 2, dense(1, 5.0F)), (PushOutcome{.step = 1}));
    QCOMPARE(store->outcomeOf(0, 1, 1), (PushOutcome{.step = 1}));
    QCOMPARE(store->outcomeOf(1, 1, 1), (PushOutcome{.step = 1}));
    QCOMPARE(first(*store), -3.0F);
}

/// A task of another program could push other parts, or fewer elements of them.
void TstParameterStore::aRoundIsOfEqualGradients()
{
    const auto store = made(roundsOf(2));
    store->enter(0, 1);
    store->enter(1, 1);
    QCOMPARE(give(*store, 0, dense(1, 1.0F)).kind, Kind::Waiting);
    Sent shorter = dense(1, 1.0F);
    const std::int64_t count = shorter.push.segment(0).count();
    shorter.push.mutable_segment(0)->set_count(count - 1);
    shorter.payload.resize(shorter.payload.size() - sizeof(float));
    QCOMPARE(store->parts().payloadSize(shorter.push), std::optional(shorter.payload.size()));
    QCOMPARE(give(*store, 1, shorter).kind, Kind::Misfit);
    QCOMPARE(first(*store), 0.0F);
    QCOMPARE(give(*store, 1, dense(1, 3.0F)), (PushOutcome{.step = 1}));
    QCOMPARE(first(*store), -2.0F);
}

void TstParameterStore::aRoundDoesNotWaitForWhoIsGone()
{
    const auto store = made(roundsOf(2));
    store->enter(0, 1);
    store->enter(1, 1);
    QCOMPARE(give(*store, 0, dense(1, 2.0F)).kind, Kind::Waiting);
    store->leave(1, 1);
    QCOMPARE(store->outcomeOf(0, 1, 1), (PushOutcome{.step = 1}));
    QCOMPARE(first(*store), -2.0F);
    QCOMPARE(give(*store, 0, dense(2, 2.0F)), (PushOutcome{.step = 2}));
}

void TstParameterStore::anOldConversationMayEndAfterANewOneHasBegun()
{
    const auto store = made(roundsOf(2));
    store->enter(0, 1);
    store->enter(1, 1);
    store->enter(1, 1); // connected again
    store->leave(1, 1);
    QCOMPARE(give(*store, 0, dense(1, 2.0F)).kind, Kind::Waiting);
    store->enter(1, 2); // started again
    store->leave(1, 1);
    QCOMPARE(store->outcomeOf(0, 1, 1).kind, Kind::Waiting);
    QCOMPARE(store->tasks().othersOf(0), 1);
    QCOMPARE(give(*store, 1, dense(1, 4.0F), 2), (PushOutcome{.step = 1}));
    QCOMPARE(first(*store), -3.0F);
}

void TstParameterStore::mixesAsyncAndSyncParts()
{
    wire::Setup mixed = setup(2);
    mixed.set_has_rounds(true);
    mixed.mutable_part(1)->set_is_sync(true);
    const auto store = made(mixed);
    store->enter(0, 1);
    store->enter(1, 1);
    Sent sent = dense(1, 1.0F);
    wire::Segment& change = *sent.push.add_segment();
    change.set_part(kCounter);
    change.set_count(1);
    change.set_rows(-1);
    sent.add({8.0F});
    QCOMPARE(give(*store, 0, sent).kind, Kind::Waiting);
    QCOMPARE(give(*store, 0, sent).kind, Kind::Waiting);
    QCOMPARE(first(*store), -1.0F); // once, at once
    QCOMPARE(store->parts().values(kCounter)[0], 0.0F);
    QCOMPARE(give(*store, 1, sent), (PushOutcome{.step = 1}));
    QCOMPARE(first(*store), -2.0F);
    QCOMPARE(store->parts().values(kCounter)[0], 8.0F);
}

void TstParameterStore::numbersStepsAsAnotherServerHas()
{
    const auto store = made(setup());
    store->enter(0, 1);
    Sent sent = dense(1, 1.0F);
    sent.push.set_step(41);
    QCOMPARE(give(*store, 0, sent), (PushOutcome{.step = 41}));
    Sent next = dense(2, 1.0F);
    next.push.set_known_step(60); // what a lost server had numbered is not numbered again
    QCOMPARE(give(*store, 0, next), (PushOutcome{.step = 61}));
}

void TstParameterStore::impossiblePushesAreFound()
{
    const auto store = made(setup());
    const auto with = [](int part, std::int64_t first, std::int64_t count, std::int64_t rows) {
        wire::Push push;
        wire::Segment& segment = *push.add_segment();
        segment.set_part(part);
        segment.set_first(first);
        segment.set_count(count);
        segment.set_rows(rows);
        return push;
    };
    QVERIFY(store->parts().payloadSize(with(kTable, 0, 8, -1)).has_value());
    QVERIFY(!store->parts().payloadSize(with(99, 0, 8, -1)));
    QVERIFY(!store->parts().payloadSize(with(kTable, -2, 8, -1)));
    QVERIFY(!store->parts().payloadSize(with(kTable, 2, 8, -1)));
    QVERIFY(!store->parts().payloadSize(with(kTable, 0, std::int64_t{1} << 62, -1)));
    QVERIFY(!store->parts().payloadSize(with(kTable, 0, 8, 5)));
    QVERIFY(!store->parts().payloadSize(with(kTable, 0, 8, std::int64_t{1} << 62)));
    QVERIFY(!store->parts().payloadSize(with(kTable, 0, 7, 1)));
    QVERIFY(!store->parts().payloadSize(with(kCounter, 0, 1, 1))); // nothing trains it
    for (const std::int32_t row : {-1, 4}) {
        Sent sent{.push = with(kTable, 0, 8, 1), .payload = {}};
        sent.add({row});
        sent.add({1.0F, 1.0F});
        QVERIFY(!store->parts().hasItsRows(sent.push, sent.payload));
    }
}

void TstParameterStore::impossibleSetupsAreRefused()
{
    wire::Setup nobody = setup(0);
    VERIFY_ERROR(ParameterStore::create(nobody, 1), "parameters.setup");
    wire::Setup unreadable = setup();
    unreadable.mutable_optimizer(0)->set_message("\xFF\xFF");
    VERIFY_ERROR(ParameterStore::create(unreadable, 1), "parameters.setup");
    wire::Setup fewNumbers = setup();
    fewNumbers.mutable_optimizer(0)->clear_scalar();
    VERIFY_ERROR(ParameterStore::create(fewNumbers, 1), "parameters.setup");
    wire::Setup twice = setup();
    *twice.add_part() = twice.part(0);
    VERIFY_ERROR(ParameterStore::create(twice, 1), "parameters.setup");
    wire::Setup halfRow = setup();
    halfRow.mutable_part(0)->set_count(7);
    VERIFY_ERROR(ParameterStore::create(halfRow, 1), "parameters.setup");
}

CANNERY_TEST(TstParameterStore)
#include "tst_parameter_store.moc"
