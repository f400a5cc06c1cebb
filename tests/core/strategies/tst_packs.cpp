// SPDX-License-Identifier: Apache-2.0
#include "core/spec/parsed_experiment.h"
#include "core/strategies/pack_thread.h"
#include "core/strategies/sum_options.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <latch>

using namespace cannery;
using namespace cannery::strategies;

/// Gradients that travel in packs.
class TstPacks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void optionsAreThoseOfTheStrategy_data();
    void optionsAreThoseOfTheStrategy();
    void sizesSuitTheNumberOfWorkers();
    void areSummedWhileOthersAreComputed();
    void anErrorEndsItsStepOnly();
};

void TstPacks::optionsAreThoseOfTheStrategy_data()
{
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<bool>("isExact");
    QTest::addColumn<bool>("isRing");
    QTest::addColumn<int>("bytesPerPack");
    QTest::newRow("none") << "" << true << false << 0;
    QTest::newRow("multi-worker") << "multi_worker_mirrored {}" << true << false << 0;
    QTest::newRow("fast") << "multi_worker_mirrored {} reduce: fast" << false << false << 0;
    QTest::newRow("ring of packs")
        << "multi_worker_mirrored { communication_options { implementation: RING bytes_per_pack: "
           "4096 } } reduce: fast"
        << false << true << 4096;
}

void TstPacks::optionsAreThoseOfTheStrategy()
{
    QFETCH(QString, strategy);
    QFETCH(bool, isExact);
    QFETCH(bool, isRing);
    QFETCH(int, bytesPerPack);
    const QString text = "strategy { " + strategy + " }";
    const spec::ParsedExperiment parsed = spec::parseExperiment(text.toStdString());
    const SumOptions expected{.isExact = isExact, .isRing = isRing, .bytesPerPack = bytesPerPack};
    QVERIFY(sumOptionsOf(parsed.experiment.strategy()) == expected);
}

void TstPacks::sizesSuitTheNumberOfWorkers()
{
    constexpr std::int64_t kMebibyte = 1024 * 1024;
    QCOMPARE(packSizesFor({}, 2).first, kMebibyte);
    QCOMPARE(packSizesFor({}, 2).others, kMebibyte);
    QCOMPARE(packSizesFor({}, 16).others, 8 * kMebibyte);
    QCOMPARE(packSizesFor({}, 1000).others, 25 * kMebibyte);
    QCOMPARE(packSizesFor({.bytesPerPack = 5000}, 16).first, 5000);
    QCOMPARE(packSizesFor({.bytesPerPack = 5000}, 16).others, 5000);
}

void TstPacks::areSummedWhileOthersAreComputed()
{
    std::vector<const float*> order;
    std::latch firstIsSummed(1);
    PackThread thread([&](std::span<float> pack) {
        order.push_back(pack.data());
        pack[0] *= 2;
        if (order.size() == 1) {
            firstIsSummed.count_down();
        }
        return Result<void>();
    });
    std::vector<float> values{1, 2, 3};
    const std::span<float> all = values;
    thread.begin(all.subspan(2, 1));
    firstIsSummed.wait(); // without finish()
    thread.begin(all.subspan(1, 1));
    thread.begin(all.first(1));
    VERIFY_OK(thread.finish());
    QCOMPARE(values, (std::vector<float>{2, 4, 6}));
    QCOMPARE(order, (std::vector<const float*>{&values[2], &values[1], &values[0]}));
    VERIFY_OK(thread.finish()); // nothing to do
}

void TstPacks::anErrorEndsItsStepOnly()
{
    int calls = 0;
    PackThread thread([&](std::span<float> pack) -> Result<void> {
        ++calls;
        if (pack[0] < 0) {
            return fail(ErrorCode::Unavailable,
                        ErrorKind{"test.lost_pack", "A worker has been lost."});
        }
        return {};
    });
    std::vector<float> values{1, -1, 1};
    for (float& value : values) {
        thread.begin({&value, 1});
    }
    VERIFY_ERROR(thread.finish(), "test.lost_pack");
    QCOMPARE(calls, 2); // the third is left alone
    thread.begin({values.data(), 1});
    VERIFY_OK(thread.finish());
    QCOMPARE(calls, 3);
}

CANNERY_TEST(TstPacks)
#include "tst_packs.moc"
