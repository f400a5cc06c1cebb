// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/job_note.h"
#include "storage/runs/run_files.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>

using namespace cannery;
using namespace cannery::tests;

namespace {

const QString kRates = "parameter { field: 'estimator.dnn_classifier.optimizer.adam.learning_rate' "
                       "choice { value: ['0.01', '0.003', '0.001'] } } ";
const QString kBatches =
    "parameter { field: 'train_spec.input.batch_size' choice { value: ['8', '16'] } } ";

QStringList sweepWords(const QString& sweep, const QStringList& more = {"--json"})
{
    return QStringList{"sweep", "fixture.cannery", "--set", "sweep={ " + sweep + " }"} + more;
}

QStringList runFolders(const ProjectFixture& project)
{
    return QDir(project.path("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
}

/// The metrics of every trial, by its number.
QMap<int, QJsonObject> metricsOf(const QJsonObject& report)
{
    QMap<int, QJsonObject> metrics;
    for (const auto& trial : report["trials"].toArray()) {
        metrics[trial.toObject()["trial"].toInt()] = trial.toObject()["metrics"].toObject();
    }
    return metrics;
}

/// The note in the folder that was not there before; empty: there is none.
QString noteBeside(const QDir& folder, const QStringList& before)
{
    for (const QString& name : folder.entryList({"*.json"}, QDir::Files)) {
        if (!before.contains(name)) {
            return name;
        }
    }
    return {};
}

storage::RunStatus statusOf(const ProjectFixture& project, const QString& run)
{
    return storage::RunFiles(project.path("runs/" + run).toStdString())
        .readStatus()
        .value_or(storage::RunStatus());
}

} // namespace

/// Many runs of one experiment.
class TstSweep : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aGridTrainsEveryCombination();
    void asManyAtOnceAsWantedGiveTheSame();
    void theSameSweepTrainsNothingTwice();
    void moreTrialsAddToThoseThatAreThere();
    void everyFoldIsEvaluatedOnRowsItDidNotTrainOn();
    void foldsNeedNoOtherRowsToEvaluateOn();
    void aTrialThatDivergesIsTheWorst();
    void halvingContinuesRunsFromTheirCheckpoints();
    void estimatorsLearnFromEarlierTrials();
    void anInterruptedSweepGoesOn_data();
    void anInterruptedSweepGoesOn();
    void aSweepIsNotedWhileItRuns();
    void aFailingTrialEndsTheSweepWithItsReason();
    void whatDoesNotFitIsNamedBeforeAnythingStarts_data();
    void whatDoesNotFitIsNamedBeforeAnythingStarts();
    void aDryRunShowsTheRunsAndTrainsNone();
    void aTrainingLeavesTheSweepOut();
    void aTrainingWithoutFoldsHasNothingToExport();

private:
    QTemporaryDir m_data; ///< the user's
};

void TstSweep::initTestCase()
{
    qputenv("XDG_DATA_HOME", m_data.path().toUtf8());
}

void TstSweep::aGridTrainsEveryCombination()
{
    const ProjectFixture project;
    const ProgramResult result = project.run(sweepWords(kRates + kBatches + "grid {}"));
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    const QJsonObject report = json(result);
    QCOMPARE(report["sweep"].toString(), QString("sweep-001"));
    QVERIFY(report["complete"].toBool());
    QCOMPARE(runFolders(project).size(), 6);
    const QJsonArray trials = report["trials"].toArray();
    QCOMPARE(trials.size(), 6);
    double before = -1;
    QSet<QString> combinations;
    for (const auto& entry : trials) {
        const QJsonObject trial = entry.toObject();
        const double loss = trial["metrics"].toObject()["loss"].toDouble();
        QVERIFY(loss >= before); // the best first
        before = loss;
        const QJsonObject values = trial["values"].toObject();
        combinations.insert(QJsonDocument(values).toJson());
        const auto info = storage::RunFiles(trial["folder"].toString().toStdString()).readInfo();
        VERIFY_OK(info);
        QCOMPARE(info->name, trial["run"].toString().toStdString());
        for (const storage::RunParameter& parameter : info->parameters) {
            const QString path = QString::fromStdString(parameter.path);
            QVERIFY2(!path.startsWith("sweep"), qPrintable(path));
            if (values.contains(path)) {
                QCOMPARE(QString::fromStdString(parameter.value), values[path].toString());
            }
        }
    }
    QCOMPARE(combinations.size(), 6);
    const QString text = project.run(sweepWords(kRates + kBatches + "grid {}", {})).out;
    QVERIFY2(text.contains("The best is " + trials[0].toObject()["run"].toString()),
             qPrintable(text));
}

void TstSweep::asManyAtOnceAsWantedGiveTheSame()
{
    const ProjectFixture one;
    const ProjectFixture three;
    const QString sweep = kRates + "grid {} parallel_runs: ";
    const ProgramResult slow = one.run(sweepWords(sweep + "1"));
    const ProgramResult fast = three.run(sweepWords(sweep + "3"));
    QVERIFY2(slow.exitCode == 0 && fast.exitCode == 0, qPrintable(slow.err + fast.err));
    QCOMPARE(metricsOf(json(slow)), metricsOf(json(fast)));
}

void TstSweep::theSameSweepTrainsNothingTwice()
{
    const ProjectFixture project;
    const QString sweep = kRates + "grid {}";
    const QJsonObject first = json(project.run(sweepWords(sweep)));
    const double finished = *statusOf(project, "sweep-001-001").finishedAt;
    QCOMPARE(json(project.run(sweepWords(sweep))), first);
    // By another metric the runs are the same.
    const QJsonObject other =
        json(project.run(sweepWords(sweep + " metric: 'accuracy' higher_is_better: true")));
    QCOMPARE(metricsOf(other), metricsOf(first));
    // The direction follows the metric, and the best comes first.
    const QJsonObject same = json(project.run(sweepWords(sweep + " metric: 'accuracy'")));
    QCOMPARE(same, other);
    QVERIFY(same["higher_is_better"].toBool());
    const QJsonArray trials = same["trials"].toArray();
    const auto accuracy = [](const QJsonValue& trial) {
        return trial["metrics"]["accuracy"].toDouble();
    };
    QVERIFY(accuracy(trials.first()) >= accuracy(trials.last()));
    QCOMPARE(*statusOf(project, "sweep-001-001").finishedAt, finished);
    QCOMPARE(runFolders(project).size(), 3);
    // Another experiment is another sweep.
    QCOMPARE(json(project.run(sweepWords(kBatches + "grid {}")))["sweep"].toString(),
             QString("sweep-002"));
    QCOMPARE(runFolders(project).size(), 5);
}

void TstSweep::moreTrialsAddToThoseThatAreThere()
{
    const ProjectFixture project;
    const QString random = "parameter { field: 'train_spec.input.batch_size' range { min: 4 max: "
                           "64 log: true integer: true } } random { seed: 5 trials: ";
    const QMap<int, QJsonObject> few = metricsOf(json(project.run(sweepWords(random + "2 }"))));
    QCOMPARE(few.size(), 2);
    const QMap<int, QJsonObject> more = metricsOf(json(project.run(sweepWords(random + "4 }"))));
    QCOMPARE(more.size(), 4);
    QCOMPARE(more[1], few[1]);
    QCOMPARE(more[2], few[2]);
    QCOMPARE(runFolders(project).size(), 4);
}

void TstSweep::everyFoldIsEvaluatedOnRowsItDidNotTrainOn()
{
    const ProjectFixture project;
    const ProgramResult result =
        project.run(sweepWords(kBatches + "k_fold { folds: 4 stratify: true }"));
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    const QJsonObject report = json(result);
    QCOMPARE(report["trials"].toArray().size(), 8);
    const QMap<int, QJsonObject> metrics = metricsOf(report);
    const QJsonArray combinations = report["combinations"].toArray();
    QCOMPARE(combinations.size(), 2);
    for (const auto& entry : combinations) {
        const QJsonObject combination = entry.toObject();
        const QJsonArray runs = combination["runs"].toArray();
        QCOMPARE(runs.size(), 4);
        qint64 evaluated = 0;
        double sum = 0;
        double squares = 0;
        for (const auto& run : runs) {
            const auto info =
                storage::RunFiles(project.path("runs/" + run.toString()).toStdString()).readInfo();
            VERIFY_OK(info);
            QCOMPARE(info->trainRows + info->evalRows, std::int64_t{200});
            evaluated += info->evalRows;
            const double loss = metrics[run.toString().right(3).toInt()]["average_loss"].toDouble();
            sum += loss;
            squares += loss * loss;
        }
        QCOMPARE(evaluated, 200);
        const QJsonObject spread = combination["metrics"].toObject()["average_loss"].toObject();
        QVERIFY(std::abs(spread["mean"].toDouble() - sum / 4) < 1e-9);
        const double variance = (squares - sum * sum / 4) / 3;
        QVERIFY(std::abs(spread["deviation"].toDouble() - std::sqrt(variance)) < 1e-6);
        // Every fold knows them.
        for (const auto& run : runs) {
            const QJsonObject shown = json(project.run({"runs", "show", run.toString(), "--json"}));
            QCOMPARE(shown["cross_validation"].toObject()["metrics"], combination["metrics"]);
        }
    }
    const QString text =
        project.run(sweepWords(kBatches + "k_fold { folds: 4 stratify: true }", {})).out;
    QVERIFY2(text.contains("--set 'train_spec.input.batch_size="), qPrintable(text));
}

void TstSweep::foldsNeedNoOtherRowsToEvaluateOn()
{
    const ProjectFixture project;
    const ProgramResult swept =
        project.run(sweepWords("k_fold { folds: 2 }", {"--json", "--set", "data.eval="}));
    QVERIFY2(swept.exitCode == 0, qPrintable(swept.err));
    const QMap<int, QJsonObject> metrics = metricsOf(json(swept));
    QCOMPARE(metrics.size(), 2);
    QVERIFY(metrics[1].contains("average_loss") && metrics[2].contains("average_loss"));
}

void TstSweep::aTrialThatDivergesIsTheWorst()
{
    const ProjectFixture project;
    const QString sweep = "parameter { field: 'estimator.dnn_classifier.optimizer' choice { value: "
                          "['{ sgd { learning_rate: 1e30 } }', '{ sgd { learning_rate: 0.01 } }'] "
                          "} } grid {}";
    const ProgramResult result = project.run(sweepWords(sweep));
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    const QJsonArray trials = json(result)["trials"].toArray();
    QCOMPARE(trials.size(), 2);
    QVERIFY(!trials[0].toObject()["diverged"].toBool());
    QVERIFY(trials[1].toObject()["diverged"].toBool());
    QCOMPARE(trials[1].toObject()["trial"].toInt(), 1);
    QVERIFY(json(result)["complete"].toBool());
    const double failed = *statusOf(project, "sweep-001-001").finishedAt;
    QCOMPARE(project.run(sweepWords(sweep)).exitCode, 0);
    QCOMPARE(*statusOf(project, "sweep-001-001").finishedAt, failed); // not tried again
}

void TstSweep::halvingContinuesRunsFromTheirCheckpoints()
{
    const ProjectFixture project;
    const ProgramResult result = project.run(
        sweepWords("parameter { field: 'estimator.dnn_classifier.optimizer.adam.learning_rate' "
                   "range { min: 0.0001 max: 0.1 log: true } } asha { trials: 6 min_steps: 20 "
                   "reduction_factor: 2 seed: 3 }"));
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    QMap<int, int> bySteps;
    for (const auto& entry : json(result)["trials"].toArray()) {
        const QJsonObject trial = entry.toObject();
        const int steps = trial["global_step"].toInt();
        ++bySteps[steps];
        QCOMPARE(statusOf(project, trial["run"].toString()).globalStep, steps);
    }
    QCOMPARE(bySteps.keys(), (QList<int>{20, 40, 60}));
    QVERIFY(bySteps[60] >= 1 && bySteps[40] + bySteps[60] >= 3);
    // The first 40 steps of the best are not trained again.
    const QString best = json(result)["trials"].toArray()[0].toObject()["run"].toString();
    QCOMPARE(json(result)["trials"].toArray()[0].toObject()["global_step"].toInt(), 60);
    const QByteArray log = project.read("runs/" + best + "/train.log");
    QVERIFY2(log.contains("model.ckpt-20 at step 20.\n"), log.constData());
    QVERIFY2(log.contains("model.ckpt-40 at step 40.\n"), log.constData());
}

void TstSweep::estimatorsLearnFromEarlierTrials()
{
    const QString sweep =
        "parameter { field: 'estimator.dnn_classifier.optimizer.adam.learning_rate' range { min: "
        "0.00001 max: 0.1 log: true } } tpe { trials: 7 startup_trials: 3 } parallel_runs: 2 ";
    const ProjectFixture project;
    const ProgramResult result = project.run(sweepWords(sweep));
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    QCOMPARE(json(result)["trials"].toArray().size(), 7);
    const ProjectFixture other;
    QCOMPARE(metricsOf(json(other.run(sweepWords(sweep)))), metricsOf(json(result)));
}

void TstSweep::anInterruptedSweepGoesOn_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("interrupted") << SIGINT;
    QTest::newRow("killed") << SIGKILL;
}

