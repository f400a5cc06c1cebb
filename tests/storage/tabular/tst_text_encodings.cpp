// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/thread_pool.h"
#include "storage/io/file_system.h"
#include "storage/io/inflate.h"
#include "storage/tabular/csv/csv_discovery.h"
#include "storage/tabular/csv/csv_reader.h"
#include "storage/tabular/encoding_guess.h"
#include "storage/tabular/text_encoder.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <iconv.h>

using namespace cannery;
using namespace cannery::storage;

/// Tables that are not in UTF-8. The bytes are those that Python's codecs write.
class TstTextEncodings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void encodingsOfWindowsAreRecognised_data();
    void encodingsOfWindowsAreRecognised();
    void readsWhatPythonWrote_data();
    void readsWhatPythonWrote();
    void manyBlocksAreReadAlikeByAnyNumberOfThreads_data();
    void manyBlocksAreReadAlikeByAnyNumberOfThreads();
    void readsPackedFiles();
    void theMarkOfAFileDecides_data();
    void theMarkOfAFileDecides();
    void namesTheFaultyByteAndItsLine_data();
    void namesTheFaultyByteAndItsLine();
    void namesTheFaultBeyondTheFirstBlock();
    void leavesOutFaultyRowsWhenTold();
    void namesTheColumnWhoseNameIsFaulty();
    void refusesWhatIsNoText_data();
    void refusesWhatIsNoText();
    void writesWhatPythonReads_data();
    void writesWhatPythonReads();
    void namesTheCharacterThatAnEncodingLacks();

private:
    std::string write(const QString& name, const QByteArray& bytes) const;
    /// "line:cell|cell" for each row, or the error; then the bad rows.
    static QByteArray readText(const std::string& path, TextEncoding encoding,
                               const CsvReadOptions& options = {});

    QTemporaryDir m_folder;
};

std::string TstTextEncodings::write(const QString& name, const QByteArray& bytes) const
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write the test file");
    }
    return file.fileName().toStdString();
}

QByteArray TstTextEncodings::readText(const std::string& path, TextEncoding encoding,
                                      const CsvReadOptions& options)
{
    const auto found =
        discoverCsv({.patterns = {path}, .hints = {.hasHeader = true, .encoding = encoding}});
    if (!found) {
        return QByteArray::fromStdString(found.error().sentence);
    }
    CsvReadOptions all = options;
    all.keepLines = true;
    QByteArray text;
    for (std::size_t i = 0; i < found->files.columnNames.size(); ++i) {
        text += QByteArray::fromStdString(found->files.columnNames[i]) + ' ';
        all.columns.push_back({.name = found->files.columnNames[i], .index = i});
    }
    text += '\n';
    CsvReader reader(found->files, std::move(all));
    while (true) {
        const auto chunk = reader.next();
        if (!chunk) {
            return QByteArray::fromStdString(chunk.error().sentence);
        }
        if (!*chunk) {
            break;
        }
        for (std::size_t row = 0; row < (*chunk)->rows; ++row) {
            text += QByteArray::number(qulonglong((*chunk)->lines[row])) + ':';
            for (const TableColumn& column : (*chunk)->columns) {
                text += QByteArray::fromStdString(std::string(column.strings()[row])) + '|';
            }
            text += '\n';
        }
    }
    for (const BadRow& row : reader.report().badRows) {
        text += QByteArray::fromStdString(row.error.sentence) + '\n';
    }
    return text;
}

