// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/derived_features.h"
#include "ui/models/tables/rows_preview_model.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr const char* kDerivedFrom = R"(# A comment that stays.
data {
  train { csv { files: "table.csv" } }
  label { column: "liked" }
}
feature_column { name: "px_1" numeric_column { key: "px_1" } }
feature_column { name: "px_buckets" bucketized_column { source_column: "px_1" boundaries: [3] } }
feature_column { name: "px_2" numeric_column { key: "px_2" } }
feature_column {
  name: "tags"
  categorical_column_with_vocabulary_list { key: "tags" vocabulary_list: ["a|b", "b"] }
}
estimator {
  linear_classifier { feature_columns: ["px_1", "px_buckets", "px_2", "tags"] }
}
train_spec { max_steps: 20 input { batch_size: 4 } }
)";

} // namespace

/// Features that are made of several columns, or of the pieces of one, in one step.
class TstDerivedFeatures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void theSeparatorIsGuessedFromTheCells_data();
    void theSeparatorIsGuessedFromTheCells();
    void severalNumbersAreStackedFromTheMenuByKeyboard();
    void cellsAreSplitByAButton();
    void whatCannotBeMadeSaysWhy();
    void theNameOfAStackIsFree();

private:
    ExperimentDocument& document() const { return m_bench->session().document(); }
    QTableView* table() const { return m_page->findChild<QTableView*>("table.rows"); }
    QPushButton* button() const
    {
        return m_page->inspector()->findChild<QPushButton*>("button.derive");
    }
    QMenu* openMenu() const
    {
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, {}, {});
        QCoreApplication::sendEvent(table(), &asked);
        return m_page->findChild<QMenu*>("menu.column");
    }
    /// What the engine says of the experiment as it is on the disk.
    QByteArray engineSays(const QStringList& words) const;

    std::unique_ptr<tests::PageBench> m_bench;
    Page* m_page = nullptr;
};

