// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/workbench/screen_reader.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/document/experiment_document.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/projects/sample_library.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>

using namespace cannery::tests;
using namespace cannery::ui;

namespace {

/// What `cannery` prints as JSON.
QJsonObject reportOf(const QStringList& arguments, const QString& folder)
{
    QProcess program;
    program.setWorkingDirectory(folder);
    program.start(CANNERY_PROGRAM, arguments);
    return program.waitForFinished(kPatience) && program.exitCode() == 0
               ? QJsonDocument::fromJson(program.readAllStandardOutput()).object()
               : QJsonObject();
}

double lossOn(const QString& table, const QString& run, const QString& project)
{
    const QJsonObject metrics =
        reportOf({"evaluate", run, "--project", project, "--data", table, "--json"}, project)
            .value("metrics")
            .toObject();
    return metrics.value("average_loss").toDouble(-1);
}

} // namespace

/// A beginner's way from a table to a trained model, with the real engine.
class TstGuidedRun : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAloneLeadFromATableToABetterThanLinearModel();
    void theMenuBeginsAGuidedRunWithADroppedTable();
};

void TstGuidedRun::namesAloneLeadFromATableToABetterThanLinearModel()
{
    WorkbenchFixture bench;
    bench.open();
    const ScreenReader reader;
    const auto press = [&](const QString& name) {
        return bench.waitFor([&] { return reader.press(QAccessible::PushButton, name); });
    };
    QVERIFY2(press("Guided Run"), qPrintable(reader.announced()));
    QVERIFY2(press("Sample Titanic, wide and deep"), qPrintable(reader.announced()));
    for (const char* question :
         {"What do you want to predict?", "What it learns from", "The model", "Train the model"}) {
        QVERIFY2(press("Continue"), question);
        const auto isUnfolded = [&] {
            const QAccessibleInterface* title = reader.find(QAccessible::CheckBox, question);
            return title != nullptr && title->state().checked;
        };
        QVERIFY2(bench.waitFor(isUnfolded), qPrintable(reader.announced()));
    }
    QVERIFY2(press("Create the project and train"), qPrintable(reader.announced()));
    QVERIFY(bench.waitFor([&] { return bench.find("page.train") != nullptr; }));
    QVERIFY(bench.waitForState(RunState::Finished));

    // It is an ordinary project.
    const QString project = bench.session().project().folder();
    QVERIFY(project.startsWith(bench.path()));
    QVERIFY(QFile::exists(bench.session().document().file()));
    QVERIFY2(bench.waitFor([&] { return bench.session().starter().hindrance().isEmpty(); }),
             qPrintable(bench.session().starter().hindrance()));
    QCOMPARE(bench.session().document().value("data.label.column"), "survived");

    // Better than a linear model of the same table on unseen rows.
    const QString samples = SampleLibrary::libraryFolder() + "/titanic/";
    const QString other = bench.path("linear");
    QVERIFY(QDir().mkpath(other));
    QVERIFY(!reportOf({"new", samples + "titanic_train.csv", "--label", "survived", "--estimator",
                       "linear", "--output", "linear.cannery", "--json"},
                      other)
                 .isEmpty());
    QProcess training;
    training.setWorkingDirectory(other);
    training.start(CANNERY_PROGRAM, {"train", "linear.cannery"});
    QVERIFY(training.waitForFinished(kPatience) && training.exitCode() == 0);
    const QString unseen = samples + "titanic_eval.csv";
    const double linear = lossOn(unseen, "latest", other);
    const double guided = lossOn(unseen, bench.newestRun()->name, project);
    QVERIFY2(linear > 0 && guided > 0 && guided < linear,
             qPrintable(QString("guided %1, linear %2").arg(guided).arg(linear)));
}

void TstGuidedRun::theMenuBeginsAGuidedRunWithADroppedTable()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.trigger("action.page_guided"));
    QVERIFY(bench.find("page.guided"));
    for (auto* place : bench.window().findChildren<QAbstractButton*>(
             QRegularExpression(QStringLiteral("^rail\\.[a-z]+$")))) {
        QVERIFY2(!place->isChecked(), qPrintable(place->objectName()));
    }
    bench.window().openPath(bench.writeTable());
    QVERIFY(!QApplication::activeModalWidget());
    QVERIFY(bench.waitFor([&] {
        const auto* train = bench.window().findChild<QAbstractButton*>("button.guided_train");
        return train->isEnabled();
    }));
    QVERIFY(!bench.session().project().isOpen()); // nothing is written before Train
    // The page keeps its state while another one is shown.
    bench.window().navigate("home");
    QVERIFY(bench.trigger("action.page_guided"));
    QVERIFY(bench.window().findChild<QAbstractButton*>("button.guided_train")->isEnabled());
}

CANNERY_TEST(TstGuidedRun)
#include "tst_guided_run.moc"
