// SPDX-License-Identifier: Apache-2.0
#include "core/serving/prediction_writer.h"
#include "storage/io/files.h"
#include "storage/tabular/csv/csv_cell.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>

using namespace cannery;
using namespace cannery::serving;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

StringColumn texts(std::initializer_list<std::string_view> words)
{
    StringColumn column;
    for (const std::string_view word : words) {
        column.push_back(word);
    }
    return column;
}

/// Three rows, of which the last two are written.
struct Fixture
{
    Fixture()
    {
        batch.rowCount = 3;
        batch.features.push_back({.name = "id",
                                  .dtype = DType::String,
                                  .elements = texts({"-", "a \"b\", c", "\xff"}),
                                  .valid = {}});
        batch.features.push_back({.name = "logits",
                                  .dtype = DType::Int64,
                                  .elements = std::vector<std::int64_t>{0, 0, 0},
                                  .valid = {}});
        batch.features.push_back({.name = "n",
                                  .dtype = DType::Int64,
                                  .elements = std::vector<std::int64_t>{0, 7, 8},
                                  .valid = {1, 1, 0}});
        predictions = {
            {.key = "logits", .floats = {-2.5F, 3.0F}},
            {.key = "probabilities", .width = 2, .floats = {0.1F, 1e-20F, kInfinity, NAN}},
            {.key = "class_ids", .dtype = DType::Int64, .integers = {1, 0}},
            {.key = "classes",
             .dtype = DType::String,
             .strings = texts({"gr\xc3\xb6\xc3\x9f", "b\n"})},
            {.key = "all_classes",
             .dtype = DType::String,
             .width = 2,
             .strings = texts({"x", "y", "x", "y"})}};
    }

    /// The first row that is written.
    void setId(std::string_view text) { batch.features[0].elements = texts({"-", text, "\xff"}); }

    std::string written(PredictionFormat format, bool isSpreadsheetSafe = false,
                        std::vector<std::string> keyColumns = {"id", "logits", "n"})
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("out").toStdString();
        auto writer = PredictionWriter::open(path, {},
                                             {.format = format,
                                              .keyColumns = std::move(keyColumns),
                                              .isSpreadsheetSafe = isSpreadsheetSafe});
        const serving::PredictedRows rows{
            .rows = batch, .firstRow = 1, .rowCount = 2, .predictions = predictions};
        std::string text;
        writer->appendHeader(rows, text);
        writer->appendLines(rows, others, text);
        if (!writer->write(text) || !writer->close()) {
            return "not written";
        }
        return *storage::readWholeFile(path);
    }

    data::FeatureBatch batch;
    std::vector<heads::Prediction> predictions;
    std::vector<UnpredictedRow> others;
};

} // namespace

class TstPredictionWriter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void jsonLinesHoldEverything();
    void aKeyThatIsAskedForTwiceIsWrittenOnce();
    void aNanHasNoSign();
    void csvLinesHoldWhatDiffers();
    void formulasAreTextWhenAskedFor_data();
    void formulasAreTextWhenAskedFor();
    void numbersOfTheModelStayNumbers();
    void stepsAreLists();
};

void TstPredictionWriter::jsonLinesHoldEverything()
{
    const std::string expected =
        "{\"id\":\"a \\\"b\\\", c\",\"logits\":-2.5,\"n\":7,\"probabilities\":[0.1,1e-20],"
        "\"class_ids\":1,\"classes\":\"gr\xc3\xb6\xc3\x9f\",\"all_classes\":[\"x\",\"y\"]}\n"
        "{\"id\":\"\xef\xbf\xbd\",\"logits\":3.0,\"n\":null,\"probabilities\":[\"inf\",\"nan\"],"
        "\"class_ids\":0,\"classes\":\"b\\n\",\"all_classes\":[\"x\",\"y\"]}\n";
    QCOMPARE(Fixture().written(PredictionFormat::JsonLines), expected);
}

void TstPredictionWriter::aKeyThatIsAskedForTwiceIsWrittenOnce()
{
    Fixture fixture;
    fixture.others.push_back({.before = 1, .keys = {"7", "7"}, .reason = {.sentence = "Bad."}});
    const std::string text = fixture.written(PredictionFormat::JsonLines, false, {"n", "n"});
    const QList<QByteArray> lines = QByteArray::fromStdString(text).split('\n');
    QCOMPARE(lines.size(), 4); // three rows and the end
    for (const QByteArray& line : lines.first(3)) {
        QVERIFY2(line.count("\"n\":") == 1, line.constData());
    }
}

/// Its sign depends on the instruction that made it.
void TstPredictionWriter::aNanHasNoSign()
{
    Fixture plain;
    Fixture negative;
    negative.predictions[1].floats[3] = std::copysign(NAN, -1.0F);
    for (const PredictionFormat format : {PredictionFormat::JsonLines, PredictionFormat::Csv}) {
        QCOMPARE(negative.written(format), plain.written(format));
    }
}

