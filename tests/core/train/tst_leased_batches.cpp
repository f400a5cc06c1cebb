// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/leased_batches.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::train;

class TstLeasedBatches : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areThoseOfAPipelineFromAnyPosition_data();
    void areThoseOfAPipelineFromAnyPosition();
    void areUnlimitedWithoutEpochs();
};

void TstLeasedBatches::areThoseOfAPipelineFromAnyPosition_data()
{
    QTest::addColumn<qint64>("epochs");
    QTest::addColumn<bool>("dropRemainder");
    QTest::newRow("one epoch") << 1LL << false;
    QTest::newRow("one epoch, full batches") << 1LL << true;
    QTest::newRow("batches across epochs") << 3LL << false;
    QTest::newRow("batches across epochs, full ones") << 3LL << true;
}

void TstLeasedBatches::areThoseOfAPipelineFromAnyPosition()
{
    QFETCH(const qint64, epochs);
    QFETCH(const bool, dropRemainder);
    const data::PipelineOptions options{.rows = 10,
                                        .batchSize = 4,
                                        .shuffle = true,
                                        .seed = 3,
                                        .numEpochs = epochs,
                                        .dropRemainder = dropRemainder};
    for (std::int64_t row = 0; row < epochs * options.rows; ++row) {
        const data::InputPosition start{.epoch = row / options.rows, .offset = row % options.rows};
        const LeasedBatches leases(options, start);
        data::Pipeline pipeline(options, start);
        std::int64_t count = 0;
        for (data::InputPosition at = start; pipeline.skip() > 0; at = pipeline.position()) {
            QVERIFY(leases.positionOf(count++) == at);
        }
        QCOMPARE(leases.count(), count);
        if (!dropRemainder) {
            QVERIFY(leases.positionOf(count) == pipeline.position()); // the end
        }
    }
}

void TstLeasedBatches::areUnlimitedWithoutEpochs()
{
    const LeasedBatches leases({.rows = 10, .batchSize = 4}, {.epoch = 2, .offset = 7});
    QCOMPARE(leases.count(), -1LL);
    QVERIFY(leases.positionOf(0) == (data::InputPosition{.epoch = 2, .offset = 7}));
    QVERIFY(leases.positionOf(1) == (data::InputPosition{.epoch = 3, .offset = 1}));
}

CANNERY_TEST(TstLeasedBatches)
#include "tst_leased_batches.moc"
