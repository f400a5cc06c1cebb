// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_files.h"
#include "tests/faults/fault_project.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <filesystem>
#include <memory>

using namespace cannery;
using namespace cannery::tests;

/// Projects with many runs.
class TstManyRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commandsReadEachRunOnce_data();
    void commandsReadEachRunOnce();
};

void TstManyRuns::commandsReadEachRunOnce_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("rescan") << QStringList{"runs", "rescan"};
    QTest::newRow("list") << QStringList{"runs", "--json"};
}

/// Calls that open or read a file grow linearly with the runs, not quadratically.
void TstManyRuns::commandsReadEachRunOnce()
{
    QFETCH(QStringList, words);
    FaultProject project;
    QList<qsizetype> calls;
    int made = 0;
    for (const int runs : {100, 200, 400}) {
        for (; made < runs; ++made) {
            const std::string name = fmt::format("run-{:03}", made + 1);
            const std::string folder = project.folder() + "/runs/" + name;
            std::filesystem::create_directories(folder);
            storage::RunFiles files(folder);
            VERIFY_OK(files.writeInfo({.name = name, .createdAt = double(made)}));
            VERIFY_OK(files.writeStatus({.state = storage::RunState::Finished}));
        }
        QCOMPARE(project.cannery({"runs", "rescan"}).exitCode, 0);
        calls.append(project.calls(words, "read").size());
    }
    const qsizetype first = calls[1] - calls[0];
    const qsizetype second = calls[2] - calls[1];
    constexpr qsizetype kPages = 2; // of the database, more or fewer by chance
    QVERIFY2(second <= 2 * first + first / 5 + kPages,
             qPrintable(QString("%1, %2, %3").arg(calls[0]).arg(calls[1]).arg(calls[2])));
}

CANNERY_TEST(TstManyRuns)
#include "tst_many_runs.moc"
