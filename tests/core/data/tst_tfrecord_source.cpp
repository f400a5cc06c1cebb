// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/spec/data.pb.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/record_file.h"
#include "tests/core/data/record_rows.h"
#include "tests/core/data/tfrecord_folder.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

#include <memory>
#include <optional>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;
using storage::Compression;
using storage::Example;
using storage::SequenceExample;

/// tf.Example and tf.SequenceExample as tables.
class TstTfrecordSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFeatureWithOneValueIsAColumnOfItsType();
    void compressedFilesHoldTheSameRows_data();
    void compressedFilesHoldTheSameRows();
    void severalValuesAreOneCell();
    void listsAreSparseFeatures();
    void stepsOfSequencesAreOneCell();
    void valuesConvertToTheTypeThatIsAskedFor();
    void aRecordThatDoesNotFitIsNamedOrLeftOut();
    void aFolderIsReadInOrderOfName();
    void refusesOtherFiles();
    void rowsAreTheSameOnAnyNumberOfThreads();
    void otherFilesAreReadLikeTheFirst();
    void rowsAreReadAgainByTheirOffsets_data();
    void rowsAreReadAgainByTheirOffsets();
    void bytesThatAreNoTextAreNoColumn();
    void orderOfFeaturesMayChange();
    void filesAreRecognisedByTheirContent();

private:
    TfrecordFolder m_folder;
};

void TstTfrecordSource::aFeatureWithOneValueIsAColumnOfItsType()
{
    m_folder.writeExamples("one.tfrecord",
                           {{{{"f", Floats{1.5F}}, {"i", Integers{-7}}, {"s", Strings{"grüße"}}}},
                            {{{"i", Integers{1LL << 40}}, {"f", {}}, {"s", Strings{}}}}});
    const auto source = m_folder.open("files: 'one.tfrecord'");
    VERIFY_OK(source);
    const std::vector<ColumnSchema>& columns = (*source)->schema().columns;
    QCOMPARE((*source)->schema().names(), (Strings{"f", "i", "s"}));
    QVERIFY(columns[0].dtype == DType::Float32);
    QVERIFY(columns[1].dtype == DType::Int64);
    QVERIFY(columns[2].dtype == DType::String);
    QCOMPARE(columns[0].missing, std::uint64_t{1});
    const auto table = readRecords(**source);
    VERIFY_OK(table);
    QCOMPARE(table->rows, (Texts{{"1.5", "-7", "grüße"}, {"-", "1099511627776", "-"}}));
    QCOMPARE(*(*source)->preview(1), (Texts{{"1.5", "-7", "grüße"}}));
}

void TstTfrecordSource::compressedFilesHoldTheSameRows_data()
{
    QTest::addColumn<int>("compression");
    QTest::newRow("plain") << int(Compression::None);
    QTest::newRow("gzip") << int(Compression::Gzip);
    QTest::newRow("zlib") << int(Compression::Zlib);
}

void TstTfrecordSource::compressedFilesHoldTheSameRows()
{
    QFETCH(int, compression);
    m_folder.writeExamples("packed", manyExamples(5000), static_cast<Compression>(compression));
    const auto source = m_folder.open("files: 'packed'");
    VERIFY_OK(source);
    const auto table = readRecords(**source, {.fingerprint = true});
    VERIFY_OK(table);
    QCOMPARE(table->rows.size(), std::size_t{5000});
    QCOMPARE(table->rows[4], (Strings{"4", "1", "w4"}));
    QCOMPARE(table->rows[4999], (Strings{"-4999", "1249.75", "w1"}));
    QCOMPARE(table->rows[0], (Strings{"-", "0", "w0"}));
    QCOMPARE(*table->fingerprint, *(*source)->fingerprint());
}