void TstSweep::anInterruptedSweepGoesOn()
{
    QFETCH(int, signal);
    const QString sweep = kRates + kBatches + "grid {} parallel_runs: 2";
    const QStringList longer{"--json", "--set", "train_spec.max_steps=3000"};
    const ProjectFixture whole;
    const ProgramResult undisturbed = whole.run(sweepWords(sweep, longer));
    QVERIFY2(undisturbed.exitCode == 0, qPrintable(undisturbed.err));
    const ProjectFixture project;
    const auto process = project.start(sweepWords(sweep, longer));
    QTRY_VERIFY_WITH_TIMEOUT(runFolders(project).size() >= 3 &&
                                 project.exists("runs/sweep-001-003/checkpoint"),
                             kPatience);
    ::kill(static_cast<pid_t>(process->processId()), signal);
    QVERIFY(process->waitForFinished(kPatience));
    if (signal == SIGINT) {
        QCOMPARE(process->exitCode(), 128 + SIGINT);
        const QJsonObject soFar =
            QJsonDocument::fromJson(process->readAllStandardOutput()).object();
        QVERIFY(!soFar["complete"].toBool());
    }
    const ProgramResult rest = project.run(sweepWords(sweep, longer));
    QVERIFY2(rest.exitCode == 0, qPrintable(rest.err));
    QVERIFY(json(rest)["complete"].toBool());
    QCOMPARE(metricsOf(json(rest)), metricsOf(json(undisturbed)));
    QCOMPARE(runFolders(project).size(), 6);
}

