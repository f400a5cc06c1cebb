// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QSet>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

using namespace cannery::tests;

namespace {

const QString kUnprintable = "error: Cannot write the result to standard output: No space left on "
                             "device. Free some space or choose another place.\n";

const QString kSweep = "sweep={ parameter { field: 'train_spec.input.batch_size' choice { value: "
                       "'8' } } grid {} }";

/// `cannery ARGUMENTS` with streams redirected by a shell: ">/dev/full".
ProgramResult redirected(const ProjectFixture& project, const QStringList& arguments,
                         const QString& how)
{
    QProcess process;
    process.setWorkingDirectory(project.path("."));
    process.start("/bin/bash",
                  QStringList{"-c", "\"$0\" \"$@\" " + how, CANNERY_PROGRAM} + arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(kPatience)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    return {.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            .out = QString::fromUtf8(process.readAllStandardOutput()),
            .err = QString::fromUtf8(process.readAllStandardError())};
}

/// Words that print a result, or an error, for every command.
QList<QStringList> printing()
{
    return {
        {"attach", "run-001", "--json"},
        {"browse", "table.csv"},
        {"browse", "table.csv", "--json"},
        {"check", "fixture.cannery", "--json"},
        {"check", "fixture.cannery", "--resolved"},
        {"checkpoint", "run-001", "--json"},
        {"completion", "bash"},
        {"diff", "fixture.cannery", "runs/run-001/experiment.cannery"},
        {"diff", "fixture.cannery", "fixture.cannery", "--json"},
        {"convert", "table.csv", "copy.csv"},
        {"convert", "table.csv", "copy.csv", "--json"},
        {"doctor"},
        {"doctor", "--json"},
        {"evaluate", "run-001"},
        {"evaluate", "run-001", "--json"},
        {"export", "run-001", "--output", "out", "--json"},
        {"fmt", "fixture.cannery", "--stdout"},
        {"help"},
        {"help", "train"},
        {"help", "estimator"},
        {"inspect", "runs/run-001"},
        {"inspect", "runs/run-001", "--json"},
        {"inspect", "runs/run-001", "--embeddings"},
        {"inspect", "runs/run-001", "--components", "colour_embedding", "--json"},
        {"launch", "fixture.cannery", "-n", "1", "--dry-run", "kubernetes"},
        {"new", "table.csv", "--label", "label", "--dry-run"},
        {"new", "table.csv", "--label", "label", "--json", "--dry-run"},
        {"pause", "run-001", "--json"},
        {"plan", "fixture.cannery", "--no-measure"},
        {"plan", "fixture.cannery", "--no-measure", "--json"},
        {"predict", "run-001", "--input", "table.csv"},
        {"predict", "run-001", "--input", "table.csv", "--format", "jsonl"},
        {"preview", "fixture.cannery"},
        {"preview", "fixture.cannery", "--json"},
        {"preview", "fixture.cannery", "--components"},
        {"preview", "fixture.cannery", "--components", "--json"},
        {"queue", "list"},
        {"queue", "list", "--json"},
        {"resume", "run-001"},
        {"resume", "run-001", "--json"},
        {"runs", "list"},
        {"runs", "list", "--json"},
        {"runs", "show", "run-001"},
        {"runs", "compare", "run-001", "run-001"},
        {"stop", "run-001", "--json"},
        {"sweep", "fixture.cannery", "--set", kSweep, "--dry-run"},
        {"sweep", "fixture.cannery", "--set", kSweep, "--dry-run", "--json"},
        {"sweep", "fixture.cannery", "--set", kSweep, "--json"},
        {"train", "fixture.cannery", "--model-dir", "runs/run-001"},
        {"train", "fixture.cannery", "--model-dir", "runs/run-001", "--json"},
        {"train", "fixture.cannery", "--dry-run"},
        {"train", "fixture.cannery", "--dry-run", "--json"},
        {"validate", "fixture.cannery"},
        {"validate", "fixture.cannery", "--json"},
        {"verify"},
        {"verify", "--json"},
    };
}

/// Whether its result is a file's bytes, written unmodified to a pipe.
bool isContent(const QStringList& words)
{
    return words.front() == "predict" || words.contains("--stdout") ||
           words.contains("--resolved") || words.contains("--dry-run");
}

/// Starts an endless training and waits for a checkpoint.
std::unique_ptr<QProcess> startEndless(const ProjectFixture& project, const QStringList& more,
                                       const std::function<void()>& before = {})
{
    auto process = std::make_unique<QProcess>();
    process->setWorkingDirectory(project.path("."));
    process->setChildProcessModifier(before);
    process->start(CANNERY_PROGRAM, QStringList{"train", "fixture.cannery", "--quiet", "--set",
                                                "train_spec.max_steps=1000000000"} +
                                        more);
    const bool hasSaved =
        QTest::qWaitFor([&] { return project.exists("runs/run-001/checkpoint"); }, kPatience);
    return hasSaved ? std::move(process) : nullptr;
}

/// A full pipe whose reader reads nothing.
class FullPipe
{
public:
    FullPipe()
    {
        if (pipe2(m_ends, O_CLOEXEC | O_NONBLOCK) != 0) {
            qFatal("no pipe");
        }
        const std::string page(4096, 'x');
        while (write(m_ends[1], page.data(), page.size()) > 0) {
        }
        fcntl(m_ends[1], F_SETFL, 0); // like a halted terminal: writers block
    }
    ~FullPipe()
    {
        close(m_ends[0]);
        close(m_ends[1]);
    }
    int end() const { return m_ends[1]; }

private:
    int m_ends[2] = {-1, -1};
};

} // namespace

/// Streams that cannot be written, or contain terminal control sequences; special files.
class TstStreams : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void resultThatCannotBeWrittenIsToldByEveryCommand_data();
    void resultThatCannotBeWrittenIsToldByEveryCommand();
    void everyCommandIsAmongThem();
    void readerOfAResultMayGo();
    void trainingIsNobodysHostage_data();
    void trainingIsNobodysHostage();
    void trainingWaitsForNoReader();
    void closedStreamsReachNoFile();
    void exporterThatFailsEndsNoTraining();
    void hangUpSaves();
    void ignoredHangUpIsIgnored();
    void nothingFromFilesCommandsTheTerminal_data();
    void nothingFromFilesCommandsTheTerminal();
    void onlyFilesAreRead_data();
    void onlyFilesAreRead();
    void standardInputIsReadWhereAskedFor();

private:
    /// Copies the run of m_project into another project.
    void copyRun(const ProjectFixture& project) const
    {
        const QString runs = project.path("runs/run-001");
        QDir().mkpath(runs);
        for (const QString& file : QDir(m_project.path("runs/run-001")).entryList(QDir::Files)) {
            QFile::copy(m_project.path("runs/run-001/" + file), runs + "/" + file);
        }
        project.run({"runs", "rescan"});
    }

