// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/parsed_experiment.h"
#include "core/strategies/sum_options.h"
#include "tests/support/test_main.h"

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

CANNERY_TEST(TstPacks)
#include "tst_packs.moc"