namespace {

using Bytes = QByteArray;

struct EncodedTable
{
    const char* name;
    TextEncoding encoding;
    Bytes mark;
    Bytes header; ///< and its line end
    Bytes rows;
    Bytes readText; ///< the rows in UTF-8, without lines
    int lines = 1;
};

/// Their text cells hold quotes, line breaks, and characters whose later bytes are those of ASCII
/// letters, digits and bars.
const std::vector<EncodedTable>& encodedTables()
{
    const Bytes wide("67007200f600df0065002c0034d81edd0a00");
    const Bytes wideRow("220061000a0034d81edd22002c000d54575b0a00");
    static const std::vector<EncodedTable> kTables{
        {"CP949", TextEncoding::Cp949, "", Bytes::fromHex("c0ccb8a72cb5b5bdc30a"),
         Bytes::fromHex("94eebc842c22bcadbfef7c220a"), "뷁펲|서울||"},
        {"GB18030", TextEncoding::Gb18030, "", Bytes::fromHex("c3fbd7d62cb3c7cad00a"),
         Bytes::fromHex("817c953282362c22b1b17cbea9220a"), "亅𠀀|北|京|"},
        {"Windows-1252", TextEncoding::Windows1252, "", Bytes::fromHex("6e616d652c70726963650a"),
         Bytes::fromHex("935a6feb942c80350a"), "“Zoë”|€5|"},
        {"UTF-16 without mark", TextEncoding::Utf16, "", Bytes::fromHex(wide),
         Bytes::fromHex(wideRow), "a\n𝄞|名字|", 2},
        {"UTF-16 little-endian", TextEncoding::Utf16, Bytes::fromHex("fffe"), Bytes::fromHex(wide),
         Bytes::fromHex(wideRow), "a\n𝄞|名字|", 2},
        {"UTF-16 big-endian", TextEncoding::Utf16, Bytes::fromHex("feff"),
         Bytes::fromHex("0067007200f600df0065002cd834dd1e000a"),
         Bytes::fromHex("00220061000ad834dd1e0022002c540d5b57000a"), "a\n𝄞|名字|", 2},
    };
    return kTables;
}

Bytes headerText(const EncodedTable& table)
{
    switch (table.encoding) {
    case TextEncoding::Cp949:
        return "이름 도시 \n";
    case TextEncoding::Gb18030:
        return "名字 城市 \n";
    case TextEncoding::Windows1252:
        return "name price \n";
    default:
        return "größe 𝄞 \n";
    }
}

} // namespace

void TstTextEncodings::readsWhatPythonWrote_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < encodedTables().size(); ++i) {
        QTest::newRow(encodedTables()[i].name) << int(i);
    }
}

void TstTextEncodings::readsWhatPythonWrote()
{
    QFETCH(const int, index);
    const EncodedTable& table = encodedTables()[std::size_t(index)];
    const std::string path = write("t.csv", table.mark + table.header + table.rows);
    QCOMPARE(readText(path, table.encoding), headerText(table) + "2:" + table.readText + "\n");
    // The last line may lack its end.
    const qsizetype end = table.encoding == TextEncoding::Utf16 ? 2 : 1;
    write("t.csv", table.mark + table.header + table.rows.chopped(end));
    QCOMPARE(readText(path, table.encoding), headerText(table) + "2:" + table.readText + "\n");
    const auto found = discoverCsv({.patterns = {path}, .hints = {.encoding = table.encoding}});
    VERIFY_OK(found);
    const auto raw = readRawRows(found->files, 10);
    VERIFY_OK(raw);
    QVERIFY(table.readText.startsWith(QByteArray::fromStdString(raw->rows.at(0).at(0)) + '|'));
}

void TstTextEncodings::manyBlocksAreReadAlikeByAnyNumberOfThreads_data()
{
    readsWhatPythonWrote_data();
}

