// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/optimizers/optimizer_catalog.h"
#include "core/parameters/parameter_store.h"
#include "core/spec/optimizers.pb.h"
#include "tests/core/parameters/store_toys.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <utility>

using namespace cannery;
using namespace cannery::parameters;
using Kind = PushOutcome::Kind;

/// Descriptions and changes of the toy of store_toys.h, from which a killed server goes on.
class TstStoreChanges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isMadeAgainFromItsDescription();
    void changesAreTheRowsThatWereTouched();
    void changesBringAnotherStoreToTheSameState();
    void changesInTheMiddleOfARoundDoNotApplyAsyncPartsTwice();
    void aBegunStepIsInNoDescription();
    void changesOfAnotherStoreDoNotFit();
};

void TstStoreChanges::isMadeAgainFromItsDescription()
{
    const auto store = made(setup());
    store->enter(0, 1);
    QCOMPARE(give(*store, 0, dense(1, 1.5F)), (PushOutcome{.step = 1}));
    const auto again = made(store->describe());
    const auto from = store->parts().contents();
    const auto to = again->parts().contents();
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::ranges::copy(from[i], to[i].begin());
    }
    again->enter(0, 1);
    QCOMPARE(give(*again, 0, dense(1, 1.5F)), (PushOutcome{.step = 1})); // known
    QCOMPARE(give(*again, 0, dense(2, 1.5F)), (PushOutcome{.step = 2}));
    QCOMPARE(first(*again), -3.0F);
}

void TstStoreChanges::changesAreTheRowsThatWereTouched()
{
    const auto store = made(setup());
    store->enter(0, 1);
    QCOMPARE(store->parts().changedBytes(), std::uint64_t{0});
    QCOMPARE(give(*store, 0, sparse(1, 3, 1.0F)), (PushOutcome{.step = 1}));
    QCOMPARE(give(*store, 0, sparse(2, 1, 2.0F)), (PushOutcome{.step = 2}));
    QCOMPARE(give(*store, 0, sparse(3, 3, 1.0F)), (PushOutcome{.step = 3}));
    QCOMPARE(store->parts().changedBytes(), std::uint64_t{2 * (4 + 2 * 4)});
    std::vector<std::byte> payload;
    const wire::Changes changes = store->takeChanges(payload);
    QCOMPARE(changes.setup().step(), std::int64_t{3});
    QCOMPARE(changes.rows_size(), 1);
    QCOMPARE(changes.rows(0).part(), kTable);
    QCOMPARE(changes.rows(0).count(), std::int64_t{2});
    Sent expected;
    expected.add({1, 3});
    expected.add({-2.0F, -2.0F, -2.0F, -2.0F});
    QCOMPARE(payload, expected.payload);
    QCOMPARE(store->parts().changedBytes(), std::uint64_t{0});
    QCOMPARE(give(*store, 0, dense(4, 1.0F)), (PushOutcome{.step = 4}));
    payload.clear();
    QCOMPARE(store->takeChanges(payload).rows(0).count(), std::int64_t{-1});
    QCOMPARE(payload.size(), 8 * sizeof(float));
}

/// Adam moves rows that have no gradient, too, and has slots and, in Nadam's case, a state.
void TstStoreChanges::changesBringAnotherStoreToTheSameState()
{
    const auto withOptimizer = [](const char* text) {
        wire::Setup made = setup();
        spec::Optimizer optimizer;
        CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &optimizer));
        const auto parsed = optimizers::makeOptimizer(optimizer, 0);
        CANNERY_CHECK(parsed.has_value());
        made.mutable_optimizer(0)->set_message(optimizer.SerializeAsString());
        made.mutable_optimizer(0)->clear_scalar();
        for (const optimizers::Scalar& scalar : std::as_const(**parsed).scalars()) {
            made.mutable_optimizer(0)->add_scalar(scalar.value);
        }
        return made;
    };
    for (const char* text :
         {"sgd { momentum: 0.5 }", "adagrad {}", "adam {}", "nadam {}", "rmsprop {}", "ftrl {}"}) {
        const auto store = made(withOptimizer(text));
        const auto copy = made(store->describe());
        store->enter(0, 1);
        copy->enter(0, 1);
        for (int step = 1; step < 6; ++step) {
            QCOMPARE(give(*store, 0, sparse(step, step % 4, 1.0F)), (PushOutcome{.step = step}));
            std::vector<std::byte> payload;
            const wire::Changes changes = store->takeChanges(payload);
            QVERIFY(copy->putChanges(changes, payload));
        }
        QCOMPARE(give(*copy, 0, dense(5, 1.0F)), (PushOutcome{.step = 5})); // known
        QCOMPARE(give(*store, 0, dense(6, 1.0F)), (PushOutcome{.step = 6}));
        QCOMPARE(give(*copy, 0, dense(6, 1.0F)), (PushOutcome{.step = 6}));
        const auto ours = store->parts().contents();
        const auto theirs = copy->parts().contents();
        for (std::size_t part = 0; part < ours.size(); ++part) {
            QVERIFY2(std::ranges::equal(ours[part], theirs[part]), text);
        }
        QCOMPARE(copy->describe().SerializeAsString(), store->describe().SerializeAsString());
    }
}