void TstPredictionWriter::csvLinesHoldWhatDiffers()
{
    const std::string expected = "id,logits,n,logits,probabilities_0,probabilities_1,class_ids,"
                                 "classes\n"
                                 "\"a \"\"b\"\", c\",0,7,-2.5,0.1,1e-20,1,gr\xc3\xb6\xc3\x9f\n"
                                 "\xff,0,,3,inf,nan,0,\"b\n\"\n";
    QCOMPARE(Fixture().written(PredictionFormat::Csv), expected);
}

void TstPredictionWriter::formulasAreTextWhenAskedFor_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("cell");
    QTest::newRow("equals") << QByteArray("=1+1") << QByteArray("'=1+1");
    QTest::newRow("command") << QByteArray("=cmd|'/c calc'!A0") << QByteArray("'=cmd|'/c calc'!A0");
    QTest::newRow("plus") << QByteArray("+1 800") << QByteArray("'+1 800");
    QTest::newRow("minus") << QByteArray("-2+3") << QByteArray("'-2+3");
    QTest::newRow("at") << QByteArray("@SUM(A1,B1)") << QByteArray("\"'@SUM(A1,B1)\"");
    QTest::newRow("tab") << QByteArray("\t=1") << QByteArray("'\t=1");
    QTest::newRow("return") << QByteArray("\r=1") << QByteArray("\"'\r=1\"");
    QTest::newRow("quoted") << QByteArray("=\"a\"") << QByteArray("\"'=\"\"a\"\"\"");
    QTest::newRow("negative number") << QByteArray("-2.5e3") << QByteArray("-2.5e3");
    QTest::newRow("signed number") << QByteArray("+7") << QByteArray("+7");
    QTest::newRow("inside") << QByteArray("a=b") << QByteArray("a=b");
    QTest::newRow("empty") << QByteArray() << QByteArray();
}

void TstPredictionWriter::formulasAreTextWhenAskedFor()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, cell);
    Fixture fixture;
    fixture.setId(text.toStdString());
    const std::string safe = fixture.written(PredictionFormat::Csv, true);
    const std::string line = safe.substr(safe.find('\n') + 1);
    QCOMPARE(QByteArray::fromStdString(line.substr(0, line.find(",0,7,-2.5"))), cell);
    std::string plain;
    storage::appendCsvCell(text.toStdString(), plain);
    const std::string asItIs = fixture.written(PredictionFormat::Csv);
    QVERIFY(asItIs.substr(asItIs.find('\n') + 1).starts_with(plain + ",0,7,-2.5"));
}

void TstPredictionWriter::numbersOfTheModelStayNumbers()
{
    Fixture fixture;
    QCOMPARE(fixture.written(PredictionFormat::Csv, true), fixture.written(PredictionFormat::Csv));
}

/// Of a row with two steps and one without any.
void TstPredictionWriter::stepsAreLists()
{
    Fixture fixture;
    const std::vector<std::int64_t> steps{0, 2, 2};
    fixture.predictions = {
        {.key = "logits", .floats = {-2.5F, 3.0F}, .stepOffsets = steps},
        {.key = "probabilities", .width = 2, .floats = {0.1F, 0.9F, 1, 0}, .stepOffsets = steps},
        {.key = "classes",
         .dtype = DType::String,
         .strings = texts({"a", "b"}),
         .stepOffsets = steps},
        {.key = "all_classes",
         .dtype = DType::String,
         .width = 2,
         .isConstant = true,
         .strings = texts({"a", "b", "a", "b"})},
        {.key = "sequence_mask", .dtype = DType::Bool, .integers = {1, 1}, .stepOffsets = steps}};
    QCOMPARE(fixture.written(PredictionFormat::Csv),
             std::string("id,logits,n,logits,probabilities_0,probabilities_1,classes,"
                         "sequence_mask\n"
                         "\"a \"\"b\"\", c\",0,7,-2.5|3,0.1|1,0.9|0,a|b,true|true\n"
                         "\xff,0,,,,,,\n"));
    QCOMPARE(fixture.written(PredictionFormat::JsonLines),
             std::string("{\"id\":\"a \\\"b\\\", c\",\"logits\":[-2.5,3.0],\"n\":7,"
                         "\"probabilities\":[[0.1,0.9],[1.0,0.0]],\"classes\":[\"a\",\"b\"],"
                         "\"all_classes\":[\"a\",\"b\"],\"sequence_mask\":[true,true]}\n"
                         "{\"id\":\"\xef\xbf\xbd\",\"logits\":[],\"n\":null,\"probabilities\":[],"
                         "\"classes\":[],\"all_classes\":[\"a\",\"b\"],\"sequence_mask\":[]}\n"));
}

CANNERY_TEST(TstPredictionWriter)
#include "tst_prediction_writer.moc"
