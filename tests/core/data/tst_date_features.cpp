// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/rows/row_filter.h"
#include "core/spec/data.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/core.h>
#include <google/protobuf/text_format.h>

using namespace cannery;
using namespace cannery::data;

/// What experiments make of columns of dates: features, splits and filters.
class TstDateFeatures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void makesNumbersOfDates();
    void missingDatesAreMissingOrTheDefault();
    void namesTheCellThatIsNotADate();
    void asksForTheNotation();
    void readsOtherFilesAsTheTrainingData();
    void statesTheNotationItFound();
    void refusesAnOriginThatIsNoTime();
    void splitsByDatesInAnyNotation_data();
    void splitsByDatesInAnyNotation();
    void filtersCompareDates();

private:
    void write(const char* name, const std::string& text) const;
    static spec::Data parse(const std::string& text);
    Result<Dataset> open(const std::string& text, DataPart part = DataPart::Train) const;
    static Result<FeatureBatch> all(const Dataset& dataset);

    QTemporaryDir m_folder;
};

void TstDateFeatures::write(const char* name, const std::string& text) const
{
    QFile file(m_folder.filePath(QString::fromLatin1(name)));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("cannot write the test file");
    }
    file.write(text.data(), qint64(text.size()));
}

spec::Data TstDateFeatures::parse(const std::string& text)
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString("train { csv { files: 't.csv' } } " + text,
                                                       &data)) {
        qFatal("the test's experiment is wrong");
    }
    return data;
}

Result<Dataset> TstDateFeatures::open(const std::string& text, DataPart part) const
{
    return Dataset::open(parse(text), m_folder.path().toStdString(), part);
}

Result<FeatureBatch> TstDateFeatures::all(const Dataset& dataset)
{
    CANNERY_TRY_ASSIGN(const auto stream, dataset.read({.labels = LabelNeed::None}));
    CANNERY_TRY_ASSIGN(auto batch, stream->next());
    return std::move(*batch);
}

namespace {

const std::string kMonth = "feature { name: 'month' date_part { column: 'when' part: month } } ";
const std::string kDays = "feature { name: 'days' date_part { column: 'when' part: days_since "
                          "origin: '2024-01-01' } } ";

} // namespace

void TstDateFeatures::makesNumbersOfDates()
{
    write("t.csv", "when,x\n01/02/2024,1\n31/12/2023 12:00,2\n");
    const auto dataset = open(kMonth + kDays);
    VERIFY_OK(dataset);
    QCOMPARE(dataset->find("month")->dtype, DType::Int64);
    QCOMPARE(dataset->find("days")->dtype, DType::Float32);
    const auto batch = all(*dataset);
    VERIFY_OK(batch);
    // The column of dates is used up; x is a feature of its own.
    QCOMPARE(batch->features.size(), std::size_t(3));
    QCOMPARE(std::get<std::vector<std::int64_t>>(batch->features[0].elements),
             (std::vector<std::int64_t>{2, 12}));
    QCOMPARE(std::get<std::vector<float>>(batch->features[1].elements),
             (std::vector<float>{31, -0.5F}));
    QVERIFY(batch->features[0].valid.empty());
}

void TstDateFeatures::missingDatesAreMissingOrTheDefault()
{
    write("t.csv", "when,x\n2024-02-01,1\n,2\nn/a,3\n");
    const auto missing = open(kMonth + "column { name: 'when' missing_token: 'n/a' }");
    VERIFY_OK(missing);
    const auto batch = all(*missing);
    VERIFY_OK(batch);
    QCOMPARE(batch->features[0].valid, (std::vector<std::uint8_t>{1, 0, 0}));
    const auto filled =
        open(kMonth + "column { name: 'when' missing_token: 'n/a' default_value: '2020-07-01' }");
    VERIFY_OK(filled);
    const auto full = all(*filled);
    VERIFY_OK(full);
    QVERIFY(full->features[0].valid.empty());
    QCOMPARE(std::get<std::vector<std::int64_t>>(full->features[0].elements),
             (std::vector<std::int64_t>{2, 7, 7}));
}

void TstDateFeatures::namesTheCellThatIsNotADate()
{
    write("t.csv", "when,x\n2024-02-01,1\nlater,2\n");
    const auto dataset = open(kMonth);
    VERIFY_OK(dataset);
    const auto batch = all(*dataset);
    VERIFY_ERROR(batch, "data.not_a_date");
    QVERIFY2(batch.error().sentence.find("t.csv:3: \"later\" in column when, of which the feature "
                                         "month is made") != std::string::npos,
             batch.error().sentence.c_str());
}

void TstDateFeatures::asksForTheNotation()
{
    write("t.csv", "when,x\n01/02/2024,1\n03/04/2024,2\n");
    VERIFY_ERROR(open(kMonth), "data.date_order");
    VERIFY_ERROR(open("split { by_time { column: 'when' eval_from: '2024-03-15' } }"),
                 "data.date_order");
    const auto told = open(kMonth + "column { name: 'when' date_notation: month_first }");
    VERIFY_OK(told);
    QCOMPARE(std::get<std::vector<std::int64_t>>(all(*told)->features[0].elements),
             (std::vector<std::int64_t>{1, 3}));
    // A table that only has such a column is read as before.
    VERIFY_OK(open(""));
}

