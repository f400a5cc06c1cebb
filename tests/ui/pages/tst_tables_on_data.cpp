// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"
#include "ui/widgets/strip.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTableView>
#include <QTest>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

const QString kTables = QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/tricky_csv");

} // namespace

/// Tables of all sorts on the Data page, read by the real engine.
class TstTablesOnData : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_bench = std::make_unique<tests::PageBench>(); }
    void cleanup() { m_bench.reset(); }

    void everyTableShowsRowsOrASentence_data();
    void everyTableShowsRowsOrASentence();
    void D09_aTokenIsMissingInOneColumnAndACategoryInAnother();

private:
    Page* open(const QByteArray& table, const QString& experiment);

    std::unique_ptr<tests::PageBench> m_bench;
};

/// The Data page of a project with this table, once the engine has answered.
Page* TstTablesOnData::open(const QByteArray& table, const QString& experiment)
{
    m_bench->scriptReal("preview");
    Page* page = m_bench->page("data");
    const QString folder = m_bench->folder() + "/project";
    const auto write = [&](const QString& name, const QByteArray& content) {
        QFile file(folder + '/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    };
    [&] {
        QVERIFY(QDir().mkpath(folder));
        write("table.csv", table);
        write("table.cannery", experiment.toUtf8());
        m_bench->open(folder);
        const DocumentQuery& query = DocumentQuery::preview(m_bench->session());
        QTRY_VERIFY_WITH_TIMEOUT(!query.isRunning() &&
                                     (!query.result().isEmpty() || !query.error().isEmpty()),
                                 kPatience);
    }();
    return page;
}

void TstTablesOnData::everyTableShowsRowsOrASentence_data()
{
    QTest::addColumn<QString>("table");
    const QStringList tables = QDir(kTables).entryList({"*.csv", "*.tsv"});
    QVERIFY(tables.size() >= 20);
    for (const QString& table : tables) {
        QTest::newRow(qPrintable(table)) << table;
    }
}

/// The last column is the label, whatever it is.
void TstTablesOnData::everyTableShowsRowsOrASentence()
{
    QFETCH(const QString, table);
    QFile file(kTables + '/' + table);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QFile facts(kTables + '/' + table.left(table.lastIndexOf('.')) + ".expected.json");
    QVERIFY(facts.open(QIODevice::ReadOnly));
    const QJsonArray columns =
        QJsonDocument::fromJson(facts.readAll()).object()["columns"].toArray();
    const QString label =
        columns.isEmpty() ? QString("label") : columns.last().toObject()["name"].toString();
    const QString quotedLabel = QString(label).replace('\\', "\\\\").replace('"', "\\\"");
    Page* page =
        open(file.readAll(), "data { train { csv { files: \"table.csv\" } } label { column: \"" +
                                 quotedLabel +
                                 "\" } }\nestimator { baseline_regressor {} }\n"
                                 "train_spec { max_steps: 1 }\n");
    auto* rows = page->findChild<QTableView*>("table.rows");
    const bool hasRows =
        rows->isVisible() && rows->model()->rowCount() > 0 && rows->model()->columnCount() > 0;
    QString sentence;
    for (const char* name : {"strip.data", "strip.trouble"}) {
        const auto* strip = page->findChild<Strip*>(name);
        sentence += strip->isVisible() ? strip->text() : QString();
    }
    QVERIFY2(hasRows || !sentence.isEmpty(), "the page shows nothing");
    if (!DocumentQuery::preview(m_bench->session()).error().isEmpty()) {
        QVERIFY2(sentence.size() > 20, qPrintable(sentence));
        QCOMPARE(page->mark().kind, RailMark::Kind::Error);
    }
}

void TstTablesOnData::D09_aTokenIsMissingInOneColumnAndACategoryInAnother()
{
    Page* page = open("region,size,label\nNA,1,0\nEU,NA,1\nNA,3,0\nAS,4,1\n",
                      "data { train { csv { files: \"table.csv\" } } label { column: \"label\" } "
                      "column { name: \"size\" missing_token: \"NA\" } }\n"
                      "estimator { baseline_regressor {} }\ntrain_spec { max_steps: 1 }\n");
    auto* rows = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(rows->model()->columnCount(), 3, kPatience);
    const auto cell = [rows](int row, int column) {
        return rows->model()->index(row, column).data().toString();
    };
    QTRY_COMPARE_WITH_TIMEOUT(cell(1, 1), "?", kPatience);
    QCOMPARE(cell(0, 0), "NA");
    ExperimentDocument& document = m_bench->session().document();
    QVERIFY(document.setValue("data.column[size].default_value", "2"));
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    QFile saved(document.file());
    QVERIFY(saved.open(QIODevice::ReadOnly));
    const QByteArray text = saved.readAll();
    QVERIFY2(text.contains("missing_token: \"NA\""), text.constData());
    QVERIFY(!text.contains("region"));
    const QString folder = m_bench->session().project().folder();
    m_bench->session().project().close();
    m_bench->open(folder);
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.column[size].missing_token"), "NA", kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(cell(1, 1), "?", kPatience);
    QCOMPARE(cell(0, 0), "NA");
}

CANNERY_TEST(TstTablesOnData)
#include "tst_tables_on_data.moc"