void TstStoreChanges::changesInTheMiddleOfARoundDoNotApplyAsyncPartsTwice()
{
    wire::Setup mixed = setup(2);
    mixed.set_has_rounds(true);
    mixed.mutable_part(1)->set_is_sync(true);
    const auto store = made(mixed);
    const auto again = made(store->describe());
    store->enter(0, 1);
    Sent sent = dense(1, 1.0F);
    wire::Segment& change = *sent.push.add_segment();
    change.set_part(kCounter);
    change.set_count(1);
    change.set_rows(-1);
    sent.add({8.0F});
    QCOMPARE(give(*store, 0, sent).kind, Kind::Waiting);
    std::vector<std::byte> payload;
    const wire::Changes changes = store->takeChanges(payload);
    QVERIFY(again->putChanges(changes, payload));
    again->enter(0, 1);
    again->enter(1, 1);
    QCOMPARE(give(*again, 0, sent).kind, Kind::Waiting); // nobody has answered it
    QCOMPARE(first(*again), -1.0F);
    QCOMPARE(give(*again, 1, sent), (PushOutcome{.step = 1}));
    QCOMPARE(first(*again), -2.0F);
    QCOMPARE(again->parts().values(kCounter)[0], 8.0F);
}

/// Nadam's schedule is a product over its steps.
void TstStoreChanges::aBegunStepIsInNoDescription()
{
    spec::Optimizer nadam;
    nadam.mutable_nadam();
    wire::Setup rounds = roundsOf(2);
    rounds.mutable_optimizer(0)->set_message(nadam.SerializeAsString());
    rounds.mutable_optimizer(0)->clear_scalar();
    const auto parsed = optimizers::makeOptimizer(nadam, 0);
    VERIFY_OK(parsed);
    for (const optimizers::Scalar& scalar : (*parsed)->scalars()) {
        rounds.mutable_optimizer(0)->add_scalar(scalar.value);
    }
    const auto store = made(rounds);
    store->enter(0, 1);
    store->enter(1, 1);
    QCOMPARE(give(*store, 0, dense(1, 1.0F)), (PushOutcome{.kind = Kind::Waiting}));
    const auto scalarsOf = [&] {
        const wire::State state = store->state();
        const auto& scalars = state.optimizer(0).scalar();
        return std::vector<float>(scalars.begin(), scalars.end());
    };
    const std::vector<float> before = scalarsOf();
    QVERIFY(std::ranges::equal(before, rounds.optimizer(0).scalar()));
    QCOMPARE(give(*store, 1, dense(1, 1.0F)), (PushOutcome{.step = 1}));
    QVERIFY(scalarsOf() != before);
}

void TstStoreChanges::changesOfAnotherStoreDoNotFit()
{
    const auto store = made(setup());
    store->enter(0, 1);
    QCOMPARE(give(*store, 0, sparse(1, 3, 1.0F)), (PushOutcome{.step = 1}));
    std::vector<std::byte> payload;
    const wire::Changes changes = store->takeChanges(payload);
    const std::vector<std::byte> shorter(payload.begin(), payload.end() - 1);
    QVERIFY(!made(setup())->putChanges(changes, shorter));
    wire::Changes noSuchPart = changes;
    noSuchPart.mutable_rows(0)->set_part(99);
    QVERIFY(!made(setup())->putChanges(noSuchPart, payload));
    wire::Changes manyRows = changes;
    manyRows.mutable_rows(0)->set_count(std::int64_t{1} << 62);
    QVERIFY(!made(setup())->putChanges(manyRows, payload));
    std::vector<std::byte> noSuchRow = payload;
    noSuchRow.front() = std::byte{4};
    QVERIFY(!made(setup())->putChanges(changes, noSuchRow));
    QVERIFY(!made(setup(2))->putChanges(changes, payload));
    QVERIFY(made(setup())->putChanges(changes, payload));
}

CANNERY_TEST(TstStoreChanges)
#include "tst_store_changes.moc"
