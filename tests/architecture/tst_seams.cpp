// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/engine_sources.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QSet>
#include <QTest>

/// Operations that only one place in the code may perform.
class TstSeams : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void headersOfInstructionsAreGuarded();
    void onlyTheConsolePrints();
    void onlyTheOpeningSeamOpensToRead();
    void onlyItsSourceKnowsWhatATableIsWrittenAs();
    void textsAreDrawnInTheirOwnDirection();

private:
    /// The engine's sources, or others, with a line that matches and is not a comment.
    static QStringList
    linesLike(const QString& pattern,
              const QList<cannery::tests::SourceText>& sources = cannery::tests::engineSources())
    {
        const QRegularExpression wanted(pattern);
        QStringList found;
        for (const cannery::tests::SourceText& source : sources) {
            const QStringList lines = source.text.split('\n');
            for (const QString& line : lines) {
                if (!line.trimmed().startsWith("//") && wanted.match(line).hasMatch()) {
                    found.append(source.path);
                }
            }
        }
        found.removeDuplicates();
        found.sort();
        return found;
    }
};

/// Other processors have no such header: it is included under a condition.
void TstSeams::headersOfInstructionsAreGuarded()
{
    static const QRegularExpression kHeader(R"(^#\s*include <(\w*intrin|arm_neon|arm_acle)\.h>)");
    QStringList unguarded;
    int found = 0;
    for (const cannery::tests::SourceText& source : cannery::tests::engineSources()) {
        int depth = 0;
        const QStringList lines = source.text.split('\n');
        for (const QString& line : lines) {
            depth += line.startsWith("#if") ? 1 : 0;
            depth -= line.startsWith("#endif") ? 1 : 0;
            if (kHeader.match(line).hasMatch()) {
                ++found;
                unguarded += depth == 0 ? QStringList(source.path) : QStringList();
            }
        }
    }
    QVERIFY(found > 8);
    QCOMPARE(unguarded, QStringList());
}

void TstSeams::onlyTheConsolePrints()
{
    const QStringList printers =
        linesLike(R"(fmt::print\((stdout|stderr|")|std::(cout|cerr|clog|printf|puts)\b|)"
                  R"((write|fputs|fwrite|fprintf)\(.*(STDOUT_FILENO|STDERR_FILENO|stdout|stderr))");
    const QStringList expected{
        "app/cannery/console/console.cpp",
        "app/cannery/cpu_check.cpp", // before anything else may run
        "app/cannery/main.cpp",      // when nothing else may run
        "core/base/check.cpp",       // the last words of a bug
    };
    QCOMPARE(printers, expected);
}

void TstSeams::onlyTheOpeningSeamOpensToRead()
{
    const QStringList openers = linesLike(
        R"(std::ifstream\b|\bopen(at|64)?\([^;]*O_RDONLY|fopen\([^;]*"r|O_RDONLY \| O_CLOEXEC)");
    const QStringList mayOpen{
        "app/cannery/commands/doctor_command.cpp",     // of /proc
        "app/cannery/prediction/prediction_input.cpp", // after the confinement check
        "core/control/connection_listener.cpp",        // the folder of sockets, and /dev/null
        "core/control/socket_budget.cpp",              // of /proc
        "core/features/spill_file.cpp",                // the file it has just written
        "core/plan/memory_limit.cpp",                  // of /proc and the control group
        "core/spec/experiment_file.cpp",               // does not know storage; does its own checks
        "core/train/preparation/process_memory.cpp",   // of /proc
        "storage/io/beneath.cpp",
        "storage/io/file_system.cpp", // folders, to sync them
        "storage/io/open_file.cpp",
        "storage/runs/process_identity.cpp", // files of /proc
        "storage/runs/queue_lock.cpp",
        "storage/runs/run_lock.cpp",
    };
    for (const QString& opener : openers) {
        QVERIFY2(mayOpen.contains(opener), qPrintable(opener));
    }
    QVERIFY(openers.contains("storage/io/open_file.cpp"));
}

void TstSeams::onlyItsSourceKnowsWhatATableIsWrittenAs()
{
    const QStringList expected{
        "core/data/sources/csv_source.cpp",
        "core/spec/checks/data_checks.cpp", // without opening anything
        "core/spec/spec_validator.cpp",
        "core/survey/table_settings.cpp", // writes an experiment of such a source
    };
    QCOMPARE(linesLike(R"(\b(mutable_)?csv\(\))"), expected);
}

/// paintWords(): in a mirrored window, too.
void TstSeams::textsAreDrawnInTheirOwnDirection()
{
    const QStringList expected{
        "ui/charts/curves/chart_header.cpp", // at a point: nothing to align
        "ui/charts/graph_view.cpp",          // the same
        "ui/widgets/style/painting.cpp",
    };
    QCOMPARE(linesLike(R"(\bdrawText\()", cannery::tests::sourcesBelow({"ui"})), expected);
}

CANNERY_TEST(TstSeams)
#include "tst_seams.moc"
