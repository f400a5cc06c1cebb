// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/run_files.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/charts/curves/chart_card.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/nav_rail.h"
#include "ui/frame/rail_item.h"
#include "ui/pages/page.h"
#include "ui/services/runs/run_catalog.h"

#include <QComboBox>
#include <QDir>
#include <QDirIterator>
#include <QDragEnterEvent>
#include <QFile>
#include <QLocale>
#include <QMimeData>
#include <QProcess>
#include <QSignalSpy>
#include <QTableView>
#include <QUrl>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::ui;

namespace {

/// Drops a file on the window, as a file manager does.
void drop(QWidget& window, const QString& path)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    const QPoint place = window.rect().center();
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&window, &enter);
    QDropEvent dropped(place, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&window, &dropped);
}

qsizetype pointsOf(const ChartCard* card)
{
    qsizetype points = 0;
    if (card) {
        for (const Curve& curve : card->curves()) {
            points = std::max(points, curve.series ? curve.series->size() : 0);
        }
    }
    return points;
}

QStringList filesNamed(const QString& folder, const QString& name)
{
    QStringList result;
    QDirIterator files(folder, {name}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        result << files.next();
    }
    return result;
}

double aucOf(const storage::RunEvaluation& evaluation)
{
    for (const storage::MetricValue& metric : evaluation.metrics) {
        if (metric.name == "auc") {
            return metric.value;
        }
    }
    qFatal("there is no auc");
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// From an empty machine to curves and a SavedModel, with the real engine.
class TstFirstRun : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void D01_coldStartShowsHome();
    void D02_sampleToFirstCurveInOneClick();
    void D04_railMarksFollowReadiness();
    void D05_trainIsHinderedWithAReason();
    void droppedTableBecomesCurvesAndSavedModel();
    void exportOffersTheBestOnDisk();
    void D30_keyboardAloneTrainsAndStops();
    void D48_commandTwinGivesTheSameFrozenExperiment();
    void changedExperimentIsReadAgain();
};

void TstFirstRun::D01_coldStartShowsHome()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.find("page.home"));
    QVERIFY(bench.find<QAbstractButton>("button.open_data"));
    QVERIFY(bench.find<QAbstractButton>("button.open_project"));
    QVERIFY(bench.find<QAbstractButton>("button.new_project"));
    QVERIFY(bench.waitFor([&] { return bench.find("sample.titanic") != nullptr; }));
    for (const char* sample :
         {"sample.census", "sample.penguins", "sample.auto_mpg", "sample.digits"}) {
        QVERIFY2(bench.find(sample), sample);
    }
}

void TstFirstRun::D02_sampleToFirstCurveInOneClick()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.waitFor([&] { return bench.find("sample.titanic") != nullptr; }));
    QVERIFY(bench.click("sample.titanic"));
    QVERIFY(bench.waitFor([&] { return bench.find("page.train") != nullptr; }));
    QVERIFY(bench.waitFor([&] { return pointsOf(bench.find<ChartCard>("chart.loss")) >= 2; }));
    QVERIFY(!QApplication::activeModalWidget());
    QVERIFY(bench.waitForState(RunState::Finished));
    QVERIFY(bench.newestRun()->metric("auc"));
}

