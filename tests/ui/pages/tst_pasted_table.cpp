// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/services/pasted_table.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

class TstPastedTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_bench = std::make_unique<tests::PageBench>(); }
    void cleanup() { m_bench.reset(); }

    void textsAreTablesOrNot_data();
    void textsAreTablesOrNot();
    void aPastedTableBecomesAFileThatIsAskedFor();
    void noFileIsReplaced();
    void whatIsNoTableIsRefusedWithASentence();

private:
    std::unique_ptr<tests::PageBench> m_bench;
};

void TstPastedTable::textsAreTablesOrNot_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isTable");
    QTest::newRow("spreadsheet") << "age\tincome\r\n31\tlow\r\n47\thigh\r\n" << true;
    QTest::newRow("commas") << "age,income\n31,low" << true;
    QTest::newRow("semicolons") << "age;income\n31,5;low\n" << true;
    QTest::newRow("tabs and commas") << "name\tcity\nMiller, A\tRome\n" << true;
    QTest::newRow("nothing") << "" << false;
    QTest::newRow("one line") << "age,income" << false;
    QTest::newRow("one column") << "age\n31\n47\n" << false;
    QTest::newRow("prose") << "Dear all, this is a letter.\nIt has lines\nand, here, commas.\n"
                           << false;
}

void TstPastedTable::textsAreTablesOrNot()
{
    QFETCH(const QString, text);
    QFETCH(const bool, isTable);
    QCOMPARE(isTableText(text), isTable);
}

void TstPastedTable::aPastedTableBecomesAFileThatIsAskedFor()
{
    m_bench->script("new", R"({"label": {"guess": "income"}, "columns": [], "rows": 2})");
    QSignalSpy asked(&m_bench->session().tables(), &TableImport::asked);
    m_bench->session().tables().paste("age\tincome\n31\tlow\n47\thigh", m_bench->folder() + "/in");
    QTRY_COMPARE_WITH_TIMEOUT(asked.count(), 1, kPatience);
    QFile file(m_bench->folder() + "/in/pasted.tsv");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("age\tincome\n31\tlow\n47\thigh\n"));
    QVERIFY2(m_bench->lastCall("new").contains("/in/pasted.tsv"),
             qPrintable(m_bench->lastCall("new")));
}

void TstPastedTable::noFileIsReplaced()
{
    const QString folder = m_bench->folder();
    QCOMPARE(writePastedTable("a,b\n1,2\n", folder).file, folder + "/pasted.csv");
    QCOMPARE(writePastedTable("a,b\n3,4\n", folder).file, folder + "/pasted-2.csv");
    QFile first(folder + "/pasted.csv");
    QVERIFY(first.open(QIODevice::ReadOnly));
    QCOMPARE(first.readAll(), QByteArray("a,b\n1,2\n"));
}

void TstPastedTable::whatIsNoTableIsRefusedWithASentence()
{
    QSignalSpy failed(&m_bench->session(), &ProjectSession::failed);
    const QString folder = m_bench->folder() + "/in";
    m_bench->session().tables().paste("only words", folder);
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
    QVERIFY(failed[0][0].toString().startsWith("The clipboard holds no table: copy at least two"));
    QVERIFY(!QDir(folder).exists());
    QVERIFY(!m_bench->wasCalled("new"));
}

CANNERY_TEST(TstPastedTable)
#include "tst_pasted_table.moc"
