// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/data.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace cannery;
using namespace cannery::data;

/// A table of some chunks, read on several threads: small enough for ThreadSanitizer, under which
/// the test command runs this program once more.
class TstReadingThreads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void rowsAreTheSameOnAnyNumberOfThreads();
    void aStreamLeftInTheMiddleEndsItsThreads();

private:
    std::unique_ptr<FeatureStream> open(std::size_t threads);
    /// Every number and text that is left, in order.
    static QByteArray rest(FeatureStream& stream);

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

std::unique_ptr<FeatureStream> TstReadingThreads::open(std::size_t threads)
{
    spec::Data data;
    data.mutable_train()->mutable_csv()->add_files("table.csv");
    const auto dataset = Dataset::open(data, m_folder.path().toStdString(), DataPart::Train);
    if (!dataset) {
        qFatal("%s", dataset.error().message().c_str());
    }
    auto stream = dataset->read({.labels = LabelNeed::None, .threads = threads});
    if (!stream) {
        qFatal("%s", stream.error().message().c_str());
    }
    return std::move(*stream);
}

QByteArray TstReadingThreads::rest(FeatureStream& stream)
{
    QByteArray all;
    while (true) {
        const auto batch = stream.next();
        if (!batch || !*batch) {
            return batch ? all : QByteArray::fromStdString(batch.error().message());
        }
        for (const FeatureValues& feature : (*batch)->features) {
            if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&feature.elements)) {
                all.append(reinterpret_cast<const char*>(numbers->data()),
                           qsizetype(numbers->size() * sizeof(std::int64_t)));
            } else if (const auto* texts = std::get_if<StringColumn>(&feature.elements)) {
                for (std::size_t i = 0; i < texts->size(); ++i) {
                    all.append((*texts)[i].data(), qsizetype((*texts)[i].size()));
                }
            }
        }
    }
}

void TstReadingThreads::rowsAreTheSameOnAnyNumberOfThreads()
{
    const QByteArray expected = rest(*open(1));
    QVERIFY2(expected.size() > 2 * 200'000 * 8, expected.left(200));
    for (const std::size_t threads : {2, 3, 7}) {
        QVERIFY(rest(*open(threads)) == expected);
    }
}

void TstReadingThreads::aStreamLeftInTheMiddleEndsItsThreads()
{
    const auto left = open(3);
    const auto first = left->next();
    VERIFY_OK(first);
    QVERIFY(first->has_value());
    const auto other = open(3);
    QCOMPARE(rest(*other), rest(*open(1)));
}

CANNERY_TEST(TstReadingThreads)
#include "tst_reading_threads.moc"