void TstTfrecordSource::severalValuesAreOneCell()
{
    m_folder.writeExamples("lists", {{{{"ids", Integers{3, -4}}, {"tags", Strings{"a", "b c"}}}},
                                     {{{"ids", Integers{5}}, {"w", Floats{0.1F, 2}}}}});
    const auto source = m_folder.open("files: 'lists'");
    VERIFY_OK(source);
    const std::vector<ColumnSchema>& columns = (*source)->schema().columns;
    QVERIFY(columns[0].listOf == DType::Int64);
    QVERIFY(columns[1].listOf == DType::String);
    QVERIFY(columns[2].listOf == DType::Float32);
    const auto table = readRecords(**source);
    VERIFY_OK(table);
    QCOMPARE(table->rows, (Texts{{"3|-4", "a|b c", "-"}, {"5", "-", "0.1|2"}}));
}

void TstTfrecordSource::listsAreSparseFeatures()
{
    m_folder.writeExamples("sparse", {{{{"ids", Integers{3, 4}}, {"y", Integers{0}}}},
                                      {{{"y", Integers{1}}}},
                                      {{{"ids", Integers{1LL << 60}}, {"y", Integers{1}}}}});
    spec::Data data;
    QVERIFY(google::protobuf::TextFormat::ParseFromString(
        "train { tfrecord { files: 'sparse' } } label { column: 'y' }"
        "feature { name: 'ids' split { column: 'ids' separator: '|' dtype: int64 } }",
        &data));
    const auto dataset =
        Dataset::open(data, m_folder.folder().path().toStdString(), DataPart::Train);
    VERIFY_OK(dataset);
    const auto stream = dataset->read({});
    VERIFY_OK(stream);
    const auto batch = (*stream)->next();
    VERIFY_OK(batch);
    const FeatureValues& ids = (*batch)->features.front();
    QVERIFY(ids.sparse);
    QCOMPARE(std::get<Integers>(ids.elements), (Integers{3, 4, 1LL << 60}));
    QCOMPARE(ids.rowOffsets, (Integers{0, 2, 2, 3}));
}

void TstTfrecordSource::stepsOfSequencesAreOneCell()
{
    const auto source =
        openDataSource(recordSource("tfrecord { files: '" CANNERY_SOURCE_DIR
                                    "/tests/golden/tfrecord/sequence_example.tfrecord.gz' }"),
                       {});
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (Strings{"id", "tokens", "values"}));
    QVERIFY((*source)->schema().columns[1].listOf == DType::String);
    const auto table = readRecords(**source);
    VERIFY_OK(table);
    QCOMPARE(table->rows.size(), std::size_t{4});
    QCOMPARE(table->rows[0], (Strings{"0", "-", "-"}));
    QCOMPARE(table->rows[3][1], std::string("w3|w4|w5"));
    QCOMPARE(std::count(table->rows[3][2].begin(), table->rows[3][2].end(), '|'), 5);
}

void TstTfrecordSource::valuesConvertToTheTypeThatIsAskedFor()
{
    m_folder.writeExamples("kinds",
                           {{{{"f", Floats{2}}, {"i", Integers{3}}, {"s", Strings{"4"}}}}});
    const auto source = m_folder.open("files: 'kinds'");
    VERIFY_OK(source);
    const auto table = readRecords(**source, {.columns = {{"f", DType::Int32, "a"},
                                                          {"i", DType::Float64, "b"},
                                                          {"i", DType::String, "c"},
                                                          {"s", DType::Float32, "d"},
                                                          {"f", DType::String, "e"}}});
    VERIFY_OK(table);
    QCOMPARE(table->rows, (Texts{{"2", "3", "3", "4", "2"}}));
    VERIFY_ERROR(readRecords(**source, {.columns = {{.column = "g"}}}), "data.no_such_column");
}

