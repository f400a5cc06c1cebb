// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/spec/data.pb.h"
#include "kernels/device/thread_pool.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

#include <map>
#include <set>

using namespace cannery;
using namespace cannery::data;

class TstDataset : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void catalogHasEverySourceOfTheSchema();
    void cutsCellsIntoSparseRows();
    void namesTheLineOfAPieceThatIsNoNumber();
    void stacksColumnsIntoAShape();
    void findsWhateverCanBeRead();
    void fillsMissingCellsWithDefaults();
    void refusesADefaultOfAnotherType();
    void readsEveryFormOfLabel();
    void readsEvaluationAsTrainingWasInferred();
    void readsOtherFilesWithoutLabels();
    void splitsByFractionExactlyAndRepeatably();
    void stratifiedSplitKeepsTheShareOfEveryClass();
    void splitsByTheValuesOfAColumn();
    void suggestsTheNearestName();
    void freezesWhatWasInferred();
    void statisticsCoverOnlyTheRowsOfThePart();
    void refusesPartsWithoutRows();
    void fingerprintIsOfTheContent();
    void memoryStaysBoundedOnALargeFile();

private:
    std::string write(const QString& name, const std::string& text);
    spec::Data parse(const std::string& text);
    Result<FeatureBatch> read(const spec::Data& data, FeatureRequest request = {},
                              DataPart part = DataPart::Train);

    QTemporaryDir m_folder;
};

std::string TstDataset::write(const QString& name, const std::string& text)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("cannot write the test file");
    }
    file.write(text.data(), qint64(text.size()));
    return file.fileName().toStdString();
}

spec::Data TstDataset::parse(const std::string& text)
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(text, &data)) {
        qFatal("the test's experiment is wrong");
    }
    return data;
}

Result<FeatureBatch> TstDataset::read(const spec::Data& data, FeatureRequest request, DataPart part)
{
    CANNERY_TRY_ASSIGN(const Dataset dataset,
                       Dataset::open(data, m_folder.path().toStdString(), part));
    CANNERY_TRY_ASSIGN(const std::unique_ptr<FeatureStream> stream, dataset.read(request));
    CANNERY_TRY_ASSIGN(std::optional<FeatureBatch> batch, stream->next());
    return std::move(*batch);
}

namespace {

template <typename T>
const std::vector<T>& values(const FeatureValues& feature)
{
    return std::get<std::vector<T>>(feature.elements);
}

std::vector<std::string> texts(const FeatureValues& feature)
{
    const auto& column = std::get<StringColumn>(feature.elements);
    std::vector<std::string> list;
    for (std::size_t i = 0; i < column.size(); ++i) {
        list.emplace_back(column[i]);
    }
    return list;
}

using Integers = std::vector<std::int64_t>;

} // namespace

void TstDataset::catalogHasEverySourceOfTheSchema()
{
    const auto* kinds = spec::DataSource::descriptor()->oneof_decl(0);
    QCOMPARE(std::size_t(kinds->field_count()), dataSourceCatalog().size());
    for (int i = 0; i < kinds->field_count(); ++i) {
        const DataSourceRow& row = dataSourceCatalog()[std::size_t(i)];
        QCOMPARE(int(row.key), kinds->field(i)->number());
        QCOMPARE(std::string(row.name), kinds->field(i)->name());
    }
}

