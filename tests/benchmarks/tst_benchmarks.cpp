// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/base/fingerprint.h"
#include "core/spec/experiment_file.h"
#include "core/train/train_and_evaluate.h"
#include "storage/io/atomic_write.h"
#include "tests/benchmarks/programs/checkpoint_stall.h"
#include "tests/benchmarks/programs/convolution_rate.h"
#include "tests/benchmarks/programs/parameter_rate.h"
#include "tests/benchmarks/programs/peak_rate.h"
#include "tests/benchmarks/programs/predict_rate.h"
#include "tests/benchmarks/programs/product_rate.h"
#include "tests/benchmarks/programs/scalar_rate.h"
#include "tests/benchmarks/programs/step_rate.h"
#include "tests/benchmarks/programs/strategy_rate.h"
#include "tests/benchmarks/programs/table_rate.h"
#include "tests/benchmarks/programs/tables.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <string_view>

using namespace cannery;
using namespace cannery::benchmarks;

namespace {

constexpr int kColumns = 5;
constexpr int kBatch = 16;
constexpr double kLearningRate = 0.05;

template <typename Table>
std::string rowsOf(const Table& table, TableRange range, TableFormat form)
{
    std::string text;
    appendRows(table, range, form, text);
    return text;
}

/// Bytes that this process has asked the system to read so far.
qint64 bytesRead()
{
    QFile file("/proc/self/io");
    return file.open(QFile::ReadOnly) ? file.readLine().mid(7).trimmed().toLongLong() : 0;
}

/// Logistic regression by plain gradient descent over rows in order: the loss before each step.
std::vector<double> plainLosses(const HiggsLike& table, int steps)
{
    std::vector<double> weights(kColumns + 1);
    std::vector<double> losses;
    std::vector<float> row(kColumns);
    for (int step = 0; step < steps; ++step) {
        std::vector<double> gradient(kColumns + 1);
        double loss = 0;
        for (int i = 0; i < kBatch; ++i) {
            const int label = table.makeRow(std::int64_t{step} * kBatch + i, row);
            double logit = weights[kColumns];
            for (int c = 0; c < kColumns; ++c) {
                logit += weights[std::size_t(c)] * row[std::size_t(c)];
            }
            loss += std::log1p(std::exp(label == 1 ? -logit : logit));
            const double error = 1 / (1 + std::exp(-logit)) - label;
            for (int c = 0; c < kColumns; ++c) {
                gradient[std::size_t(c)] += error * row[std::size_t(c)];
            }
            gradient[kColumns] += error;
        }
        losses.push_back(loss / kBatch);
        for (std::size_t c = 0; c < weights.size(); ++c) {
            weights[c] -= kLearningRate * gradient[c] / kBatch;
        }
    }
    return losses;
}

class LossObserver : public train::TrainingObserver
{
public:
    void stepDone(std::int64_t, double loss) override { losses.push_back(loss); }
    std::vector<double> losses;
};

/// Trains the suite's linear model on a small table into FOLDER/model.
Result<train::TrainReport> trainLinear(const QTemporaryDir& folder, int steps,
                                       train::TrainingObserver& observer)
{
    const std::string csv = folder.filePath("rows.csv").toStdString();
    CANNERY_CHECK(
        writeTable(HiggsLike(kColumns), std::int64_t{steps} * kBatch, TableFormat::Csv, csv));
    std::string text =
        "data { train { csv { files: \"rows.csv\" } } label { column: \"label\" } }\n"
        "estimator { linear_classifier { feature_columns: [";
    for (int c = 0; c < kColumns; ++c) {
        text += (c == 0 ? "\"f" : ", \"f") + std::to_string(c) + "\"";
    }
    text += "] optimizer { sgd { learning_rate: 0.05 } } } }\n"
            "train_spec { input { batch_size: 16 shuffle: false num_epochs: 1 } }\n";
    for (int c = 0; c < kColumns; ++c) {
        const std::string name = "f" + std::to_string(c);
        text +=
            "feature_column { name: \"" + name + "\" numeric_column { key: \"" + name + "\" } }\n";
    }
    const std::string file = folder.filePath("linear.cannery").toStdString();
    CANNERY_TRY(storage::writeFileAtomically(file, text));
    CANNERY_TRY_ASSIGN(spec::ParsedExperiment parsed, spec::loadExperiment(file));
    return train::trainAndEvaluate({.experiment = std::move(parsed.experiment),
                                    .experimentFile = file,
                                    .modelDir = folder.filePath("model").toStdString(),
                                    .threads = 1,
                                    .observer = &observer});
}

} // namespace

