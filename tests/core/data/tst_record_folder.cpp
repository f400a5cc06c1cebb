// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/sources/record_folder.h"
#include "core/spec/data.pb.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/record_file.h"
#include "tests/core/data/record_rows.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;

namespace {

using Integers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// What TensorFlow Transform writes: the schema of what it made, and that of what it read.
constexpr const char* kTransformed = "feature { name: 'x' type: INT shape { } }"
                                     "feature { name: 'y' type: INT shape { }"
                                     " not_in_environment: 'SERVING' }"
                                     "default_environment: 'TRAINING'"
                                     "default_environment: 'SERVING'";

} // namespace

/// Folders as TFX and TensorFlow Datasets write them.
class TstRecordFolder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void allSplitsAreReadUnlessOneIsNamed();
    void splitsOfTensorFlowDatasetsAreInTheNames();
    void refusesASplitThatIsNotThere();
    void theDataSetMayBeBelowTheFolder();
    void refusesToMixDataSets();
    void eventFilesAreNoData();
    void evalComesFromTheUsualName_data();
    void evalComesFromTheUsualName();
    void transformedExamplesHaveTheTransformedSchema();
    void rawExamplesDoNotHaveTheTransformedSchema();
    void refusesToChooseAmongSchemas();
    void anEmptySchemaFollowsNone();
    void rowsToPredictNeedNoLabel();
    void otherFilesAreReadWhole();

private:
    std::string path(const std::string& name) const { return m_folder + "/" + name; }
    void write(const std::string& name, const std::string& text) const
    {
        if (!storage::makeFolders(storage::parentFolder(path(name))) ||
            !storage::writeFileAtomically(path(name), text)) {
            qFatal("cannot write the test's file");
        }
    }
    /// One record: x, and y unless negative.
    void writeRecord(const std::string& name, std::int64_t x, std::int64_t y = 1) const
    {
        storage::Example example{{{"x", Integers{x}}}};
        if (y >= 0) {
            example.features["y"] = Integers{y};
        }
        write(name, storage::frameRecord(storage::serializeExample(example)));
    }
    Result<std::unique_ptr<DataSource>> open(const std::string& text) const
    {
        return openDataSource(recordSource("tfrecord { " + text + " }"), {.folder = m_folder});
    }
    /// The column x of all rows.
    Names xOf(const std::string& text) const
    {
        const auto source = open(text);
        const auto table = source ? readRecords(**source) : tl::make_unexpected(source.error());
        if (!table) {
            return {table.error().sentence};
        }
        Names values;
        for (const Names& row : table->rows) {
            values.push_back(row.front());
        }
        return values;
    }

    std::unique_ptr<QTemporaryDir> m_temporary;
    std::string m_folder;
};

void TstRecordFolder::init()
{
    m_temporary = std::make_unique<QTemporaryDir>();
    m_folder = m_temporary->path().toStdString();
}

void TstRecordFolder::allSplitsAreReadUnlessOneIsNamed()
{
    writeRecord("examples/Split-train/data_tfrecord-00000-of-00002", 1);
    writeRecord("examples/Split-train/data_tfrecord-00001-of-00002", 2);
    writeRecord("examples/Split-eval/data_tfrecord-00000-of-00001", 3);
    QCOMPARE(xOf("files: 'examples'"), (Names{"3", "1", "2"}));
    QCOMPARE(xOf("files: 'examples' split: 'train'"), (Names{"1", "2"}));
    QCOMPARE(xOf("files: 'examples/' split: 'eval'"), (Names{"3"}));
    QCOMPARE(xOf("files: 'examples/*/*' split: 'eval'"), (Names{"3"}));
    QCOMPARE(xOf("files: 'examples/Split-train' split: 'train'"), (Names{"1", "2"}));
    QVERIFY(sourceOfFile(path("examples")).kind_case() == spec::DataSource::kTfrecord);
}