void TstFirstRun::D04_railMarksFollowReadiness()
{
    WorkbenchFixture bench;
    bench.open();
    const auto isMarked = [&](const char* page, RailMark::Kind kind) {
        const bool is =
            bench.waitFor([&] { return bench.window().rail().item(page)->mark().kind == kind; });
        return is && !bench.window().rail().item(page)->toolTip().isEmpty();
    };
    for (const char* page : {"data", "features", "model", "train", "runs"}) {
        QVERIFY2(isMarked(page, RailMark::Kind::Empty), page);
    }
    QFile experiment(bench.path("bought.cannery"));
    QVERIFY(experiment.open(QIODevice::WriteOnly));
    QVERIFY(QFile::exists(bench.writeTable()));
    experiment.write("data { train { csv { files: \"bought.csv\" } } }\n"
                     "feature_column { name: \"age\" numeric_column { key: \"age\" } }\n"
                     "estimator { dnn_classifier { hidden_units: 4 feature_columns: \"age\" } }\n"
                     "train_spec { max_steps: 20 }\n");
    experiment.close();
    QVERIFY(bench.session().project().open(experiment.fileName()));
    QVERIFY(isMarked("features", RailMark::Kind::Ready));
    QVERIFY(isMarked("data", RailMark::Kind::Error));
    bench.window().navigate("data");
    QVERIFY(bench.waitFor([&] { return bench.find<QTableView>("table.rows") != nullptr; }));
    QVERIFY(bench.setField("data.label.column", "bought"));
    QVERIFY(isMarked("data", RailMark::Kind::Ready));
    QVERIFY(isMarked("model", RailMark::Kind::Ready));

    QVERIFY(bench.waitFor([&] { return bench.trigger("action.train"); }));
    QVERIFY(bench.waitForState(RunState::Finished));
    QVERIFY(isMarked("model", RailMark::Kind::Ready));
    bench.window().navigate("data");
    QVERIFY(bench.setField("data.column[age].dtype", "float64"));
    QVERIFY(isMarked("model", RailMark::Kind::Stale));
    QVERIFY(isMarked("data", RailMark::Kind::Ready));
    QVERIFY(bench.trigger("action.undo"));
    QVERIFY(isMarked("model", RailMark::Kind::Ready));
}

void TstFirstRun::D05_trainIsHinderedWithAReason()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(!bench.action("action.train")->isEnabled());
    QVERIFY(!bench.action("action.train")->toolTip().isEmpty());
    QVERIFY(bench.openSample("titanic"));
    QVERIFY(bench.waitFor([&] { return bench.action("action.train")->isEnabled(); }));
    QVERIFY(bench.setField("data.label.column", "no_such_column"));
    QVERIFY(bench.waitFor([&] { return !bench.action("action.train")->isEnabled(); }));
    QVERIFY(bench.session().starter().hindrance().contains("page:data"));
    QVERIFY(bench.waitFor([&] { return !bench.session().document().problems().all().isEmpty(); }));
}

void TstFirstRun::droppedTableBecomesCurvesAndSavedModel()
{
    WorkbenchFixture bench;
    bench.open();
    drop(bench.window(), bench.writeTable());
    QVERIFY(bench.waitFor([&] { return bench.find("field.label") != nullptr; }));
    QVERIFY(bench.waitFor([&] { return bench.click("button.create"); }));
    QVERIFY(bench.waitFor([&] { return bench.session().project().isOpen(); }));
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.train"); }));
    QVERIFY(bench.waitFor([&] { return pointsOf(bench.find<ChartCard>("chart.loss")) >= 2; }));
    QVERIFY(bench.waitForState(RunState::Finished));
    const QString folder = bench.session().project().folder();
    QVERIFY(bench.waitFor([&] { return !bench.newestRun()->checkpoints.isEmpty(); }));

    const qsizetype before = filesNamed(folder, "saved_model.pb").size();
    QVERIFY(bench.trigger("action.export_savedmodel"));
    QVERIFY(bench.waitFor([&] { return bench.click("button.export"); }));
    QVERIFY(bench.waitFor([&] { return filesNamed(folder, "saved_model.pb").size() > before; }));
}

/// The best checkpoint is the best of all evaluations, and it exists.
void TstFirstRun::exportOffersTheBestOnDisk()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("titanic"));
    QVERIFY(bench.setField("train_spec.max_steps", "1000"));
    bench.window().navigate("export");
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.train"); }));
    QVERIFY(bench.waitForState(RunState::Finished));
    const auto evaluations =
        storage::RunFiles(bench.newestRun()->folder.toStdString()).readEvaluations();
    VERIFY_OK(evaluations);
    const storage::RunEvaluation* best = nullptr;
    for (const storage::RunEvaluation& one : *evaluations) {
        if (!best || aucOf(one) > aucOf(*best)) {
            best = &one;
        }
    }
    QVERIFY(best);
    QVERIFY2(best->globalStep < 1000, "the last is the best: nothing is proved");
    bench.window().navigate("export");
    const auto offered = [&] { return bench.find<QComboBox>("field.checkpoint"); };
    const QString words = QString("best AUC, %1").arg(QLocale().toString(best->globalStep));
    QVERIFY(bench.waitFor([&] { return offered() != nullptr; }));
    QTRY_COMPARE_WITH_TIMEOUT(offered()->currentText(), words, kPatience);
    for (const char* part : {".index", ".data-00000-of-00001"}) {
        QVERIFY2(QFile::exists(QString("%1/model.ckpt-%2%3")
                                   .arg(bench.newestRun()->folder)
                                   .arg(best->globalStep)
                                   .arg(part)),
                 part);
    }
    const CommandLine command = bench.window().page("export")->command();
    QCOMPARE(command.arguments.mid(0, 4),
             QStringList({"export", bench.newestRun()->name, "--checkpoint", "best"}));
}

