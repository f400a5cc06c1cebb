// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"

#include <QRegularExpression>
#include <QTest>

using cannery::tests::kPatience;
using cannery::tests::PageBench;
using cannery::ui::DocumentQuery;

/// What the pages ask the engine about the open experiment.
class TstDocumentQuery : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyWhatACommandReadsAsksItAgain();
};

void TstDocumentQuery::onlyWhatACommandReadsAsksItAgain()
{
    PageBench bench;
    bench.script("plan", "{}");
    bench.script("preview", R"({"sources": {"train": {"rows": 627}}, "columns": []})");
    QVERIFY(bench.page("model"));
    bench.openTitanic(false);
    auto& preview = DocumentQuery::preview(bench.session());
    QTRY_VERIFY_WITH_TIMEOUT(preview.trainRows().has_value(), kPatience);
    const auto newest = [&] {
        const QStringList asked = bench.calls().filter("--learning-rates");
        return asked.value(asked.size() - 1);
    };
    const auto edit = [&](const QString& path, const QString& value) {
        const qsizetype before = bench.calls().filter("--learning-rates").size();
        return bench.session().document().setValue(path, value) &&
               QTest::qWaitFor(
                   [&] { return bench.calls().filter("--learning-rates").size() > before; },
                   kPatience);
    };
    const auto previews = [&] {
        return bench.calls().filter(QRegularExpression("^preview ")).size();
    };
    const qsizetype asked = previews();
    QVERIFY(edit("train_spec.input.num_epochs", "3"));
    QVERIFY2(newest().contains("--train-rows 627"), qPrintable(newest()));
    QCOMPARE(previews(), asked); // nothing that it reads has changed
    // Of other data the number is not known.
    bench.scriptWait("preview");
    QVERIFY(edit("data.bad_rows", "SKIP"));
    QVERIFY2(!newest().contains("--train-rows"), qPrintable(newest()));
    QVERIFY(!preview.trainRows());
    QTRY_VERIFY_WITH_TIMEOUT(previews() > asked, kPatience);
}

CANNERY_TEST(TstDocumentQuery)
#include "tst_document_query.moc"