void TstRecordFolder::splitsOfTensorFlowDatasetsAreInTheNames()
{
    write("toy/1.0.0/dataset_info.json", "{\"name\": \"toy\"}");
    write("toy/1.0.0/features.json", "{}");
    writeRecord("toy/1.0.0/toy-train.tfrecord-00000-of-00001", 1);
    writeRecord("toy/1.0.0/toy-test.tfrecord-00000-of-00001", 2);
    QCOMPARE(xOf("files: 'toy/1.0.0'"), (Names{"2", "1"}));
    QCOMPARE(xOf("files: 'toy' split: 'train'"), (Names{"1"}));
    QCOMPARE(xOf("files: 'toy' split: 'test'"), (Names{"2"}));
}

void TstRecordFolder::refusesASplitThatIsNotThere()
{
    writeRecord("examples/Split-train/a", 1);
    writeRecord("examples/Split-eval/a", 3);
    const auto refused = open("files: 'examples' split: 'test'");
    VERIFY_ERROR(refused, "tfrecord.no_such_split");
    QVERIFY(refused.error().sentence.find("It has \"eval\", \"train\".") != std::string::npos);
    VERIFY_ERROR(open("files: 'examples/Split-train' split: 'eval'"), "tfrecord.no_such_split");
    writeRecord("flat/a.bin", 1);
    VERIFY_ERROR(open("files: 'flat' split: 'train'"), "tfrecord.no_such_split");
}

void TstRecordFolder::theDataSetMayBeBelowTheFolder()
{
    writeRecord("ExampleGen/examples/7/Split-train/data.gz", 1);
    write("ExampleGen/notes.txt", "no records");
    writeRecord("ExampleGen/.temporary/data", 9);
    QCOMPARE(xOf("files: 'ExampleGen'"), (Names{"1"}));
    write("empty/deep/notes.txt", "no records");
    VERIFY_ERROR(open("files: 'empty'"), "tfrecord.none_in_folder");
    QVERIFY(sourceOfFile(path("empty")).kind_case() != spec::DataSource::kTfrecord);
}

void TstRecordFolder::refusesToMixDataSets()
{
    writeRecord("examples/7/Split-train/data", 1);
    writeRecord("examples/8/Split-train/data", 2);
    const auto refused = open("files: 'examples'");
    VERIFY_ERROR(refused, "tfrecord.several_data_sets");
    QVERIFY(refused.error().sentence.find("examples/7 and ") != std::string::npos);
    QCOMPARE(xOf("files: 'examples/8'"), (Names{"2"}));
    // It is known for what it is, and opening it says why not.
    QVERIFY(sourceOfFile(path("examples")).kind_case() == spec::DataSource::kTfrecord);
}

void TstRecordFolder::eventFilesAreNoData()
{
    writeRecord("run/events.out.tfevents.1700000000.host", 1);
    VERIFY_ERROR(open("files: 'run'"), "tfrecord.none_in_folder");
    writeRecord("run/data.tfrecord", 2);
    QCOMPARE(xOf("files: 'run'"), (Names{"2"}));
}

void TstRecordFolder::evalComesFromTheUsualName_data()
{
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QString>("eval");
    QTest::newRow("TFX") << QStringList{"Split-eval/a", "Split-train/a"} << "eval";
    QTest::newRow("TensorFlow Datasets")
        << QStringList{"t-test.tfrecord-0-of-1", "t-train.tfrecord-0-of-1"} << "test";
    QTest::newRow("both") << QStringList{"t-test.tfrecord", "t-train.tfrecord",
                                         "t-validation.tfrecord"}
                          << "validation";
    QTest::newRow("no training") << QStringList{"Split-eval/a", "Split-test/a"} << "";
    QTest::newRow("other names") << QStringList{"Split-train/a", "Split-more/a"} << "";
    QTest::newRow("no splits") << QStringList{"a", "b-c"} << "";
}

void TstRecordFolder::evalComesFromTheUsualName()
{
    QFETCH(QStringList, files);
    QFETCH(QString, eval);
    Names names;
    for (const QString& file : files) {
        names.push_back(file.toStdString());
    }
    const auto pair = splitPairOf(names);
    QCOMPARE(pair.has_value(), !eval.isEmpty());
    if (pair) {
        QCOMPARE(pair->train, std::string("train"));
        QCOMPARE(pair->eval, eval.toStdString());
    }
}

