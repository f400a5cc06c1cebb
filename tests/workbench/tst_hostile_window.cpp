// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/opened_files.h"
#include "tests/support/test_main.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/pages/page.h"
#include "ui/services/runs/run_catalog.h"

#include <QDir>
#include <QFile>
#include <QTableView>

using namespace cannery::tests;
using namespace cannery::ui;

/// A malicious project in the whole window with the real engine: its names and notes are shown, and
/// nothing that they name is opened.
class TstHostileWindow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nothingThatAProjectNamesIsOpened();

private:
    static void write(const QString& path, const QString& text)
    {
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0) {
            qFatal("cannot write %s", qPrintable(path));
        }
    }
};

void TstHostileWindow::nothingThatAProjectNamesIsOpened()
{
    WorkbenchFixture bench;
    const QDir home(bench.path());
    QVERIFY(home.mkpath("canaries") && home.mkpath("bad"));
    write(bench.path("canaries/canary.png"), "sings");
    const QString address = "file://" + bench.path("canaries/canary.png");
    const QString column = QString("<img src='%1'>").arg(address);
    QString rows = column + ",bought\n";
    for (int row = 0; row < 200; ++row) {
        rows += QString("%1,%2\n").arg(row % 17).arg(row % 2);
    }
    write(bench.path("bad/bad.csv"), rows);
    write(bench.path("bad/bad.cannery"),
          QString("name: \"%1\"\n"
                  "data { train { csv { files: \"bad.csv\" } }"
                  " split { fraction { eval_fraction: 0.25 seed: 7 } }"
                  " label { column: \"bought\" } }\n"
                  "feature_column { name: \"x\" numeric_column { key: \"%1\" } }\n"
                  "estimator { linear_classifier { feature_columns: [\"x\"] } }\n"
                  "train_spec { max_steps: 100 input { batch_size: 32 } }\n")
              .arg(column));

    const OpenedFiles watch(bench.path("canaries"));
    bench.open();
    bench.session().project().open(bench.path("bad"));
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.train"); }));
    QVERIFY(bench.waitForState(RunState::Finished));
    const QString run = bench.newestRun()->name;
    bench.session().runs().setNotes(run, QString("![x](%1) %2").arg(address, column));
    bench.session().runs().setTitle(run, column);
    bench.session().runs().setTags(run, {column});
    QVERIFY(bench.waitFor([&] { return bench.newestRun()->displayName() == column; }));

    for (const QString& page :
         {QString("home"), QString("data"), QString("features"), QString("model"), QString("train"),
          QString("runs"), QString("export"), "run:" + run}) {
        bench.window().navigate(page);
        if (page == "data") {
            const auto hasRows = [&] {
                const auto* table = bench.find<QTableView>("table.rows");
                return table && table->model()->rowCount() > 0;
            };
            QVERIFY(bench.waitFor(hasRows));
            bench.window().page("data")->reveal("column:" + column);
        } else if (page == "runs") {
            bench.window().page("runs")->reveal("select:" + run);
        }
        QTest::qWait(100);
        bench.window().grab();
        QCOMPARE(watch.names(), QStringList());
    }
    for (const char* action : {"action.palette", "action.issues", "action.log", "action.jobs"}) {
        QVERIFY2(bench.trigger(action), action);
        bench.window().grab();
    }
    QCOMPARE(watch.names(), QStringList());
}

CANNERY_TEST(TstHostileWindow)
#include "tst_hostile_window.moc"
