// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/experiment_input.h"
#include "app/cannery/reports/model_plan.h"
#include "core/train/train_and_evaluate.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

using namespace cannery;
using namespace cannery::app;

namespace {

/// The bytes that this process has read so far, from anywhere.
qint64 bytesRead()
{
    QFile file("/proc/self/io");
    if (!file.open(QIODevice::ReadOnly)) {
        qFatal("/proc/self/io cannot be read");
    }
    return file.readLine().mid(int(std::strlen("rchar: "))).trimmed().toLongLong();
}

/// How often a file was opened since this object was created.
class OpenCount
{
public:
    explicit OpenCount(const std::string& file) : m_queue(inotify_init1(IN_NONBLOCK | IN_CLOEXEC))
    {
        // Together with the events in between: equal adjacent events would be merged.
        inotify_add_watch(m_queue, file.c_str(), IN_OPEN | IN_ACCESS | IN_CLOSE);
    }
    ~OpenCount() { close(m_queue); }
    OpenCount(const OpenCount&) = delete;
    OpenCount& operator=(const OpenCount&) = delete;

    int take() const
    {
        alignas(inotify_event) std::array<char, 4096> events{};
        int opens = 0;
        ssize_t got = 0;
        while ((got = read(m_queue, events.data(), events.size())) > 0) {
            for (ssize_t at = 0; at < got;) {
                const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
                opens += (event->mask & IN_OPEN) != 0 ? 1 : 0;
                at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
            }
        }
        return opens;
    }

private:
    int m_queue;
};

} // namespace

/// How often a command reads the experiment and its table.
class TstReadingOnce : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void checkReadsTheExperimentOnce();
    void smallTableIsReadOnce_data();
    void smallTableIsReadOnce();
    void largeTableIsReadTwice_data();
    void largeTableIsReadTwice();
    void largeSplitTableIsReadTwice_data();
    void largeSplitTableIsReadTwice();

private:
    void writeTable(qint64 bytes);
    std::string writeExperiment(const QByteArray& normalizer, const QByteArray& split = "") const;
    /// The bytes read by `cannery check` and `cannery train`, in table sizes.
    double passesOfCheck(const QByteArray& normalizer);
    double passesOfTraining(const QByteArray& normalizer, const QByteArray& split = "");
    double passesOfPlan(const QByteArray& normalizer, const QByteArray& split);
    static void addRows();

    std::unique_ptr<QTemporaryDir> m_folder;
    qint64 m_size = 0;
};

