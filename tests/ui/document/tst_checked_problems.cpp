// SPDX-License-Identifier: GPL-3.0-only
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"
#include "ui/document/checked_problems.h"
#include "ui/models/tables/table_remark.h"

#include <QJsonDocument>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::goldenReport;

/// What the window reads in the answer of `cannery check`.
class TstCheckedProblems : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void problemsHaveTheirPages();
    void remarksHaveTheirActions();

private:
    static QJsonObject answer()
    {
        return QJsonDocument::fromJson(goldenReport("check.json")).object();
    }
};

void TstCheckedProblems::problemsHaveTheirPages()
{
    const QList<ProblemRow> rows = checkedProblems(answer());
    const ProblemRow first{.level = ProblemRow::Level::Error,
                           .id = QStringLiteral("spec.above_range"),
                           .file = QStringLiteral("titanic.cannery"),
                           .line = 12,
                           .column = 3,
                           .path = QStringLiteral("estimator.dnn_classifier.dropout"),
                           .sentence = QStringLiteral("1.5 is more than \"1\". [reading é]"),
                           .page = QStringLiteral("model")};
    QCOMPARE(rows.size(), 2);
    QVERIFY(rows[0] == first);
    QCOMPARE(rows[1].level, ProblemRow::Level::Warning);
    QVERIFY(problemsOf(rows, QStringLiteral("model")).first() == first);
    QVERIFY(problemsOf(rows, QStringLiteral("features")).isEmpty());
    QVERIFY(checkedProblems({}).isEmpty());
}

void TstCheckedProblems::remarksHaveTheirActions()
{
    const QList<TableRemark> remarks = tableRemarksFromJson(answer());
    const TableRemark first{
        .id = QStringLiteral("remark.key"),
        .sentence = QStringLiteral("'id' is different in each row."),
        .columns = {QStringLiteral("id"), QStringLiteral("name")},
        .actions = {{.kind = QStringLiteral("leave_out"), .edits = {}},
                    {.kind = QStringLiteral("key"),
                     .edits = {{QStringLiteral("data.key_column"), QStringLiteral("\"id\"")}}}}};
    QCOMPARE(remarks.size(), 2);
    QCOMPARE(remarks[0], first);
    QVERIFY(remarks[1].isNote && remarks[1].actions.isEmpty());
}

CANNERY_TEST(TstCheckedProblems)
#include "tst_checked_problems.moc"