void TstSweep::aSweepIsNotedWhileItRuns()
{
    const ProjectFixture project;
    const QDir notes(QString::fromStdString(storage::jobNoteFolder()));
    QVERIFY(notes.path().startsWith(m_data.path()));
    const auto before = notes.entryList(QDir::Files);
    const auto process = project.start(sweepWords(
        kRates + "grid {} parallel_runs: 1", {"--set", "train_spec.max_steps=1000", "--quiet"}));
    QString name;
    QTRY_VERIFY_WITH_TIMEOUT(!(name = noteBeside(notes, before)).isEmpty(), kPatience);
    const auto read = [&] { return storage::readJobNote(notes.filePath(name).toStdString()); };
    QTRY_VERIFY_WITH_TIMEOUT(read().value().progress > 0, kPatience);
    const storage::JobNote note = read().value();
    QCOMPARE(qint64(note.process), process->processId());
    QVERIFY(note.isInTerminal && note.isAlive().value());
    QCOMPARE(note.subject, project.path("fixture.cannery").toStdString());
    QCOMPARE(note.folder, project.path("").toStdString());
    QVERIFY(note.message.starts_with("trial 1: loss "));
    ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
    QVERIFY(process->waitForFinished(kPatience));
    QCOMPARE(notes.entryList(QDir::Files), before);
    // The window that reads this writes its own.
    const ProgramResult followed = project.run(
        sweepWords(kRates + "grid {} parallel_runs: 1",
                   {"--set", "train_spec.max_steps=1000", "--quiet", "--progress", "json"}));
    QVERIFY2(followed.exitCode == 0, qPrintable(followed.err));
    QCOMPARE(notes.entryList(QDir::Files), before);
}

