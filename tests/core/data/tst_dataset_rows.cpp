// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/spec/data.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

using namespace cannery;
using namespace cannery::data;

/// Rows under other names, without places for all, or with fewer columns.
class TstDatasetRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void renamesAColumn();
    void keepsPlacesOfRowsThatCannotBeMade();
    void rowsToPredictMayLackColumns();
    void removesRowsFromABatch();

private:
    std::string write(const QString& name, const std::string& text);
    spec::Data parse(const std::string& text);
    Result<FeatureBatch> read(const spec::Data& data, FeatureRequest request = {},
                              DataPart part = DataPart::Train);

    QTemporaryDir m_folder;
};

std::string TstDatasetRows::write(const QString& name, const std::string& text)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("cannot write the test file");
    }
    file.write(text.data(), qint64(text.size()));
    return file.fileName().toStdString();
}

spec::Data TstDatasetRows::parse(const std::string& text)
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(text, &data)) {
        qFatal("the test's experiment is wrong");
    }
    return data;
}

Result<FeatureBatch> TstDatasetRows::read(const spec::Data& data, FeatureRequest request,
                                          DataPart part)
{
    CANNERY_TRY_ASSIGN(const Dataset dataset,
                       Dataset::open(data, m_folder.path().toStdString(), part));
    CANNERY_TRY_ASSIGN(const std::unique_ptr<FeatureStream> stream, dataset.read(request));
    CANNERY_TRY_ASSIGN(std::optional<FeatureBatch> batch, stream->next());
    return std::move(*batch);
}

void TstDatasetRows::renamesAColumn()
{
    write("named.csv", "size [m],y\n1.5,0\n,1\n");
    const spec::Data data = parse(R"(train { csv { files: "named.csv" } } label { column: "y" }
        column { name: "size [m]" default_value: "4" }
        feature { name: "size_m" column: "size [m]" })");
    const auto batch = read(data);
    VERIFY_OK(batch);
    QCOMPARE(batch->features.size(), std::size_t{1});
    QCOMPARE(batch->features[0].name, std::string("size_m"));
    QCOMPARE(std::get<std::vector<float>>(batch->features[0].elements),
             (std::vector<float>{1.5, 4}));
    const auto dataset = Dataset::open(data, m_folder.path().toStdString(), DataPart::Train);
    QCOMPARE(dataset->find("size_m")->columns, std::vector<std::string>{"size [m]"});
    QVERIFY(dataset->find("size [m]") != nullptr); // a part of a feature, as of a stack
    spec::Data wrong = data;
    wrong.mutable_feature(0)->set_column("size");
    VERIFY_ERROR(read(wrong), "data.no_such_column");
}

void TstDatasetRows::keepsPlacesOfRowsThatCannotBeMade()
{
    write("pieces.csv", "n,m,y\n1|2,3,0\n1|x,y,1\n5,z,0\n7,8,1\n");
    const spec::Data data = parse(R"(train { csv { files: "pieces.csv" } } label { column: "y" }
        feature { name: "n" split { column: "n" separator: "|" dtype: int64 } }
        feature { name: "m" split { column: "m" separator: "|" dtype: int64 } })");
    VERIFY_ERROR(read(data), "data.bad_piece");
    const auto batch = read(data, {.keepsUnusable = true});
    VERIFY_OK(batch);
    QCOMPARE(batch->rowCount, std::int64_t{4});
    QCOMPARE(batch->unusable.size(), std::size_t{2});
    QCOMPARE(batch->unusable[0].row, std::int64_t{1});
    QVERIFY(batch->unusable[0].error.sentence.find("pieces.csv:3: the piece \"x\"") !=
            std::string::npos);
    QCOMPARE(batch->unusable[1].row, std::int64_t{2});
}

void TstDatasetRows::rowsToPredictMayLackColumns()
{
    write("known.csv", "a,b,c,y\n1,2,x,0\n");
    const std::string file = write("rows.csv", "b,z\n5,6\nu,7\n8,9\n");
    const spec::Data data = parse(R"(train { csv { files: "known.csv" } } label { column: "y" }
        column { name: "a" dtype: int32 default_value: "9" } column { name: "b" dtype: int32 }
        column { name: "c" dtype: string } column { name: "y" dtype: int32 })");
    std::vector<std::string> absent;
    const auto rows = Dataset::openRows(data, m_folder.path().toStdString(), {file}, absent);
    VERIFY_OK(rows);
    QCOMPARE(absent, (std::vector<std::string>{"a", "c"}));
    const auto stream = rows->read({.features = {"a", "b", "c"}, .labels = LabelNeed::None});
    VERIFY_OK(stream);
    const auto batch = (*stream)->next();
    VERIFY_OK(batch);
    QCOMPARE(std::get<std::vector<std::int64_t>>((*batch)->features[0].elements),
             (std::vector<std::int64_t>{9, 9}));
    QCOMPARE(std::get<std::vector<std::int64_t>>((*batch)->features[1].elements),
             (std::vector<std::int64_t>{5, 8}));
    QCOMPARE((*batch)->features[2].valid, (std::vector<std::uint8_t>{0, 0}));
    QCOMPARE((*batch)->line, (std::vector<std::int64_t>{2, 4}));
    const std::vector<RefusedRow> refused = (*stream)->refused(0);
    QCOMPARE(refused.size(), std::size_t{1});
    QCOMPARE(refused[0].line, std::uint64_t{3});
    VERIFY_ERROR(rows->read({.features = {"a", "c"}, .labels = LabelNeed::None}),
                 "data.no_column_there");
}

void TstDatasetRows::removesRowsFromABatch()
{
    FeatureBatch batch{.rowCount = 3, .fileIndex = {0, 0, 1}, .line = {2, 3, 2}};
    batch.features.push_back({.name = "pair",
                              .dtype = DType::Float32,
                              .elements = std::vector<float>{1, 2, 3, 4, 5, 6},
                              .shape = Shape{2},
                              .valid = {1, 1, 0, 1, 1, 0}});
    batch.features.push_back({.name = "list",
                              .dtype = DType::Int64,
                              .elements = std::vector<std::int64_t>{7, 8, 9},
                              .valid = {},
                              .sparse = true,
                              .rowOffsets = {0, 2, 2, 3}});
    batch.unusable.push_back({1, Error{}});
    removeRows(batch, {1});
    QCOMPARE(batch.rowCount, std::int64_t{2});
    QCOMPARE(std::get<std::vector<float>>(batch.features[0].elements),
             (std::vector<float>{1, 2, 5, 6}));
    QCOMPARE(batch.features[0].valid, (std::vector<std::uint8_t>{1, 1, 1, 0}));
    QCOMPARE(batch.features[1].rowOffsets, (std::vector<std::int64_t>{0, 2, 3}));
    QCOMPARE(batch.fileIndex, (std::vector<std::int32_t>{0, 1}));
    QVERIFY(batch.unusable.empty());
    removeRows(batch, {0, 1});
    QCOMPARE(batch.rowCount, std::int64_t{0});
    QCOMPARE(batch.features[1].rowOffsets, std::vector<std::int64_t>{0});
}

CANNERY_TEST(TstDatasetRows)
#include "tst_dataset_rows.moc"
