// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/data_source.h"
#include "core/data/typing/column_settlement.h"
#include "core/data/typing/typed_column.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace cannery;
using namespace cannery::data;

/// Columns of numbers that are not written as 1234.5: what is suggested for them, and that it reads
/// them.
class TstNumberNotations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void suggestsAReading_data();
    void suggestsAReading();
    void doubtsWhatHasTwoReadings_data();
    void doubtsWhatHasTwoReadings();
    void doubtsFractions();
    void leavesTextsAlone_data();
    void leavesTextsAlone();
    void takesNanForMissing();
    void suggestsThatInfiniteIsMissing();
    void comparesTokensOfNumbersWithoutBlanks();
    void namesColumnsWithoutBlanks();
    void readsTypedValuesLikewise();

private:
    /// One cell a line; quotes protect their commas.
    Result<std::unique_ptr<DataSource>> open(const QByteArrayList& cells,
                                             const spec::Column& described = {}) const;
    static Result<storage::TableColumn> onlyColumn(const DataSource& source);
    /// The cells as numbers, read as is suggested; NaN where one is missing.
    Result<std::vector<double>> numbersAsSuggested(const QByteArrayList& cells) const;

    QTemporaryDir m_folder;
};

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> valuesOf(const storage::TableColumn& column)
{
    std::vector<double> values;
    std::visit(
        [&](const auto& list) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(list)>, StringColumn>) {
                values.assign(list.begin(), list.end());
            }
        },
        column.values);
    for (std::size_t row = 0; row < values.size(); ++row) {
        values[row] = column.isValid(row) ? values[row] : kMissing;
    }
    return values;
}

bool areSame(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double one, double other) {
        return (std::isnan(one) && std::isnan(other)) ||
               std::abs(one - other) <= 1e-6 * std::abs(other);
    });
}

spec::Column suggestionFor(const ColumnSchema& column)
{
    spec::Column entry;
    entry.set_name(column.name);
    for (const std::string& token : column.suggestedMissingTokens) {
        entry.add_missing_token(token);
    }
    describeNotation(column.suggestedNotation.value_or(storage::NumberNotation{}), '.', entry);
    return entry;
}

} // namespace

Result<std::unique_ptr<DataSource>> TstNumberNotations::open(const QByteArrayList& cells,
                                                             const spec::Column& described) const
{
    QFile file(m_folder.filePath("t.csv"));
    QByteArray text = "n,k\n";
    for (const QByteArray& cell : cells) {
        text += '"' + cell + "\",x\n";
    }
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
        qFatal("cannot write the test file");
    }
    file.close();
    spec::DataSource source;
    source.mutable_csv()->add_files(file.fileName().toStdString());
    SourceOptions options;
    if (described.has_name()) {
        options.columns = {described};
    }
    return openDataSource(source, options);
}

Result<storage::TableColumn> TstNumberNotations::onlyColumn(const DataSource& source)
{
    ChunkRequest request;
    request.columns.push_back({.column = source.schema().columns.front().name});
    CANNERY_TRY_ASSIGN(const std::unique_ptr<ChunkStream> stream, source.read(request));
    CANNERY_TRY_ASSIGN(std::optional<storage::TableChunk> chunk, stream->next());
    return std::move(chunk->columns.front());
}

Result<std::vector<double>>
TstNumberNotations::numbersAsSuggested(const QByteArrayList& cells) const
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<DataSource> plain, open(cells));
    const spec::Column suggested = suggestionFor(plain->schema().columns.front());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<DataSource> source, open(cells, suggested));
    CANNERY_TRY_ASSIGN(const storage::TableColumn column, onlyColumn(*source));
    return valuesOf(column);
}