void TstSweep::aFailingTrialEndsTheSweepWithItsReason()
{
    const ProjectFixture project;
    project.spoils();
    const QString sweep = kBatches + "grid {} parallel_runs: 1";
    QDir().mkpath(project.path("runs"));
    project.write("runs/sweep-001-002", "in the way of a folder");
    // Names follow those that are taken.
    QCOMPARE(json(project.run(sweepWords(sweep)))["sweep"].toString(), QString("sweep-002"));
    QFile::remove(project.path("table.csv"));
    const ProgramResult failed = project.run(sweepWords(kRates + "grid {}"));
    QCOMPARE(failed.exitCode, 3);
    QVERIFY2(failed.err.contains("table.csv"), qPrintable(failed.err));
}

void TstSweep::whatDoesNotFitIsNamedBeforeAnythingStarts_data()
{
    QTest::addColumn<QString>("sweep");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("no sweep") << ""
                              << "The experiment has no sweep";
    QTest::newRow("value") << "parameter { field: 'train_spec.input.batch_size' choice { value: "
                              "['8', 'x'] } } grid {}"
                           << "sweep.parameter[0].choice.value[1]";
    QTest::newRow("values together")
        << "parameter { field: 'estimator.dnn_classifier.feature_columns' choice { value: "
           "['[x]', '[colour]'] } } grid {}"
        << "trial 2: estimator.dnn_classifier.feature_columns=[colour]";
    QTest::newRow("metric") << kBatches + "grid {} metric: 'auuc'"
                            << "the metric 'auuc' by which the sweep compares its runs: set "
                               "sweep.metric to one of accuracy, accuracy_baseline, auc";
    QTest::newRow("metric of one trial")
        << "parameter { field: 'eval_spec.metric' choice { value: ['[{ name: \"m\" mean {} }]', "
           "'[]'] } } grid {} metric: 'm'"
        << "trial 2: eval_spec.metric=[]";
    QTest::newRow("too many")
        << "parameter { field: 'run_config.tf_random_seed' range { min: 0 "
           "max: 1000000 points: 10000 integer: true } } k_fold { folds: 100 }"
        << "more than 100000 runs";
}

