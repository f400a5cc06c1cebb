// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/program_run.h"
#include "storage/io/files.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <algorithm>
#include <csignal>
#include <fstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::RecordingObserver;
using cannery::tests::TrainingFixture;

namespace {

using Words = std::vector<std::string>;

/// Appends its arguments to the file notes in its working folder.
void writeProgram(const TrainingFixture& fixture, const std::string& more = "")
{
    const std::string path = fixture.path("note.sh");
    std::ofstream(path) << "#!/bin/sh\necho \"$@\" >> notes\n" << more;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

std::vector<std::string> notes(const TrainingFixture& fixture)
{
    std::ifstream file(fixture.path("notes"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string listener(const std::string& when, const std::string& more = "")
{
    return "saving_listener { when: " + when + " command: [\"./note.sh\", \"" + when +
           "\", \"{global_step}\", \"{checkpoint}\", \"{model_dir}\"] " + more + "} ";
}

TrainRequest requestWith(const TrainingFixture& fixture, const std::string& listeners)
{
    TrainRequest request = fixture.request(
        "train_spec { max_steps: 8 input { batch_size: 16 } " + listeners +
        "} eval_spec { throttle_secs: 0 } run_config { save_checkpoints_steps: 4 }");
    request.allowsCommands = true;
    return request;
}

bool logSays(const std::vector<std::string>& log, const std::string& what)
{
    return std::ranges::any_of(
        log, [&](const std::string& line) { return line.find(what) != std::string::npos; });
}

ProgramRun shell(const std::string& script)
{
    return {.words = {"sh", "-c", script}, .folder = "/", .timeout = std::chrono::minutes(10)};
}

} // namespace

/// Programs around the saving of checkpoints.
class TstSavingListeners : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void programsRunAtTheirMoments();
    void checkpointsAreThereBeforeTheirProgram();
    void outputGoesIntoTheLog();
    void noProgramRunsUnlessAllowed();
    void failuresAreNotedOrStopTheTraining_data();
    void failuresAreNotedOrStopTheTraining();
    void aTrainingThatWasToldToStopRunsNone();
    void programsEndAsTheySay();
    void lateProgramsAreKilledWithTheirChildren();
    void abandonedProgramsAreKilled();
    void backgroundProgramsAreNotAwaited();
    void muchOutputIsCut();
};

void TstSavingListeners::programsRunAtTheirMoments()
{
    TrainingFixture fixture;
    writeProgram(fixture);
    VERIFY_OK(trainAndEvaluate(requestWith(fixture, listener("begin") + listener("before_save") +
                                                        listener("after_save") + listener("end"))));
    const auto line = [&](const std::string& when, int step) {
        const std::string at = std::to_string(step);
        return when + " " + at + " " + fixture.modelDir() + "/model.ckpt-" + at + " " +
               fixture.modelDir();
    };
    Words expected{line("begin", 0)};
    for (const int step : {0, 4, 8}) {
        expected.push_back(line("before_save", step));
        expected.push_back(line("after_save", step));
    }
    expected.push_back(line("end", 8));
    QCOMPARE(notes(fixture), expected);
}

void TstSavingListeners::checkpointsAreThereBeforeTheirProgram()
{
    TrainingFixture fixture;
    writeProgram(fixture);
    VERIFY_OK(trainAndEvaluate(requestWith(
        fixture, "saving_listener { command: [\"test\", \"-e\", \"{checkpoint}.index\"] "
                 "stop_on_failure: true }")));
    QCOMPARE(*TrainingFixture::readNewest(fixture.modelDir()), 8);
}

void TstSavingListeners::outputGoesIntoTheLog()
{
    TrainingFixture fixture;
    writeProgram(fixture, "echo uploaded $2\necho and more >&2\n");
    VERIFY_OK(trainAndEvaluate(requestWith(fixture, listener("after_save"))));
    const std::string log = TrainingFixture::bytes(fixture.modelDir() + "/train.log");
    QVERIFY(log.find("./note.sh: uploaded 4") != std::string::npos);
    QVERIFY(log.find("./note.sh: and more") != std::string::npos);
}

void TstSavingListeners::noProgramRunsUnlessAllowed()
{
    TrainingFixture fixture;
    writeProgram(fixture);
    TrainRequest request = requestWith(fixture, listener("begin"));
    request.allowsCommands = false;
    const auto refused = trainAndEvaluate(request);
    VERIFY_ERROR(refused, "train.commands_not_allowed");
    QVERIFY(refused.error().message().find("--allow-commands") != std::string::npos);
    QVERIFY(!storage::exists(fixture.modelDir()));
    // Nor does the experiment that a run has frozen.
    request.allowsCommands = true;
    VERIFY_OK(trainAndEvaluate(request));
    const std::size_t before = notes(fixture).size();
    VERIFY_ERROR(resumeRun(fixture.modelDir(), TrainRequest(), 12), "train.commands_not_allowed");
    QCOMPARE(notes(fixture).size(), before);
}

void TstSavingListeners::failuresAreNotedOrStopTheTraining_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<bool>("stops");
    QTest::addColumn<QByteArray>("sentence");
    const QByteArray exits = R"(["sh", "-c", "test {global_step} != 4"])";
    const QByteArray missing = R"(["./no_such_program"])";
    const QByteArray killed = R"(["sh", "-c", "kill -9 $$"])";
    QTest::newRow("noted") << exits << false
                           << QByteArray("The program sh ended with exit code 1.");
    QTest::newRow("stops") << exits << true << QByteArray("The program sh ended with exit code 1.");
    QTest::newRow("missing") << missing << false << QByteArray("could not be started");
    QTest::newRow("killed") << killed << false << QByteArray("Signal 9 ended the program sh.");
}

void TstSavingListeners::failuresAreNotedOrStopTheTraining()
{
    QFETCH(const QByteArray, command);
    QFETCH(bool, stops);
    QFETCH(const QByteArray, sentence);
    TrainingFixture fixture;
    RecordingObserver observer;
    TrainRequest request =
        requestWith(fixture, "saving_listener { command: " + command.toStdString() +
                                 (stops ? " stop_on_failure: true }" : " }"));
    request.observer = &observer;
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QVERIFY2(logSays(observer.log, sentence.toStdString()), sentence.constData());
    QCOMPARE(report->outcome.globalStep, stops ? 4 : 8);
    QCOMPARE(*TrainingFixture::readNewest(fixture.modelDir()), stops ? 4 : 8);
}

void TstSavingListeners::aTrainingThatWasToldToStopRunsNone()
{
    TrainingFixture fixture;
    writeProgram(fixture);
    RecordingObserver observer;
    observer.stopAfter = 6;
    TrainRequest request = requestWith(fixture, listener("after_save") + listener("end"));
    request.observer = &observer;
    request.stop = &observer.stop;
    VERIFY_OK(trainAndEvaluate(request));
    QCOMPARE(notes(fixture).size(), std::size_t{2}); // after the saves of steps 0 and 4
    QCOMPARE(*TrainingFixture::readNewest(fixture.modelDir()), 6);
}

void TstSavingListeners::programsEndAsTheySay()
{
    const auto good = runProgram(shell("pwd; echo no >&2"));
    VERIFY_OK(good);
    QVERIFY(good->succeeded());
    QCOMPARE(good->output, std::string("/\nno\n"));
    const auto bad = runProgram(shell("exit 7"));
    VERIFY_OK(bad);
    QCOMPARE(bad->ending, ProgramEnding::Exited);
    QCOMPARE(bad->code, 7);
    const auto silent = runProgram(shell("exec >/dev/null 2>&1; exit 3"));
    VERIFY_OK(silent);
    QCOMPARE(silent->code, 3);
    ProgramRun nowhere = shell("true");
    nowhere.folder = "/no/such/folder";
    VERIFY_ERROR(runProgram(nowhere), "train.program_not_started");
}

void TstSavingListeners::lateProgramsAreKilledWithTheirChildren()
{
    ProgramRun run = shell("sleep 600 & echo $!; sleep 600");
    run.timeout = std::chrono::milliseconds(300);
    const auto outcome = runProgram(run);
    VERIFY_OK(outcome);
    QCOMPARE(outcome->ending, ProgramEnding::TimedOut);
    const pid_t child = std::stoi(outcome->output);
    QTRY_VERIFY(kill(child, 0) != 0 ||
                QFile::symLinkTarget(QString("/proc/%1/exe").arg(child)).isEmpty());
}

void TstSavingListeners::abandonedProgramsAreKilled()
{
    ProgramRun run = shell("echo begun; sleep 600");
    int asked = 0;
    run.mustEnd = [&] { return ++asked > 2; };
    const auto outcome = runProgram(run);
    VERIFY_OK(outcome);
    QCOMPARE(outcome->ending, ProgramEnding::Abandoned);
    QCOMPARE(outcome->output, std::string("begun\n"));
}

void TstSavingListeners::backgroundProgramsAreNotAwaited()
{
    const auto outcome = runProgram(shell("sleep 30 & echo $!"));
    VERIFY_OK(outcome);
    QVERIFY(outcome->succeeded());
    QVERIFY(outcome->seconds < 25);
    kill(std::stoi(outcome->output), SIGKILL);
}

void TstSavingListeners::muchOutputIsCut()
{
    const auto outcome = runProgram(shell("head -c 1000000 /dev/zero"));
    VERIFY_OK(outcome);
    QVERIFY(outcome->succeeded());
    QCOMPARE(outcome->output.size(), std::size_t{64} << 10U);
}

CANNERY_TEST(TstSavingListeners)
#include "tst_saving_listeners.moc"
