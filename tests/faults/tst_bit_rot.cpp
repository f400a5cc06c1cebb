// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_sidecar.h"
#include "core/train/records/frozen_experiment.h"
#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/queue_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "storage/runs/view_state_store.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "tests/faults/fault_project.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <array>
#include <functional>

using namespace cannery;
using namespace cannery::tests;

namespace {

/// The result of reading a file: its content as a text, or an error.
struct Reading
{
    const char* file; ///< relative to the project
    bool mayBePrefix; ///< a list that a crash may have truncated: a prefix of it is valid
    std::function<Result<std::string>(const FaultProject&)> read;
};

template <typename Value, typename Print>
Result<std::string> printed(const Result<Value>& value, const Print& print)
{
    if (!value) {
        return tl::make_unexpected(value.error());
    }
    return print(*value);
}

storage::RunFiles filesOf(const FaultProject& project)
{
    return storage::RunFiles(project.run());
}

std::string text(const storage::RunStatus& status)
{
    return fmt::format("{} {} {} {} {} {} {}", name(status.state), status.reason, status.globalStep,
                       status.maxSteps.value_or(-1), status.updatedAt,
                       status.startedAt.value_or(-1), status.finishedAt.value_or(-1));
}

std::string text(const storage::RunInfo& info)
{
    std::string all =
        fmt::format("{} {} {} {} {} {} {} {} {} {}", info.name, info.experimentName,
                    info.experimentFile, info.estimator, info.engine, info.device,
                    info.dataFingerprint, info.trainRows, info.evalRows, info.createdAt);
    for (const storage::RunParameter& parameter : info.parameters) {
        all += "\n" + parameter.path + "=" + parameter.value;
    }
    return all;
}

std::string text(const std::vector<storage::RunEvaluation>& evaluations)
{
    std::string all;
    for (const storage::RunEvaluation& evaluation : evaluations) {
        all += fmt::format("{} {} {}", evaluation.name, evaluation.globalStep, evaluation.wallTime);
        for (const storage::MetricValue& metric : evaluation.metrics) {
            all += " " + metric.name + "=" + std::to_string(metric.value);
        }
        all += "\n";
    }
    return all;
}

std::string text(const std::vector<storage::RunCheckpoint>& checkpoints)
{
    std::string all;
    for (const storage::RunCheckpoint& checkpoint : checkpoints) {
        all += fmt::format("{} {} {} {}\n", checkpoint.globalStep, checkpoint.bytes,
                           checkpoint.savedAt, checkpoint.keptBecause);
    }
    return all;
}

std::string text(const storage::RunAnnotations& said)
{
    std::string all =
        fmt::format("{} {} {} {} {} {}", said.title, said.notes, said.star, said.colour,
                    said.trashedAt.value_or(-1), said.colourSlot.value_or(-1));
    for (const std::string& tag : said.tags) {
        all += " " + tag;
    }
    return all + "\n";
}

const std::array kReadings{
    Reading{"runs/run-001/run.json", false,
            [](const FaultProject& project) {
                return printed(filesOf(project).readInfo(),
                               [](const auto& info) { return text(info); });
            }},
    Reading{"runs/run-001/state.json", false,
            [](const FaultProject& project) {
                return printed(filesOf(project).readStatus(),
                               [](const auto& status) { return text(status); });
            }},
    Reading{"runs/run-001/evaluations.jsonl", true,
            [](const FaultProject& project) {
                return printed(filesOf(project).readEvaluations(),
                               [](const auto& list) { return text(list); });
            }},
    Reading{"runs/run-001/checkpoints.json", false,
            [](const FaultProject& project) {
                return printed(filesOf(project).readCheckpoints(),
                               [](const auto& list) { return text(list); });
            }},
    Reading{"runs/run-001/experiment.cannery", false,
            [](const FaultProject& project) {
                return printed(train::readFrozenExperiment(project.run()), [](const auto& frozen) {
                    return frozen ? frozen->experiment.SerializeAsString() : std::string();
                });
            }},
    Reading{"runs/run-001/model.ckpt-3.cannery", false,
            [](const FaultProject& project) {
                return printed(train::readSidecar(project.run() + "/model.ckpt-3"),
                               [](const auto& sidecar) {
                                   return sidecar ? fmt::format("{} {} {} {}", sidecar->globalStep,
                                                                sidecar->dataFingerprint,
                                                                sidecar->engine, sidecar->input)
                                                  : std::string();
                               });
            }},
    Reading{"runs/run-001/checkpoint", true,
            [](const FaultProject& project) {
                return printed(storage::readCheckpointState(project.run()), [](const auto& state) {
                    std::string all = state ? state->latest : std::string();
                    for (const std::string& prefix :
                         state ? state->all : std::vector<std::string>()) {
                        all += "\n" + prefix;
                    }
                    return all;
                });
            }},
};

} // namespace