void TstFirstRun::D30_keyboardAloneTrainsAndStops()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    QVERIFY(bench.setField("train_spec.max_steps", "1000000000"));
    QVERIFY(bench.waitFor([&] { return bench.action("action.train")->isEnabled(); }));
    QTest::keyClick(&bench.window(), Qt::Key_R, Qt::ControlModifier);
    QVERIFY(bench.waitForState(RunState::Running));
    QTest::keyClick(&bench.window(), Qt::Key_5, Qt::ControlModifier);
    QVERIFY(bench.find("page.train"));
    QVERIFY(bench.waitFor([&] { return bench.action("action.stop_keep")->isEnabled(); }));
    QTest::keyClick(&bench.window(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(bench.waitForState(RunState::Paused));
    QTest::keyClick(&bench.window(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(bench.waitForState(RunState::Running));
    QTest::keyClick(&bench.window(), Qt::Key_Period, Qt::ControlModifier);
    QVERIFY(bench.waitForState(RunState::Stopped));
    QTest::keyClick(&bench.window(), Qt::Key_6, Qt::ControlModifier);
    QVERIFY(bench.waitFor([&] { return bench.find("table.runs") != nullptr; }));
    QTest::keyClick(&bench.window(), Qt::Key_K, Qt::ControlModifier);
    QVERIFY(bench.waitFor([&] { return bench.find("palette.field") != nullptr; }));
    QTest::keyClick(bench.find("palette.field"), Qt::Key_Escape);
    QVERIFY(bench.waitFor([&] { return bench.find("palette.field") == nullptr; }));
}

void TstFirstRun::D48_commandTwinGivesTheSameFrozenExperiment()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("titanic"));
    const CommandLine twin = bench.session().starter().commands().train();
    QVERIFY(bench.trigger("action.train"));
    QVERIFY(bench.waitForState(RunState::Finished));
    const QString first = bench.newestRun()->folder;

    QProcess shell;
    shell.setWorkingDirectory(twin.folder);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH",
                       QFileInfo(CANNERY_PROGRAM).absolutePath() + ":" + environment.value("PATH"));
    shell.setProcessEnvironment(environment);
    shell.start("sh", {"-c", twin.display()});
    QVERIFY(shell.waitForFinished(120000));
    QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError().constData());
    QVERIFY(bench.waitFor([&] { return bench.newestRun()->folder != first; }));
    QVERIFY(bench.waitForState(RunState::Finished));
    const QByteArray frozen = contentOf(first + "/experiment.cannery");
    QVERIFY(!frozen.isEmpty());
    QCOMPARE(contentOf(bench.newestRun()->folder + "/experiment.cannery"), frozen);
}

void TstFirstRun::changedExperimentIsReadAgain()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    QSignalSpy reloaded(&bench.session().document(), &ExperimentDocument::reloaded);
    QFile file(bench.session().document().file());
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray text = file.readAll();
    text = "# changed by an editor\n" + text;
    QVERIFY(file.seek(0) && file.write(text) == text.size());
    file.close();
    QVERIFY(bench.waitFor([&] { return !reloaded.isEmpty(); }));
    QVERIFY(bench.session().document().text().startsWith("# changed by an editor"));
}

CANNERY_TEST(TstFirstRun)
#include "tst_first_run.moc"