void TstSweep::whatDoesNotFitIsNamedBeforeAnythingStarts()
{
    QFETCH(QString, sweep);
    QFETCH(QString, sentence);
    const ProjectFixture project;
    const QStringList words =
        sweep.isEmpty() ? QStringList{"sweep", "fixture.cannery"} : sweepWords(sweep, {});
    const ProgramResult refused = project.run(words);
    QVERIFY2(refused.exitCode == 3, qPrintable(refused.err));
    QVERIFY2(refused.err.contains(sentence), qPrintable(refused.err));
    QVERIFY(!project.exists("runs"));
    QVERIFY(!project.exists("cannery.db"));
}

void TstSweep::aDryRunShowsTheRunsAndTrainsNone()
{
    const ProjectFixture project;
    const ProgramResult planned =
        project.run(sweepWords(kRates + kBatches + "k_fold { folds: 2 }", {"--json", "--dry-run"}));
    QVERIFY2(planned.exitCode == 0, qPrintable(planned.err));
    QCOMPARE(json(planned)["decided"].toArray().size(), 12);
    QCOMPARE(json(planned)["trials"].toInt(), 12);
    const ProgramResult tpe =
        project.run(sweepWords(kRates + "tpe { trials: 30 startup_trials: 5 }", {"--dry-run"}));
    QVERIFY2(tpe.out.contains("25 more, which depend on the results"), qPrintable(tpe.out));
    QVERIFY2(tpe.out.startsWith("trial  values\n1      estimator."), qPrintable(tpe.out));
    QVERIFY(!project.exists("runs"));
    QVERIFY(!project.exists("cannery.db"));
}

void TstSweep::aTrainingLeavesTheSweepOut()
{
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment() + "sweep { " + kRates.toUtf8() + " grid {} }\n");
    const ProgramResult trained = project.run({"train", "fixture.cannery", "--json"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    QCOMPARE(runFolders(project).size(), 1);
    QVERIFY(!project.read("runs/run-001/experiment.cannery").contains("sweep"));
}

void TstSweep::aTrainingWithoutFoldsHasNothingToExport()
{
    const ProjectFixture project;
    const ProgramResult planned = project.run(
        {"train", "fixture.cannery", "--dry-run", "--set", "sweep={ k_fold {} }", "--set",
         "data.eval=", "--set", "eval_spec.exporter=[{ final_exporter { name: 'last' } }]"});
    QVERIFY2(planned.exitCode == 0, qPrintable(planned.err));
    QVERIFY2(planned.out.contains("evaluates   never: there are no rows to evaluate on\n"
                                  "exports     nothing\n"),
             qPrintable(planned.out));
}

CANNERY_TEST(TstSweep)
#include "tst_sweep.moc"
