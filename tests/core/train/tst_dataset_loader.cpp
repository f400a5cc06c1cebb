// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/parsed_experiment.h"
#include "core/train/loop/training_setup.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/preparation/normalizer_check.h"
#include "kernels/device/thread_pool.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace cannery;
using namespace cannery::train;

namespace {

constexpr int kRows = 120'000;
constexpr const char* kByColumn =
    "split { by_column { column: \"c\" eval_values: [\"text 3\", \"text 12\"] } }";

/// Cells of the rows that are to be wrong, by row.
using WrongCells = std::map<int, QByteArray>;

} // namespace

/// The rows of a table that is cut into two parts, encoded by one pass.
class TstDatasetLoader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void bothPartsTogetherAreEachOneAlone_data();
    void bothPartsTogetherAreEachOneAlone();
    void whatIsWrongIsSaidAsOfOnePartAfterTheOther_data();
    void whatIsWrongIsSaidAsOfOnePartAfterTheOther();
    void onlyRowsToTrainOnAreFarOff();
    void aRowLeftOutIsCountedOnce();

private:
    /// Rows "x,c,y": a number, one of twenty texts, and a class. `wrong` holds other numbers.
    void writeTable(int rows, const WrongCells& wrong = {}) const;
    void open(const QByteArray& split, const QByteArray& more = "");
    std::string folder() const { return m_folder->path().toStdString(); }
    Result<LoadedRows> load(data::DataPart part) const;
    Result<LoadedParts> loadBoth(int threads) const;
    static void compare(const features::EncodedDataset& rows,
                        const features::EncodedDataset& expected);

    std::unique_ptr<QTemporaryDir> m_folder;
    spec::Experiment m_experiment;
    std::optional<features::FeatureEncoder> m_encoder;
};

void TstDatasetLoader::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TstDatasetLoader::writeTable(int rows, const WrongCells& wrong) const
{
    QByteArray text = "x,c,y\n";
    for (int row = 0; row < rows; ++row) {
        const auto cell = wrong.find(row);
        text += cell == wrong.end() ? QByteArray::number(row * 7919 % 1009 / 8.0) : cell->second;
        text += ",text " + QByteArray::number(row * 31 % 20) + "," +
                QByteArray::number(row * 13 % 3 / 2) + "\n";
    }
    QFile file(m_folder->filePath("t.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), qint64(text.size()));
}

void TstDatasetLoader::open(const QByteArray& split, const QByteArray& more)
{
    const QByteArray text =
        "data { train { csv { files: \"t.csv\" } } label { column: \"y\" } "
        "column { name: \"x\" dtype: float32 } " +
        split + more +
        " }\n"
        "feature_column { name: \"x\" numeric_column { key: \"x\" normalizer { "
        "subtract_divide { subtract: 0 divide: 4 } } } }\n"
        "feature_column { name: \"c\" categorical_column_with_hash_bucket { key: \"c\" "
        "hash_bucket_size: 50 } }\n"
        "estimator { linear_classifier { feature_columns: [\"x\", \"c\"] } }\n"
        "train_spec { max_steps: 1 }\n"
        "run_config { tf_random_seed: 1 }\n";
    const spec::Experiment experiment = spec::parseExperiment(text.toStdString()).experiment;
    const auto dataset = data::Dataset::open(experiment.data(), folder(), data::DataPart::Train);
    VERIFY_OK(dataset);
    const auto resolved = resolveWithStatistics(experiment, *dataset);
    VERIFY_OK(resolved);
    m_experiment = *resolved;
    auto encoder = features::FeatureEncoder::create(m_experiment, folder());
    VERIFY_OK(encoder);
    m_encoder.emplace(std::move(*encoder));
}

Result<LoadedRows> TstDatasetLoader::load(data::DataPart part) const
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(m_experiment.data(), folder(), part));
    return loadRows(dataset, *m_encoder, {});
}

Result<LoadedParts> TstDatasetLoader::loadBoth(int threads) const
{
    kernels::ThreadPool pool(threads);
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(m_experiment.data(), folder(), data::DataPart::Train));
    return loadParts(dataset, *m_encoder, {.threads = kernels::lend(pool)});
}

void TstDatasetLoader::compare(const features::EncodedDataset& rows,
                               const features::EncodedDataset& expected)
{
    QCOMPARE(rows.rowCount(), expected.rowCount());
    features::EncodedRows all;
    features::EncodedRows others;
    VERIFY_OK(rows.gatherRange(0, rows.rowCount(), all));
    VERIFY_OK(expected.gatherRange(0, expected.rowCount(), others));
    QVERIFY(all.labels == others.labels);
    QVERIFY(all.dense.at(0).values == others.dense.at(0).values);
    QVERIFY(all.ids.at(0).rowOffsets == others.ids.at(0).rowOffsets);
    QVERIFY(all.ids.at(0).ids == others.ids.at(0).ids);
}