/// Any byte of one of our small files is changed, or the file is truncated: this is reported, or
/// the original content is read.
class TstBitRot : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyByteFlipped_data() { rows(); }
    void everyByteFlipped();
    void everyLengthCut_data() { rows(); }
    void everyLengthCut();
    void damagedCheckpointGivesWayToTheOneBefore_data();
    void damagedCheckpointGivesWayToTheOneBefore();
    void programsNameTheDamagedFile();
    void everyByteOfTheStoreFlipped();
    void everyLengthOfTheStoreCut();
    void damagedStoreIsMended();
    void storeIsRebuiltFromTheRuns();

private:
    void fillStore();
    void writeStore(const QByteArray& bytes) const
    {
        QFile::remove(m_project->path("cannery.db-wal"));
        QFile::remove(m_project->path("cannery.db-shm"));
        m_project->write("cannery.db", bytes);
    }
    Result<std::string> contentOfStore() const;

    static void rows()
    {
        QTest::addColumn<int>("reading");
        for (std::size_t i = 0; i < kReadings.size(); ++i) {
            QTest::newRow(kReadings[i].file) << static_cast<int>(i);
        }
    }

    std::unique_ptr<FaultProject> m_project;
    RunResult m_undisturbed;
};

void TstBitRot::initTestCase()
{
    m_project = std::make_unique<FaultProject>();
    const Ended trained = m_project->cannery(FaultProject::trainWords());
    QVERIFY2(trained.exitCode == 0, trained.describe().constData());
    m_undisturbed = RunResult::of(m_project->run(), FaultProject::kSteps);
    m_project->keep();
    m_project->spoils();
}

void TstBitRot::everyByteFlipped()
{
    QFETCH(int, reading);
    const Reading& file = kReadings[static_cast<std::size_t>(reading)];
    m_project->restore();
    const QByteArray whole = m_project->read(file.file);
    const auto expected = file.read(*m_project);
    VERIFY_OK(expected);
    int reported = 0;
    int passed = 0;
    for (qsizetype i = 0; i < whole.size(); ++i) {
        for (const int flip : {0x01, 0x04, 0x20, 0x80, 0xff}) {
            QByteArray damaged = whole;
            damaged[i] = static_cast<char>(damaged[i] ^ flip);
            m_project->write(file.file, damaged);
            const auto read = file.read(*m_project);
            QVERIFY2(!read || *read == *expected,
                     qPrintable(QString("byte %1 ^ %2 was not noticed:\n%3")
                                    .arg(i)
                                    .arg(flip)
                                    .arg(QString::fromUtf8(
                                        damaged.mid(std::max<qsizetype>(i - 40, 0), 80)))));
            reported += read ? 0 : 1;
            ++passed;
        }
    }
    QVERIFY(reported > passed / 3);
    qInfo("%d passed: bytes flipped in %s; %d reported, the others change nothing", passed,
          file.file, reported);
}

void TstBitRot::everyLengthCut()
{
    QFETCH(int, reading);
    const Reading& file = kReadings[static_cast<std::size_t>(reading)];
    m_project->restore();
    const QByteArray whole = m_project->read(file.file);
    const auto expected = file.read(*m_project);
    VERIFY_OK(expected);
    for (qsizetype size = 0; size < whole.size(); ++size) {
        m_project->write(file.file, whole.left(size));
        const auto read = file.read(*m_project);
        QVERIFY2(!read || *read == *expected ||
                     (file.mayBePrefix && expected->compare(0, read->size(), *read) == 0),
                 qPrintable(QString("cut to %1 bytes was not noticed").arg(size)));
    }
    qInfo("%d passed: lengths of %s", int(whole.size()), file.file);
}

void TstBitRot::damagedCheckpointGivesWayToTheOneBefore_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("data") << "model.ckpt-3.data-00000-of-00001";
    QTest::newRow("index") << "model.ckpt-3.index";
    QTest::newRow("state file") << "checkpoint";
}