void TstTextEncodings::manyBlocksAreReadAlikeByAnyNumberOfThreads()
{
    QFETCH(const int, index);
    const EncodedTable& table = encodedTables()[std::size_t(index)];
    constexpr int kRows = 40'000; // several blocks of the decoder, at odd places
    const std::string path =
        write("many.csv", table.mark + table.header + table.rows.repeated(kRows));
    Bytes expected = headerText(table);
    for (int row = 0; row < kRows; ++row) {
        expected += Bytes::number(2 + row * table.lines) + ':' + table.readText + '\n';
    }
    for (const std::size_t blockBytes :
         {std::size_t{64}, std::size_t{1000}, std::size_t{1} << 20U}) {
        QVERIFY(readText(path, table.encoding, {.blockBytes = blockBytes}) == expected);
    }
    for (const int threads : {2, 5}) {
        kernels::ThreadPool pool(threads);
        QVERIFY(readText(path, table.encoding,
                         {.blockBytes = 4096, .threads = kernels::lend(pool)}) == expected);
    }
}

void TstTextEncodings::readsPackedFiles()
{
    const EncodedTable& table = encodedTables()[4];
    const std::string path = m_folder.filePath("packed.csv").toStdString();
    auto file = realFileSystem().create(path);
    VERIFY_OK(file);
    auto packed = packInto(std::move(*file), Compression::Gzip);
    VERIFY_OK(packed);
    const Bytes bytes = table.mark + table.header + table.rows;
    VERIFY_OK((*packed)->append(std::as_bytes(std::span(bytes.data(), std::size_t(bytes.size())))));
    VERIFY_OK((*packed)->close());
    QCOMPARE(readText(path, TextEncoding::Utf8), headerText(table) + "2:" + table.readText + "\n");
}

void TstTextEncodings::theMarkOfAFileDecides_data()
{
    QTest::addColumn<TextEncoding>("encoding");
    QTest::newRow("unset") << TextEncoding::Utf8;
    QTest::newRow("UTF-16") << TextEncoding::Utf16;
    QTest::newRow("CP949") << TextEncoding::Cp949;
}

void TstTextEncodings::theMarkOfAFileDecides()
{
    QFETCH(const TextEncoding, encoding);
    // All as one table: a file of each order, and one in UTF-8.
    QTemporaryDir folder;
    const auto put = [&](const char* name, const Bytes& bytes) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    };
    const EncodedTable& little = encodedTables()[4];
    const EncodedTable& big = encodedTables()[5];
    put("a.csv", little.mark + little.header + little.rows);
    put("b.csv", big.mark + big.header + big.rows);
    put("c.csv", "\xEF\xBB\xBFgröße,𝄞\n\"a\n𝄞\",名字\n");
    QCOMPARE(readText(folder.filePath("*.csv").toStdString(), encoding),
             headerText(little) + Bytes("2:a\n𝄞|名字|\n").repeated(3));
}

void TstTextEncodings::namesTheFaultyByteAndItsLine_data()
{
    QTest::addColumn<TextEncoding>("encoding");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("sentence");
    const auto row = [](const char* name, TextEncoding encoding, const char* hex,
                        const char* sentence) {
        QTest::newRow(name) << encoding << Bytes::fromHex(hex) << Bytes(sentence);
    };
    // a,b LF x,y LF
    row("CP949", TextEncoding::Cp949, "612c620a782c790ac72c7a0a",
        ":3: not valid CP949 (byte 0xC7 at offset 8) in column a. ");
    row("CP949 cut off", TextEncoding::Cp949, "612c620a782c790a782cb5b5bd",
        ":3: not valid CP949 (the file ends inside a character at offset 12) in column b. ");
    row("GB18030", TextEncoding::Gb18030, "612c620a782c790a782cff7a0a",
        ":3: not valid GB18030 (byte 0xFF at offset 10) in column b. ");
    row("GB18030 cut off", TextEncoding::Gb18030, "612c620a782c790a782c953282",
        ":3: not valid GB18030 (the file ends inside a character at offset 10) in column b. ");
    row("Windows-1252", TextEncoding::Windows1252, "612c620a817a2c790a",
        ":2: not valid Windows-1252 (byte 0x81 at offset 4) in column a. ");
    row("UTF-16 with a lone low surrogate", TextEncoding::Utf16,
        "fffe61002c0062000a0078002c0000dc0a00",
        ":2: not valid UTF-16 (code unit 0xDC00 at offset 14) in column b. ");
    row("UTF-16 with a lone high surrogate", TextEncoding::Utf16,
        "feff0061002c0062000a0078002cd8340079000a",
        ":2: not valid UTF-16 (code unit 0xD834 at offset 14) in column b. ");
    row("UTF-16 of an odd number of bytes", TextEncoding::Utf16,
        "fffe61002c0062000a0078002c007900ff",
        ":2: not valid UTF-16 (the file ends inside a character at offset 16) in column b. ");
    row("UTF-16 cut off between surrogates", TextEncoding::Utf8, "fffe61002c0062000a0078002c0034d8",
        ":2: not valid UTF-16 (the file ends inside a character at offset 14) in column b. ");
}

