// SPDX-License-Identifier: GPL-3.0-only
#include "storage/io/files.h"
#include "storage/tf/events/event_writer.h"
#include "tests/support/test_main.h"
#include "tests/ui/services/event_files.h"
#include "tests/ui/services/series_bench.h"
#include "ui/models/runs/run_columns.h"
#include "ui/services/runs/foreign_parameters.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/summary_feed.h"
#include "ui/services/runs/summary_reader.h"

#include <QDir>
#include <QSignalSpy>

using namespace cannery::storage;
using namespace cannery::tests;
using namespace cannery::ui;

namespace {

const QString kSummaryFolders = QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/event/");
constexpr int kLong = 60'000; ///< milliseconds

RunSummaries readAll(SummaryReader& reader)
{
    while (reader.read(true, kLong)) {
    }
    return reader.summaries();
}

EventWriter writerFor(const std::string& folder, double second = 1)
{
    return std::move(
        *EventWriter::create(folder, {.hostName = "host", .clock = [second] { return second; }}));
}

/// A histogram of one value and a text for each step.
void log(EventWriter& writer, std::int64_t from, std::int64_t to)
{
    for (std::int64_t step = from; step < to; ++step) {
        Histogram histogram;
        histogram.add(double(step));
        histogram.add(-1);
        SummaryBuilder summary;
        summary.scalar("loss", 1).histogram("weights", histogram).text("note", "*hi*");
        static_cast<void>(writer.writeSummary(step, summary));
    }
    static_cast<void>(writer.flush());
}

QList<qint64> stepsOf(const StepHistory<HistogramStep>& history)
{
    QList<qint64> steps;
    for (const auto& step : history.steps) {
        steps.append(step->step);
    }
    return steps;
}

} // namespace

class TstSummaryFeed : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void foldersOfTensorFlowAreReadWhole();
    void aGraphFileStandsInForAGraphThatWasNotLogged();
    void growingFilesAreFollowed();
    void ofManyStepsEvenlyChosenOnesAreKept();
    void memoryIsBounded();
    void aNewSessionReplacesItsSteps();
    void aReplacedFileIsReadAnew();
    void whatFollowsDamageIsNotShown();
    void onlyActiveViewsRead();
    void theLastWordsOfARunAreRead();
    void hyperparametersAreParametersOfForeignRuns();

private:
    RunFolders m_folders;
};

void TstSummaryFeed::foldersOfTensorFlowAreReadWhole()
{
    SummaryReader v1(kSummaryFolders + "v1");
    const RunSummaries old = readAll(v1);
    const auto weights = old.histograms.value({"", "train/weights"});
    QCOMPARE(stepsOf(weights), QList<qint64>({0, 10, 20, 30, 40}));
    QCOMPARE(weights.logged, 5);
    QCOMPARE(weights.steps[0]->min, -2.5559253692626953);
    QCOMPARE(weights.steps[0]->count, 50.0);
    QVERIFY(std::abs(weights.steps[0]->bounds[4] - -0.35363819004775493) < 1e-12);
    QCOMPARE(old.texts.value({"", "note"}).steps.size(), 5);
    QCOMPARE(old.texts.value({"", "note"}).steps[4]->markdown, QString("*Hello*, **events**"));
    QCOMPARE(old.images.value({"", "picture/image/0"}).steps.size(), 5);
    QCOMPARE(old.prCurves.value({"", "curve/pr_curves"}).steps.size(), 5);
    QCOMPARE(old.sounds.value({"", "tone/audio/0"}), 5);
    const std::shared_ptr<const RunGraph> graph = old.graphs.value("");
    QVERIFY(graph && !graph->nodes.empty());
    QCOMPARE(old.loadedFraction, 1.0);
    QCOMPARE(old.leftOut, 0);
    QCOMPARE(old.problem, QString());

    SummaryReader v2(kSummaryFolders + "v2");
    const RunSummaries tensors = readAll(v2);
    QCOMPARE(tensors.histograms.keys(),
             QList<SummaryKey>({{"", "constant"}, {"", "empty"}, {"", "weights"}}));
    QCOMPARE(tensors.histograms.value({"", "empty"}).steps[0]->count, 0.0);
    QCOMPARE(tensors.texts.size(), 2);
    QCOMPARE(tensors.images.size(), 1);
    QCOMPARE(tensors.sounds.size(), 1);
}