void TstRecordFolder::transformedExamplesHaveTheTransformedSchema()
{
    writeRecord("Transform/transformed_examples/5/Split-train/transformed_examples-0-of-1", 1);
    write("Transform/transform_graph/5/transformed_metadata/schema.pbtxt", kTransformed);
    write("Transform/transform_graph/5/metadata/schema.pbtxt", "feature { name: 'raw' type: INT }");
    const auto source = open("files: 'Transform'");
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (Names{"x", "y"}));
    QCOMPARE((*source)->schema().find("x")->reason, std::string("as the schema says"));
    const auto file =
        schemaFile(recordSource("tfrecord { files: 'Transform' split: 'train' }"), m_folder);
    VERIFY_OK(file);
    QVERIFY(file->ends_with("transformed_metadata/schema.pbtxt"));
}

void TstRecordFolder::rawExamplesDoNotHaveTheTransformedSchema()
{
    writeRecord("raw/data.tfrecord", 1);
    write("raw/transformed_metadata/schema.pbtxt", "feature { name: 'other' type: BYTES }");
    QCOMPARE((*open("files: 'raw'"))->schema().names(), (Names{"x", "y"}));
    write("raw/schema.pbtxt", "feature { name: 'x' type: INT }");
    QCOMPARE((*open("files: 'raw'"))->schema().names(), (Names{"x"}));
    // The schema belongs to the folder, not to a file named alone.
    QCOMPARE((*open("files: 'raw/data.tfrecord'"))->schema().names(), (Names{"x", "y"}));
}

void TstRecordFolder::refusesToChooseAmongSchemas()
{
    writeRecord("data/a.tfrecord", 1);
    write("data/one/schema.pbtxt", "feature { name: 'x' type: INT }");
    write("data/two/schema.pbtxt", "feature { name: 'y' type: INT }");
    VERIFY_ERROR(open("files: 'data'"), "tfrecord.several_schemas");
    QCOMPARE((*open("files: 'data' schema: 'data/two/schema.pbtxt'"))->schema().names(),
             (Names{"y"}));
}

void TstRecordFolder::anEmptySchemaFollowsNone()
{
    writeRecord("data/a.tfrecord", 1);
    write("data/schema.pbtxt", "feature { name: 'x' type: BYTES }");
    VERIFY_ERROR(open("files: 'data'"), "tfrecord.other_type");
    QCOMPARE((*open("files: 'data' schema: ''"))->schema().names(), (Names{"x", "y"}));
}

void TstRecordFolder::rowsToPredictNeedNoLabel()
{
    writeRecord("train/a.tfrecord", 1);
    write("train/schema.pbtxt", kTransformed);
    writeRecord("serving/a.tfrecord", 5, -1);
    write("serving/schema.pbtxt", kTransformed);
    spec::Data data;
    *data.mutable_train() = recordSource("tfrecord { files: 'train' }");
    data.mutable_label()->set_column("y");
    const auto dataset = Dataset::openFiles(data, m_folder, {path("serving")});
    VERIFY_OK(dataset);
    QVERIFY(!dataset->hasLabels());
    const auto training = Dataset::open(data, m_folder, DataPart::Train);
    VERIFY_OK(training);
    QVERIFY(training->hasLabels());
}

void TstRecordFolder::otherFilesAreReadWhole()
{
    writeRecord("examples/Split-train/data", 1);
    writeRecord("examples/Split-eval/data", 3);
    writeRecord("new/data", 7);
    spec::Data data;
    *data.mutable_train() = recordSource("tfrecord { files: 'examples' split: 'train' }");
    const auto dataset = Dataset::openFiles(data, m_folder, {path("new")});
    VERIFY_OK(dataset);
    QCOMPARE(readRecords(dataset->source())->rows.size(), std::size_t{1});
}

CANNERY_TEST(TstRecordFolder)
#include "tst_record_folder.moc"