void TstTextEncodings::namesTheFaultyByteAndItsLine()
{
    QFETCH(const TextEncoding, encoding);
    QFETCH(const QByteArray, bytes);
    QFETCH(const QByteArray, sentence);
    const std::string path = write("faulty.csv", bytes);
    const QByteArray text = readText(path, encoding);
    QVERIFY2(text.startsWith(QByteArray::fromStdString(path) + sentence), text);
    QVERIFY2(text.contains("set its encoding to the one it was saved in"), text);
}

void TstTextEncodings::namesTheFaultBeyondTheFirstBlock()
{
    const EncodedTable& table = encodedTables()[0];
    constexpr int kRows = 100'000;
    const Bytes before = table.header + table.rows.repeated(kRows);
    const std::string path = write("late.csv", before + Bytes::fromHex("b5b52cff0a"));
    for (const int threads : {1, 3}) {
        kernels::ThreadPool pool(threads);
        const Bytes text =
            readText(path, table.encoding, {.blockBytes = 4096, .threads = kernels::lend(pool)});
        const Bytes expected = ":100002: not valid CP949 (byte 0xFF at offset " +
                               Bytes::number(before.size() + 3) + ") in column 도시. ";
        QVERIFY2(text.startsWith(QByteArray::fromStdString(path) + expected), text);
    }
}

void TstTextEncodings::leavesOutFaultyRowsWhenTold()
{
    const std::string path =
        write("skip.csv", Bytes("a,b\n1,\xB5\xB5\n2,\xFF\xFF\xFF\n\xC7,3\n4,x\n"));
    const CsvReadOptions skipping{.badRows = BadRowPolicy::Skip};
    const QByteArray text = readText(path, TextEncoding::Cp949, skipping);
    const QByteArray file = QByteArray::fromStdString(path);
    QVERIFY2(text.startsWith("a b \n2:1|도|\n5:4|x|\n" + file +
                             ":3: not valid CP949 (byte 0xFF at offset 11) in column b."),
             text);
    QVERIFY2(
        text.contains("\n" + file + ":4: not valid CP949 (byte 0xC7 at offset 15) in column a."),
        text);
    // A number with a faulty byte is not a number, but that is not what is wrong with it.
    const auto found =
        discoverCsv({.patterns = {path}, .hints = {.encoding = TextEncoding::Cp949}});
    VERIFY_OK(found);
    CsvReader reader(found->files, {.columns = {{.name = "a", .index = 0, .dtype = DType::Int32}}});
    VERIFY_ERROR(reader.next(), "csv.invalid_text");
}

void TstTextEncodings::namesTheColumnWhoseNameIsFaulty()
{
    const std::string path = write("name.csv", Bytes("a,\xC7\n1,2\n"));
    const auto found =
        discoverCsv({.patterns = {path}, .hints = {.encoding = TextEncoding::Cp949}});
    VERIFY_ERROR(found, "csv.invalid_text");
    QCOMPARE(
        QByteArray::fromStdString(found.error().sentence).mid(qsizetype(path.size())).left(60),
        QByteArray(":1: not valid CP949 (byte 0xC7 at offset 2) in column 2. Correct").left(60));
}