    ProjectFixture m_project; ///< with a run
};

void TstStreams::initTestCase()
{
    const ProgramResult trained = m_project.run({"train", "fixture.cannery", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult queued = m_project.run({"queue", "add", "fixture.cannery"});
    QVERIFY2(queued.exitCode == 0, qPrintable(queued.err));
}

void TstStreams::resultThatCannotBeWrittenIsToldByEveryCommand_data()
{
    QTest::addColumn<QStringList>("words");
    for (const QStringList& words : printing()) {
        QTest::addRow("%s", qPrintable(words.join(' '))) << words;
    }
}

void TstStreams::resultThatCannotBeWrittenIsToldByEveryCommand()
{
    QFETCH(QStringList, words);
    const auto printedTo = [&](const char* place) {
        QFile::remove(m_project.path("copy.csv")); // which is never overwritten
        return redirected(m_project, words, place);
    };
    const ProgramResult full = printedTo(">/dev/full");
    QVERIFY2(full.exitCode > 0 && full.exitCode <= 5, qPrintable(full.err));
    QVERIFY2(full.err.endsWith(kUnprintable), qPrintable(full.err));
    QVERIFY2(!full.err.contains("predicted by"), qPrintable(full.err));
    const ProgramResult closed = printedTo(">&-");
    QVERIFY2(closed.exitCode > 0 && closed.exitCode <= 5, qPrintable(closed.err));
    QVERIFY2(closed.err.endsWith("error: Cannot write the result to standard output: Bad file "
                                 "descriptor.\n"),
             qPrintable(closed.err));
}

void TstStreams::everyCommandIsAmongThem()
{
    QSet<QString> tried{"worker"}; // prints what train prints, with the same code, in a cluster
    for (const QStringList& words : printing()) {
        tried.insert(words.front());
    }
    const QStringList help = m_project.run({"help"}).out.split('\n');
    int commands = 0;
    for (int i = int(help.indexOf("Commands:")) + 1; help[i].startsWith("  "); ++i) {
        const QString command = help[i].trimmed().section(' ', 0, 0);
        QVERIFY2(tried.contains(command), qPrintable(command));
        ++commands;
    }
    QVERIFY(commands >= 21);
}

void TstStreams::readerOfAResultMayGo()
{
    int ends[2];
    QCOMPARE(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    const auto exitCodeOf = [&](const QStringList& words, QByteArray& said) {
        QProcess process;
        process.setWorkingDirectory(m_project.path("."));
        process.setChildProcessModifier([&] { dup2(ends[1], STDOUT_FILENO); });
        process.start(CANNERY_PROGRAM, words);
        process.waitForFinished(kPatience);
        said = process.readAllStandardError();
        return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    };
    QByteArray said;
    QCOMPARE(exitCodeOf({"runs", "show", "run-001"}, said), 128 + SIGPIPE);
    QCOMPARE(said, QByteArray());
    QCOMPARE(exitCodeOf({"predict", "run-001", "--input", "table.csv"}, said), 128 + SIGPIPE);
    QVERIFY2(!said.contains("error"), said.constData());
    QCOMPARE(exitCodeOf({"train", "fixture.cannery", "--model-dir", "runs/run-001"}, said), 0);
    QVERIFY2(!said.contains("error"), said.constData());
    close(ends[1]);
}

void TstStreams::trainingIsNobodysHostage_data()
{
    QTest::addColumn<QString>("how");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("stderr full") << "2>/dev/full" << 0;
    QTest::newRow("stderr closed") << "2>&-" << 0;
    QTest::newRow("both closed") << ">&- 2>&-" << 1;
    QTest::newRow("both full") << ">/dev/full 2>&1" << 1;
    QTest::newRow("reader gone") << "2>&1 | true; exit ${PIPESTATUS[0]}" << 0;
    QTest::newRow("reader of one line") << "2>&1 | head -1; exit ${PIPESTATUS[0]}" << 0;
    QTest::newRow("standard input closed") << "<&-" << 0;
}

void TstStreams::trainingIsNobodysHostage()
{
    QFETCH(QString, how);
    QFETCH(int, exitCode);
    for (const QStringList& more : {QStringList(), QStringList{"--restarts", "1"}}) {
        const ProjectFixture project;
        const ProgramResult trained =
            redirected(project, QStringList{"train", "fixture.cannery"} + more, how);
        QVERIFY2(trained.exitCode == exitCode, qPrintable(trained.err + trained.out));
        const ProgramResult shown = project.run({"runs", "show", "run-001"});
        QVERIFY2(shown.out.startsWith("run-001 (Finished)\n"), qPrintable(shown.out + shown.err));
        QVERIFY(project.exists("runs/run-001/model.ckpt-60.index"));
    }
}

/// A halted terminal (Ctrl-S), a pager at its first page.
void TstStreams::trainingWaitsForNoReader()
{
    const ProjectFixture project;
    const FullPipe full;
    QProcess process;
    process.setWorkingDirectory(project.path("."));
    process.setChildProcessModifier([&] { dup2(full.end(), STDERR_FILENO); });
    process.start(CANNERY_PROGRAM, {"train", "fixture.cannery"});
    QVERIFY(process.waitForFinished(kPatience));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(process.readAllStandardOutput().contains("Finished, step 60"));
}

/// The descriptor of a closed stream is not reused for the next file that is opened.
void TstStreams::closedStreamsReachNoFile()
{
    const ProjectFixture open;
    const ProjectFixture closed;
    const QStringList words{"train", "fixture.cannery", "--model-dir", "model"};
    QCOMPARE(redirected(open, words, "").exitCode, 0);
    QCOMPARE(redirected(closed, words, "<&- >&- 2>&-").exitCode, 1);
    for (const char* name :
         {"model/model.ckpt-60.index", "model/model.ckpt-60.data-00000-of-00001"}) {
        QVERIFY2(!open.read(name).isEmpty(), name);
        QVERIFY2(open.read(name) == closed.read(name), name);
    }
}

/// Its folder is a file. The missing export is reported at the end, and made by the same command
/// later.
void TstStreams::exporterThatFailsEndsNoTraining()
{
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment("input { batch_size: 64 }",
                                     "input { batch_size: 64 } exporter { latest_exporter { name: "
                                     "\"latest\" exports_to_keep: 2 } }"));
    QVERIFY(QDir().mkpath(project.path("model")));
    project.write("model/export", "in the way");
    const QStringList words{"train", "fixture.cannery", "--model-dir", "model"};
    const ProgramResult failed = project.run(words);
    QCOMPARE(failed.exitCode, 1);
    QVERIFY2(failed.err.count("warning: The export of step ") >= 2, qPrintable(failed.err));
    QVERIFY2(failed.err.contains("warning: The export of step 40 failed, training continues: "),
             qPrintable(failed.err));
    QVERIFY2(failed.err.contains("; every step is trained, and its checkpoint saved]\n"),
             qPrintable(failed.err));
    QVERIFY(project.exists("model/model.ckpt-60.index"));
    QVERIFY(QFile::remove(project.path("model/export")));
    const ProgramResult again = project.run(words);
    QVERIFY2(again.exitCode == 0, qPrintable(again.err));
    const QStringList exports =
        QDir(project.path("model/export/latest")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(exports.size(), 1);
}

void TstStreams::hangUpSaves()
{
    for (const QStringList& more : {QStringList(), QStringList{"--restarts", "1"}}) {
        const ProjectFixture project;
        const std::unique_ptr<QProcess> process =
            startEndless(project, more, [] { signal(SIGHUP, SIG_DFL); });
        QVERIFY(process != nullptr);
        kill(pid_t(process->processId()), SIGHUP);
        QVERIFY(process->waitForFinished(kPatience));
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
        QCOMPARE(process->exitCode(), 129);
        const ProgramResult shown = project.run({"runs", "show", "run-001"});
        QVERIFY2(shown.out.startsWith("run-001 (Stopped)\n"), qPrintable(shown.out));
    }
}

/// As with `nohup`.
void TstStreams::ignoredHangUpIsIgnored()
{
    const ProjectFixture project;
    const std::unique_ptr<QProcess> process =
        startEndless(project, {}, [] { signal(SIGHUP, SIG_IGN); });
    QVERIFY(process != nullptr);
    kill(pid_t(process->processId()), SIGHUP);
    kill(pid_t(process->processId()), SIGTERM);
    QVERIFY(process->waitForFinished(kPatience));
    QCOMPARE(process->exitCode(), 143);
}

void TstStreams::nothingFromFilesCommandsTheTerminal_data()
{
    resultThatCannotBeWrittenIsToldByEveryCommand_data();
    const auto add = [](const QStringList& words) {
        QTest::addRow("%s", qPrintable(words.join(' '))) << words;
    };
    add({"check", "broken\x1b.cannery"});
    add({"inspect", "no\x1b[31mthing"});
    add({"new", "hostile.csv", "--label", "\x1b[31m"});
    add({"new", "hostile.csv", "--label", "label"});
    add({"train", "hostile.cannery", "--model-dir", "hostile"});
    add({"evaluate", "hostile.cannery", "--model-dir", "hostile"});
    add({"inspect", "hostile"});
    add({"no\x1b[31mcommand"});
    add({"help", "\x1b[31m"});
}

void TstStreams::nothingFromFilesCommandsTheTerminal()
{
    QFETCH(QStringList, words);
    const ProjectFixture project;
    QByteArray table = project.read("table.csv");
    table.replace("red", "r\x1b[31m\xc2\x9b\xff\ad").replace("id,x", "i\x1b[31md,x");
    project.write("table.csv", table);
    project.write("hostile.csv", table);
    project.write("fixture.cannery",
                  project.experiment("\"fixture\"", "\"a \\033[31m\\nerror: forged\"")
                      .replace("\"red\"", "\"r\\033[31m\\302\\233d\""));
    project.write("hostile.cannery", project.read("fixture.cannery"));
    project.write("broken\x1b.cannery", "name: \"\x1b[31m\" nonsense\x1b[31m { }\n");
    project.run({"train", "fixture.cannery", "--quiet"});
    project.run({"train", "hostile.cannery", "--quiet", "--model-dir", "hostile"});
    project.run({"runs", "rename", "run-001", "a \x1b[31m title"});
    project.run({"runs", "note", "run-001", "a \x1b[31m note\nof two lines"});
    const ProgramResult result = project.run(words);
    for (const QChar c : result.out + result.err) {
        QVERIFY2(c == '\n' || c == '\t' || c.category() != QChar::Other_Control || isContent(words),
                 qPrintable(result.out + result.err));
    }
    QVERIFY2(!result.err.contains("\nerror: forged") && !result.out.contains("\nerror: forged"),
             qPrintable(result.out + result.err));
}

void TstStreams::onlyFilesAreRead_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<QByteArray>("with");
    const auto add = [](const char* name, const QStringList& words, const QByteArray& what = {},
                        const QByteArray& with = {}) {
        QTest::newRow(name) << words << what << with;
    };
    const QStringList train{"train", "named.cannery", "--model-dir", "model"};
    const QByteArray vocabulary = "list { key: \"colour\" vocabulary_list: [\"red\", \"green\", "
                                  "\"blue\"] }";
    add("an experiment", {"check", "NAMED"});
    add("an experiment to train", {"train", "NAMED", "--model-dir", "model"});
    add("an experiment's copy", {"train", "fixture.cannery", "--copy", "NAMED"});
    add("an experiment to lay out", {"fmt", "NAMED"});
    add("an experiment to compare", {"diff", "fixture.cannery", "NAMED"});
    add("a table for an experiment", {"new", "NAMED", "--label", "label"});
    add("a table to train on", train, "train { csv { files: \"table.csv\"",
        "train { csv { files: \"NAMED\"");
    add("a table to check", {"check", "named.cannery"}, "eval { csv { files: \"table.csv\"",
        "eval { csv { files: \"NAMED\"");
    add("a vocabulary", train, vocabulary, "file { key: \"colour\" vocabulary_file: \"NAMED\" }");
    add("weights to begin with", train, "run_config {",
        "warm_start { ckpt_to_initialize_from: \"NAMED\" }\nrun_config {");
    add("rows to predict", {"predict", "run-001", "--input", "NAMED"});
    add("rows to evaluate", {"evaluate", "run-001", "--data", "NAMED"});
    add("a file to inspect", {"inspect", "NAMED"});
    add("a checkpoint to inspect", {"inspect", "NAMED.index"});
}

void TstStreams::onlyFilesAreRead()
{
    QFETCH(QStringList, words);
    QFETCH(QByteArray, what);
    QFETCH(QByteArray, with);
    ProjectFixture project;
    copyRun(project);
    QCOMPARE(mkfifo(qPrintable(project.path("pipe")), 0600), 0);
    QCOMPARE(mkfifo(qPrintable(project.path("pipe.index")), 0600), 0);
    QCOMPARE(symlink("/dev/zero", qPrintable(project.path("zeros"))), 0);
    QCOMPARE(symlink("/dev/zero", qPrintable(project.path("zeros.index"))), 0);
    for (const QByteArray named : {"pipe", "zeros"}) {
        project.write("named.cannery",
                      project.experiment(what, QByteArray(with).replace("NAMED", named)));
        QStringList asked = words;
        asked.replaceInStrings("NAMED", named);
        const ProgramResult result = project.run(asked);
        QVERIFY2(result.exitCode == 3 || result.exitCode == 5, qPrintable(result.err));
        const QString said = result.out + result.err;
        const QString kind = named == "pipe" ? "a pipe" : "a device";
        QVERIFY2(said.contains("it is " + kind + ", not a file") ||
                     said.contains("it is not a file"),
                 qPrintable(said));
        QVERIFY2(said.contains(named), qPrintable(said));
    }
}

void TstStreams::standardInputIsReadWhereAskedFor()
{
    const QByteArray experiment = m_project.experiment();
    const ProgramResult checked = m_project.run({"check", "/dev/stdin"}, experiment);
    QVERIFY2((checked.out + checked.err).contains("/dev/table.csv"), qPrintable(checked.out));
    const QByteArray table = m_project.read("table.csv");
    const ProgramResult fromFile = m_project.run({"predict", "run-001", "--input", "table.csv"});
    const ProgramResult fromPipe = m_project.run({"predict", "run-001"}, table);
    QCOMPARE(fromPipe.exitCode, 0);
    QCOMPARE(fromPipe.out, fromFile.out);
    QCOMPARE(fromPipe.out.count('\n'), 201);
}

CANNERY_TEST(TstStreams)
#include "tst_streams.moc"