void TstDerivedFeatures::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    for (const char* verb : {"preview", "browse", "check"}) {
        m_bench->scriptReal(verb);
    }
    const QString folder = m_bench->folder() + "/projects/derived";
    QDir().mkpath(folder);
    QFile table(folder + "/table.csv");
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("px_1,px_2,px_3,tags,note,liked\n");
    const char* const tags[] = {"red|round", "round", "", "green|red|flat"};
    for (int row = 0; row < 40; ++row) {
        table.write(QByteArray::number(row % 5) + ',' + QByteArray::number(row % 7) + ',' +
                    (row == 3 ? QByteArray() : QByteArray::number(row)) + ',' + tags[row % 4] +
                    ",word " + QByteArray::number(row) + ',' + QByteArray::number(row % 2) + '\n');
    }
    table.close();
    QFile experiment(folder + "/derived.cannery");
    QVERIFY(experiment.open(QIODevice::WriteOnly));
    experiment.write(kDerivedFrom);
    experiment.close();
    m_page = m_bench->page("data");
    m_bench->open(folder);
    QTRY_COMPARE_WITH_TIMEOUT(this->table()->model()->rowCount(), 40, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

QByteArray TstDerivedFeatures::engineSays(const QStringList& words) const
{
    QProcess engine;
    engine.setProcessChannelMode(QProcess::MergedChannels);
    engine.start(CANNERY_PROGRAM, QStringList(words) << document().file());
    engine.waitForFinished(kPatience);
    return engine.exitCode() == 0 ? QByteArray() : engine.readAll();
}

void TstDerivedFeatures::theSeparatorIsGuessedFromTheCells_data()
{
    QTest::addColumn<QStringList>("cells");
    QTest::addColumn<QString>("separator");
    QTest::newRow("bar") << QStringList{"a|b", "c", "a|d|e"} << "|";
    QTest::newRow("bar with spaces") << QStringList{"a | b", "c", "a | d"} << " | ";
    QTest::newRow("semicolon and space") << QStringList{"a; b", "c; d"} << "; ";
    QTest::newRow("spaces at times") << QStringList{"a; b", "c;d"} << ";";
    QTest::newRow("commas of lists") << QStringList{"x,y", "y,z", "x,z", "x", "y"} << ",";
    QTest::newRow("commas of names")
        << QStringList{"Braund, Mr. Owen", "Cumings, Mrs. John", "Heikkinen, Miss. Laina"} << "";
    QTest::newRow("dates") << QStringList{"1/2/2020", "1/3/2020", "1/4/2020", "1/2/2020"} << "";
    QTest::newRow("decimal commas") << QStringList{"1,5", "1,5", "2,5", "2,5"} << "";
    QTest::newRow("rarely") << QStringList{"a|b", "a", "b", "c", "d", "e"} << "";
    QTest::newRow("words") << QStringList{"one two", "three"} << "";
    QTest::newRow("nothing") << QStringList() << "";
}

void TstDerivedFeatures::theSeparatorIsGuessedFromTheCells()
{
    QFETCH(const QStringList, cells);
    QFETCH(const QString, separator);
    QCOMPARE(separatorIn(cells), separator);
}

/// Shift+Right adds to the selection; the menu key opens the menu, whose end is what can be made.
void TstDerivedFeatures::severalNumbersAreStackedFromTheMenuByKeyboard()
{
    const QString before = document().text();
    table()->setFocus();
    table()->setCurrentIndex(table()->model()->index(0, 0));
    QTest::keyClick(table(), Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(table(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(table()->selectionModel()->selectedColumns().size(), 3);
    QMenu* menu = openMenu();
    QVERIFY(menu != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(menu->isVisible(), kPatience);
    QTest::keyClick(menu, Qt::Key_Up);
    QCOMPARE(menu->activeAction()->text(), QString("Stack into One Feature"));
    QTest::keyClick(menu, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.feature[px].stack.columns"),
                              QString("px_1, px_2, px_3"), kPatience);
    QCOMPARE(document().undoStack()->count(), 1);
    QCOMPARE(document().undoStack()->undoText(), QString("Stack 3 columns into px"));
    // What read the columns has gone, and what was made from that.
    QCOMPARE(document().value("estimator.linear_classifier.feature_columns"), QString("tags, px"));
    QCOMPARE(document().value("feature_column[px].numeric_column.shape"), QString("3"));
    QVERIFY(document().field("feature_column[px_buckets]") == nullptr);
    // px_3 has a missing value; its median is 20 without it.
    QCOMPARE(document().value("feature_column[px].numeric_column.default_value"),
             QString("2, 3, 20"));
    QVERIFY(document().text().startsWith("# A comment that stays."));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QCOMPARE(engineSays({"plan"}), QByteArray());
    QVERIFY(!button()->isEnabled());
    document().undoStack()->undo();
    QCOMPARE(document().text(), before);
    QTRY_VERIFY_WITH_TIMEOUT(button()->isEnabled(), kPatience);
}

void TstDerivedFeatures::cellsAreSplitByAButton()
{
    const QString before = document().text();
    m_page->reveal("column:tags");
    // Every value is known once the whole table was read.
    auto* model = qobject_cast<RowsPreviewModel*>(table()->model());
    QTRY_VERIFY_WITH_TIMEOUT(!model->facts().find("tags")->values.isEmpty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(button()->text(), QString("Split at Separator “|”"), kPatience);
    QVERIFY(button()->isEnabled());
    button()->click();
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.feature[tags].split.separator"), QString("|"),
                              kPatience);
    QCOMPARE(document().undoStack()->count(), 1);
    // The words are those of the pieces now.
    const QString list =
        document().value("feature_column[tags].categorical_column_with_vocabulary_list"
                         ".vocabulary_list");
    QStringList words = list.split(", ");
    words.sort();
    QCOMPARE(words, QStringList({"flat", "green", "red", "round"}));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QCOMPARE(engineSays({"plan"}), QByteArray());
    QTRY_VERIFY_WITH_TIMEOUT(!button()->isEnabled(), kPatience);
    QCOMPARE(button()->toolTip(), QString("tags is part of the derived feature tags already."));
    document().undoStack()->undo();
    QCOMPARE(document().text(), before);
}

void TstDerivedFeatures::whatCannotBeMadeSaysWhy()
{
    m_page->reveal("column:px_1");
    QVERIFY(!button()->isVisibleTo(m_page->inspector())); // a number alone
    m_page->reveal("column:note");
    QVERIFY(button()->isVisibleTo(m_page->inspector()) && !button()->isEnabled());
    QCOMPARE(button()->toolTip(),
             QString("The values of note seen so far have no separator in common."));
    table()->selectAll();
    QCOMPARE(button()->text(), QString("Stack into One Feature"));
    QVERIFY(!button()->isEnabled());
    QCOMPARE(button()->toolTip(), QString("tags is text; only numbers can be stacked."));
    auto* action = openMenu()->findChild<QAction*>("menu.derive");
    QVERIFY(action != nullptr && !action->isEnabled());
    QCOMPARE(action->toolTip(), button()->toolTip());
}

void TstDerivedFeatures::theNameOfAStackIsFree()
{
    DataFacts data;
    for (const char* name : {"px_1", "px_2", "px", "age", "fare"}) {
        ColumnFacts& column = data.columns.emplaceBack();
        column.name = name;
        column.type = "number";
    }
    const auto named = [&](const QStringList& columns) {
        const auto offer = derivedOffer(document(), columns, data, {});
        return offer ? offer->feature : QString();
    };
    QCOMPARE(named({"px_1", "px_2"}), QString("px_stack"));
    QCOMPARE(named({"age", "fare"}), QString("age_fare"));
    QCOMPARE(named({"age"}), QString());
}

CANNERY_TEST(TstDerivedFeatures)
#include "tst_derived_features.moc"