void TstTfrecordSource::aRecordThatDoesNotFitIsNamedOrLeftOut()
{
    std::vector<Example> examples(40, {{{"x", Floats{1}}}});
    examples[33] = {{{"x", Floats{1, 2}}}};
    examples[35] = {{{"x", Strings{"no"}}}};
    m_folder.writeExamples("odd", examples);
    SourceOptions options;
    options.columns.emplace_back().set_name("x");
    options.columns.back().set_dtype(spec::DataType::float32);
    auto source = m_folder.open("files: 'odd'", options);
    VERIFY_OK(source);
    auto table = readRecords(**source);
    VERIFY_ERROR(table, "tfrecord.unusable_record");
    QVERIFY(table.error().sentence.find("record 34 has 2 values in feature \"x\"") !=
            std::string::npos);
    options.badRows = spec::BadRows::SKIP;
    source = m_folder.open("files: 'odd'", options);
    VERIFY_OK(source);
    table = readRecords(**source);
    VERIFY_OK(table);
    QCOMPARE(table->rows.size(), std::size_t{38});
    QCOMPARE(table->report.badRowCount, std::uint64_t{2});
    QVERIFY(table->report.badRows[1].find("\"no\" in feature \"x\" that is not a number") !=
            std::string::npos);
}

void TstTfrecordSource::aFolderIsReadInOrderOfName()
{
    QVERIFY(QDir(m_folder.folder().path()).mkpath("Split-train"));
    const auto value = [](float x) { return Example{{{"x", Floats{x}}}}; };
    m_folder.writeExamples("Split-train/data_tfrecord-00001-of-00002.gz", {value(2)},
                           Compression::Gzip);
    m_folder.writeExamples("Split-train/data_tfrecord-00000-of-00002.gz", {value(0), value(1)},
                           Compression::Gzip);
    const std::string other = m_folder.path("Split-train/dataset_info.json");
    VERIFY_OK(storage::writeFileAtomically(other, "{\"name\": \"mnist\"}"));
    const auto source = m_folder.open("files: 'Split-train'");
    VERIFY_OK(source);
    QCOMPARE((*source)->files().size(), std::size_t{2});
    QCOMPARE(readRecords(**source)->rows, (Texts{{"0"}, {"1"}, {"2"}}));
    QCOMPARE(readRecords(**m_folder.open("files: 'Split-train/data_*'"))->rows.size(),
             std::size_t{3});
}

void TstTfrecordSource::refusesOtherFiles()
{
    const std::string table = m_folder.path("table.csv");
    VERIFY_OK(storage::writeFileAtomically(table, "a,b\n1,2\n3,4\n"));
    VERIFY_ERROR(m_folder.open("files: 'table.csv'"), "tfrecord.not_records");
    m_folder.write("nothing", {});
    VERIFY_ERROR(m_folder.open("files: 'nothing'"), "tfrecord.no_records");
    m_folder.write("other", {"no example at all"});
    VERIFY_ERROR(m_folder.open("files: 'other'"), "tfrecord.not_an_example");
    VERIFY_ERROR(m_folder.open("files: 'missing-*'"), "csv.no_such_files");
}

void TstTfrecordSource::rowsAreTheSameOnAnyNumberOfThreads()
{
    m_folder.writeExamples("threads", manyExamples(60000));
    const auto source = m_folder.open("files: 'threads'");
    VERIFY_OK(source);
    const auto alone = readRecords(**source, {.fingerprint = true});
    VERIFY_OK(alone);
    QCOMPARE(alone->rows.size(), std::size_t{60000});
    kernels::ThreadPool pool(3);
    const auto together =
        readRecords(**source, {.fingerprint = true, .threads = kernels::lend(pool)});
    VERIFY_OK(together);
    QVERIFY(together->rows == alone->rows);
    QCOMPARE(*together->fingerprint, *alone->fingerprint);
}

void TstTfrecordSource::otherFilesAreReadLikeTheFirst()
{
    m_folder.writeExamples("train", manyExamples(30));
    m_folder.writeExamples("eval", {{{{"number", Floats{1}}, {"word", Strings{"a", "b"}}}}});
    const auto train = m_folder.open("files: 'train'");
    VERIFY_OK(train);
    SourceOptions options;
    options.like = &(*train)->schema();
    const auto eval = m_folder.open("files: 'eval'", options);
    VERIFY_OK(eval);
    // "count" is missing in some records of the training data, and in all of this file.
    QCOMPARE(readRecords(**eval, {.columns = {{.column = "count"}, {.column = "number"}}})->rows,
             (Texts{{"-", "1"}}));
}