void TstBitRot::damagedCheckpointGivesWayToTheOneBefore()
{
    QFETCH(QString, file);
    const QString path = "runs/run-001/" + file;
    m_project->restore();
    const QByteArray whole = m_project->read(path);
    const QString undamaged = m_project->cannery({"evaluate", "runs/run-001"}).out;
    int passed = 0;
    for (const qsizetype place : {qsizetype(0), whole.size() / 2, whole.size() - 1}) {
        for (const bool cut : {false, true}) {
            m_project->restore();
            QByteArray damaged = cut ? whole.left(place) : whole;
            if (!cut) {
                damaged[place] = static_cast<char>(damaged[place] ^ 0x55);
            }
            m_project->write(path, damaged);
            if (file != "checkpoint") {
                const Ended evaluated = m_project->cannery({"evaluate", "runs/run-001"});
                // Damage that only affects training does not matter here.
                const bool same = evaluated.exitCode == 0 && evaluated.out == undamaged;
                const bool told = evaluated.exitCode != 0 && evaluated.signal == 0 &&
                                  evaluated.err.contains("model.ckpt-3") &&
                                  evaluated.err.contains("step 2");
                QVERIFY2(same || told, evaluated.describe().constData());
            }
            const Ended resumed = m_project->cannery(
                {"resume", "runs/run-001", "--quiet", "--threads", "1", "--max-steps", "3"});
            QVERIFY2(resumed.exitCode == 0, resumed.describe().constData());
            const QByteArray problem = RunResult::of(m_project->run(), FaultProject::kSteps)
                                           .differenceFrom(m_undisturbed) +
                                       checkpointProblem(m_project->run(), FaultProject::kSteps);
            QVERIFY2(problem.isEmpty(), problem.constData());
            QVERIFY(m_project->read("runs/run-001/train.log").contains("Resuming from") ||
                    file == "checkpoint");
            ++passed;
        }
    }
    qInfo("%d passed: %s damaged, trained on from before", passed, qPrintable(file));
}

void TstBitRot::programsNameTheDamagedFile()
{
    const QList<QStringList> commands{
        {"resume", "runs/run-001", "--quiet", "--max-steps", "4"},
        {"evaluate", "runs/run-001"},
        {"runs", "rescan"},
        {"runs", "show", "run-001"},
    };
    int told = 0;
    int passed = 0;
    for (const Reading& file : kReadings) {
        m_project->restore();
        const QByteArray whole = m_project->read(file.file);
        for (const qsizetype place : {whole.size() / 3, whole.size() - 2}) {
            for (const QStringList& command : commands) {
                m_project->restore();
                QByteArray damaged = whole;
                damaged[place] = static_cast<char>(damaged[place] ^ 0x04);
                m_project->write(file.file, damaged);
                const Ended ended = m_project->cannery(command);
                QVERIFY2(ended.signal == 0 && !ended.timedOut && ended.exitCode <= 5,
                         ended.describe().constData());
                const QString fileName = QString(file.file).section('/', -1);
                QVERIFY2(ended.exitCode == 0 || ended.err.contains(fileName) ||
                             ended.err.contains("run-001"),
                         ended.describe().constData());
                told += ended.exitCode == 0 ? 0 : 1;
                ++passed;
            }
        }
    }
    QVERIFY(told > 10);
    qInfo("%d passed: commands on damaged files", passed);
}

Result<std::string> TstBitRot::contentOfStore() const
{
    CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::open(m_project->folder()));
    CANNERY_TRY_ASSIGN(const storage::RunDetails details, store.show("run-001"));
    std::string all = text(details.info) + "\n" + text(details.status) + "\n" +
                      text(details.evaluations) + text(details.checkpoints) +
                      text(details.annotations);
    for (const storage::TagStatistics& tag : details.tags) {
        all += fmt::format("{} {} {} {} {} {} {}\n", tag.folder, tag.tag, tag.count, tag.lastStep,
                           tag.last, tag.min, tag.max);
    }
    CANNERY_TRY_ASSIGN(const auto queue, storage::QueueStore(store.database()).list());
    for (const storage::QueueEntry& entry : queue) {
        all += fmt::format("{} {} {} {}\n", entry.id, entry.experimentText, entry.title,
                           entry.addedAt);
    }
    CANNERY_TRY_ASSIGN(const std::string view,
                       storage::ViewStateStore(store.database()).read("runs"));
    return all + view;
}