void TstDataset::cutsCellsIntoSparseRows()
{
    write("s.csv", "tags,hours,y\na|b||c,1.5|2,1\n,,0\n|,3,1\n");
    const auto batch = read(parse(R"(
        train { csv { files: "s.csv" } } label { column: "y" }
        feature { name: "tags" split { column: "tags" } }
        feature { name: "time" split { column: "hours" dtype: float32 } })"));
    VERIFY_OK(batch);
    QCOMPARE(batch->features.size(), std::size_t(2));
    const FeatureValues& tags = batch->features[0];
    QVERIFY(tags.sparse && tags.dtype == DType::String);
    QCOMPARE(texts(tags), (std::vector<std::string>{"a", "b", "c"}));
    QCOMPARE(tags.rowOffsets, (Integers{0, 3, 3, 3}));
    const FeatureValues& time = batch->features[1];
    QCOMPARE(time.name, std::string("time"));
    QCOMPARE(values<float>(time), (std::vector<float>{1.5F, 2, 3}));
    QCOMPARE(time.rowOffsets, (Integers{0, 2, 2, 3}));
    QCOMPARE(values<std::int64_t>(batch->labels.at(0)), (Integers{1, 0, 1}));
}

void TstDataset::namesTheLineOfAPieceThatIsNoNumber()
{
    write("p.csv", "h\n1|2\n3|x\n");
    const auto batch = read(parse(R"(train { csv { files: "p.csv" } }
        feature { name: "h" split { column: "h" dtype: int64 } })"),
                            {.labels = LabelNeed::None});
    VERIFY_ERROR(batch, "data.bad_piece");
    QVERIFY(batch.error().sentence.find("p.csv:3: the piece \"x\"") != std::string::npos);
}

void TstDataset::stacksColumnsIntoAShape()
{
    write("k.csv", "a,b,c,d\n1,2,3,4\n5,,7,8\n");
    spec::Data data = parse(R"(train { csv { files: "k.csv" } }
        feature { name: "m" stack { columns: ["a", "b", "c", "d"] shape: [2, 2] } })");
    const auto batch = read(data, {.labels = LabelNeed::None});
    VERIFY_OK(batch);
    const FeatureValues& stacked = batch->features.at(0);
    QCOMPARE(stacked.shape, Shape({2, 2}));
    QCOMPARE(values<float>(stacked), (std::vector<float>{1, 2, 3, 4, 5, 0, 7, 8}));
    QCOMPARE(stacked.valid, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0, 1, 1}));
    data.mutable_feature(0)->mutable_stack()->set_shape(0, 3);
    VERIFY_ERROR(read(data, {.labels = LabelNeed::None}), "data.stack_shape");
}

void TstDataset::findsWhateverCanBeRead()
{
    write("f.csv", "a,b,c,y,z\n1,2,x,0,1\n");
    const auto dataset = Dataset::open(
        parse(R"(train { csv { files: "f.csv" } } label { columns { column: "y" column: "z" } }
            feature { name: "b" stack { columns: ["a", "b"] } })"),
        m_folder.path().toStdString(), DataPart::Train);
    VERIFY_OK(dataset);
    QCOMPARE(dataset->find("b")->columns, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(dataset->find("a")->columns, std::vector<std::string>{"a"});
    QCOMPARE(dataset->find("a")->dtype, DType::Int32);
    QVERIFY(!dataset->find("a")->isLabel && dataset->find("z")->isLabel);
    QVERIFY(dataset->find("none") == nullptr);
    QCOMPARE(dataset->features().size(), std::size_t{3}); // b, c and the label
}

void TstDataset::fillsMissingCellsWithDefaults()
{
    write("d.csv", "age,n,s\n1.5,,x\n?,2,\n");
    const auto batch = read(parse(R"(train { csv { files: "d.csv" } }
        column { name: "age" default_value: "28" missing_token: "?" }
        column { name: "n" default_value: "-1.0" }
        column { name: "s" default_value: "none" })"),
                            {.labels = LabelNeed::None});
    VERIFY_OK(batch);
    QCOMPARE(values<float>(batch->features[0]), (std::vector<float>{1.5F, 28}));
    QCOMPARE(values<std::int64_t>(batch->features[1]), (Integers{-1, 2}));
    QCOMPARE(texts(batch->features[2]), (std::vector<std::string>{"x", "none"}));
    for (const FeatureValues& feature : batch->features) {
        QVERIFY(feature.valid.empty());
    }
}

void TstDataset::refusesADefaultOfAnotherType()
{
    write("d2.csv", "n\n1\n\n2\n");
    VERIFY_ERROR(read(parse(R"(train { csv { files: "d2.csv" } }
        column { name: "n" default_value: "1.5" })"),
                      {.labels = LabelNeed::None}),
                 "data.bad_default");
}

void TstDataset::readsEveryFormOfLabel()
{
    write("l.csv", "x,a,b,t\n1,0,1,u|v\n2,1,0.5,w\n");
    const std::string train = R"(train { csv { files: "l.csv" } } )";
    const auto list = read(parse(train + R"(label { columns { column: ["a", "b"] } })"));
    VERIFY_OK(list);
    QCOMPARE(list->labels.size(), std::size_t(1));
    QCOMPARE(list->labels[0].shape, Shape({2}));
    QCOMPARE(values<float>(list->labels[0]), (std::vector<float>{0, 1, 1, 0.5F}));
    QCOMPARE(list->features.size(), std::size_t(2));

    const auto cut = read(parse(train + R"(label { split { column: "t" } })"));
    VERIFY_OK(cut);
    QCOMPARE(cut->labels[0].rowOffsets, (Integers{0, 2, 3}));

    const auto heads = read(parse(train + R"(label { heads {
        head { name: "one" column: "a" } head { name: "two" column: "b" } } })"));
    VERIFY_OK(heads);
    QCOMPARE(heads->labels.size(), std::size_t(2));
    QCOMPARE(heads->labels[1].name, std::string("two"));
    VERIFY_ERROR(read(parse(train)), "data.label_unset");
    VERIFY_ERROR(read(parse(train + R"(label { column: "z" })")), "data.no_label");
}

