// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/data.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

#include <cmath>

using namespace cannery;
using namespace cannery::data;

/// Numbers with a decimal comma, and what a source says about how its files are read.
class TstDecimalComma : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsNumbersWithACommaWhenTold();
    void refusesAPointThen();
    void readsPiecesOfCellsLikewise();
    void suggestsACommaIfNumbersNeedIt_data();
    void suggestsACommaIfNumbersNeedIt();
    void tellsHowTheFilesAreRead();
    void otherFilesAreReadInTheSameWay();

private:
    void write(const char* name, const QByteArray& bytes) const;
    spec::Data data(const std::string& text) const;
    Result<Dataset> open(const std::string& text) const;
    static Result<FeatureBatch> batch(const Dataset& dataset);
    static SourceSetting setting(const Dataset& dataset, const char* field);

    QTemporaryDir m_folder;
};

void TstDecimalComma::write(const char* name, const QByteArray& bytes) const
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write the test file");
    }
}

spec::Data TstDecimalComma::data(const std::string& text) const
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(text, &data)) {
        qFatal("the test's experiment is wrong");
    }
    return data;
}

Result<Dataset> TstDecimalComma::open(const std::string& text) const
{
    return Dataset::open(data(text), m_folder.path().toStdString(), DataPart::Train);
}

Result<FeatureBatch> TstDecimalComma::batch(const Dataset& dataset)
{
    CANNERY_TRY_ASSIGN(const auto stream, dataset.read({.labels = LabelNeed::None}));
    CANNERY_TRY_ASSIGN(std::optional<FeatureBatch> batch, stream->next());
    return std::move(*batch);
}

SourceSetting TstDecimalComma::setting(const Dataset& dataset, const char* field)
{
    for (const SourceSetting& setting : dataset.source().settings()) {
        if (setting.field == field) {
            return setting;
        }
    }
    return {};
}

void TstDecimalComma::readsNumbersWithACommaWhenTold()
{
    write("t.csv", "a;b;c;d;e\n3,14;-2,5e3; 7 ;Smith, J.;1e400\n+0,1;\"1,25\";8;1,2,3;2\n"
                   ";,5;9;x;-,75\n?;1,0000000000000000000001;10;y;inf\n");
    const auto dataset = open("train { csv { files: 't.csv' decimal_mark: comma na_value: '?' } } "
                              "column { name: 'b' dtype: float64 }");
    VERIFY_OK(dataset);
    const auto& columns = dataset->schema().columns;
    QCOMPARE(columns[0].dtype, DType::Float32);
    QCOMPARE(columns[0].missing, 2);
    QCOMPARE(columns[2].dtype, DType::Int32);
    QCOMPARE(columns[3].dtype, DType::String);
    QCOMPARE(columns[4].dtype, DType::Float32);
    const auto rows = batch(*dataset);
    VERIFY_OK(rows);
    const auto& a = std::get<std::vector<float>>(rows->features[0].elements);
    QCOMPARE(a[0], 3.14F);
    QCOMPARE(a[1], 0.1F);
    const auto& b = std::get<std::vector<double>>(rows->features[1].elements);
    QCOMPARE(b, (std::vector<double>{-2500, 1.25, 0.5, 1}));
    QCOMPARE(std::string(std::get<StringColumn>(rows->features[3].elements)[0]), "Smith, J.");
    const auto& e = std::get<std::vector<float>>(rows->features[4].elements);
    QVERIFY(std::isinf(e[0]) && std::isinf(e[3]));
    QCOMPARE(e[2], -0.75F);
    // Commas are no obstacle where they delimit cells: quotes protect a number.
    write("quoted.csv", "a,b\n\"1,5\",2\n\"2,5\",3\n");
    const auto quoted =
        open("train { csv { files: 'quoted.csv' field_delim: ',' decimal_mark: comma } }");
    VERIFY_OK(quoted);
    QCOMPARE(quoted->schema().columns[0].dtype, DType::Float32);
}

void TstDecimalComma::refusesAPointThen()
{
    write("t.csv", "a;b\n1,5;1\n1.234,5;2\n");
    const auto text = open("train { csv { files: 't.csv' decimal_mark: comma } }");
    VERIFY_OK(text);
    QCOMPARE(text->schema().columns[0].dtype, DType::String);
    write("t.csv", "a;b\n1,5;1\n3.14;2\n");
    const auto dataset = open("train { csv { files: 't.csv' decimal_mark: comma } } "
                              "column { name: 'a' dtype: float32 }");
    VERIFY_OK(dataset);
    const auto rows = batch(*dataset);
    VERIFY_ERROR(rows, "csv.not_a_number");
    QVERIFY(rows.error().sentence.find("t.csv:3: \"3.14\" in column a") != std::string::npos);
}

void TstDecimalComma::readsPiecesOfCellsLikewise()
{
    write("p.csv", "x;h\n1;0,5|1,25\n2;3\n");
    const std::string rest = " } } feature { name: 'h' split { column: 'h' dtype: float32 } }";
    const auto dataset = open("train { csv { files: 'p.csv' decimal_mark: comma" + rest);
    VERIFY_OK(dataset);
    const auto rows = batch(*dataset);
    VERIFY_OK(rows);
    QCOMPARE(std::get<std::vector<float>>(rows->features[0].elements),
             (std::vector<float>{0.5F, 1.25F, 3}));
    const auto points = open("train { csv { files: 'p.csv'" + rest);
    VERIFY_OK(points);
    VERIFY_ERROR(batch(*points), "data.bad_piece");
}