void TstTfrecordSource::rowsAreReadAgainByTheirOffsets_data()
{
    compressedFilesHoldTheSameRows_data();
}

void TstTfrecordSource::rowsAreReadAgainByTheirOffsets()
{
    QFETCH(int, compression);
    m_folder.writeExamples("again", manyExamples(3000), static_cast<Compression>(compression));
    const auto source = m_folder.open("files: 'again'");
    VERIFY_OK(source);
    ChunkRequest request{.keepLines = true, .keepOffsets = true};
    for (const std::string& name : (*source)->schema().names()) {
        request.columns.push_back({.column = name});
    }
    const auto stream = (*source)->read(request);
    VERIFY_OK(stream);
    const auto chunk = (*stream)->next();
    VERIFY_OK(chunk);
    const storage::TableChunk& first = **chunk;
    QCOMPARE(first.lines[700], std::uint64_t{701});
    const auto rows = (*source)->rowReader();
    VERIFY_OK(rows);
    const auto late = (*rows)->read({0, first.offsets[700], first.offsets[702]});
    VERIFY_OK(late);
    QCOMPARE(*late, (Texts{{"700", "175", "w0"}, {"-701", "175.25", "w1"}}));
    const auto early = (*rows)->read({0, first.offsets[3], first.offsets[4]});
    VERIFY_OK(early);
    QCOMPARE(*early, (Texts{{"", "0.75", "w3"}}));
}

void TstTfrecordSource::bytesThatAreNoTextAreNoColumn()
{
    m_folder.writeExamples(
        "images", {{{{"image", Strings{std::string("\xff\xd8\0", 3)}}, {"x", Floats{1}}}}});
    const auto source = m_folder.open("files: 'images'");
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (Strings{"x"}));
    QVERIFY((*source)->schema().warnings.front().find("image holds bytes") != std::string::npos);
}

void TstTfrecordSource::orderOfFeaturesMayChange()
{
    // {a: 1, b: 2}, then {b: 3, a: 4}, then a feature that nobody asks for in between.
    const auto entry = [](char name, float value) {
        std::string bytes{"\x0a\x0d\x0a\x01", 4};
        bytes += name;
        bytes += std::string("\x12\x08\x12\x06\x0a\x04", 6);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
        return bytes;
    };
    const auto record = [](const std::string& map) {
        return std::string("\x0a") + static_cast<char>(map.size()) + map;
    };
    m_folder.write("order",
                   {record(entry('a', 1) + entry('b', 2)), record(entry('b', 3) + entry('a', 4)),
                    record(entry('a', 5) + entry('z', 9) + entry('b', 6)),
                    record(entry('a', 7) + entry('b', 8)), record(entry('b', 10))});
    const auto source = m_folder.open("files: 'order'");
    VERIFY_OK(source);
    const auto table = readRecords(**source, {.columns = {{.column = "a"}, {.column = "b"}}});
    VERIFY_OK(table);
    QCOMPARE(table->rows, (Texts{{"1", "2"}, {"4", "3"}, {"5", "6"}, {"7", "8"}, {"-", "10"}}));
    m_folder.write("twice", {record(entry('a', 1) + entry('a', 2))});
    VERIFY_ERROR(readRecords(**m_folder.open("files: 'twice'")), "tfrecord.unusable_record");
}

void TstTfrecordSource::filesAreRecognisedByTheirContent()
{
    const std::string path =
        m_folder.writeExamples("recognised.bin", manyExamples(2), Compression::Gzip);
    QVERIFY(sourceOfFile(path).has_tfrecord());
    QVERIFY(sourceOfFile(m_folder.path("absent")).has_csv());
    const std::string text = m_folder.path("plain.csv");
    VERIFY_OK(storage::writeFileAtomically(text, "a,b\n1,2\n"));
    QVERIFY(sourceOfFile(text).has_csv());
}

CANNERY_TEST(TstTfrecordSource)
#include "tst_tfrecord_source.moc"
