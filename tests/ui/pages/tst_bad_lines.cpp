// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/models/tables/value_join.h"
#include "ui/pages/data/table_trouble_view.h"
#include "ui/pages/home/new_project_dialog.h"
#include "ui/pages/page_dialogs.h"
#include "ui/services/joined_table.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/strip.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QScrollArea>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr int kGoodRows = 12'000;
constexpr int kBadLine = 10'482;

/// Rows of a town and its people; `bad` replaces the given line (the header is line 1).
QByteArray townsWith(const QByteArray& bad)
{
    QByteArray text("id,town,people,label\n");
    for (int line = 2; line <= kGoodRows + 1; ++line) {
        const QByteArray row = QByteArray::number(line) + ",Ulm," + QByteArray::number(line % 97) +
                               ',' + QByteArray::number(line % 2);
        text += (line == kBadLine ? bad : row) + '\n';
    }
    return text;
}

} // namespace

/// A table with a bad line, on the page that says so; all by the real engine and by real clicks.
class TstBadLines : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void D07_theLineIsShownAndSkipped();
    void D07_anotherDelimiterReadsEveryLine();
    void D07_twoValuesAreJoinedInACopy();
    void D07_aTableWithoutAProjectIsJoinedToo();
    void theJoinedColumnCanBeChosen();
    void whatIsNoMissingQuoteIsNotJoined();
    void theLikeliestValuesAreJoined_data();
    void theLikeliestValuesAreJoined();
    void aCopyIsTheSameButForTheQuotes_data();
    void aCopyIsTheSameButForTheQuotes();
    void joiningEndsWhenItIsCancelled();

private:
    void open(const QByteArray& table, const QString& source = {},
              const QString& label = QStringLiteral("label"));
    QString shownStrip() const { return m_page->findChild<Strip*>("strip.trouble")->text(); }
    QTableView* rows() const { return m_page->findChild<QTableView*>("table.rows"); }
    QString words(const char* label) const { return m_view->findChild<QLabel*>(label)->text(); }
    /// Scrolls there as a user would, and clicks.
    void click(const char* button) const;
    /// Every row of the table can be read now.
    void verifyRead(int count) const;

    std::unique_ptr<tests::PageBench> m_bench;
    Page* m_page = nullptr;
    TableTroubleView* m_view = nullptr;
};

void TstBadLines::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    for (const char* verb : {"preview", "browse", "check", "new"}) {
        m_bench->scriptReal(verb);
    }
    m_page = m_bench->page("data");
    m_view = m_page->findChild<TableTroubleView*>();
}

