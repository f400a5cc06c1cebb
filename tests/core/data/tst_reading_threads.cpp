// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/data.pb.h"
#include "kernels/device/thread_pool.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

#include <bit>
#include <cstdint>
#include <map>
#include <memory>

using namespace cannery;
using namespace cannery::data;

/// A table of a few chunks, read on several threads: small enough for ThreadSanitizer, under which
/// the test command runs this program again.
class TstReadingThreads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void rowsAreTheSameOnAnyNumberOfThreads();
    void statisticsAreTheSameOnAnyNumberOfThreads();
    void aPassTakesTheFingerprintThatOneOfItsOwnTakes();
    void aStreamLeftInTheMiddleLeavesNothingBehind();
    void bothPartsTogetherAreEachOneAlone_data();
    void bothPartsTogetherAreEachOneAlone();

private:
    Dataset open(const char* split = "", DataPart part = DataPart::Train) const;
    static std::unique_ptr<FeatureStream> read(const Dataset& dataset, kernels::ThreadPool& pool);
    /// Every line, number and text.
    static QByteArray bytesOf(const FeatureBatch& batch);
    /// Those that remain, in order.
    static QByteArray rest(FeatureStream& stream);
    QByteArray allWith(int threads) const;

    QTemporaryDir m_folder;
};

void TstReadingThreads::initTestCase()
{
    QFile file(m_folder.filePath("table.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("y,n,s\n");
    QByteArray rows;
    for (int row = 0; row < 200'000; ++row) {
        rows += QByteArray::number(row % 2) + ',' + QByteArray::number(row * 7919 % 1000003) +
                ",\"text, " + QByteArray::number(row % 97) + "\"\n";
    }
    QCOMPARE(file.write(rows), qint64(rows.size()));
}

Dataset TstReadingThreads::open(const char* split, DataPart part) const
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(split, &data)) {
        qFatal("the test's split is wrong");
    }
    data.mutable_train()->mutable_csv()->add_files("table.csv");
    auto dataset = Dataset::open(data, m_folder.path().toStdString(), part);
    if (!dataset) {
        qFatal("%s", dataset.error().message().c_str());
    }
    return std::move(*dataset);
}

std::unique_ptr<FeatureStream> TstReadingThreads::read(const Dataset& dataset,
                                                       kernels::ThreadPool& pool)
{
    auto stream = dataset.read({.labels = LabelNeed::None, .threads = kernels::lend(pool)});
    if (!stream) {
        qFatal("%s", stream.error().message().c_str());
    }
    return std::move(*stream);
}

QByteArray TstReadingThreads::bytesOf(const FeatureBatch& batch)
{
    QByteArray all;
    const auto add = [&](const std::vector<std::int64_t>& numbers) {
        all.append(reinterpret_cast<const char*>(numbers.data()),
                   qsizetype(numbers.size()) * qsizetype(sizeof(std::int64_t)));
    };
    add(batch.line);
    for (const FeatureValues& feature : batch.features) {
        if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&feature.elements)) {
            add(*numbers);
        } else if (const auto* texts = std::get_if<StringColumn>(&feature.elements)) {
            for (std::size_t i = 0; i < texts->size(); ++i) {
                all.append((*texts)[i].data(), qsizetype((*texts)[i].size()));
            }
        }
    }
    return all;
}

QByteArray TstReadingThreads::rest(FeatureStream& stream)
{
    QByteArray all;
    while (true) {
        const auto batch = stream.next();
        if (!batch || !*batch) {
            return batch ? all : QByteArray::fromStdString(batch.error().message());
        }
        all += bytesOf(**batch);
    }
}

QByteArray TstReadingThreads::allWith(int threads) const
{
    kernels::ThreadPool pool(threads);
    const Dataset dataset = open();
    return rest(*read(dataset, pool));
}

