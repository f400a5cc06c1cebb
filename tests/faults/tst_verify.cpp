// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_project.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <memory>

using namespace cannery::tests;

namespace {

QJsonObject reportOf(const Ended& ended)
{
    return QJsonDocument::fromJson(ended.out.toUtf8()).object();
}

/// "runs/run-001/model.ckpt-3.index: a sentence" for every reported problem.
QStringList damageOf(const Ended& ended)
{
    QStringList told;
    for (const QJsonValue& part : reportOf(ended)["parts"].toArray()) {
        for (const QJsonValue& damaged : part["damaged"].toArray()) {
            told << damaged["path"].toString() + ": " + damaged["sentence"].toString();
        }
    }
    return told;
}

/// Kinds that carry no checksum.
bool isUnchecked(const QString& file)
{
    return file.endsWith("train.log") || file.endsWith("graph.pbtxt") ||
           file.endsWith("run.lock") || file.endsWith("queue.lock");
}

} // namespace

/// `cannery verify`.
class TstVerify : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { m_project->restore(); }
    void aWholeProjectIsWhole();
    void everyKindOfFileIsRead();
    void aMissingFileIsNamed();
    void anExportThatIsGoneIsNamed();
    void encodedRowsAreRead();
    void aCutFileIsNamed();
    void whatIsNoProjectIsSaid();

private:
    QStringList checkedFiles() const;

    std::unique_ptr<FaultProject> m_project;
};

void TstVerify::initTestCase()
{
    m_project = std::make_unique<FaultProject>();
    m_project->spoils(); // files are damaged here on purpose
    m_project->trainAndKeep({{"runs", "rename", "run-001", "Größer"},
                             {"export", "run-001", "--output", "exports/faults"}});
}

/// The files of the project whose bytes are all covered by a checksum.
QStringList TstVerify::checkedFiles() const
{
    QStringList files;
    for (const QString& file : contentOf(m_project->path()).keys()) {
        const bool isOurs = file.startsWith("runs/") || file.startsWith("exports/") ||
                            file.startsWith("annotations/") || file == "cannery.db";
        if (isOurs && !isUnchecked(file)) {
            files << file;
        }
    }
    return files;
}

void TstVerify::aWholeProjectIsWhole()
{
    const auto before = contentOf(m_project->path());
    const Ended ended = m_project->cannery({"verify"});
    QVERIFY2(ended.exitCode == 0, ended.describe().constData());
    QVERIFY2(ended.out.contains("intact   cannery.db (1 file)\n") &&
                 ended.out.contains("intact   annotations (1 file)\n") &&
                 ended.out.contains("intact   runs/run-001 (") &&
                 ended.out.contains("intact   exports/faults/"),
             ended.describe().constData());
    const QJsonObject report = reportOf(m_project->cannery({"verify", "--json"}));
    QCOMPARE(report["whole"], true);
    QCOMPARE(report["parts"].toArray().size(), 4);
    qint64 bytes = 0;
    for (auto file = before.begin(); file != before.end(); ++file) {
        bytes += file.key().contains('/') || file.key() == "cannery.db" ? file->size() : 0;
    }
    QCOMPARE(qint64(report["bytes"].toDouble()), bytes);
    QCOMPARE(contentOf(m_project->path()), before);
}

void TstVerify::everyKindOfFileIsRead()
{
    const QStringList files = checkedFiles();
    for (const char* kind :
         {"run.json", "state.json", "evaluations.jsonl", "checkpoints.json", "experiment.cannery",
          "/checkpoint", ".index", ".data-00000-of-00001", "ckpt-3.cannery", "tfevents",
          "saved_model.pb", "annotations/", "cannery.db"}) {
        QVERIFY2(!files.filter(kind).isEmpty(), kind);
    }
    for (const QString& file : files) {
        const QByteArray whole = m_project->read(file);
        for (const qsizetype place : {whole.size() / 5, whole.size() / 2, whole.size() - 3}) {
            m_project->restore();
            QByteArray damaged = whole;
            damaged[place] = static_cast<char>(damaged[place] ^ 0x04);
            m_project->write(file, damaged);
            const auto before = contentOf(m_project->path());
            const Ended ended = m_project->cannery({"verify", "--json"});
            const QString where = QString("%1, byte %2: ").arg(file).arg(place);
            QVERIFY2(ended.exitCode == 1, (where.toUtf8() + ended.describe()).constData());
            const QStringList told = damageOf(ended);
            QVERIFY2(!told.isEmpty(), qPrintable(where));
            // A checkpoint is named by its index, a SavedModel by its folder.
            const QString part = file.section('/', 0, 1);
            for (const QString& sentence : told) {
                QVERIFY2(sentence.startsWith(part), qPrintable(where + sentence));
            }
            QCOMPARE(contentOf(m_project->path()), before);
        }
    }
}