void TstReadingOnce::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TstReadingOnce::writeTable(qint64 bytes)
{
    QFile file(m_folder->filePath("table.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("x,s,y\n");
    QByteArray block;
    for (int row = 0; row < 20'000; ++row) {
        block += QByteArray::number(row * 37 % 1000 / 8.0) + ",some text or other of the row," +
                 QByteArray::number(row % 2) + "\n";
    }
    while (file.pos() < bytes) {
        file.write(block);
    }
    m_size = file.pos();
}

std::string TstReadingOnce::writeExperiment(const QByteArray& normalizer,
                                            const QByteArray& split) const
{
    QFile file(m_folder->filePath("x.cannery"));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("the experiment cannot be written");
    }
    file.write("data { train { csv { files: \"table.csv\" } } label { column: \"y\" } " + split +
               " }\n"
               "feature_column { name: \"x\" numeric_column { key: \"x\" " +
               normalizer +
               " } }\n"
               "estimator { linear_classifier { feature_columns: \"x\" } }\n"
               "train_spec { max_steps: 1 }\n");
    return file.fileName().toStdString();
}

void TstReadingOnce::checkReadsTheExperimentOnce()
{
    writeTable(1000);
    const std::string file = writeExperiment("normalizer { z_score {} }");
    const OpenCount opens(file);
    QVERIFY(checkExperimentAndData(file, {}).problems.empty());
    QCOMPARE(opens.take(), 1);
    QVERIFY(checkExperimentAndData(file, {"train_spec.max_steps=2"}).problems.empty());
    QCOMPARE(opens.take(), 1);
    // Data problems are located in the text that was read.
    QVERIFY(!checkExperimentAndData(file, {"data.train.csv.files=none.csv"}).problems.empty());
    QCOMPARE(opens.take(), 1);
}

double TstReadingOnce::passesOfCheck(const QByteArray& normalizer)
{
    const std::string file = writeExperiment(normalizer);
    const qint64 before = bytesRead();
    const ExperimentReport report = checkExperimentAndData(file, {});
    const qint64 read = bytesRead() - before;
    return spec::hasErrors(report.problems) ? 1e9 : double(read) / double(m_size);
}

double TstReadingOnce::passesOfTraining(const QByteArray& normalizer, const QByteArray& split)
{
    const std::string file = writeExperiment(normalizer, split);
    const ExperimentReport report = checkExperimentFile(file, {});
    const qint64 before = bytesRead();
    const auto trained =
        train::trainAndEvaluate({.experiment = report.experiment,
                                 .experimentFile = file,
                                 .modelDir = m_folder->filePath("model").toStdString(),
                                 .threads = 2});
    const qint64 read = bytesRead() - before;
    return trained ? double(read) / double(m_size) : 1e9;
}

double TstReadingOnce::passesOfPlan(const QByteArray& normalizer, const QByteArray& split)
{
    const std::string file = writeExperiment(normalizer, split);
    const ExperimentReport report = checkExperimentFile(file, {});
    const qint64 before = bytesRead();
    const auto plan = planTraining({.experiment = report.experiment,
                                    .folder = m_folder->path().toStdString(),
                                    .measure = false});
    const qint64 read = bytesRead() - before;
    return plan && plan->evalRows > 0 ? double(read) / double(m_size) : 1e9;
}

void TstReadingOnce::addRows()
{
    QTest::addColumn<QByteArray>("normalizer");
    QTest::addRow("statistics are needed") << QByteArray("normalizer { z_score {} }");
    QTest::addRow("and numbers lie far off")
        << QByteArray("normalizer { subtract_divide { subtract: 0 divide: 2 } }");
    QTest::addRow("nothing is normalized") << QByteArray();
}

void TstReadingOnce::smallTableIsReadOnce_data()
{
    addRows();
}

void TstReadingOnce::smallTableIsReadOnce()
{
    QFETCH(const QByteArray, normalizer);
    writeTable(qint64(8) << 20U);
    // Slightly more: the experiment, and files in /proc and in the run.
    QCOMPARE_LT(passesOfCheck(normalizer), 1.05);
    QCOMPARE_LT(passesOfTraining(normalizer), 1.05);
}

void TstReadingOnce::largeTableIsReadTwice_data()
{
    addRows();
}

void TstReadingOnce::largeTableIsReadTwice()
{
    QFETCH(const QByteArray, normalizer);
    writeTable(qint64(48) << 20U);
    const double most = normalizer.contains("z_score") ? 2.0 : 1.1;
    QCOMPARE_LT(passesOfCheck(normalizer), 2.0);
    QCOMPARE_LT(passesOfTraining(normalizer), most);
}

void TstReadingOnce::largeSplitTableIsReadTwice_data()
{
    QTest::addColumn<QByteArray>("normalizer");
    QTest::addColumn<QByteArray>("split");
    QTest::addColumn<double>("most");
    const QByteArray fraction = "split { fraction { eval_fraction: 0.2 } }";
    const QByteArray stratified = "split { fraction { eval_fraction: 0.2 stratify: true } }";
    const QByteArray byColumn = "split { by_column { column: \"x\" eval_values: \"0.125\" } }";
    QTest::addRow("statistics, fraction")
        << QByteArray("normalizer { z_score {} }") << fraction << 2.0;
    QTest::addRow("statistics, stratified")
        << QByteArray("normalizer { min_max {} }") << stratified << 2.0;
    QTest::addRow("statistics, by column")
        << QByteArray("normalizer { z_score {} }") << byColumn << 2.0;
    QTest::addRow("nothing is normalized") << QByteArray() << fraction << 1.05;
    QTest::addRow("nothing is normalized, by column") << QByteArray() << byColumn << 1.05;
}

/// Both parts are encoded, or counted, by one pass.
void TstReadingOnce::largeSplitTableIsReadTwice()
{
    QFETCH(const QByteArray, normalizer);
    QFETCH(const QByteArray, split);
    QFETCH(const double, most);
    writeTable(qint64(48) << 20U);
    QCOMPARE_LT(passesOfTraining(normalizer, split), most);
    QCOMPARE_LT(passesOfPlan(normalizer, split), most);
}

CANNERY_TEST(TstReadingOnce)
#include "tst_reading_once.moc"