void TstNumberNotations::suggestsAReading_data()
{
    QTest::addColumn<QByteArrayList>("cells");
    QTest::addColumn<QList<double>>("expected");
    const auto row = [](const char* name, const QByteArrayList& cells,
                        const QList<double>& expected) {
        QTest::newRow(name) << cells << expected;
    };
    row("German amounts", {"6.075,46", "364,48", "12"}, {6075.46, 364.48, 12});
    row("a minus behind", {"6.075,46-", "364,48", "12-"}, {-6075.46, 364.48, -12});
    row("one mark on all", {">= 12", ">= 3", ">= 7.5"}, {12, 3, 7.5});
    row("English amounts", {"41,425.16", "7,668.34", "568.40", "9"}, {41425.16, 7668.34, 568.4, 9});
    row("millions", {"1,234,567", "2,345", "17"}, {1234567, 2345, 17});
    row("Indian amounts", {"12,34,567.5", "1,234"}, {1234567.5, 1234});
    row("Swiss amounts", {"1'299.99", "870.50", "12'000"}, {1299.99, 870.5, 12000});
    row("French amounts", {"1\u202F299,99", "870,5", "1\u00A0000"}, {1299.99, 870.5, 1000});
    row("blanks between groups", {"1 299", "870", "12 000 000"}, {1299, 870, 12000000});
    row("dollars", {"$1,234.50", "$17.25", "($22.55)", "-$3.5"}, {1234.5, 17.25, -22.55, -3.5});
    row("euros behind", {"1.299,50 \u20AC", "12,00 \u20AC"}, {1299.5, 12});
    row("codes of currencies", {"USD 12.50", "USD 1,000.25"}, {12.5, 1000.25});
    row("percent", {"36%", "4 %", "12.5%"}, {36, 4, 12.5});
    row("percent with signs", {"+4.0%", "-1.5%", "0"}, {4, -1.5, 0});
    row("footnotes", {"6806*", "2114", "3174", "95\u2020"}, {6806, 2114, 3174, 95});
    row("bounds", {"<0.1", "0.35", "2.5", ">40"}, {0.1, 0.35, 2.5, 40});
    row("a unit", {"12 kg", "7.5 kg", "110 kg"}, {12, 7.5, 110});
    row("multiples", {"5k", "300", "2k"}, {5000, 300, 2000});
    row("magnitudes", {"\u20AC110.5M", "\u20AC900K", "\u20AC0"}, {110500000, 900000, 0});
    row("a magnitude of all", {"19M", "2.5M"}, {19, 2.5});
    row("ages", {"10+", "3", "4", "7"}, {10, 3, 4, 7});
    row("brackets", {"(22.5)", "17.25", "(3)"}, {-22.5, 17.25, -3});
    row("comma and exponent", {"6,39957E+12", "2,9E+11", "3"}, {6.39957e12, 2.9e11, 3});
    row("two missing tokens", {"169.5", "?", "283.0", "NA", "96.1"},
        {169.5, kMissing, 283, kMissing, 96.1});
    row("an unknown token and a known one", {"1.5", "nothing", "2.5", "n/a", "3.5"},
        {1.5, kMissing, 2.5, kMissing, 3.5});
    row("missing amounts", {"$5", "-", "$1,200.75", "$7"}, {5, kMissing, 1200.75, 7});
    row("a typographic minus", {"\u221212.5", "3.5"}, {-12.5, 3.5});
    QByteArrayList letters{"7e"}; // of Eurostat: estimated
    QList<double> numbers{7};
    for (int i = 1; i < 30; ++i) {
        letters << QByteArray::number(i);
        numbers << i;
    }
    row("letters of a few", letters, numbers);
}

void TstNumberNotations::suggestsAReading()
{
    QFETCH(const QByteArrayList, cells);
    QFETCH(const QList<double>, expected);
    const auto numbers = numbersAsSuggested(cells);
    VERIFY_OK(numbers);
    QVERIFY(areSame(*numbers, std::vector<double>(expected.begin(), expected.end())));
    const auto plain = open(cells);
    VERIFY_OK(plain);
    QCOMPARE((*plain)->schema().columns.front().notationDoubt, "");
}

void TstNumberNotations::doubtsWhatHasTwoReadings_data()
{
    QTest::addColumn<QByteArrayList>("cells");
    const auto row = [](const char* name, const QByteArrayList& cells) {
        QTest::newRow(name) << cells;
    };
    row("thousands or thousandths", {"1,234", "12,500", "870"});
    row("with a sign of money", {"$1.234", "$2.500", "$870"});
    row("points and commas", {"1.299", "1.299,99", "1,299.99"});
    row("comma here, point there", {"3,14", "2.5", "7"});
    row("two currencies", {"$5.25", "7.50 \u20AC"});
    row("some percent", {"36%", "0.4", "12%"});
    row("numbers or postcodes", {"110 001", "560 034", "400 050"});
}

