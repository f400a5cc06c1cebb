// SPDX-License-Identifier: Apache-2.0
#include "core/base/utf8.h"
#include "tests/faults/hostile_project.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

#include <array>

using namespace cannery::tests;

namespace {

const QList<QStringList> kCommands{
    {"runs"},
    {"runs", "--json"},
    {"runs", "list", "--trash", "--json"},
    {"runs", "show", "run-001"},
    {"runs", "show", "latest", "--json"},
    {"runs", "compare", "run-001", "latest"},
    {"runs", "purge", "run-002"},
    {"runs", "purge", "../../important"},
    {"runs", "delete", "latest"},
    {"runs", "rename", "run-001", "other"},
    {"runs", "rescan"},
    {"queue", "list"},
    {"verify"},
    {"verify", "--json"},
    {"evaluate", "runs/run-001"},
    {"evaluate", "latest", "--json"},
    {"predict", "runs/run-001", "--input", "table.csv", "--output", "predictions.csv"},
    {"export", "runs/run-001", "--output", "served", "--no-verify"},
    {"resume", "runs/run-001", "--quiet", "--threads", "1", "--max-steps", "4"},
    {"train", "faults.cannery", "--quiet", "--threads", "1", "--set", "train_spec.max_steps=3"},
    {"check", "faults.cannery"},
    {"plan", "faults.cannery"},
    {"inspect", "runs/run-001"},
    {"diff", "faults.cannery", "runs/run-001/experiment.cannery"},
};

/// Empty, or what a terminal would interpret as more than text.
QByteArray problemOfText(const QString& printed)
{
    const std::string bytes = printed.toLatin1().toStdString();
    if (!cannery::isUtf8(bytes)) {
        return "printed what is not UTF-8";
    }
    for (const QChar letter : QString::fromStdString(bytes)) {
        if (letter.category() == QChar::Other_Control && letter != u'\n' && letter != u'\t') {
            return "printed a control character " + QByteArray::number(letter.unicode(), 16);
        }
    }
    return {};
}

constexpr std::array kOfARun{"run.lock",           "train.log",
                             "run.json",           "state.json",
                             "evaluations.jsonl",  "checkpoints.json",
                             "experiment.cannery", "checkpoint",
                             "model.ckpt-3.index", "eval"};

constexpr const char* kNotFollowed = "links below a project are not followed";

/// One instance for all functions, which restore it.
const HostileProject& project()
{
    static const HostileProject s_project;
    return s_project;
}

/// Replaces a file or folder of run-001; false if there is none.
bool putLink(const HostileProject& hostile, const QString& name, const QString& target)
{
    const QString file = hostile.path() + "/runs/run-001/" + name;
    const bool isGone =
        QFileInfo(file).isDir() ? QDir(file).removeRecursively() : QFile::remove(file);
    return isGone && QFile::link(target, file);
}

} // namespace

/// Whole project folders with malicious changes, through the command line.
class TstHostileProjects : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void linksInARunsFolderAreNotFollowed_data();
    void linksInARunsFolderAreNotFollowed();
    void readersSayWhichLinkTheyMeet_data();
    void readersSayWhichLinkTheyMeet();
    void aRunThatIsDoneSaysWhatItMet();
    void commandsSurviveAndStayInside();
};

void TstHostileProjects::linksInARunsFolderAreNotFollowed_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : kOfARun) {
        QTest::newRow(name) << QString(name);
    }
}

void TstHostileProjects::linksInARunsFolderAreNotFollowed()
{
    QFETCH(QString, name);
    const HostileProject& hostile = project();
    const QList<QStringList> commands{
        {"resume", "runs/run-001", "--quiet", "--threads", "1", "--max-steps", "4"},
        {"evaluate", "runs/run-001"},
        {"runs", "rescan"},
        {"runs", "delete", "run-001"},
        {"runs", "purge", "run-001"}};
    for (const QString& target : {QString("../../../important/thesis.txt"), QString("/dev/zero")}) {
        hostile.restore();
        QVERIFY2(putLink(hostile, name, target), "nothing to put a link in place of");
        int told = 0;
        for (const QStringList& words : commands) {
            const Ended ended = hostile.cannery(words);
            const QByteArray where = words.join(' ').toUtf8() + ": ";
            QVERIFY2(ended.signal == 0 && !ended.timedOut, (where + ended.describe()).constData());
            told += ended.err.contains(kNotFollowed) && ended.err.contains(name) ? 1 : 0;
            const QByteArray outside = hostile.problemOutside();
            QVERIFY2(outside.isEmpty(), (where + outside).constData());
        }
        QVERIFY2(told > 0, qPrintable(name));
    }
}