void TstBadLines::open(const QByteArray& table, const QString& source, const QString& label)
{
    const QString folder = m_bench->folder() + "/projects/towns";
    QDir().mkpath(folder);
    const auto write = [&](const QString& name, const QByteArray& bytes) {
        QFile file(folder + '/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    };
    write("towns.csv", table);
    write("towns.cannery",
          QString("data { train { csv { files: \"towns.csv\" %1 } } label { column: \"%2\" } }\n"
                  "estimator { baseline_classifier {} }\ntrain_spec { max_steps: 1 }\n")
              .arg(source, label)
              .toUtf8());
    m_bench->open(folder);
    QTRY_VERIFY_WITH_TIMEOUT(m_view->isVisible(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_view->findChild<QWidget*>("line.bad"), kPatience);
}

void TstBadLines::click(const char* button) const
{
    auto* wanted = m_view->findChild<QAbstractButton*>(button);
    QTRY_VERIFY_WITH_TIMEOUT(wanted->isVisible() && wanted->isEnabled(), kPatience);
    for (QWidget* at = wanted; at != nullptr; at = at->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(at)) {
            area->ensureWidgetVisible(wanted);
        }
    }
    QTest::mouseClick(wanted, Qt::LeftButton);
}

void TstBadLines::verifyRead(int count) const
{
    QTRY_VERIFY_WITH_TIMEOUT(!m_view->isVisible(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(rows()->model()->rowCount(), count, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(m_page->mark().kind, RailMark::Kind::Ready, kPatience);
}

void TstBadLines::D07_theLineIsShownAndSkipped()
{
    open(townsWith("10482,Frankfurt, Oder,57,0"));
    QCOMPARE(shownStrip(), QString("Line 10,482 has 5 fields, 4 expected."));
    auto* line = m_view->findChild<QWidget*>("line.bad");
    QCOMPARE(line->accessibleName(), QString("Line 10,482: 10482,Frankfurt, Oder,57,0"));
    QCOMPARE(line->accessibleDescription(), QString("read as two values: town and people"));
    QCOMPARE(m_view->findChildren<QWidget*>("line").size(), 6);
    QCOMPARE(words("becomes.skip"), QString("skipped"));
    QTRY_COMPARE_WITH_TIMEOUT(words("foot.skip"), QString("11,999 rows will be read"), kPatience);
    ExperimentDocument& document = m_bench->session().document();
    const QString before = document.text();
    click("button.skip");
    verifyRead(kGoodRows - 1);
    QCOMPARE(document.value("data.bad_rows"), QString("SKIP"));
    auto* left = m_page->findChild<QAbstractButton*>("button.left_out");
    QTRY_COMPARE_WITH_TIMEOUT(left->text(), QString("1 row left out"), kPatience);
    document.undoStack()->undo();
    QCOMPARE(document.text(), before);
    QTRY_VERIFY_WITH_TIMEOUT(m_view->isVisible(), kPatience);
}

/// As commas, each line is one value, until a line has one.
void TstBadLines::D07_anotherDelimiterReadsEveryLine()
{
    QByteArray table;
    for (int line = 1; line <= kGoodRows; ++line) {
        table += QByteArray::number(line % 2) +
                 (line == kBadLine ? ";Frankfurt, Oder;57\n" : ";Ulm;3\n");
    }
    open(table, "header: false field_delim: \",\"", "c0");
    QCOMPARE(shownStrip(), QString("Line 10,482 has 2 fields, 1 expected."));
    auto* delimiters = m_view->findChild<QComboBox*>("field.delimiter");
    QCOMPARE(delimiters->currentText(), QString("semicolon")); // the likeliest
    QCOMPARE(words("becomes.delimiter"), QString("3 values, like the first line"));
    click("button.delimiter");
    verifyRead(kGoodRows);
    QCOMPARE(m_bench->session().document().value("data.train.csv.field_delim"), QString(";"));
    QCOMPARE(rows()->model()->columnCount(), 3);
    m_bench->session().document().undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(m_view->isVisible(), kPatience);
}

void TstBadLines::D07_twoValuesAreJoinedInACopy()
{
    open(townsWith("10482,Frankfurt, Oder,57,0"));
    QCOMPARE(m_view->findChild<QComboBox*>("field.joined")->currentText(), QString("town"));
    QVERIFY(m_view->findChild<QWidget*>("way.join")->findChild<Pill*>()->isVisible());
    QCOMPARE(words("becomes.join"), QString("town = \"Frankfurt, Oder\""));
    QTRY_COMPARE_WITH_TIMEOUT(words("foot.join"), QString("12,000 rows will be read"), kPatience);
    QCOMPARE(m_view->findChild<QAbstractButton*>("button.join")->text(), QString("Join in 1 Line"));
    ExperimentDocument& document = m_bench->session().document();
    const QString before = document.text();
    click("button.join");
    verifyRead(kGoodRows);
    QCOMPARE(document.value("data.train.csv.files"), QString("towns-joined.csv"));
    QCOMPARE(document.undoStack()->count(), 1);
    QFile copy(m_bench->session().project().folder() + "/towns-joined.csv");
    QVERIFY(copy.open(QIODevice::ReadOnly));
    QCOMPARE(copy.readAll(), townsWith("10482,\"Frankfurt, Oder\",57,0"));
    QFile original(m_bench->session().project().folder() + "/towns.csv");
    QVERIFY(original.open(QIODevice::ReadOnly));
    QCOMPARE(original.readAll(), townsWith("10482,Frankfurt, Oder,57,0"));
    document.undoStack()->undo();
    QCOMPARE(document.text(), before);
    QTRY_VERIFY_WITH_TIMEOUT(m_view->isVisible(), kPatience);
}

void TstBadLines::D07_aTableWithoutAProjectIsJoinedToo()
{
    connectPageDialogs(m_bench->context(), &m_bench->window());
    QFile table(m_bench->folder() + "/towns.csv");
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write(townsWith("10482,Frankfurt, Oder,57,0"));
    table.close();
    m_bench->session().tables().ask(table.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(m_view->findChild<QWidget*>("line.bad"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    click("button.join");
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    auto* dialog = m_bench->window().findChild<NewProjectDialog*>();
    QTRY_COMPARE_WITH_TIMEOUT(dialog->findChild<QComboBox*>("field.label")->count(), 5, kPatience);
    QVERIFY(m_bench->lastCall("new").contains("/projects/towns-joined.csv"));
    QVERIFY(!m_view->isVisible());
}

void TstBadLines::theJoinedColumnCanBeChosen()
{
    open(townsWith("10482,Frankfurt, Oder,57,0"));
    auto* column = m_view->findChild<QComboBox*>("field.joined");
    column->setFocus();
    QTest::keyClick(column, Qt::Key_Down);
    QCOMPARE(column->currentText(), QString("people"));
    QCOMPARE(words("becomes.join"), QString("people = \" Oder,57\""));
    QTRY_COMPARE_WITH_TIMEOUT(m_view->findChild<QWidget*>("line.bad")->accessibleDescription(),
                              QString("read as two values: people and label"), kPatience);
}

void TstBadLines::whatIsNoMissingQuoteIsNotJoined()
{
    open(townsWith("10482,57"));
    QVERIFY(!m_view->findChild<QWidget*>("way.join")->isVisible());
    QVERIFY(m_view->findChild<QWidget*>("way.skip")->isVisible());
}

void TstBadLines::theLikeliestValuesAreJoined_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("column");
    QTest::addColumn<bool>("isClear");
    QTest::newRow("a space after it") << "1,Frankfurt, Oder,x,3" << 1 << true;
    QTest::newRow("numbers stay numbers") << "1,a,b,c,3" << 1 << false; // or b and c
    QTest::newRow("a known word") << "1,Bad,Ulm,x,3" << 1 << true;
    QTest::newRow("no text among numbers") << "1,Ulm,x,3,4" << 2 << true;
}

void TstBadLines::theLikeliestValuesAreJoined()
{
    QFETCH(const QString, line);
    const LikelyJoin likely = likelyJoin(line, {"7,Ulm,x,9", "8,Ulm,y,2", "9,Bonn,x,1"}, ',');
    QTEST(likely.column, "column");
    QTEST(likely.isClear, "isClear");
}

void TstBadLines::aCopyIsTheSameButForTheQuotes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("copy");
    QTest::addColumn<qint64>("stillBad");
    QTest::newRow("CRLF and blank lines")
        << QByteArray("a,b\r\n\r\n1,2\r\n1,x, y\r\n")
        << QByteArray("a,b\r\n\r\n1,2\r\n1,\"x, y\"\r\n") << qint64(0);
    QTest::newRow("no last line break")
        << QByteArray("a,b\n1,2\n1,2,3") << QByteArray("a,b\n1,2\n1,\"2,3\"") << qint64(0);
    QTest::newRow("quoted already")
        << QByteArray("a,b\n\"1,2\",3\n1,\"say \"\"hi\"\"\",4\n")
        << QByteArray("a,b\n\"1,2\",3\n1,\"say \"\"hi\"\",4\"\n") << qint64(0);
    QTest::newRow("line breaks in quotes")
        << QByteArray("a,b\n1,\"x\ny,z\"\n1,2,3\n") << QByteArray("a,b\n1,\"x\ny,z\"\n1,\"2,3\"\n")
        << qint64(0);
    QTest::newRow("a quote inside a value")
        << QByteArray("a,b\n5\" pipe,2\n1,2\",3\n")
        << QByteArray("a,b\n5\" pipe,2\n1,\"2\"\",3\"\n") << qint64(0);
    QTest::newRow("byte order mark")
        << QByteArray("\xEF\xBB\xBF\"a,c\",b\n1,2,3\n")
        << QByteArray("\xEF\xBB\xBF\"a,c\",b\n1,\"2,3\"\n") << qint64(0);
    QTest::newRow("worse lines stay") << QByteArray("a,b\n1\n1,2,3,4\n1,2,3\n")
                                      << QByteArray("a,b\n1\n1,2,3,4\n1,\"2,3\"\n") << qint64(2);
}

void TstBadLines::aCopyIsTheSameButForTheQuotes()
{
    QFETCH(const QByteArray, text);
    const QString path = m_bench->folder() + "/t.csv";
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    const std::atomic_bool isCancelled = false;
    const ValueJoin join{.file = path, .delimiter = ',', .values = 2, .column = 1};
    const JoinedTable counted = countJoins(join, isCancelled);
    QCOMPARE(counted.problem, QString());
    QCOMPARE(counted.joined, qint64(1));
    QTEST(counted.stillBad, "stillBad");
    const JoinedTable written = writeJoined(join, m_bench->folder(), isCancelled);
    QCOMPARE(written.file, m_bench->folder() + "/t-joined.csv");
    QCOMPARE(written.rows, counted.rows);
    QFile copy(written.file);
    QVERIFY(copy.open(QIODevice::ReadOnly));
    QTEST(copy.readAll(), "copy");
    // No copy is replaced, and none is left by a failure.
    QVERIFY(writeJoined(join, m_bench->folder(), isCancelled).file.endsWith("/t-joined-2.csv"));
    const JoinedTable failed =
        writeJoined({.file = "/nowhere.csv", .delimiter = ',', .values = 2, .column = 1},
                    m_bench->folder(), isCancelled);
    QVERIFY(failed.file.isEmpty() && !failed.problem.isEmpty());
    QVERIFY(!QFile::exists(m_bench->folder() + "/nowhere-joined.csv"));
}

void TstBadLines::joiningEndsWhenItIsCancelled()
{
    const QString path = m_bench->folder() + "/t.csv";
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("a,b\n1,2,3\n");
    file.close();
    const std::atomic_bool isCancelled = true;
    const JoinedTable written = writeJoined(
        {.file = path, .delimiter = ',', .values = 2, .column = 1}, m_bench->folder(), isCancelled);
    QVERIFY(written.file.isEmpty() && !written.problem.isEmpty());
    QVERIFY(!QFile::exists(m_bench->folder() + "/t-joined.csv"));
}

CANNERY_TEST(TstBadLines)
#include "tst_bad_lines.moc"
