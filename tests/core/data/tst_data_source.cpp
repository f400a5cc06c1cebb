// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/spec/data.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <memory>

using namespace cannery;
using namespace cannery::data;

namespace {

/// Rows that do not come from a file: x counts up, y is whether x is even.
class CountingSource final : public DataSource
{
public:
    explicit CountingSource(std::int64_t rows) : m_rows(rows)
    {
        m_schema.columns = {{.name = "x", .index = 0, .dtype = DType::Int64},
                            {.name = "y", .index = 1, .dtype = DType::Int64}};
    }

    const TableSchema& schema() const override { return m_schema; }
    const std::vector<std::string>& files() const override { return m_names; }
    Result<std::string> fingerprint() const override { return std::to_string(m_rows); }
    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        return std::make_unique<Stream>(m_rows, request);
    }
    Result<std::vector<std::vector<std::string>>> preview(std::size_t) const override
    {
        return std::vector<std::vector<std::string>>();
    }

private:
    class Stream final : public ChunkStream
    {
    public:
        Stream(std::int64_t rows, ChunkRequest request)
            : m_left(rows), m_request(std::move(request))
        {}

        Result<std::optional<storage::TableChunk>> next() override
        {
            if (m_left == 0) {
                return std::optional<storage::TableChunk>();
            }
            storage::TableChunk chunk{.rows = 2, .firstRow = static_cast<std::uint64_t>(m_next)};
            for (const ColumnRequest& wanted : m_request.columns) {
                std::vector<std::int64_t> values;
                for (std::int64_t row = m_next; row < m_next + 2; ++row) {
                    values.push_back(wanted.column == "x" ? row : row % 2);
                }
                chunk.columns.push_back({.name = wanted.as.empty() ? wanted.column : wanted.as,
                                         .dtype = DType::Int64,
                                         .values = std::move(values)});
            }
            chunk.lines = {static_cast<std::uint64_t>(m_next) + 1,
                           static_cast<std::uint64_t>(m_next) + 2};
            m_next += 2;
            m_left -= 2;
            return std::optional(std::move(chunk));
        }
        ReadReport report() const override { return {.rows = static_cast<std::uint64_t>(m_next)}; }

    private:
        std::int64_t m_left;
        std::int64_t m_next = 0;
        ChunkRequest m_request;
    };

    std::int64_t m_rows;
    std::vector<std::string> m_names{"numbers"};
    TableSchema m_schema;
};

spec::Data parse(const std::string& text)
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(text, &data)) {
        qFatal("the test's experiment is wrong");
    }
    return data;
}

} // namespace

/// What a dataset asks of its source, of any kind.
class TstDataSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everySourceTakesOtherFiles();
    void kindsAreGuessedUnlessUnwanted_data();
    void kindsAreGuessedUnlessUnwanted();
    void aSourceSaysWhatIsMissingInEveryColumn();
    void aSourceWithoutFilesIsADataSet();
    void bothPartsOfASplitShareTheirSource();
};

void TstDataSource::everySourceTakesOtherFiles()
{
    for (const DataSourceRow& row : dataSourceCatalog()) {
        spec::DataSource message;
        const auto* field = message.GetDescriptor()->FindFieldByName(std::string(row.name));
        QVERIFY(field != nullptr);
        message.GetReflection()->MutableMessage(&message, field);
        const spec::DataSource changed = withFiles(message, {"first.bin", "second.bin"});
        QVERIFY(changed.kind_case() == row.key);
        QVERIFY(changed.ShortDebugString().find("first.bin") != std::string::npos);
        const bool hasSeveral = field->message_type()->FindFieldByName("files") != nullptr;
        QCOMPARE(changed.ShortDebugString().find("second.bin") != std::string::npos, hasSeveral);
    }
}

