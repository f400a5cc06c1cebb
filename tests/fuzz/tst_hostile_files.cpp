// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/allocation_faults.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/fuzz/hostile_files.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <ctime>
#include <map>

#include <QTest>

using namespace cannery;
using namespace cannery::tests;

namespace {

/// The guarantee is a second; a sanitizer is slow.
constexpr double kMostSeconds = 10;
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
constexpr std::size_t kPromisedFiles = 150;

/// CPU time of this process: independent of the load of the machine.
double processorSeconds()
{
    timespec time = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

/// Each of these files is refused with its reason, quickly and without much memory.
class TstHostileFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void areRefused_data();
    void areRefused();
    void thereAreEnough();
    void deepGraphsNeedNoDeepStack();
    void experimentsOfAnySizeAreReadInTime_data();
    void experimentsOfAnySizeAreReadInTime();

private:
    HostileFiles m_files;
    double m_slowest = 0;
    std::int64_t m_largest = 0;
};

void TstHostileFiles::initTestCase()
{
    for (const auto add :
         {addHostileRecords, addHostileRowFiles, addHostileEvents, addHostileExamples,
          addHostileTables, addHostileCheckpoints, addHostileSlices, addHostileStates,
          addHostileGraphs, addHostileModels, addHostileRuns, addHostileExperiments,
          addHostileRecordsOfRuns, addHostileStores, addHostileTextTables, addHostileImages}) {
        add(m_files);
    }
}

void TstHostileFiles::areRefused_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < m_files.all().size(); ++i) {
        QTest::newRow(m_files.all()[i].name.c_str()) << static_cast<int>(i);
    }
}

void TstHostileFiles::areRefused()
{
    QFETCH(int, index);
    const HostileFile& file = m_files.all()[static_cast<std::size_t>(index)];
    const std::string bytes = file.make();
    const double begin = processorSeconds();
    failAllocation(0, false);
    const Result<void> result = file.read(bytes);
    stopFailing();
    const std::int64_t peak = peakBytes();
    const double seconds = processorSeconds() - begin;
    VERIFY_ERROR(result, file.id.c_str());
    QVERIFY(!result.error().sentence.empty() && result.error().sentence.size() < 4000);
    QVERIFY2(peak < kMostBytes, qPrintable(QString("%1 bytes").arg(peak)));
    QVERIFY2(seconds < kMostSeconds, qPrintable(QString("%1 s").arg(seconds)));
    m_slowest = std::max(m_slowest, seconds);
    m_largest = std::max(m_largest, peak);
}

void TstHostileFiles::thereAreEnough()
{
    std::map<std::string, int> ofFormat;
    for (const HostileFile& file : m_files.all()) {
        ++ofFormat[file.name.substr(0, file.name.find(':'))];
    }
    QString formats;
    for (const auto& [format, count] : ofFormat) {
        formats += QString(", %1 %2").arg(format.c_str()).arg(count);
    }
    qInfo("%zu files%s; the slowest took %.0f ms of processor time, the largest %lld bytes",
          m_files.all().size(), qPrintable(formats), 1000 * m_slowest,
          static_cast<long long>(m_largest));
    QVERIFY(m_files.all().size() >= kPromisedFiles);
}

void TstHostileFiles::deepGraphsNeedNoDeepStack()
{
    const auto node = [](const std::string& name, const std::string& content) {
        return "node { name: '" + name + "' " + content + " }\n";
    };
    std::string nodes =
        node("n0", "op: 'Const' attr { key: 'value' value { tensor { dtype: DT_FLOAT float_val: 1 "
                   "tensor_shape { } } } }");
    constexpr int kDepth = 100000;
    for (int i = 1; i <= kDepth; ++i) {
        nodes += node(i == kDepth ? "y" : "n" + std::to_string(i),
                      "op: 'Identity' input: 'n" + std::to_string(i - 1) + "'");
    }
    VERIFY_OK(runHostileModel(modelOf(nodes)));
}

void TstHostileFiles::experimentsOfAnySizeAreReadInTime_data()
{
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const std::string& text) { QTest::newRow(name) << text; };
    row("columns", times(2000, "feature_column { name: \"a\" numeric_column { key: \"a\" } } "));
    row("columns that refer to each other",
        times(1000, "feature_column { name: \"b\" bucketized_column { source_column: \"c\" "
                    "boundaries: 1 } } "));
    std::string names;
    for (int i = 0; i < 1000; ++i) {
        const std::string name = std::to_string(i);
        names += "feature_column { name: \"a" + name +
                 "\" embedding_column { categorical_column: \"a" + std::to_string(i + 1) +
                 "\" dimension: 2 } } ";
    }
    row("columns that are not categories", names);
    names.clear();
    std::string used;
    for (int i = 0; i < 16000; ++i) {
        const std::string name = "\"x" + std::to_string(i) + "\"";
        names += "feature_column { name: " + name + " numeric_column { key: " + name + " } } ";
        used += (used.empty() ? "" : ", ") + name;
    }
    row("sixteen thousand columns that are used",
        names + "estimator { linear_classifier { feature_columns: [" + used + "] } }");
    row("files", "data { train { csv { files: [" + times(100000, "\"a\", ") + "\"b\"] } } }");
}

void TstHostileFiles::experimentsOfAnySizeAreReadInTime()
{
    QFETCH(std::string, text);
    const double begin = processorSeconds();
    (void)readHostileExperiment(text, {});
    const double seconds = processorSeconds() - begin;
    QVERIFY2(seconds < kMostSeconds, qPrintable(QString("%1 s").arg(seconds)));
}

CANNERY_TEST(TstHostileFiles)
#include "tst_hostile_files.moc"