void TstDecimalComma::suggestsACommaIfNumbersNeedIt_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<bool>("isSuggested");
    const auto row = [](const char* name, const char* table, bool isSuggested) {
        QTest::newRow(name) << QByteArray(table) << isSuggested;
    };
    row("semicolons", "a;b\n3,14;x\n2;y\n-1,5;z\n", true);
    row("tabs", "a\tb\n3,14\tx\n2,0\ty\n", true);
    row("no header", "1,5;2,25\n3,5;4,25\n5;6\n", true);
    row("no header, commas everywhere", "1,5;2,25\n3,5;4,25\n5,0;6,5\n", true);
    row("points elsewhere", "a;b\n3,14;1.5\n2,5;2.5\n", false);
    row("points in the same column", "a;b\n3,14;1\n2.5;2\n", false);
    row("other texts in the column", "a;b\n3,14;1\nabout 2,5;2\n", false);
    row("perhaps thousands", "a;b\n3,141;1\n12,500;2\n", false);
    row("cells cut at commas", "a,b\n\"3,14\",1\n\"2,5\",2\n", false);
    row("integers", "a;b\n3;1\n2;2\n", false);
}

void TstDecimalComma::suggestsACommaIfNumbersNeedIt()
{
    QFETCH(const QByteArray, table);
    QFETCH(const bool, isSuggested);
    write("s.csv", table);
    const auto dataset = open("train { csv { files: 's.csv' } }");
    VERIFY_OK(dataset);
    const SourceSetting mark = setting(*dataset, "decimal_mark");
    QCOMPARE(mark.value, isSuggested ? "comma" : "point");
    QCOMPARE(mark.belongsInExperiment, isSuggested);
    if (isSuggested) {
        // Not read so unless the experiment says so.
        QCOMPARE(dataset->schema().columns[0].dtype, DType::String);
        const auto told = open("train { csv { files: 's.csv' decimal_mark: comma } }");
        VERIFY_OK(told);
        QCOMPARE(told->schema().columns[0].dtype, DType::Float32);
        QCOMPARE(setting(*told, "decimal_mark").value, "comma");
        QVERIFY(!setting(*told, "decimal_mark").belongsInExperiment);
    }
}

void TstDecimalComma::tellsHowTheFilesAreRead()
{
    write("u.csv", QByteArray("\xFF\xFE"
                              "a\0\t\0b\0\n\0"
                              "1\0\t\0"
                              "2\0\n\0",
                              18));
    const auto dataset = open("train { csv { files: 'u.csv' } }");
    VERIFY_OK(dataset);
    const SourceSetting encoding = setting(*dataset, "encoding");
    QCOMPARE(encoding.value, "utf16");
    QCOMPARE(encoding.reason, "the byte order mark of UTF-16");
    QVERIFY(encoding.isDetected && encoding.belongsInExperiment);
    QCOMPARE(setting(*dataset, "field_delim").value, "\\t");
    QVERIFY(setting(*dataset, "field_delim").isDetected);
    QCOMPARE(setting(*dataset, "header").value, "true");
    const auto told = open("train { csv { files: 'u.csv' encoding: utf16 field_delim: '\\t' } }");
    VERIFY_OK(told);
    QCOMPARE(setting(*told, "encoding").value, "utf16");
    QVERIFY(!setting(*told, "encoding").belongsInExperiment);
    QVERIFY(!setting(*told, "field_delim").isDetected);
    QCOMPARE(told->schema().names(), (std::vector<std::string>{"a", "b"}));
    // Copies in other encodings are other contents.
    write("v.csv", "a\tb\n1\t2\n");
    const auto plain = open("train { csv { files: 'v.csv' } }");
    VERIFY_OK(plain);
    QCOMPARE(setting(*plain, "encoding").value, "utf8");
    QVERIFY(*plain->fingerprint() != *told->fingerprint());
    QCOMPARE(*told->fingerprint(), *dataset->fingerprint());
    QVERIFY(told->statistics({}).has_value());
    QCOMPARE(*told->fingerprint(), *dataset->fingerprint());
}

void TstDecimalComma::otherFilesAreReadInTheSameWay()
{
    // "도시;가격" and "서울;1,5" in CP949.
    write("k.csv", QByteArray::fromHex("b5b5bdc33bb0a1b0dd0abcadbfef3b312c350abacebbea3b320a"));
    write("more.csv", QByteArray::fromHex("b5b5bdc33bb0a1b0dd0abcadbfef3b302c32350a"));
    const spec::Data korean = data("train { csv { files: 'k.csv' encoding: cp949 "
                                   "decimal_mark: comma } } label { column: '가격' }");
    const auto other = Dataset::openFiles(korean, m_folder.path().toStdString(),
                                          {m_folder.filePath("more.csv").toStdString()});
    VERIFY_OK(other);
    const auto stream = other->read({});
    VERIFY_OK(stream);
    const auto rows = (*stream)->next();
    VERIFY_OK(rows);
    QCOMPARE(std::string(std::get<StringColumn>((*rows)->features[0].elements)[0]), "서울");
    QCOMPARE(std::get<std::vector<float>>((*rows)->labels[0].elements)[0], 0.25F);
}

CANNERY_TEST(TstDecimalComma)
#include "tst_decimal_comma.moc"
