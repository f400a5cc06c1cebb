// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_reader.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/sources/npz_rows.h"
#include "core/spec/data.pb.h"
#include "storage/io/files.h"
#include "storage/tabular/npy_array.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace cannery;
using namespace cannery::data;

namespace {

using ArrayTexts = std::vector<std::vector<std::string>>;

Result<std::unique_ptr<DataSource>> openArchive(const std::string& file,
                                                const SourceOptions& options = {})
{
    spec::DataSource source;
    source.mutable_npz()->add_files(
        file.starts_with('/') ? file : CANNERY_SOURCE_DIR "/tests/golden/npz/" + file);
    return openDataSource(source, options);
}

Result<ArrayTexts> readArrays(const DataSource& source)
{
    ChunkRequest request;
    for (const std::string& name : source.schema().names()) {
        request.columns.push_back({.column = name, .dtype = DType::String});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<ChunkStream> stream, source.read(request));
    ArrayTexts rows;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            return rows;
        }
        for (std::size_t row = 0; row < chunk->rows; ++row) {
            std::vector<std::string>& cells = rows.emplace_back();
            for (const storage::TableColumn& column : chunk->columns) {
                cells.emplace_back(column.isValid(row) ? column.strings()[row] : "-");
            }
        }
    }
}

} // namespace

/// Archives that NumPy wrote.
class TstNpzSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void arraysAreColumns_data();
    void arraysAreColumns();
    void columnsHaveTheTypesOfTheirArrays();
    void refusesWhatIsNoTable_data();
    void refusesWhatIsNoTable();
    void headersAreStrict_data();
    void headersAreStrict();
    void rowsAreReadAgainByTheirNumbers();
    void severalFilesAreOneTable();
    void valuesThatDoNotFitAreNamedOrLeftOut();
    void damagedArchivesAreErrors_data();
    void damagedArchivesAreErrors();
    void replacedArchivesAreNamedSo();
    void archivesAreRecognised();
};

void TstNpzSource::arraysAreColumns_data()
{
    QTest::addColumn<std::string>("file");
    QTest::newRow("stored") << std::string("stored.npz");
    QTest::newRow("deflated") << std::string("deflated.npz");
}

void TstNpzSource::arraysAreColumns()
{
    QFETCH(std::string, file);
    const auto source = openArchive(file);
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(),
             (std::vector<std::string>{"f", "d", "i", "u", "l", "b", "s", "z", "m_0", "m_1"}));
    QVERIFY((*source)->schema().warnings.front().find("array one is one value") !=
            std::string::npos);
    const ArrayTexts expected{{"1.5", "0.001", "-1", "0", "0", "1", "grüße", "x", "0", "1"},
                              {"-2.25", "2", "0", "1", "-1099511627776", "0", "a", "yy", "2", "3"},
                              {"-", "3", "1", "2", "3", "1", "-", "-", "4", "5"},
                              {"0.1", "1e+30", "127", "65535", "4", "1", "bc", "z", "6", "7"}};
    QCOMPARE(*readArrays(**source), expected);
    QCOMPARE((*source)->preview(1)->front(), expected.front());
}

void TstNpzSource::columnsHaveTheTypesOfTheirArrays()
{
    const auto source = openArchive("stored.npz");
    VERIFY_OK(source);
    std::vector<DType> dtypes;
    for (const ColumnSchema& column : (*source)->schema().columns) {
        dtypes.push_back(column.dtype);
    }
    QVERIFY((dtypes == std::vector<DType>{DType::Float32, DType::Float32, DType::Int32,
                                          DType::Int32, DType::Int64, DType::Int32, DType::String,
                                          DType::String, DType::Float32, DType::Float32}));
}

void TstNpzSource::refusesWhatIsNoTable_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<QString>("id");
    QTest::addColumn<std::string>("cure");
    const auto row = [](const char* file, const char* id, const char* cure) {
        QTest::newRow(file) << std::string(file) << QString(id) << std::string(cure);
    };
    row("objects.npz", "npz.objects", "array.astype(str)");
    row("lengths.npz", "npz.other_length", "x has 3, y has 4");
    row("cube.npz", "npz.dimensions", "array.reshape(len(array), -1)");
    row("columns.npz", "npz.fortran_order", "numpy.ascontiguousarray(array)");
    row("big_endian.npz", "npz.dtype", "newbyteorder");
    row("dates.npz", "npz.dtype", "array.astype(str)");
    row("make.py", "zip.not_an_archive", "zip archive");
}

void TstNpzSource::refusesWhatIsNoTable()
{
    QFETCH(std::string, file);
    QFETCH(QString, id);
    QFETCH(std::string, cure);
    const auto source = openArchive(file);
    VERIFY_ERROR(source, id);
    QVERIFY2(source.error().sentence.find(cure) != std::string::npos,
             source.error().sentence.c_str());
}