void TstHostileProjects::readersSayWhichLinkTheyMeet_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("name");
    const auto add = [](const QStringList& words, const QString& name) {
        QTest::newRow(qPrintable(words.join(' ') + ", " + name)) << words << name;
    };
    for (const char* name : kOfARun) {
        add({"verify"}, name);
    }
    for (const char* name : {"experiment.cannery", "checkpoint", "model.ckpt-3.index",
                             "model.ckpt-3.data-00000-of-00001"}) {
        add({"evaluate", "runs/run-001"}, name);
        add({"export", "runs/run-001", "--output", "served", "--no-verify"}, name);
    }
    for (const char* name :
         {"checkpoint", "model.ckpt-3.index", "model.ckpt-3.data-00000-of-00001"}) {
        add({"train", "faults.cannery", "--quiet", "--set",
             "warm_start.ckpt_to_initialize_from=\"runs/run-001\""},
            name);
    }
    const QString frozen = "runs/run-001/experiment.cannery";
    for (const QStringList& words :
         {QStringList{"check", frozen}, QStringList{"plan", frozen}, QStringList{"fmt", frozen},
          QStringList{"diff", "faults.cannery", frozen}, QStringList{"train", frozen},
          QStringList{"train", "faults.cannery", "--copy", frozen}}) {
        add(words, "experiment.cannery");
    }
    add({"inspect", "runs/run-001"}, "checkpoint");
    add({"inspect", "runs/run-001"}, "model.ckpt-3.index");
    add({"inspect", "runs/run-001/model.ckpt-3"}, "model.ckpt-3.index");
    add({"inspect", "runs/run-001/model.ckpt-3.index"}, "model.ckpt-3.index");
    add({"inspect", "runs/run-001/eval"}, "eval");
}

void TstHostileProjects::readersSayWhichLinkTheyMeet()
{
    QFETCH(QStringList, words);
    QFETCH(QString, name);
    const HostileProject& hostile = project();
    for (const QString& target : {QString("../../../important/thesis.txt"), QString("/dev/zero")}) {
        hostile.restore();
        QVERIFY(putLink(hostile, name, target));
        const Ended ended = hostile.cannery(words);
        QVERIFY2(ended.exitCode != 0 && ended.signal == 0 && !ended.timedOut,
                 ended.describe().constData());
        const QStringList lines = (ended.out + ended.err).split('\n');
        QVERIFY2(!lines.filter(kNotFollowed).filter("runs/run-001/" + name).isEmpty(),
                 ended.describe().constData());
        if (words.front() == "verify") { // each problem once
            static const QRegularExpression s_ofTheRun("^ +runs/run-001/");
            QVERIFY2(lines.filter(s_ofTheRun).size() == 1, ended.describe().constData());
        }
        const QByteArray outside = hostile.problemOutside();
        QVERIFY2(outside.isEmpty(), outside.constData());
    }
}

/// No step is left to train, so nothing else would report it.
void TstHostileProjects::aRunThatIsDoneSaysWhatItMet()
{
    const HostileProject& hostile = project();
    hostile.restore();
    QVERIFY(putLink(hostile, "checkpoint", "/dev/zero"));
    const Ended ended = hostile.cannery({"resume", "runs/run-001", "--quiet"});
    QVERIFY2(ended.exitCode == 0, ended.describe().constData());
    QVERIFY2(ended.err.contains(kNotFollowed) && ended.err.contains("runs/run-001/checkpoint"),
             ended.describe().constData());
}

void TstHostileProjects::commandsSurviveAndStayInside()
{
    constexpr unsigned kChanges = 60;
    constexpr unsigned kCommandsEach = 3;
    HostileProject hostile;
    int refused = 0;
    int passed = 0;
    for (unsigned number = 0; number < kChanges; ++number) {
        const QByteArray change = hostile.change(number);
        for (unsigned i = 0; i < kCommandsEach; ++i) {
            const QStringList& words = kCommands[(number * 7 + i * 5) % kCommands.size()];
            const Ended ended = hostile.cannery(words);
            const QByteArray where = change + "\n" + words.join(' ').toUtf8() + ": ";
            QVERIFY2(ended.signal == 0 && !ended.timedOut, (where + ended.describe()).constData());
            QVERIFY2(ended.exitCode >= 0 && ended.exitCode <= 5,
                     (where + ended.describe()).constData());
            const QByteArray problem = problemOfText(ended.out) + problemOfText(ended.err);
            QVERIFY2(problem.isEmpty(), (where + problem + ended.describe()).constData());
            const QByteArray outside = hostile.problemOutside();
            QVERIFY2(outside.isEmpty(), (where + outside).constData());
            refused += ended.exitCode == 0 ? 0 : 1;
            ++passed;
        }
    }
    QVERIFY(refused > passed / 10 && refused < passed);
    qInfo("%d commands on %d changed projects; %d refused", passed, int(kChanges), refused);
}

CANNERY_TEST(TstHostileProjects)
#include "tst_hostile_projects.moc"