void TstNumberNotations::doubtsWhatHasTwoReadings()
{
    QFETCH(const QByteArrayList, cells);
    const auto source = open(cells);
    VERIFY_OK(source);
    const ColumnSchema& column = (*source)->schema().columns.front();
    QCOMPARE(column.dtype, DType::String);
    QVERIFY(!column.suggestedNotation.has_value());
    QVERIFY(!column.notationDoubt.empty());
    QVERIFY(column.warnings.size() == 1 &&
            column.warnings.front().find(column.notationDoubt) != std::string::npos);
}

void TstNumberNotations::doubtsFractions()
{
    const auto source = open({"6 1/2", "7", "10 3/4", "n/a"});
    const ColumnSchema& column = (*source)->schema().columns.front();
    QVERIFY(column.notationDoubt.find("\"6 1/2\" (line 2)") != std::string::npos);
    QVERIFY((*open({"6 1/2 cups", "7 1/2 cups"}))->schema().columns.front().notationDoubt.empty());
}

void TstNumberNotations::leavesTextsAlone_data()
{
    QTest::addColumn<QByteArrayList>("cells");
    const auto row = [](const char* name, const QByteArrayList& cells) {
        QTest::newRow(name) << cells;
    };
    row("versions", {"1.0.0", "2.1.1", "10.3.12"});
    row("addresses", {"10.0.0.0", "192.168.100.200", "10.0.1.1"});
    row("addresses of long numbers", {"192.168.100.200", "192.168.100.201", "10.168.100.202"});
    row("times", {"12:30", "07:45", "23:59"});
    row("times of the day", {"10 AM", "11 PM", "9 am"});
    row("dates", {"01.05.2024", "24.12.2023", "1.1.2024"});
    row("ISO dates", {"2024-05-01", "2023-12-24"});
    row("telephones", {"+49 170 1234567", "(555) 123-4567", "0170 123 456"});
    row("part numbers", {"100-0", "101-1", "102-2"});
    row("codes with letters", {"A12", "B7", "C99"});
    row("codes with one letter", {"A12", "A7", "A99"});
    row("seats", {"12A", "13B", "14C", "15D"});
    row("ranks", {"1st", "2nd", "3rd", "4th"});
    row("ranges", {"10-20", "20-30", "30-40"});
    row("postcodes of Britain", {"SW1A 1AA", "M1 1AE"});
    row("postcodes of Sweden", {"123 45", "543 21"});
    row("account numbers", {"4111 1111 1111 1111", "5500 0000 0000 0004"});
    row("words", {"low", "high", "medium"});
    row("several words among numbers", {"1", "2", "3", "4", "5", "low", "high"});
    row("a numbered list", {"(1)", "(2)", "(3)"});
    row("several units", {"5 kg", "300 g", "2 kg"});
    row("several values", {"1|2", "3", "4|5|6"});
}

void TstNumberNotations::leavesTextsAlone()
{
    QFETCH(const QByteArrayList, cells);
    const auto source = open(cells);
    VERIFY_OK(source);
    const ColumnSchema& column = (*source)->schema().columns.front();
    QCOMPARE(column.dtype, DType::String);
    QVERIFY(!column.suggestedNotation.has_value());
    QVERIFY(column.suggestedMissingTokens.empty());
    QCOMPARE(column.notationDoubt, "");
}

void TstNumberNotations::takesNanForMissing()
{
    for (const char* nan :
         {"NaN", "nan", "-nan", "+NaN", " NAN ", "nan(0x7ff)", "1.#QNAN", "-1.#IND"}) {
        for (const bool isWhole : {true, false}) {
            const QByteArrayList cells{isWhole ? "1" : "1.5", nan, "7"};
            const auto source = open(cells);
            VERIFY_OK(source);
            const ColumnSchema& column = (*source)->schema().columns.front();
            QCOMPARE(column.dtype, isWhole ? DType::Int32 : DType::Float32);
            QCOMPARE(column.missing, 1);
            QCOMPARE(column.nan, 1);
            QCOMPARE(column.values, 2);
            const auto read = onlyColumn(**source);
            VERIFY_OK(read);
            QVERIFY(areSame(valuesOf(*read), {isWhole ? 1 : 1.5, kMissing, 7}));
        }
    }
    // Among words it is one of them.
    const auto words = open({"Anna", "Nan", "Ben"});
    VERIFY_OK(words);
    QCOMPARE((*words)->schema().columns.front().values, 3);
}

