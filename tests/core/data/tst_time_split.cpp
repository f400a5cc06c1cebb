// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/data.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

using namespace cannery;
using namespace cannery::data;

/// Rows held back by the date or time in one of their cells.
class TstTimeSplit : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void holdsBackWhatIsAtOrAfter_data();
    void holdsBackWhatIsAtOrAfter();
    void namesTheRowThatHasNoTime();
    void leavesOutRowsWithoutTimeWhenTold();
    void refusesWhatCannotSplit_data();
    void refusesWhatCannotSplit();

private:
    using Numbers = std::vector<std::int64_t>;

    void write(const std::string& text) const;
    Result<Dataset> open(const std::string& split, DataPart part) const;
    /// The values of column x.
    static Result<Numbers> numbers(const Dataset& dataset);

    QTemporaryDir m_folder;
};

void TstTimeSplit::write(const std::string& text) const
{
    QFile file(m_folder.filePath("t.csv"));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("cannot write the test file");
    }
    file.write(text.data(), qint64(text.size()));
}

Result<Dataset> TstTimeSplit::open(const std::string& split, DataPart part) const
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString("train { csv { files: 't.csv' } } " + split,
                                                       &data)) {
        qFatal("the test's experiment is wrong");
    }
    return Dataset::open(data, m_folder.path().toStdString(), part);
}

Result<TstTimeSplit::Numbers> TstTimeSplit::numbers(const Dataset& dataset)
{
    CANNERY_TRY_ASSIGN(const auto stream,
                       dataset.read({.features = {"x"}, .labels = LabelNeed::None}));
    Numbers all;
    while (true) {
        CANNERY_TRY_ASSIGN(const auto batch, stream->next());
        if (!batch) {
            return all;
        }
        const auto& some = std::get<Numbers>(batch->features[0].elements);
        all.insert(all.end(), some.begin(), some.end());
    }
}

void TstTimeSplit::holdsBackWhatIsAtOrAfter_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<Numbers>("train");
    QTest::addColumn<Numbers>("eval");
    const QByteArray days = "x,when\n1,2024-05-02\n2,2024-04-30T23:59:59.999\n"
                            "3,2024-05-01 00:00:00\n4,2024-05-01T01:30+02:00\n5,2025\n6,20230101\n";
    QTest::newRow("a day") << days << QByteArray("2024-05-01") << Numbers{2, 4, 6}
                           << Numbers{1, 3, 5};
    QTest::newRow("a time with a zone")
        << days << QByteArray("2024-05-01T02:00:00+02:00") << Numbers{2, 4, 6} << Numbers{1, 3, 5};
    QTest::newRow("a moment later")
        << days << QByteArray("2024-05-01T00:00:00.000001") << Numbers{2, 3, 4, 6} << Numbers{1, 5};
    // Read as integers, and still dates.
    QTest::newRow("years") << QByteArray("x,when\n1,2019\n2,2022\n3,2020\n4,2021\n")
                           << QByteArray("2021-01-01T00:00Z") << Numbers{1, 3} << Numbers{2, 4};
    QTest::newRow("fractions beyond nanoseconds")
        << QByteArray("x,when\n1,2024-05-01T00:00:00.1234567890123456789\n"
                      "2,2024-05-01T00:00:00.1234567890123456788\n")
        << QByteArray("2024-05-01T00:00:00.1234567890123456789") << Numbers{2} << Numbers{1};
}

void TstTimeSplit::holdsBackWhatIsAtOrAfter()
{
    QFETCH(const QByteArray, table);
    QFETCH(const QByteArray, from);
    QFETCH(const Numbers, train);
    QFETCH(const Numbers, eval);
    write(table.toStdString());
    const std::string split =
        "split { by_time { column: 'when' eval_from: '" + from.toStdString() + "' } }";
    for (const DataPart part : {DataPart::Train, DataPart::Eval}) {
        const auto dataset = open(split, part);
        VERIFY_OK(dataset);
        const auto got = numbers(*dataset);
        VERIFY_OK(got);
        QCOMPARE(*got, part == DataPart::Train ? train : eval);
        const auto statistics = dataset->statistics({"x"});
        VERIFY_OK(statistics);
        QCOMPARE(statistics->rows, got->size());
        QCOMPARE(statistics->rows + statistics->otherRows, train.size() + eval.size());
    }
}

void TstTimeSplit::namesTheRowThatHasNoTime()
{
    write("x,when\n1,2024-05-02\n2,\"2024\n05\"\n3,\n4,2024-04-01\n");
    for (const DataPart part : {DataPart::Train, DataPart::Eval}) {
        const auto dataset = open("split { by_time { column: 'when' eval_from: '2024' } }", part);
        VERIFY_OK(dataset);
        const auto got = numbers(*dataset);
        VERIFY_ERROR(got, "data.not_a_time");
        const std::string& said = got.error().sentence;
        QVERIFY2(said.find("t.csv:3: \"2024\\n05\" in column when, which splits the rows, is not "
                           "a date or time in ISO 8601") != std::string::npos,
                 said.c_str());
        VERIFY_ERROR(dataset->statistics({"x"}), "data.not_a_time");
    }
}

void TstTimeSplit::leavesOutRowsWithoutTimeWhenTold()
{
    write("x,when\n1,2024-05-02\n2,May\n3,\n5\n4,2024-04-01\n");
    const auto dataset =
        open("split { by_time { column: 'when' eval_from: '2024-05' } } bad_rows: SKIP",
             DataPart::Train);
    VERIFY_OK(dataset);
    QCOMPARE(*numbers(*dataset), (Numbers{4}));
    const auto stream = dataset->readParts({.labels = LabelNeed::None});
    VERIFY_OK(stream);
    while (true) {
        const auto part = (*stream)->next();
        VERIFY_OK(part);
        if (!*part) {
            break;
        }
        VERIFY_OK((*part)->batch);
        QCOMPARE((*part)->batch->rowCount, 1);
    }
    const ReadReport report = (*stream)->report();
    QCOMPARE(report.rows, std::uint64_t(2));
    QCOMPARE(report.badRowCount, std::uint64_t(3));
    QCOMPARE(report.badRows.size(), std::size_t(3));
    QVERIFY2(report.badRows[2].find("t.csv:4: \"\" in column when") != std::string::npos,
             report.badRows[2].c_str());
}

void TstTimeSplit::refusesWhatCannotSplit_data()
{
    QTest::addColumn<QByteArray>("split");
    QTest::addColumn<QString>("id");
    QTest::newRow("no time") << QByteArray("column: 'when' eval_from: 'May'")
                             << "data.bad_eval_from";
    QTest::newRow("unknown column")
        << QByteArray("column: 'wehn' eval_from: '2024'") << "data.no_such_column";
    QTest::newRow("nothing to train on")
        << QByteArray("column: 'when' eval_from: '1970'") << "data.empty_part";
}

void TstTimeSplit::refusesWhatCannotSplit()
{
    QFETCH(const QByteArray, split);
    QFETCH(const QString, id);
    write("x,when\n1,2024-05-02\n");
    const auto dataset = open("split { by_time { " + split.toStdString() + " } }", DataPart::Train);
    VERIFY_OK(dataset);
    VERIFY_ERROR(numbers(*dataset), id);
}

CANNERY_TEST(TstTimeSplit)
#include "tst_time_split.moc"