void TstDataset::readsEvaluationAsTrainingWasInferred()
{
    write("train.csv", "x,y\n1.5,0\n2,1\n");
    write("eval.csv", "y,extra,x\n0,e,1\n1,f,2\n");
    spec::Data data = parse(R"(train { csv { files: "train.csv" } }
        eval { csv { files: "eval.csv" } } label { column: "y" })");
    const auto batch = read(data, {.features = {"x"}}, DataPart::Eval);
    VERIFY_OK(batch);
    QCOMPARE(values<float>(batch->features[0]), (std::vector<float>{1, 2}));
    write("eval.csv", "x,y\n1,0\nnone,1\n");
    VERIFY_ERROR(read(data, {}, DataPart::Eval), "csv.not_a_number");
    data.clear_eval();
    VERIFY_ERROR(read(data, {}, DataPart::Eval), "data.no_eval");
}

void TstDataset::readsOtherFilesWithoutLabels()
{
    write("train2.csv", "id,x,y\n7,1.5,no\n8,2,yes\n");
    const std::string other = write("new.csv", "id,x\n9,3\n");
    const spec::Data data = parse(R"(train { csv { files: "train2.csv" } } label { column: "y" })");
    const auto dataset = Dataset::openFiles(data, m_folder.path().toStdString(), {other});
    VERIFY_OK(dataset);
    QVERIFY(!dataset->hasLabels());
    const auto stream = dataset->read({.labels = LabelNeed::Optional});
    VERIFY_OK(stream);
    const auto batch = (*stream)->next();
    VERIFY_OK(batch);
    QCOMPARE((*batch)->features.size(), std::size_t(2));
    QCOMPARE((*batch)->features[1].dtype, DType::Float32);
    QVERIFY((*batch)->labels.empty());
    const auto end = (*stream)->next();
    VERIFY_OK(end);
    QVERIFY(!end->has_value());
    VERIFY_ERROR(dataset->read({.labels = LabelNeed::Required}), "data.no_label");
}

void TstDataset::splitsByFractionExactlyAndRepeatably()
{
    std::string text = "n\n";
    for (int i = 0; i < 1000; ++i) {
        text += std::to_string(i) + "\n";
    }
    write("f.csv", text);
    std::set<Integers> different;
    for (const char* fraction : {"0.2", "0.25", "0.1", "0.37", "0.8"}) {
        for (const int seed : {0, 1}) {
            const spec::Data data =
                parse("train { csv { files: 'f.csv' } } split { fraction { eval_fraction: " +
                      std::string(fraction) + " seed: " + std::to_string(seed) + " } }");
            const auto train = read(data, {.labels = LabelNeed::None});
            const auto eval = read(data, {.labels = LabelNeed::None}, DataPart::Eval);
            const auto again = read(data, {.labels = LabelNeed::None}, DataPart::Eval);
            VERIFY_OK(train);
            VERIFY_OK(eval);
            QCOMPARE(values<std::int64_t>(eval->features[0]),
                     values<std::int64_t>(again->features[0]));
            QVERIFY(std::abs(double(eval->rowCount) - 1000 * std::stod(fraction)) <= 2);
            std::set<std::int64_t> all;
            for (const auto* part : {&*train, &*eval}) {
                const Integers& rows = values<std::int64_t>(part->features[0]);
                all.insert(rows.begin(), rows.end());
            }
            QCOMPARE(all.size(), std::size_t(1000));
            QCOMPARE(train->rowCount + eval->rowCount, std::int64_t(1000));
            QVERIFY(different.insert(values<std::int64_t>(eval->features[0])).second);
            QCOMPARE(eval->line.front(), values<std::int64_t>(eval->features[0]).front() + 2);
        }
    }
}