void TstDateFeatures::readsOtherFilesAsTheTrainingData()
{
    write("t.csv", "when,x\n01/02/2024,1\n31/12/2023,2\n");
    write("e.csv", "when,x\n03/04/2024,1\n");
    const std::string folder = m_folder.path().toStdString();
    const spec::Data data = parse(kMonth + "eval { csv { files: 'e.csv' } }");
    const auto train = Dataset::open(data, folder, DataPart::Train);
    VERIFY_OK(train);
    for (const auto& dataset :
         {Dataset::openEval(data, folder, *train), Dataset::open(data, folder, DataPart::Eval),
          Dataset::openFiles(data, folder, {folder + "/e.csv"})}) {
        VERIFY_OK(dataset);
        QCOMPARE(std::get<std::vector<std::int64_t>>(all(*dataset)->features[0].elements),
                 (std::vector<std::int64_t>{4}));
    }
}

void TstDateFeatures::statesTheNotationItFound()
{
    write("t.csv", "when,x\n01/02/2024,1\n31/12/2023,2\n");
    const auto dataset = open(kMonth);
    VERIFY_OK(dataset);
    const std::vector<spec::Column> columns = dataset->resolvedColumns();
    QCOMPARE(columns[0].name(), std::string("when"));
    QVERIFY(columns[0].has_date_notation());
    QCOMPARE(columns[0].date_notation(), spec::DateNotation::day_first);
    QVERIFY(!columns[1].has_date_notation());
}

void TstDateFeatures::refusesAnOriginThatIsNoTime()
{
    write("t.csv", "when,x\n2024-02-01,1\n");
    VERIFY_ERROR(open("feature { name: 'd' date_part { column: 'when' origin: 'May' } }"),
                 "data.bad_origin");
}

void TstDateFeatures::splitsByDatesInAnyNotation_data()
{
    QTest::addColumn<QByteArray>("cells");
    QTest::addColumn<QByteArray>("column");
    QTest::newRow("day first") << QByteArray("13.1.2020;02.02.2020;1.3.2020") << QByteArray();
    QTest::newRow("month first") << QByteArray("1/13/20 11:00 PM;2/2/20 3:00 AM;3/1/20 1:00 AM")
                                 << QByteArray();
    QTest::newRow("named months") << QByteArray("\"Jan 13, 2020\";2 Feb 2020;01-Mar-20")
                                  << QByteArray();
    QTest::newRow("year and month") << QByteArray("2020-01;2020-02;2020-03") << QByteArray();
    QTest::newRow("seconds") << QByteArray("1578873600;1580601600;1583020800") << QByteArray();
    QTest::newRow("milliseconds") << QByteArray("1578873600000;1580601600000;1583020800000")
                                  << QByteArray();
    QTest::newRow("spreadsheet days") << QByteArray("43843;43863;43891") << QByteArray();
    QTest::newRow("as it is told")
        << QByteArray("1/2/2020;2/1/2020;3/1/2020")
        << QByteArray("column { name: 'when' date_notation: month_first }");
}

void TstDateFeatures::splitsByDatesInAnyNotation()
{
    QFETCH(const QByteArray, cells);
    QFETCH(const QByteArray, column);
    QByteArray table = "when,x\n";
    for (const QByteArray& cell : cells.split(';')) {
        table += cell + ",1\n";
    }
    write("t.csv", table.toStdString());
    const std::string text =
        "split { by_time { column: 'when' eval_from: '2020-02-01' } }" + column.toStdString();
    const auto train = open(text);
    VERIFY_OK(train);
    QCOMPARE(all(*train)->rowCount, std::int64_t(1));
    const auto eval = open(text, DataPart::Eval);
    VERIFY_OK(eval);
    QCOMPARE(all(*eval)->rowCount, std::int64_t(2));
}

void TstDateFeatures::filtersCompareDates()
{
    write("t.csv", "when,x\n13.1.2020,1\n2.2.2020,2\n1.10.2019,3\n,4\nsoon,5\n1.1.2019,6\n");
    std::string rows;
    for (int day = 1; day <= 100; ++day) {
        rows += fmt::format("{}.5.2018,7\n", day % 28 + 1);
    }
    QFile file(m_folder.filePath("t.csv"));
    QVERIFY(file.open(QIODevice::Append));
    file.write(rows.data(), qint64(rows.size()));
    file.close();
    const auto dataset = open("");
    VERIFY_OK(dataset);
    const auto matched = [&](const char* text) {
        const auto filter = RowFilter::parse(text, dataset->schema());
        auto stream = dataset->source().read({.columns = {{.column = "when"}}});
        const auto chunk = (*stream)->next();
        std::vector<int> found;
        const std::vector<std::uint8_t> matches = filter->match(**chunk);
        for (std::size_t row = 0; row < 6; ++row) {
            if (matches[row] != 0) {
                found.push_back(int(row) + 1);
            }
        }
        return found;
    };
    QCOMPARE(matched("when >= 2020-01-13"), (std::vector<int>{1, 2}));
    QCOMPARE(matched("when < 1.10.2019"), (std::vector<int>{6}));
    QCOMPARE(matched("when = 01.10.2019"), (std::vector<int>{3}));
    QCOMPARE(matched("when = soon"), (std::vector<int>{5}));
}

CANNERY_TEST(TstDateFeatures)
#include "tst_date_features.moc"
