// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/models/run_rows.h"
#include "ui/models/runs/run_filter.h"

#include <QTest>

using namespace cannery::ui;
using cannery::tests::runOf;

class TstRunFilter : public QObject
{
    Q_OBJECT

private:
    QList<RunRow> m_runs;

    QStringList matching(const QString& text) const
    {
        const RunFilter filter = RunFilter::parse(text);
        QStringList names;
        for (const RunRow& run : m_runs) {
            if (filter.matches(run)) {
                names.append(run.name);
            }
        }
        return names;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_runs = {runOf("a", 0.95, "0.05", {"best"}), runOf("b", 0.92, "0.5", {"best"}),
                  runOf("c", 0.93, "0.05"), runOf("d", 0.8, "0.01", {"best", "old"})};
        m_runs[1].starred = true;
        m_runs[2].notes = "Dropout helps; see the paper";
        m_runs[2].title = "wide one";
        m_runs[3].state = RunState::Failed;
        m_runs[3].metrics.clear();
        m_runs[3].parameters.removeLast();
        m_runs[3].parameters[2] = {"estimator.dnn_classifier.optimizer.ftrl.learning_rate", "0.01"};
    }

    void D43_filterReturnsExactlyTheExpectedRuns_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* text, const QStringList& expected) {
            QTest::newRow(text) << QString::fromUtf8(text) << expected;
        };
        row("", {"a", "b", "c", "d"});
        row("tag:best and auc > 0.9 and lr < 0.1", {"a"});
        row("tag:best auc > 0.9 lr < 0.1", {"a"});
        row("TAG:Best AND auc>=0.92", {"a", "b"});
        row("auc > 0.9 or state:failed", {"a", "b", "c", "d"});
        row("not auc > 0.9", {"d"});
        row("not (tag:best or star)", {"c"});
        row("star", {"b"});
        row("starred = false and auc != 0.95", {"c"});
        row("auc <= 0.93 and auc.max >= 0.93", {"c"});
        row("auc.last < 0.92", {"b"});
        row("loss < 0.46", {"a", "b", "c"});
        row("notes:dropout", {"c"});
        row("paper", {"c"});
        row("\"wide one\"", {"c"});
        row("name:wide", {"c"});
        row("optimizer = adagrad", {"a", "b", "c"});
        row("optimizer = ftrl", {"d"});
        row("learning_rate = 0.050", {"a", "c"});
        row("estimator.dnn_classifier.optimizer.ftrl.learning_rate > 0", {"d"});
        row("batch_size = 32", {"a", "b", "c", "d"});
        row("batch_size = 256", {});
        row("hidden_units ~ 64", {"a", "b", "c", "d"});
        row("data = titanic", {"a", "b", "c", "d"});
        row("state = finished and tag != old", {"a", "b"});
        row("precision > 0", {});
        row("not precision > 0", {"a", "b", "c", "d"});
        row("duration = 22", {"a", "b", "c", "d"});
        // As rows are filtered.
        row("auc is missing", {"d"});
        row("auc is not missing and tag:best", {"a", "b"});
        row("lr in (0.5, 0.01)", {"b", "d"});
        row("optimizer in (ftrl, 'sgd')", {"d"});
        row("notes contains \"helps; see\"", {"c"});
        row("`auc` <> 0.95 and \"loss\" < 9", {"b", "c"});
        row("hidden_units ~ 64,", {"a", "b", "c", "d"});
    }
    void D43_filterReturnsExactlyTheExpectedRuns()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, expected);
        QVERIFY2(!RunFilter::parse(text).error(), qPrintable(text));
        QCOMPARE(matching(text), expected);
    }

    void saysWhereAndWhatIsWrong_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("position");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* text, int position, const char* sentence) {
            QTest::newRow(text) << QString::fromUtf8(text) << position
                                << QString::fromUtf8(sentence);
        };
        row("auc >", 4, "A value is missing after '>'.");
        row("> 0.9", 0, "A field is missing before '>'; write, for example: auc > 0.9");
        row("auc > high", 6, "'>' compares numbers, and 'high' is not a number.");
        row("auc => 1", 4, "'=>' is not a comparison; use one of: = != < <= > >= ~");
        row("(auc > 0.9", 0, "Unmatched '('.");
        row("auc > 0.9)", 9, "Unmatched ')'.");
        row("name:\"x", 5, "Unmatched quotation mark.");
        row("star and", 8, "Something is missing after 'and'.");
        row("tag:", 0, "A text is missing after 'tag:'.");
        row("😀 auc >", 7, "A value is missing after '>'."); // units, not characters
        row("tags:x", 0,
            "'tags:' is not a prefix; use one of: tag:, name:, notes:, state:, estimator:, "
            "experiment:, data:.");
        row("lr in (1, )", 8, "A value is missing after ','.");
        row("`lr`", 4, "'lr' needs a comparison; write, for example: auc > 0.9");
    }
    void saysWhereAndWhatIsWrong()
    {
        QFETCH(QString, text);
        QFETCH(int, position);
        QFETCH(QString, sentence);
        const RunFilter filter = RunFilter::parse(text);
        QVERIFY(filter.error());
        QCOMPARE(filter.error()->sentence, sentence);
        QCOMPARE(filter.error()->position, position);
        QVERIFY(filter.matches(m_runs.front()));
    }

    void namesAFieldThatNoRunHas()
    {
        QCOMPARE(RunFilter::parse("aucc > 0.9").unknownField(m_runs), QString("aucc"));
        QVERIFY(RunFilter::parse("auc > 0.99 and lr > 5").unknownField(m_runs).isEmpty());
    }
};

CANNERY_TEST(TstRunFilter)
#include "tst_run_filter.moc"