void TstDataset::stratifiedSplitKeepsTheShareOfEveryClass()
{
    std::string text = "n,y\n";
    for (int i = 0; i < 1000; ++i) {
        text += std::to_string(i) + (i % 20 == 0 ? ",rare\n" : i % 2 == 0 ? ",a\n" : ",b\n");
    }
    write("t.csv", text);
    const auto eval = read(parse(R"(train { csv { files: "t.csv" } } label { column: "y" }
        split { fraction { eval_fraction: 0.2 seed: 5 stratify: true } })"),
                           {}, DataPart::Eval);
    VERIFY_OK(eval);
    std::map<std::string, int> counts;
    for (const std::string& label : texts(eval->labels[0])) {
        ++counts[label];
    }
    QCOMPARE(counts["rare"], 10);
    QCOMPARE(counts["a"], 90);
    QCOMPARE(counts["b"], 100);
}

void TstDataset::splitsByTheValuesOfAColumn()
{
    write("c.csv", "year,x\n2019,1\n2020,2\n2021,3\n2020,4\n");
    const spec::Data data = parse(R"(train { csv { files: "c.csv" } }
        split { by_column { column: "year" eval_values: ["2020"] } })");
    const auto train = read(data, {.labels = LabelNeed::None});
    const auto eval = read(data, {.labels = LabelNeed::None}, DataPart::Eval);
    VERIFY_OK(train);
    VERIFY_OK(eval);
    QCOMPARE(values<std::int64_t>(train->features[1]), (Integers{1, 3}));
    QCOMPARE(values<std::int64_t>(eval->features[1]), (Integers{2, 4}));
}

void TstDataset::suggestsTheNearestName()
{
    write("names.csv", "age,income\n1,2\n");
    spec::Data data = parse(R"(train { csv { files: "names.csv" } })");
    const auto batch = read(data, {.features = {"agee"}, .labels = LabelNeed::None});
    VERIFY_ERROR(batch, "data.no_such_feature");
    QVERIFY(batch.error().sentence.find("'age'") != std::string::npos);
    data.add_column()->set_name("incme");
    const auto described = read(data);
    VERIFY_ERROR(described, "data.no_such_column");
    QVERIFY(described.error().sentence.find("'income'") != std::string::npos);
}

void TstDataset::freezesWhatWasInferred()
{
    write("z.csv", "x,s\n1,a\n2,b\n");
    spec::Data data = parse(R"(train { csv { files: "z.csv" na_value: "NA" } }
        column { name: "x" default_value: "5" })");
    const auto dataset = Dataset::open(data, m_folder.path().toStdString(), DataPart::Train);
    VERIFY_OK(dataset);
    data.clear_column();
    for (const spec::Column& column : dataset->resolvedColumns()) {
        *data.add_column() = column;
    }
    QCOMPARE(data.column_size(), 2);
    QCOMPARE(data.column(0).dtype(), spec::DataType::int32);
    QCOMPARE(data.column(0).default_value(), std::string("5"));
    QCOMPARE(data.column(1).missing_token(0), std::string("NA"));
    write("z.csv", "x,s\n1.5,a\n");
    VERIFY_ERROR(read(data, {.labels = LabelNeed::None}), "csv.not_a_number");
}