void TstDatasetLoader::bothPartsTogetherAreEachOneAlone_data()
{
    QTest::addColumn<QByteArray>("split");
    QTest::newRow("fraction") << QByteArray("split { fraction { eval_fraction: 0.2 } }");
    QTest::newRow("stratified") << QByteArray(
        "split { fraction { eval_fraction: 0.3 seed: 3 stratify: true } }");
    QTest::newRow("by column") << QByteArray(kByColumn);
}

void TstDatasetLoader::bothPartsTogetherAreEachOneAlone()
{
    QFETCH(const QByteArray, split);
    writeTable(kRows);
    open(split);
    const auto train = load(data::DataPart::Train);
    VERIFY_OK(train);
    const auto eval = load(data::DataPart::Eval);
    VERIFY_OK(eval);
    QCOMPARE(train->rows.rowCount() + eval->rows.rowCount(), std::int64_t{kRows});
    for (const int threads : {1, 3}) {
        const auto both = loadBoth(threads);
        VERIFY_OK(both);
        compare(both->train, train->rows);
        compare(both->eval, eval->rows);
    }
}

void TstDatasetLoader::whatIsWrongIsSaidAsOfOnePartAfterTheOther_data()
{
    // By column, rows 20 i + 12 and 20 i + 13 are held back.
    QTest::addColumn<WrongCells>("wrong");
    const int late = kRows - 100;
    QTest::newRow("a row to evaluate on") << WrongCells{{13, ""}, {33, ""}, {late + 13, ""}};
    QTest::newRow("a row to train on") << WrongCells{{14, ""}, {late, ""}};
    QTest::newRow("both") << WrongCells{{13, ""}, {late, ""}};
    QTest::newRow("a row to evaluate on, and one that cannot be read")
        << WrongCells{{13, ""}, {late, "1,2"}};
    QTest::newRow("a row to train on, and one that cannot be read")
        << WrongCells{{14, ""}, {1000, "1,2"}};
    QTest::newRow("one that cannot be read") << WrongCells{{late, "no number"}};
}

void TstDatasetLoader::whatIsWrongIsSaidAsOfOnePartAfterTheOther()
{
    QFETCH(const WrongCells, wrong);
    writeTable(kRows);
    open(kByColumn);
    writeTable(kRows, wrong);
    const auto train = load(data::DataPart::Train);
    const auto eval = load(data::DataPart::Eval);
    const std::string expected = !train  ? train.error().message()
                                 : !eval ? eval.error().message()
                                         : std::string();
    QVERIFY(!expected.empty());
    for (const int threads : {1, 3}) {
        const auto both = loadBoth(threads);
        QVERIFY(!both);
        QCOMPARE(both.error().message(), expected);
    }
}

void TstDatasetLoader::onlyRowsToTrainOnAreFarOff()
{
    writeTable(100, {{13, "1e6"}, {14, "2e6"}, {33, "3e6"}});
    open(kByColumn);
    ExtremeValues extremes(*m_encoder);
    const auto dataset = data::Dataset::open(m_experiment.data(), folder(), data::DataPart::Train);
    VERIFY_OK(dataset);
    VERIFY_OK(loadParts(*dataset, *m_encoder, {.extremes = &extremes}));
    const std::vector<Error> warnings = extremes.warnings();
    QCOMPARE(warnings.size(), std::size_t{1});
    const std::string place = folder() + "/t.csv:16: ";
    QVERIFY2(warnings.front().sentence.starts_with(place), warnings.front().sentence.c_str());
    QVERIFY(warnings.front().sentence.find("more such") == std::string::npos);
}

void TstDatasetLoader::aRowLeftOutIsCountedOnce()
{
    writeTable(100, {{13, "1,2"}, {50, "1,2"}});
    open("split { fraction { eval_fraction: 0.2 } }", " bad_rows: SKIP");
    const auto dataset = data::Dataset::open(m_experiment.data(), folder(), data::DataPart::Train);
    VERIFY_OK(dataset);
    kernels::ThreadPool pool(2);
    const auto setup = setUpTraining(
        {.experiment = m_experiment, .folder = folder(), .trainData = *dataset, .pool = pool});
    VERIFY_OK(setup);
    QCOMPARE(setup->summary.skippedRows, std::int64_t{2});
    QCOMPARE(setup->summary.warnings.size(), std::size_t{2});
    QCOMPARE(setup->summary.trainRows + setup->summary.evalRows, std::int64_t{98});
}

CANNERY_TEST(TstDatasetLoader)
#include "tst_dataset_loader.moc"