void TstReadingThreads::rowsAreTheSameOnAnyNumberOfThreads()
{
    const QByteArray expected = allWith(1);
    QVERIFY2(expected.size() > 2 * 200'000 * 8, expected.left(200));
    for (const int threads : {2, 3, 7}) {
        QVERIFY(allWith(threads) == expected);
    }
}

void TstReadingThreads::statisticsAreTheSameOnAnyNumberOfThreads()
{
    const Dataset dataset = open();
    const auto expected = dataset.statistics({});
    VERIFY_OK(expected);
    for (const int threads : {2, 3, 7}) {
        kernels::ThreadPool pool(threads);
        const auto statistics = dataset.statistics({}, kernels::lend(pool));
        VERIFY_OK(statistics);
        QCOMPARE(statistics->rows, expected->rows);
        QCOMPARE(statistics->columns.size(), std::size_t{3});
        for (std::size_t i = 0; i < 3; ++i) {
            const ColumnStatistics& one = expected->columns[i];
            const ColumnStatistics& other = statistics->columns[i];
            QCOMPARE(other.name, one.name);
            QCOMPARE(std::bit_cast<std::uint64_t>(other.mean),
                     std::bit_cast<std::uint64_t>(one.mean));
            QCOMPARE(std::bit_cast<std::uint64_t>(other.deviation),
                     std::bit_cast<std::uint64_t>(one.deviation));
            QVERIFY(other.quantiles == one.quantiles);
            QVERIFY(other.histogram.counts == one.histogram.counts);
            QVERIFY(other.top == one.top);
        }
    }
}

void TstReadingThreads::aPassTakesTheFingerprintThatOneOfItsOwnTakes()
{
    const auto expected = open().fingerprint();
    VERIFY_OK(expected);
    for (const int threads : {1, 3}) {
        kernels::ThreadPool pool(threads);
        const Dataset dataset = open();
        VERIFY_OK(dataset.statistics({"n"}, kernels::lend(pool)));
        QFile::rename(m_folder.filePath("table.csv"), m_folder.filePath("away.csv"));
        const auto taken = dataset.fingerprint();
        QFile::rename(m_folder.filePath("away.csv"), m_folder.filePath("table.csv"));
        VERIFY_OK(taken);
        QCOMPARE(*taken, *expected);
    }
}

void TstReadingThreads::aStreamLeftInTheMiddleLeavesNothingBehind()
{
    kernels::ThreadPool pool(3);
    const Dataset dataset = open();
    const auto left = read(dataset, pool);
    const auto first = left->next();
    VERIFY_OK(first);
    QVERIFY(first->has_value());
    QCOMPARE(rest(*read(dataset, pool)), allWith(1));
}

void TstReadingThreads::bothPartsTogetherAreEachOneAlone_data()
{
    QTest::addColumn<QByteArray>("split");
    QTest::newRow("fraction") << QByteArray("split { fraction { eval_fraction: 0.3 seed: 4 } }");
    QTest::newRow("stratified") << QByteArray(
        "label { column: 's' } split { fraction { eval_fraction: 0.2 stratify: true } }");
    QTest::newRow("fold") << QByteArray("split { fold { folds: 4 fold: 2 seed: 4 } }");
    QTest::newRow("by column") << QByteArray(
        "split { by_column { column: 's' eval_values: ['text, 3', 'text, 96'] } }");
    QTest::newRow("rows far apart")
        << QByteArray("split { by_column { column: 'n' eval_values: ['0', '7919'] } }");
}

void TstReadingThreads::bothPartsTogetherAreEachOneAlone()
{
    QFETCH(const QByteArray, split);
    std::map<DataPart, QByteArray> alone;
    for (const DataPart part : {DataPart::Train, DataPart::Eval}) {
        kernels::ThreadPool pool(1);
        const Dataset dataset = open(split, part);
        alone[part] = rest(*read(dataset, pool));
        QVERIFY(alone[part].size() > 20);
    }
    for (const int threads : {1, 2, 3, 7}) {
        kernels::ThreadPool pool(threads);
        const Dataset dataset = open(split);
        QVERIFY(dataset.isSplit());
        const auto stream = dataset.readParts(
            {.labels = LabelNeed::None, .threads = kernels::lend(pool), .fingerprint = true});
        VERIFY_OK(stream);
        std::map<DataPart, QByteArray> together;
        while (true) {
            const auto made = (*stream)->next();
            VERIFY_OK(made);
            if (!*made) {
                break;
            }
            VERIFY_OK((*made)->batch);
            together[(*made)->part] += bytesOf(*(*made)->batch);
        }
        QCOMPARE((*stream)->report().rows, std::uint64_t{200'000});
        QVERIFY(together == alone);
    }
}

CANNERY_TEST(TstReadingThreads)
#include "tst_reading_threads.moc"