void TstSummaryFeed::aGraphFileStandsInForAGraphThatWasNotLogged()
{
    const auto nodeNames = [](const RunSummaries& summaries) {
        QStringList names;
        if (const auto graph = summaries.graphs.value("")) {
            for (const GraphNodeFacts& node : graph->nodes) {
                names << node.name + ": " + node.op + " " + node.type;
            }
        }
        return names;
    };
    const std::string folder = m_folders.makeRun();
    EventWriter training = writerFor(folder);
    log(training, 0, 3);
    SummaryReader reader(QString::fromStdString(folder));
    QVERIFY(readAll(reader).graphs.isEmpty());
    // It may come later than the events.
    writeBytes(
        folder + "/graph.pbtxt",
        "node { name: \"x\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } "
        "} }\nnode { name: \"y\" op: \"Relu\" input: \"x\" }\nversions { producer: 9 }\n");
    const QStringList expected{"x: Placeholder float32", "y: Relu "};
    QCOMPARE(nodeNames(readAll(reader)), expected);
    // What was logged is preferred.
    SummaryReader logged(kSummaryFolders + "v1");
    QVERIFY(!nodeNames(readAll(logged)).contains("x: Placeholder float32"));

    // A folder without any events
    const std::string bare = m_folders.makeRun();
    writeBytes(bare + "/graph.pbtxt", "node { name: \"a\" op: \"NoOp\" }");
    SummaryReader alone(QString::fromStdString(bare));
    QCOMPARE(nodeNames(readAll(alone)), QStringList{"a: NoOp "});
    QCOMPARE(alone.summaries().problem, QString());

    const std::string damaged = m_folders.makeRun();
    writeBytes(damaged + "/graph.pbtxt", "node { name: ");
    SummaryReader broken(QString::fromStdString(damaged));
    QVERIFY(readAll(broken).graphs.isEmpty());
    QVERIFY2(broken.summaries().problem.contains("graph.pbtxt"),
             qPrintable(broken.summaries().problem));
}

void TstSummaryFeed::growingFilesAreFollowed()
{
    const std::string folder = m_folders.makeRun();
    EventWriter training = writerFor(folder);
    EventWriter evaluation = writerFor(folder + "/eval");
    log(training, 0, 3);
    SummaryReader reader(QString::fromStdString(folder));
    const SummaryKey key{"", "weights"};
    QCOMPARE(stepsOf(readAll(reader).histograms.value(key)), QList<qint64>({0, 1, 2}));
    log(training, 3, 4);
    log(evaluation, 3, 4);
    const RunSummaries grown = readAll(reader);
    QCOMPARE(stepsOf(grown.histograms.value(key)), QList<qint64>({0, 1, 2, 3}));
    QCOMPARE(stepsOf(grown.histograms.value({"eval", "weights"})), QList<qint64>({3}));
    // A tensor in a later file, whose plugin only the first file names.
    EventWriter later = writerFor(folder, 100);
    SummaryBuilder summary;
    summary.stringTensor("note", "later");
    static_cast<void>(later.writeSummary(9, summary));
    static_cast<void>(later.flush());
    QCOMPARE(readAll(reader).texts.value({"", "note"}).steps.last()->markdown, QString("later"));
}

void TstSummaryFeed::ofManyStepsEvenlyChosenOnesAreKept()
{
    StepReservoir<TextStep> shelf;
    constexpr qint64 kSteps = 3000;
    for (qint64 step = 0; step < kSteps; ++step) {
        auto text = std::make_shared<TextStep>();
        text->step = step;
        shelf.add(std::move(text), 10);
        QVERIFY(shelf.history().steps.size() <= 500);
        QCOMPARE(shelf.history().steps.last()->step, step);
    }
    const StepHistory<TextStep> history = shelf.history();
    QCOMPARE(history.logged, kSteps);
    QVERIFY(history.steps.size() >= 250);
    QCOMPARE(shelf.bytes(), 10 * history.steps.size());
    for (qsizetype i = 0; i + 1 < history.steps.size(); ++i) {
        QCOMPARE(history.steps[i]->step, 8 * i);
    }
}

void TstSummaryFeed::memoryIsBounded()
{
    const std::string folder = m_folders.makeRun();
    EventWriter writer = writerFor(folder);
    log(writer, 0, 400);
    constexpr qint64 kRoom = 40'000;
    SummaryReader reader(QString::fromStdString(folder), kRoom);
    const RunSummaries summaries = readAll(reader);
    const auto weights = summaries.histograms.value({"", "weights"});
    QVERIFY(weights.steps.size() > 10 && weights.steps.size() < 200);
    QCOMPARE(weights.logged, 400);
    QCOMPARE(weights.steps.last()->step, 399);
    QCOMPARE(summaries.leftOut, 0);
    // Values that do not fit at all are counted.
    SummaryReader tiny(QString::fromStdString(folder), 600);
    QVERIFY(readAll(tiny).leftOut > 0);
}

void TstSummaryFeed::aNewSessionReplacesItsSteps()
{
    const std::string folder = m_folders.makeRun();
    EventWriter first = writerFor(folder, 1);
    log(first, 0, 10);
    EventWriter second = writerFor(folder, 2);
    static_cast<void>(second.writeSessionLog(5, SessionStatus::Start));
    log(second, 7, 8);
    SummaryReader reader(QString::fromStdString(folder));
    const auto weights = readAll(reader).histograms.value({"", "weights"});
    QCOMPARE(stepsOf(weights), QList<qint64>({0, 1, 2, 3, 4, 7}));
    QCOMPARE(weights.logged, 6);
}