/// The project, with every kind of content in its store.
void TstBitRot::fillStore()
{
    m_project->restore();
    auto store = storage::RunStore::open(m_project->folder());
    VERIFY_OK(store);
    storage::AnnotationStore said(store->database());
    VERIFY_OK(said.setTitle("run-001", "A title"));
    VERIFY_OK(said.setNotes("run-001", "What a person wrote"));
    VERIFY_OK(said.addTag("run-001", "kept"));
    VERIFY_OK(storage::QueueStore(store->database())
                  .add({.experimentText = "name: \"queued\"", .title = "Next", .addedAt = 5}));
    VERIFY_OK(storage::ViewStateStore(store->database()).write("runs", "{\"sort\": 1}"));
}

void TstBitRot::everyByteOfTheStoreFlipped()
{
    fillStore();
    const QByteArray whole = m_project->read("cannery.db");
    const auto expected = contentOfStore();
    VERIFY_OK(expected);
    int reported = 0;
    for (qsizetype i = 0; i < whole.size(); ++i) {
        QByteArray damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
        writeStore(damaged);
        const auto read = contentOfStore();
        QVERIFY2(!read || *read == *expected,
                 qPrintable(QString("byte %1 was not noticed").arg(i)));
        QVERIFY2(read || read.error().message().find("cannery.db") != std::string::npos,
                 qPrintable(QString("byte %1: %2")
                                .arg(i)
                                .arg(QString::fromStdString(read ? "" : read.error().message()))));
        reported += read ? 0 : 1;
    }
    QVERIFY(reported > whole.size() / 2);
    qInfo("%d passed: bytes of the store flipped; %d reported, the others change nothing",
          int(whole.size()), reported);
}

void TstBitRot::everyLengthOfTheStoreCut()
{
    fillStore();
    const QByteArray whole = m_project->read("cannery.db");
    const auto expected = contentOfStore();
    VERIFY_OK(expected);
    for (qsizetype size = 0; size < whole.size(); ++size) {
        writeStore(whole.left(size));
        const auto read = contentOfStore();
        QVERIFY2(!read || *read == *expected, qPrintable(QString("cut to %1 bytes").arg(size)));
    }
    qInfo("%d passed: lengths of the store", int(whole.size()));
}

void TstBitRot::damagedStoreIsMended()
{
    fillStore();
    const QByteArray whole = m_project->read("cannery.db");
    const auto expected = contentOfStore();
    VERIFY_OK(expected);
    constexpr qsizetype kPage = 4096;
    int told = 0;
    int passed = 0;
    for (qsizetype page = 0; page < whole.size(); page += kPage) {
        // In the B-tree's structure, in its content, and in the checksum.
        for (const qsizetype place : {page + 24, page + 101, page + kPage - 60, page + kPage - 2}) {
            QByteArray damaged = whole;
            damaged[place] = static_cast<char>(damaged[place] ^ 0x02);
            writeStore(damaged);
            const auto report = storage::RunStore::rescan(m_project->folder());
            VERIFY_OK(report);
            QCOMPARE(report->runs, 1);
            const auto mended = contentOfStore();
            VERIFY_OK(mended);
            QVERIFY2(*mended == *expected || !report->damaged.empty(),
                     qPrintable(QString("byte %1").arg(place)));
            const QByteArray problem = storeProblem(m_project->folder());
            QVERIFY2(problem.isEmpty(), problem.constData());
            told += report->damaged.empty() ? 0 : 1;
            ++passed;
        }
    }
    QVERIFY(told > 0 && told < passed);
    qInfo("%d passed: damaged stores mended; %d tell of what people said", passed, told);
}

void TstBitRot::storeIsRebuiltFromTheRuns()
{
    m_project->restore();
    const QByteArray whole = m_project->read("cannery.db");
    QByteArray damaged = whole;
    damaged.replace(0, 100, QByteArray(100, 'x'));
    m_project->write("cannery.db", damaged);
    const Ended listed = m_project->cannery({"runs", "list"});
    QVERIFY(listed.exitCode != 0);
    QVERIFY2(listed.err.contains("cannery.db") && listed.err.contains("rescan"),
             listed.describe().constData());
    QCOMPARE(m_project->cannery({"runs", "rescan"}).exitCode, 0);
    const QByteArray problem = storeProblem(m_project->folder());
    QVERIFY2(problem.isEmpty(), problem.constData());
    QCOMPARE(m_project->read("cannery.db.damaged"), damaged);
}

CANNERY_TEST(TstBitRot)
#include "tst_bit_rot.moc"