void TstDataset::statisticsCoverOnlyTheRowsOfThePart()
{
    write("st.csv", "part,x\na,1\nb,100\na,3\n");
    const spec::Data data = parse(R"(train { csv { files: "st.csv" } }
        split { by_column { column: "part" eval_values: "b" } })");
    const auto dataset = Dataset::open(data, m_folder.path().toStdString(), DataPart::Train);
    VERIFY_OK(dataset);
    const auto statistics = dataset->statistics({"x"});
    VERIFY_OK(statistics);
    QCOMPARE(statistics->rows, std::uint64_t(2));
    QCOMPARE(statistics->otherRows, std::uint64_t(1));
    QCOMPARE(statistics->find("x")->mean, 2.0);
}

void TstDataset::refusesPartsWithoutRows()
{
    write("none.csv", "a,b\n");
    VERIFY_ERROR(read(parse(R"(train { csv { files: "none.csv" header: true } })"),
                      {.labels = LabelNeed::None}),
                 "data.no_rows");
    write("one.csv", "a,b\n1,2\n");
    VERIFY_ERROR(read(parse(R"(train { csv { files: "one.csv" } }
        split { by_column { column: "a" eval_values: "7" } })"),
                      {.labels = LabelNeed::None}, DataPart::Eval),
                 "data.empty_part");
    VERIFY_ERROR(read(parse(R"(train { csv { files: "one.csv" } }
        split { fraction { eval_fraction: 1 } })"),
                      {.labels = LabelNeed::None}),
                 "data.bad_fraction");
}

void TstDataset::fingerprintIsOfTheContent()
{
    const auto print = [&](const QString& name, const std::string& text) {
        write(name, text);
        const auto dataset =
            Dataset::open(parse("train { csv { files: '" + name.toStdString() + "' } }"),
                          m_folder.path().toStdString(), DataPart::Train);
        return *dataset->fingerprint();
    };
    QCOMPARE(print("g1.csv", "a\n1\n"), print("g2.csv", "a\n1\n"));
    QVERIFY(print("g1.csv", "a\n1\n") != print("g2.csv", "a\n2\n"));
}

void TstDataset::memoryStaysBoundedOnALargeFile()
{
    constexpr int kMegabytes = 200;
    std::string block;
    while (block.size() < (1U << 20U)) {
        block += "1.25,-0.5,some text,42\n";
    }
    QFile file(m_folder.filePath("large.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("x,y,s,n\n");
    for (int i = 0; i < kMegabytes; ++i) {
        file.write(block.data(), qint64(block.size()));
    }
    file.close();
    const auto peakKilobytes = [] {
        QFile status("/proc/self/status");
        if (status.open(QIODevice::ReadOnly)) {
            for (const QByteArray& line : status.readAll().split('\n')) {
                if (line.startsWith("VmHWM:")) {
                    return line.mid(6).trimmed().split(' ').first().toLongLong();
                }
            }
        }
        return qlonglong(0);
    };
    QFile reset("/proc/self/clear_refs");
    QVERIFY(reset.open(QIODevice::WriteOnly) && reset.write("5") == 1);
    reset.close();
    const qlonglong before = peakKilobytes();
    QVERIFY(before > 0);
    const auto dataset = Dataset::open(parse(R"(train { csv { files: "large.csv" } })"),
                                       m_folder.path().toStdString(), DataPart::Train);
    VERIFY_OK(dataset);
    kernels::ThreadPool pool(2);
    const auto stream = dataset->read({.labels = LabelNeed::None, .threads = kernels::lend(pool)});
    VERIFY_OK(stream);
    std::int64_t rows = 0;
    while (true) {
        const auto batch = (*stream)->next();
        VERIFY_OK(batch);
        if (!*batch) {
            break;
        }
        rows += (*batch)->rowCount;
    }
    QCOMPARE(rows, std::int64_t(block.size() / 23) * kMegabytes);
#if defined(__SANITIZE_ADDRESS__) || defined(CANNERY_SANITIZES_THREADS)
    constexpr qlonglong kLimit = 1024 * 1024; // a sanitizer delays freeing
#else
    constexpr qlonglong kLimit = 64 * 1024;
#endif
    QVERIFY2(peakKilobytes() - before < kLimit, qPrintable(QString::number(peakKilobytes())));
}

CANNERY_TEST(TstDataset)
#include "tst_dataset.moc"