void TstSummaryFeed::aReplacedFileIsReadAnew()
{
    const std::string folder = m_folders.makeRun();
    std::string path;
    {
        EventWriter writer = writerFor(folder);
        path = writer.path();
        log(writer, 0, 3);
    }
    SummaryReader reader(QString::fromStdString(folder));
    QCOMPARE(readAll(reader).histograms.value({"", "weights"}).logged, 3);
    QVERIFY(QFile::remove(QString::fromStdString(path)));
    EventWriter writer = writerFor(folder, 7);
    log(writer, 5, 6);
    QCOMPARE(stepsOf(readAll(reader).histograms.value({"", "weights"})), QList<qint64>({5}));
}

void TstSummaryFeed::whatFollowsDamageIsNotShown()
{
    const std::string folder = m_folders.makeRun();
    EventWriter writer = writerFor(folder);
    log(writer, 0, 2);
    appendBytes(writer.path(), std::string(64, 'x'));
    SummaryReader reader(QString::fromStdString(folder));
    const RunSummaries summaries = readAll(reader);
    QCOMPARE(summaries.histograms.value({"", "weights"}).logged, 2);
    QVERIFY(!summaries.problem.isEmpty());
    QCOMPARE(summaries.loadedFraction, 1.0);
}

void TstSummaryFeed::onlyActiveViewsRead()
{
    const std::string folder = m_folders.makeRun();
    EventWriter writer = writerFor(folder);
    log(writer, 0, 2);
    SummaryFeed feed;
    feed.setPollInterval(std::chrono::milliseconds(10));
    QSignalSpy changes(&feed, &SummaryFeed::changed);
    feed.setRun(QString::fromStdString(folder), true);
    QTest::qWait(100);
    QVERIFY(feed.summaries()->histograms.isEmpty());
    feed.setActive(true);
    const SummaryKey key{"", "weights"};
    WAIT_UNTIL(feed.summaries()->histograms.value(key).logged == 2);
    log(writer, 2, 3);
    WAIT_UNTIL(feed.summaries()->histograms.value(key).logged == 3);
    // Nothing new, nothing said.
    QTest::qWait(50);
    const qsizetype before = changes.size();
    QTest::qWait(100);
    QCOMPARE(changes.size(), before);
    feed.setRun(QString::fromStdString(m_folders.makeRun()), true);
    QVERIFY(feed.summaries()->histograms.isEmpty());
}

void TstSummaryFeed::theLastWordsOfARunAreRead()
{
    const std::string folder = m_folders.makeRun();
    EventWriter writer = writerFor(folder);
    log(writer, 0, 2);
    SummaryFeed feed;
    feed.setActive(true);
    feed.setRun(QString::fromStdString(folder), false);
    WAIT_UNTIL(feed.summaries()->loadedFraction == 1.0);
    feed.setRun(QString::fromStdString(folder), true);
    log(writer, 2, 5);
    feed.setRun(QString::fromStdString(folder), false);
    WAIT_UNTIL(feed.summaries()->histograms.value({"", "weights"}).logged == 5);
}

void TstSummaryFeed::hyperparametersAreParametersOfForeignRuns()
{
    RunCatalog catalog;
    catalog.openEventFolder(kSummaryFolders + "hparams");
    WAIT_UNTIL(catalog.snapshot()->runs.size() == 3);
    const RunRow* run = catalog.snapshot()->find("trial_1");
    QVERIFY(run);
    const QList<std::pair<QString, QString>> expected{
        {"optimizer", "Ftrl"}, {"rate", "0.01"}, {"units", "16"}};
    QCOMPARE(run->parameters, expected);
    QStringList columns;
    for (const ColumnOffer& offer : availableColumns(*catalog.snapshot())) {
        columns.append(offer.column.key);
    }
    QVERIFY2(columns.contains("rate") && columns.contains("units"), qPrintable(columns.join(' ')));

    // Found as soon as they are written, and only searched for at the beginning of a file.
    const std::string folder = m_folders.makeRun();
    ForeignParameters parameters;
    QVERIFY(parameters.of(QString::fromStdString(folder)).isEmpty());
    EventWriter writer = writerFor(folder);
    log(writer, 0, 2);
    QVERIFY(parameters.of(QString::fromStdString(folder)).isEmpty());
    const std::string golden = *readWholeFile(
        (kSummaryFolders + "hparams/trial_2/events.out.tfevents.1700000002.host.v2").toStdString());
    appendBytes(writer.path(), golden);
    QCOMPARE(parameters.of(QString::fromStdString(folder)).value(1).second, QString("0.5"));
}

CANNERY_TEST(TstSummaryFeed)
#include "tst_summary_feed.moc"