/// The suite in a few seconds: work is counted, no time is looked at.
class TstBenchmarks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tablesNeverChange_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<quint64>("hash");
        const TableRange rows{0, 1000};
        QTest::newRow("higgs, csv")
            << rowsOf(HiggsLike(), rows, TableFormat::Csv) << quint64{0xd13068054bb210f6};
        QTest::newRow("higgs, floats")
            << rowsOf(HiggsLike(), rows, TableFormat::Floats) << quint64{0x945ebcc1c0b7f791};
        QTest::newRow("criteo, csv")
            << rowsOf(CriteoLike(), rows, TableFormat::Csv) << quint64{0x0d9537d279b1b954};
        QTest::newRow("criteo, vw")
            << rowsOf(CriteoLike(), rows, TableFormat::VowpalWabbit) << quint64{0x5bff250589ee7056};
        QTest::newRow("criteo, ids")
            << rowsOf(CriteoLike(), rows, TableFormat::Ids) << quint64{0x0492805d964041af};
    }

    void tablesNeverChange()
    {
        QFETCH(std::string, text);
        QFETCH(quint64, hash);
        QCOMPARE(QString::number(fingerprint64(text), 16), QString::number(hash, 16));
    }

    void anyRangeOfRowsCanBeMadeAlone()
    {
        const std::string all = rowsOf(CriteoLike(), {0, 500}, TableFormat::Csv);
        QVERIFY(all == rowsOf(CriteoLike(), {0, 123}, TableFormat::Csv) +
                           rowsOf(CriteoLike(), {123, 377}, TableFormat::Csv));
        const std::string floats = rowsOf(HiggsLike(7), {0, 500}, TableFormat::Floats);
        QVERIFY(floats.substr(123 * 8 * 4) ==
                rowsOf(HiggsLike(7), {123, 377}, TableFormat::Floats));
    }

    /// Else nothing could be learned from them.
    void labelsFollowThePlantedWeights()
    {
        const HiggsLike table(28);
        std::vector<float> row(28);
        double ones = 0;
        double product = 0;
        for (int r = 0; r < 4000; ++r) {
            const int label = table.makeRow(r, row);
            ones += label;
            product += (2 * label - 1) * row[3]; // a planted weight of +0.3 stands at column 3
        }
        QVERIFY(ones > 1700 && ones < 2300);
        QVERIFY(std::abs(product / 4000) > 0.1);
    }

    void aTablePassReadsEveryCellOnce()
    {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("rows.csv").toStdString();
        QVERIFY(writeTable(HiggsLike(9), 30000, TableFormat::Csv, file));
        const auto size = static_cast<std::uint64_t>(QFile(folder.filePath("rows.csv")).size());
        for (const bool statistics : {false, true}) {
            const qint64 before = bytesRead();
            const auto pass = readTable(file, 1, statistics);
            const qint64 read = bytesRead() - before;
            VERIFY_OK(pass);
            QCOMPARE(pass->rows, 30000U);
            QCOMPARE(pass->cells, 300000U);
            QCOMPARE(pass->bytes, size);
            // The head once more, to infer types; here that is the whole small file.
            QVERIFY2(read <= 2 * qint64(size) + (1 << 20), qPrintable(QString::number(read)));
        }
    }

    void scalarsWrittenAreThere()
    {
        const QTemporaryDir folder;
        const auto pass = writeScalars(folder.path().toStdString(), 700, 3);
        VERIFY_OK(pass);
        const auto count = countScalars(folder.path().toStdString());
        VERIFY_OK(count);
        QCOMPARE(*count, 2100);
        // A record's length and checksums, wall time, step, tag and value.
        QVERIFY(pass->bytes > 2100 * 44 && pass->bytes < 2100 * 60);
    }

    /// What peers do in the same race: the mean log loss, one plain step a batch.
    void stepsAreThoseOfPlainLoops()
    {
        const QTemporaryDir folder;
        LossObserver observer;
        VERIFY_OK(trainLinear(folder, 40, observer));
        const std::vector<double> expected = plainLosses(HiggsLike(kColumns), 40);
        QCOMPARE(observer.losses.size(), expected.size());
        for (std::size_t step = 0; step < expected.size(); ++step) {
            QVERIFY2(std::abs(observer.losses[step] - expected[step]) < 1e-5,
                     qPrintable(QString::number(step)));
        }
    }

    void everyRowOfATableIsPredicted()
    {
        const QTemporaryDir folder;
        LossObserver observer;
        VERIFY_OK(trainLinear(folder, 4, observer));
        const auto pass = measurePredictions(folder.filePath("model").toStdString(),
                                             folder.filePath("rows.csv").toStdString(), 1, 0);
        VERIFY_OK(pass);
        QCOMPARE(pass->rows, 4 * kBatch);
        QVERIFY(pass->oneRowMicroseconds > 0);
    }

    void checkpointsOfTheAskedSizeAreSavedOnTheWay()
    {
        const QTemporaryDir folder;
        const auto stall = measureCheckpoints({.folder = folder.path().toStdString(),
                                               .megabytes = 3,
                                               .checkpoints = 2,
                                               .stepsBetween = 30});
        VERIFY_OK(stall);
        QVERIFY(stall->wholeMilliseconds > 0);
        QVERIFY(stall->bytes >= 2'999'000 && stall->bytes < 3'001'000);
        for (const int step : {0, 30, 60, 90}) {
            const QString index = QString("model/model.ckpt-%1.index").arg(step);
            QCOMPARE(QFile::exists(folder.filePath(index)), step >= 60); // two are kept
        }
    }

    void productsAreMeasuredByEveryFastImplementation()
    {
        const kernels::MatmulProblem problem{.rows = 128, .depth = 100, .cols = 64};
        const std::vector<ProductTime> times = productTimes(problem, 0);
        QVERIFY(!times.empty());
        const std::string_view chosen = kernels::Matmul(problem).implementation();
        QVERIFY(std::ranges::any_of(
            times, [&](const ProductTime& time) { return time.implementation == chosen; }));
        for (const ProductTime& time : times) {
            QVERIFY(time.implementation != "reference");
            QVERIFY(time.forward > 0 && time.srcGradient > 0 && time.weightsGradient > 0);
            QVERIFY(time.all() < 1e6);
        }
    }

    void convolutionsAreMeasuredByEveryFastImplementation()
    {
        const kernels::WindowAxis axis{.size = 9, .window = 3, .before = 1, .after = 1};
        const kernels::ConvolutionProblem problem{
            .images = 2, .height = axis, .width = axis, .inChannels = 16, .filters = 8};
        const std::vector<ConvolutionTime> times = convolutionTimes(problem, 0);
        const std::string_view chosen = kernels::Convolution(problem).implementation();
        QVERIFY(std::ranges::any_of(
            times, [&](const ConvolutionTime& time) { return time.implementation == chosen; }));
        for (const ConvolutionTime& time : times) {
            QVERIFY(time.implementation != "reference");
            QVERIFY(time.forward > 0 && time.srcGradient > 0 && time.kernelGradient > 0);
        }
    }

    void stepsAreMeasuredAgainstThePeakOfEveryLevel()
    {
        QVERIFY(peakRate(kernels::CpuLevel::X86_64_v3, 0) > 0);
        QVERIFY(peakRate(kernels::machineCpuLevel(), 0) > 0);
        QTemporaryDir folder;
        LossObserver observer;
        VERIFY_OK(trainLinear(folder, 3, observer));
        const auto rate =
            measureSteps({.experimentFile = folder.filePath("linear.cannery").toStdString(),
                          .batch = 2 * kBatch,
                          .threads = 1,
                          .seconds = 0});
        VERIFY_OK(rate);
        QVERIFY(rate->steps >= 2); // one to warm up, at least one in a slice
        QVERIFY(rate->millisecondsPerStep > 0);
        QVERIFY(rate->leastPeakGflopPerStep > 0);
        QVERIFY(rate->leastPeakGflopPerStep <= rate->peakGflopPerStep);
        QVERIFY(!measureSteps({.experimentFile = folder.filePath("none").toStdString()}));
    }

    void exchangesWithAParameterServerAreMeasured()
    {
        const auto rate = measureParameters(
            {.megabytes = 3, .tableRows = 1000, .rowsPerStep = 100, .seconds = 0});
        VERIFY_OK(rate);
        QVERIFY(rate->pulledBytesPerSecond > 0 && rate->pushedBytesPerSecond > 0);
        QVERIFY(rate->pulledRowsPerSecond > 0 && rate->pushedRowsPerSecond > 0);
        QVERIFY(rate->oneRowMicroseconds > 0 && rate->oneRowTail >= rate->oneRowMicroseconds);
    }

    void strategiesAreMeasuredBesideOneDevice()
    {
        QTemporaryDir folder;
        LossObserver observer;
        VERIFY_OK(trainLinear(folder, 4, observer));
        const auto rates =
            measureStrategies({.experimentFile = folder.filePath("linear.cannery").toStdString(),
                               .batch = kBatch,
                               .replicas = 2,
                               .seconds = 0});
        VERIFY_OK(rates);
        QCOMPARE(rates->size(), std::size_t{3});
        QCOMPARE(rates->front().speed, 1.0);
        for (const StrategyRate& rate : *rates) {
            QVERIFY(rate.millisecondsPerStep > 0 && rate.processorMilliseconds > 0);
            QVERIFY(rate.speed > 0 && rate.processorSpeed > 0);
        }
    }
};

CANNERY_TEST(TstBenchmarks)
#include "tst_benchmarks.moc"