void TstTextEncodings::refusesWhatIsNoText_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("id");
    const Bytes zip("PK\x03\x04\x14\x00\x06\x00", 8);
    QTest::newRow("workbook") << "w.csv" << zip + "[Content_Types].xml" + "xl/workbook.xml"
                              << "csv.spreadsheet";
    QTest::newRow("by its name") << "w.XLSX" << zip << "csv.spreadsheet";
    QTest::newRow("old workbook") << "w.xls" << Bytes::fromHex("d0cf11e0a1b11ae10000")
                                  << "csv.spreadsheet";
    QTest::newRow("other archive") << "w.zip" << zip + "table.csv"
                                   << "csv.zip_archive";
    QTest::newRow("Parquet") << "w.csv" << Bytes("PAR1\x15\x04\x15\x00", 8) << "csv.binary_table";
    QTest::newRow("Arrow") << "w.arrow" << Bytes("ARROW1\0\0\xff\xff", 10) << "csv.binary_table";
    QTest::newRow("Feather") << "w.feather" << Bytes("FEA1\0\0", 6) << "csv.binary_table";
    QTest::newRow("HDF5") << "w.h5" << Bytes("\x89HDF\r\n\x1a\n\0", 9) << "csv.binary_table";
}

void TstTextEncodings::refusesWhatIsNoText()
{
    QFETCH(const QString, name);
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, id);
    const std::string path = write(name, bytes);
    for (const TextEncoding encoding :
         {TextEncoding::Utf8, TextEncoding::Latin1, TextEncoding::Cp949}) {
        const auto found = discoverCsv({.patterns = {path}, .hints = {.encoding = encoding}});
        VERIFY_ERROR(found, id);
        QVERIFY(found.error().sentence.starts_with(path + " is a"));
        const bool isConverted = id == "csv.spreadsheet" || id == "csv.binary_table";
        QCOMPARE(found.error().sentence.find("import pandas; pandas.read_") != std::string::npos,
                 isConverted);
    }
}

void TstTextEncodings::encodingsOfWindowsAreRecognised_data()
{
    QTest::addColumn<Bytes>("text"); ///< in UTF-8
    QTest::addColumn<QString>("written");
    QTest::addColumn<int>("expected");
    const auto row = [](const char* name, const char* text, const char* written,
                        TextEncoding expected) {
        QTest::newRow(name) << Bytes(text) << QString(written) << static_cast<int>(expected);
    };
    const auto kNone = static_cast<TextEncoding>(-1);
    row("German", "id,Straße\n1,Müller\n2,Göthe\n", "CP1252", TextEncoding::Windows1252);
    row("French", "élève,forêt,où,français,être,à\n", "CP1252", TextEncoding::Windows1252);
    row("Danish", "år,færdig,køb,på,søn\n", "CP1252", TextEncoding::Windows1252);
    row("Portuguese", "ação,não,maçã,avô,três,é,coração,põe\n", "CP1252",
        TextEncoding::Windows1252);
    row("Finnish", "ikä,määrä,hinta,päivä,yö\n", "CP1252", TextEncoding::Windows1252);
    row("the euro", "price\n5 €\n", "CP1252", TextEncoding::Windows1252);
    row("Polish", "wartość,łódź,miesiąc,część,żółty\n", "CP1250", TextEncoding::Windows1250);
    row("Czech", "město,říjen,příjem,žena,škola,účet,kůň\n", "CP1250", TextEncoding::Windows1250);
    row("Hungarian", "név,idő,város,hőmérséklet,száma,fű\n", "CP1250", TextEncoding::Windows1250);
    row("Russian", "доход,город,возраст\nда,Москва,Казань\n", "CP1251", TextEncoding::Windows1251);
    row("Greek", "ηλικία,πόλη,εισόδημα\nναι,Αθήνα,Πάτρα\n", "CP1253", TextEncoding::Windows1253);
    row("Turkish", "yaş,şehir,İstanbul,değer,ağırlık,sınıf\n", "CP1254", TextEncoding::Windows1254);
    row("Icelandic", "staður,þyngd,árið,dýr,sæti,hús\n", "CP1252", TextEncoding::Windows1252);
    row("Chinese", "姓名,男\n女,北京\n", "GB18030", kNone);
    row("Korean", "이름,남자\n여자,서울\n", "CP949", kNone);
    row("ASCII", "a,b\n1,2\n", "UTF-8", kNone);
    row("UTF-8", "id,Straße\n", "UTF-8", kNone);
}