void TstNpzSource::headersAreStrict_data()
{
    QTest::addColumn<std::string>("header");
    QTest::addColumn<QString>("id");
    const auto row = [](const char* header, const char* id) {
        QTest::newRow(header) << std::string(header) << QString(id);
    };
    row("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "");
    row("{\"shape\":(3,4),\"descr\":\"|b1\",\"fortran_order\":False}", "");
    row("{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", "npz.dtype");
    row("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", "npz.dtype");
    row("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", "npz.structured");
    row("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "npz.objects");
    row("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", "npz.not_an_array");
    row("{'descr': '<f4', 'fortran_order': False, 'shape': (3", "npz.not_an_array");
    row("{'descr': '<f4', 'other': False, 'shape': (3,), }", "npz.not_an_array");
    row("{'fortran_order': False, 'shape': (3,), }", "npz.not_an_array");
    row("", "npz.not_an_array");
}

void TstNpzSource::headersAreStrict()
{
    QFETCH(std::string, header);
    QFETCH(QString, id);
    const auto parsed = storage::parseNpyHeader(header, "x");
    if (id.isEmpty()) {
        VERIFY_OK(parsed);
        QCOMPARE(parsed->rows(), std::uint64_t{3});
    } else {
        VERIFY_ERROR(parsed, id);
    }
}

void TstNpzSource::rowsAreReadAgainByTheirNumbers()
{
    const auto source = openArchive("deflated.npz");
    const auto rows = (*source)->rowReader();
    VERIFY_OK(rows);
    const auto last = (*rows)->read({0, 3, 4});
    VERIFY_OK(last);
    QCOMPARE(last->size(), std::size_t{1});
    QCOMPARE(last->front().front(), std::string("0.1"));
}

void TstNpzSource::severalFilesAreOneTable()
{
    spec::DataSource message;
    message.mutable_npz()->add_files(CANNERY_SOURCE_DIR "/tests/golden/npz/[sd]*ed.npz");
    const auto source = openDataSource(message, {});
    VERIFY_OK(source);
    QCOMPARE((*source)->files().size(), std::size_t{2});
    const auto rows = readArrays(**source);
    VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t{8});
    QCOMPARE((*rows)[0], (*rows)[4]);
}

void TstNpzSource::valuesThatDoNotFitAreNamedOrLeftOut()
{
    SourceOptions options;
    options.columns.emplace_back().set_name("f");
    options.columns.back().set_dtype(spec::DataType::int32);
    const auto strict = openArchive("stored.npz", options);
    VERIFY_OK(strict);
    VERIFY_ERROR((*(*strict)->read({.columns = {{.column = "f"}}}))->next(), "npz.unusable_row");
    options.badRows = spec::BadRows::SKIP;
    const auto lenient = openArchive("stored.npz", options);
    const auto stream = (*lenient)->read({.columns = {{.column = "f"}}});
    const auto end = (*stream)->next();
    VERIFY_OK(end);
    QVERIFY(end->has_value());
    QCOMPARE((*end)->rows, std::size_t{1}); // NaN is a missing cell
    QCOMPARE((*stream)->report().badRowCount, std::uint64_t{3});
}

void TstNpzSource::damagedArchivesAreErrors_data()
{
    arraysAreColumns_data();
}

/// A flipped byte or a cut is an error, unless it changes nothing that is read.
void TstNpzSource::damagedArchivesAreErrors()
{
    QFETCH(std::string, file);
    const std::string good =
        *storage::readWholeFile(CANNERY_SOURCE_DIR "/tests/golden/npz/" + file);
    const QTemporaryDir folder;
    const std::string path = folder.filePath("damaged.npz").toStdString();
    const auto readDamaged = [&](const std::string& bytes) -> Result<ArrayTexts> {
        QFile damaged(QString::fromStdString(path));
        if (!damaged.open(QIODevice::WriteOnly) ||
            damaged.write(bytes.data(), qint64(bytes.size())) != qint64(bytes.size())) {
            qFatal("cannot write the test's archive");
        }
        damaged.close();
        CANNERY_TRY_ASSIGN(const std::unique_ptr<DataSource> source, openArchive(path));
        return readArrays(*source);
    };
    const Result<ArrayTexts> whole = readDamaged(good);
    VERIFY_OK(whole);
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bytes = good;
        bytes[at] ^= '\x15';
        const auto rows = readDamaged(bytes);
        QVERIFY2(!rows || *rows == *whole, qPrintable(QString::number(at)));
    }
    for (std::size_t length = 0; length < good.size(); length += 7) {
        QVERIFY(!readDamaged(good.substr(0, length)));
    }
}

void TstNpzSource::replacedArchivesAreNamedSo()
{
    const std::string file = CANNERY_SOURCE_DIR "/tests/golden/npz/stored.npz";
    const auto layout = npzLayout(file);
    VERIFY_OK(layout);
    const NpzPlace found = layout->places.front();
    VERIFY_OK(NpzRows::open(file, {found}));
    NpzPlace other = found;
    other.kind = storage::NpyKind::Integer;
    VERIFY_ERROR(NpzRows::open(file, {other}), "npz.changed");
    other = found;
    other.itemBytes = 8;
    VERIFY_ERROR(NpzRows::open(file, {other}), "npz.changed");
    other = found;
    other.array = "gone";
    const auto gone = NpzRows::open(file, {other});
    VERIFY_ERROR(gone, "npz.changed");
    QVERIFY(gone.error().sentence.find("gone of " + file) != std::string::npos);
}

void TstNpzSource::archivesAreRecognised()
{
    QVERIFY(sourceOfFile(CANNERY_SOURCE_DIR "/tests/golden/npz/stored.npz").has_npz());
    QVERIFY(sourceOfFile(CANNERY_SOURCE_DIR "/tests/golden/npz/objects.npz").has_npz());
    QVERIFY(!sourceOfFile(CANNERY_SOURCE_DIR "/tests/golden/npz/make.py").has_npz());
}

CANNERY_TEST(TstNpzSource)
#include "tst_npz_source.moc"
