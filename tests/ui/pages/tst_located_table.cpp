// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/data/table_trouble_view.h"
#include "ui/widgets/strip.h"

#include <QAbstractButton>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QTest>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr const char* kLabelOnly = R"({"sources": {"train": {"rows": 3}},
 "columns": [{"name": "label", "type": "number", "use": "label", "missing": 0, "distinct": 2,
   "histogram": {"labels": [], "counts": [2, 1]}}],
 "texts": [["0"], ["1"]], "inputs": [], "rows": []})";

} // namespace

/// A table that has moved since the experiment was written.
class TstLocatedTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theFieldNamesTheChosenFile_data();
    void theFieldNamesTheChosenFile();
};

void TstLocatedTable::theFieldNamesTheChosenFile_data()
{
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<QString>("field");
    QTest::newRow("CSV") << QByteArray("csv { files: \"table.x\" }") << "data.train.csv.files[0]";
    QTest::newRow("JSON lines") << QByteArray("json_lines { files: \"table.x\" }")
                                << "data.train.json_lines.files[0]";
    QTest::newRow("database") << QByteArray("sqlite { file: \"table.x\" table: \"t\" }")
                              << "data.train.sqlite.file";
}

void TstLocatedTable::theFieldNamesTheChosenFile()
{
    QFETCH(const QByteArray, source);
    QFETCH(const QString, field);
    tests::PageBench bench;
    bench.script("preview", kLabelOnly);
    Page* page = bench.page("data");
    const QString folder = bench.copyExample("digits");
    QFile file(folder + "/digits.cannery");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll().replace("csv { files: \"digits.csv\" }", source);
    file.close();
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    QVERIFY(QDir().mkpath(folder + "/elsewhere"));
    QVERIFY(QFile::rename(folder + "/digits.csv", folder + "/elsewhere/table.y"));
    bench.open(folder);
    auto* view = page->findChild<TableTroubleView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->isVisible(), kPatience);
    QVERIFY(page->findChild<Strip*>("strip.trouble")
                ->text()
                .endsWith("/table.x does not exist or is not readable."));
    const QString place = view->findChild<QLabel*>("becomes.locate")->text();
    QVERIFY2(place.endsWith("/digits/table.x") && !place.contains(".."), qPrintable(place));
    QVERIFY(!view->findChild<QWidget*>("way.skip")->isVisible());
    view->findChild<QAbstractButton*>("button.locate")->click();
    auto* chooser = page->findChild<QFileDialog*>("dialog.locate");
    QVERIFY(chooser);
    Q_EMIT chooser->fileSelected(folder + "/elsewhere/table.y");
    QTRY_COMPARE_WITH_TIMEOUT(bench.session().document().value(field), "elsewhere/table.y",
                              kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!view->isVisible(), kPatience);
}

CANNERY_TEST(TstLocatedTable)
#include "tst_located_table.moc"