void TstTextEncodings::encodingsOfWindowsAreRecognised()
{
    QFETCH(Bytes, text);
    QFETCH(const QString, written);
    Bytes bytes(4 * text.size(), '\0');
    iconv_t converter = iconv_open(written.toLatin1(), "UTF-8");
    char* in = text.data();
    char* out = bytes.data();
    auto inLeft = static_cast<std::size_t>(text.size());
    auto outLeft = static_cast<std::size_t>(bytes.size());
    QCOMPARE(iconv(converter, &in, &inLeft, &out, &outLeft), std::size_t(0));
    iconv_close(converter);
    bytes.chop(static_cast<qsizetype>(outLeft));
    const auto guess = guessEncoding({bytes.data(), static_cast<std::size_t>(bytes.size())});
    QTEST(guess ? static_cast<int>(*guess) : -1, "expected");
    QVERIFY(!guessEncoding("a,\xE5\x90")); // a character of UTF-8 that breaks off
}

void TstTextEncodings::writesWhatPythonReads_data()
{
    QTest::addColumn<int>("encoding");
    QTest::addColumn<bool>("isBigEndian");
    QTest::addColumn<QByteArray>("bytes");
    const auto add = [](const char* name, TextEncoding encoding, bool isBigEndian,
                        const QByteArray& bytes) {
        QTest::newRow(name) << static_cast<int>(encoding) << isBigEndian << bytes;
    };
    add("UTF-8", TextEncoding::Utf8, false, "\xC2\xA7;1\n");
    add("Latin-1", TextEncoding::Latin1, false, "\xA7;1\n");
    add("Windows-1252", TextEncoding::Windows1252, false, "\xA7;1\n");
    add("little", TextEncoding::Utf16, false,
        QByteArray("\xA7\0;\0"
                   "1\0\n\0",
                   8));
    add("big", TextEncoding::Utf16, true,
        QByteArray("\0\xA7\0;\0"
                   "1\0\n",
                   8));
    add("CP949", TextEncoding::Cp949, false, "\xA1\xD7;1\n");
    add("GB18030", TextEncoding::Gb18030, false, "\xA1\xEC;1\n");
}

void TstTextEncodings::writesWhatPythonReads()
{
    QFETCH(const int, encoding);
    QFETCH(const bool, isBigEndian);
    QFETCH(const QByteArray, bytes);
    auto encoder = TextEncoder::create(static_cast<TextEncoding>(encoding), isBigEndian);
    VERIFY_OK(encoder);
    for (int i = 0; i < 2; ++i) {
        const auto encoded = encoder->encode("§;1\n");
        VERIFY_OK(encoded);
        QCOMPARE(QByteArray::fromStdString(*encoded), bytes);
    }
}

void TstTextEncodings::namesTheCharacterThatAnEncodingLacks()
{
    auto encoder = TextEncoder::create(TextEncoding::Latin1, false);
    VERIFY_OK(encoder);
    const auto lost = encoder->encode("7;€ or $\n");
    VERIFY_ERROR(lost, "csv.not_in_encoding");
    QVERIFY2(lost.error().sentence.starts_with("€ cannot be written in Latin-1"),
             lost.error().sentence.c_str());
}

CANNERY_TEST(TstTextEncodings)
#include "tst_text_encodings.moc"