void TstVerify::aMissingFileIsNamed()
{
    for (const char* file :
         {"runs/run-001/run.json", "runs/run-001/experiment.cannery",
          "runs/run-001/model.ckpt-3.index", "runs/run-001/model.ckpt-3.data-00000-of-00001"}) {
        m_project->restore();
        QVERIFY(QFile::remove(m_project->path(file)));
        const Ended ended = m_project->cannery({"verify"});
        QVERIFY2(ended.exitCode == 1, ended.describe().constData());
        const QString name =
            QString(file).section('/', -1).section(".data", 0, 0).section(".index", 0, 0);
        QVERIFY2(ended.out.contains("damaged  runs/run-001\n") && ended.out.contains(name),
                 ended.describe().constData());
    }
}

void TstVerify::anExportThatIsGoneIsNamed()
{
    QByteArray experiment = m_project->read("faults.cannery");
    experiment.replace("eval_spec {", "eval_spec { exporter { final_exporter { } } ");
    m_project->write("faults.cannery", experiment);
    QCOMPARE(m_project->cannery({"train", "faults.cannery", "--quiet"}).exitCode, 0);
    const QJsonArray exported =
        reportOf(m_project->cannery({"runs", "show", "run-002", "--json"}))["exports"].toArray();
    QCOMPARE(exported.size(), 1);
    QCOMPARE(exported[0]["exists"], true);
    const QString path = exported[0]["path"].toString();
    QVERIFY(QDir(m_project->path("runs/run-002/" + path)).removeRecursively());

    const Ended verified = m_project->cannery({"verify"});
    QCOMPARE(verified.exitCode, 1);
    QVERIFY2(verified.out.contains(
                 "runs/run-002/" + path + ": " + path +
                 " is missing, although exports.jsonl names it. Restore it from a backup.\n"),
             verified.describe().constData());
    const Ended shown = m_project->cannery({"runs", "show", "run-002"});
    QVERIFY2(shown.out.contains(path + " (gone)  "), shown.describe().constData());
}

void TstVerify::encodedRowsAreRead()
{
    QByteArray experiment = m_project->read("faults.cannery");
    experiment.replace("run_config {", "run_config { cache_file: \"rows.cache\" ");
    m_project->write("faults.cannery", experiment);
    QTest::qWait(100); // rows of a table that has just changed are not kept
    QCOMPARE(m_project->cannery({"train", "faults.cannery", "--quiet"}).exitCode, 0);
    const Ended intact = m_project->cannery({"verify"});
    QVERIFY2(intact.exitCode == 0 && intact.out.contains("intact   rows.cache (1 file)\n"),
             intact.describe().constData());

    const QByteArray whole = m_project->read("rows.cache");
    for (const qsizetype place : {whole.size() / 5, whole.size() / 2, whole.size() - 3}) {
        QByteArray damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ 0x04);
        m_project->write("rows.cache", damaged);
        const Ended ended = m_project->cannery({"verify"});
        QVERIFY2(ended.exitCode == 1 && ended.out.contains("damaged  rows.cache\n"),
                 ended.describe().constData());
    }
    QVERIFY(QFile::remove(m_project->path("rows.cache")));
    QCOMPARE(m_project->cannery({"verify"}).exitCode, 0);
}

void TstVerify::aCutFileIsNamed()
{
    for (const QString& file : checkedFiles()) {
        m_project->restore();
        const QByteArray whole = m_project->read(file);
        m_project->write(file, whole.left(whole.size() - 5));
        const Ended ended = m_project->cannery({"verify", "--json"});
        // A torn last line left by a crash never counted.
        if (file.endsWith(".jsonl")) {
            QVERIFY(ended.exitCode <= 1 && ended.signal == 0);
            continue;
        }
        QVERIFY2(ended.exitCode == 1, (file.toUtf8() + ended.describe()).constData());
        QVERIFY(!damageOf(ended).isEmpty());
    }
}

void TstVerify::whatIsNoProjectIsSaid()
{
    const QTemporaryDir empty;
    const Ended ended = m_project->cannery({"verify", empty.path()});
    QCOMPARE(ended.exitCode, 1);
    QVERIFY2(ended.err.contains(empty.path() + " is not a project: it has no cannery.db, no runs/ "
                                               "and no exports/. Name a project's folder."),
             ended.describe().constData());
}

CANNERY_TEST(TstVerify)
#include "tst_verify.moc"