void TstNumberNotations::suggestsThatInfiniteIsMissing()
{
    const QByteArrayList cells{"3.52", "inf", "-Infinity", "2.41", "1e999"};
    const auto plain = open(cells);
    VERIFY_OK(plain);
    QCOMPARE((*plain)->schema().columns.front().suggestedMissingTokens,
             (std::vector<std::string>{"inf", "-Infinity", "1e999"}));
    const auto numbers = numbersAsSuggested(cells);
    VERIFY_OK(numbers);
    QVERIFY(areSame(*numbers, {3.52, kMissing, kMissing, 2.41, kMissing}));
}

void TstNumberNotations::comparesTokensOfNumbersWithoutBlanks()
{
    const QByteArrayList marked{"39", " ?", "1", "? ", "?", "5", "6"};
    const auto numbers = numbersAsSuggested(marked);
    VERIFY_OK(numbers);
    QVERIFY(areSame(*numbers, {39, kMissing, 1, kMissing, kMissing, 5, 6}));
    const QByteArrayList cells{"39", " ?", "1", "? ", "  ", "?", "5", "6"};
    spec::Column described;
    described.set_name("n");
    described.add_missing_token(" ?");
    described.add_missing_token(" ");
    const auto source = open(cells, described);
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().columns.front().dtype, DType::Int32);
    QCOMPARE((*source)->schema().columns.front().missing, 4);
    // Texts are compared as they are.
    described.clear_missing_token();
    described.add_missing_token("?");
    const auto words = open({"a", " ?", "?", "b"}, described);
    VERIFY_OK(words);
    QCOMPARE((*words)->schema().columns.front().missing, 1);
    QCOMPARE((*words)->schema().columns.front().values, 3);
}

void TstNumberNotations::namesColumnsWithoutBlanks()
{
    QFile file(m_folder.filePath("names.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("age, chol,sex , sex\n57, 271,m,1\n");
    file.close();
    spec::DataSource source;
    source.mutable_csv()->add_files(file.fileName().toStdString());
    SourceOptions options;
    auto opened = openDataSource(source, options);
    VERIFY_OK(opened);
    QCOMPARE((*opened)->schema().names(),
             (std::vector<std::string>{"age", "chol", "sex ", " sex"}));
    // An experiment may say them with their blanks.
    options.columns.emplace_back().set_name(" chol");
    opened = openDataSource(source, options);
    VERIFY_OK(opened);
    QVERIFY((*opened)->schema().find(" chol") != nullptr);
}

/// As SQLite, tf.Example and NumPy give them.
void TstNumberNotations::readsTypedValuesLikewise()
{
    TypedColumn column("x", DType::Float32, {"inf", "-9", " n/a"},
                       {.decimalMark = ',', .groupMark = "."});
    column.start(9);
    QCOMPARE(column.setDouble(0, kMissing), CellFault::None);
    QCOMPARE(column.setFloat(1, std::numeric_limits<float>::infinity()), CellFault::None);
    QCOMPARE(column.setInteger(2, -9), CellFault::None);
    QCOMPARE(column.setText(3, "NaN"), CellFault::None);
    QCOMPARE(column.setText(4, " n/a "), CellFault::None);
    QCOMPARE(column.setText(5, "  "), CellFault::None);
    QCOMPARE(column.setText(6, "1.299,5"), CellFault::None);
    QCOMPARE(column.setDouble(7, 2.5), CellFault::None);
    QCOMPARE(column.setText(8, "1,299.5"), CellFault::NotANumber);
    column.setMissing(8);
    const double none = kMissing;
    QVERIFY(areSame(valuesOf(column.finish(9)),
                    {none, none, none, none, none, none, 1299.5, 2.5, none}));
    TypedColumn whole("n", DType::Int64, {});
    whole.start(2);
    QCOMPARE(whole.setDouble(0, kMissing), CellFault::None);
    QCOMPARE(whole.setDouble(1, 7), CellFault::None);
    QVERIFY(areSame(valuesOf(whole.finish(2)), {none, 7}));
}

CANNERY_TEST(TstNumberNotations)
#include "tst_number_notations.moc"