void TstDataSource::kindsAreGuessedUnlessUnwanted_data()
{
    QTest::addColumn<QString>("source");
    QTest::newRow("csv") << "csv { files: 'resources/examples/penguins/penguins.csv' }";
    QTest::newRow("tfrecord") << "tfrecord { files: 'tests/golden/tfrecord/example.tfrecord' }";
    QTest::newRow("npz") << "npz { files: 'tests/golden/npz/stored.npz' }";
}

void TstDataSource::kindsAreGuessedUnlessUnwanted()
{
    QFETCH(const QString, source);
    const spec::Data data = parse("train { " + source.toStdString() + " }");
    const auto guessed = Dataset::open(data, CANNERY_SOURCE_DIR, DataPart::Train);
    const auto unknown =
        Dataset::open(data, CANNERY_SOURCE_DIR, DataPart::Train, ColumnKinds::Unknown);
    VERIFY_OK(guessed);
    VERIFY_OK(unknown);
    QCOMPARE(unknown->schema().names(), guessed->schema().names());
    const auto isGuessed = [](const ColumnSchema& column) {
        return column.distinct > 0 && !column.kindReason.empty();
    };
    QVERIFY(std::ranges::any_of(guessed->schema().columns, isGuessed));
    for (const ColumnSchema& column : unknown->schema().columns) {
        const ColumnSchema& expected = *guessed->schema().find(column.name);
        QCOMPARE(column.distinct, std::uint64_t(0));
        QVERIFY(column.kindReason.empty() || column.listOf); // of lists, the kind is known
        QVERIFY(column.dtype == expected.dtype);
        QCOMPARE(column.reason, expected.reason);
        QCOMPARE(column.values, expected.values);
        QCOMPARE(column.missing, expected.missing);
    }
}

void TstDataSource::aSourceSaysWhatIsMissingInEveryColumn()
{
    const spec::Data data = parse("train { csv { na_value: '?' na_value: 'NA' } }");
    QCOMPARE(missingTokens(data.train()), (std::vector<std::string>{"?", "NA"}));
    QCOMPARE(missingTokens(spec::DataSource()), std::vector<std::string>());
}

void TstDataSource::aSourceWithoutFilesIsADataSet()
{
    const auto dataset = Dataset::of(parse("label { column: 'y' }"),
                                     std::make_shared<CountingSource>(6), DataPart::Train);
    VERIFY_OK(dataset);
    QVERIFY(dataset->hasLabels());
    QCOMPARE(*dataset->fingerprint(), std::string("6"));
    const auto statistics = dataset->statistics({"x"});
    VERIFY_OK(statistics);
    QCOMPARE(statistics->find("x")->mean, 2.5);
    const auto stream = dataset->read({});
    VERIFY_OK(stream);
    std::vector<std::int64_t> seen;
    while (true) {
        const auto batch = (*stream)->next();
        VERIFY_OK(batch);
        if (!batch->has_value()) {
            break;
        }
        const auto& values = std::get<std::vector<std::int64_t>>((*batch)->features[0].elements);
        seen.insert(seen.end(), values.begin(), values.end());
    }
    QCOMPARE(seen, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

void TstDataSource::bothPartsOfASplitShareTheirSource()
{
    const spec::Data data =
        parse("label { column: 'y' } split { fraction { eval_fraction: 0.5 seed: 3 } }");
    const auto train = Dataset::of(data, std::make_shared<CountingSource>(8), DataPart::Train);
    VERIFY_OK(train);
    const auto eval = Dataset::openEval(data, "/nowhere", *train);
    VERIFY_OK(eval);
    QVERIFY(&eval->source() == &train->source());
    const auto trainRows = train->statistics({"x"});
    const auto evalRows = eval->statistics({"x"});
    VERIFY_OK(trainRows);
    VERIFY_OK(evalRows);
    QCOMPARE(trainRows->rows + evalRows->rows, std::uint64_t(8));
}

CANNERY_TEST(TstDataSource)
#include "tst_data_source.moc"
