// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/split_ways.h"
#include "ui/pages/data/remarks_view.h"
#include "ui/pages/data/split_panel.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDate>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

/// 1,000 rows; `shop` has four values, `day` the days of 2023.
QByteArray preview(bool withColumns = true)
{
    QJsonArray values;
    for (const auto& [value, rows] : {std::pair{"a", 500}, {"b", 300}, {"c", 150}, {"d", 50}}) {
        values << QJsonObject{{"value", value}, {"train", rows}, {"eval", 0}};
    }
    QJsonArray times;
    for (int i = 0; i <= 100; ++i) {
        times << QDate(2023, 1, 1).addDays(i * 3).toString(Qt::ISODate);
    }
    QJsonObject shop{{"name", "shop"}, {"type", "category"}, {"use", "feature"}};
    QJsonObject day{{"name", "day"}, {"type", "category"}, {"use", "ignored"}};
    if (withColumns) {
        shop["values"] = values;
        day["times"] = times;
    }
    const QJsonObject json{{"sources", QJsonObject{{"train", QJsonObject{{"rows", 800}}},
                                                   {"eval", QJsonObject{{"rows", 200}}}}},
                           {"columns", QJsonArray{shop, day}},
                           {"texts", QJsonArray{QJsonArray{"a", "2023-01-01"}}}};
    return QJsonDocument(json).toJson();
}

} // namespace

class TstSplitPanel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_bench = std::make_unique<tests::PageBench>(); }
    void cleanup() { m_bench.reset(); }

    void everyWayIsOneStepAndCanBeUndone_data();
    void everyWayIsOneStepAndCanBeUndone();
    void aWayThatTheTableDoesNotServeSaysWhy();
    void theCutMovesAlongTheDates();
    void valuesMoveToTheOtherPart();
    void seedAndStratificationStandBesideTheBar();
    void theFoldIsChosenBesideTheBar();
    void aSecondFileIsChosen();
    void aSecondFileIsReadAsItsKind();

private:
    void open(const QByteArray& preview);
    void choose(SplitWay way);
    ExperimentDocument& document() { return m_bench->session().document(); }

    std::unique_ptr<tests::PageBench> m_bench;
    Page* m_page = nullptr;
    QComboBox* m_ways = nullptr;
    QWidget* m_bar = nullptr;
};

void TstSplitPanel::open(const QByteArray& json)
{
    m_bench->script("preview", json);
    m_page = m_bench->page("data");
    m_bench->openTitanic(false);
    m_ways = m_page->findChild<QComboBox*>("field.split_way");
    m_bar = m_page->findChild<QWidget*>("bar.split");
    QTRY_VERIFY_WITH_TIMEOUT(m_bar->accessibleName().contains("800"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

void TstSplitPanel::choose(SplitWay way)
{
    m_ways->setCurrentIndex(m_ways->findData(int(way)));
    Q_EMIT m_ways->activated(m_ways->currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

void TstSplitPanel::everyWayIsOneStepAndCanBeUndone_data()
{
    QTest::addColumn<int>("way");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::newRow("random") << int(SplitWay::Random) << "data.split.fraction.eval_fraction"
                            << "0.2";
    QTest::newRow("fold") << int(SplitWay::Fold) << "data.split.fold.folds"
                          << "5";
    QTest::newRow("column") << int(SplitWay::Column) << "data.split.by_column.eval_values"
                            << "d, c";
    QTest::newRow("time") << int(SplitWay::Time) << "data.split.by_time.eval_from"
                          << "2023-08-29";
    QTest::newRow("none") << int(SplitWay::None) << "data.eval" << QString();
}

void TstSplitPanel::everyWayIsOneStepAndCanBeUndone()
{
    QFETCH(const int, way);
    QFETCH(const QString, path);
    QFETCH(const QString, value);
    open(preview());
    QCOMPARE(m_ways->currentData().toInt(), int(SplitWay::File));
    const QString before = document().text();
    choose(static_cast<SplitWay>(way));
    QCOMPARE(document().value(path), value);
    QVERIFY(document().field("data.eval") == nullptr);
    QCOMPARE(m_ways->currentData().toInt(), way);
    QCOMPARE(document().undoStack()->count(), 1);
    document().undoStack()->undo();
    QCOMPARE(document().text(), before);
}

void TstSplitPanel::aWayThatTheTableDoesNotServeSaysWhy()
{
    open(preview(false));
    const auto says = [this](SplitWay way) {
        const QModelIndex index = m_ways->model()->index(m_ways->findData(int(way)), 0);
        return std::pair{index.flags().testFlag(Qt::ItemIsEnabled),
                         index.data(Qt::ToolTipRole).toString()};
    };
    QVERIFY(!says(SplitWay::Column).first);
    QVERIFY(says(SplitWay::Column).second.contains("distinct values"));
    QVERIFY(!says(SplitWay::Time).first);
    QVERIFY(says(SplitWay::Time).second.contains("dates"));
    QVERIFY(says(SplitWay::Random).first);
}

void TstSplitPanel::theCutMovesAlongTheDates()
{
    open(preview());
    choose(SplitWay::Time);
    QCOMPARE(document().value("data.split.by_time.column"), "day");
    QCOMPARE(m_bar->focusPolicy(), Qt::StrongFocus);
    const int steps = document().undoStack()->count();
    const int y = 4;
    QTest::mousePress(m_bar, Qt::LeftButton, {}, QPoint(m_bar->width() * 8 / 10, y));
    QTest::mouseMove(m_bar, QPoint(m_bar->width() * 6 / 10, y));
    QTest::mouseMove(m_bar, QPoint(m_bar->width() / 2, y));
    QTest::mouseRelease(m_bar, Qt::LeftButton, {}, QPoint(m_bar->width() / 2, y));
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.split.by_time.eval_from"), "2023-05-31",
                              kPatience);
    QCOMPARE(document().undoStack()->count(), steps + 1);
    m_bar->setFocus();
    QTest::keyClick(m_bar, Qt::Key_Right);
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.split.by_time.eval_from"), "2023-06-03",
                              kPatience);
    auto* from = m_page->findChild<QLineEdit*>("field.split_from");
    QVERIFY(from->isVisible());
    from->setText("2023-10-01");
    Q_EMIT from->editingFinished();
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.split.by_time.eval_from"), "2023-10-01",
                              kPatience);
}

void TstSplitPanel::valuesMoveToTheOtherPart()
{
    open(preview());
    choose(SplitWay::Column);
    auto* button = m_page->findChild<QToolButton*>("field.split_values");
    QVERIFY2(button->text().contains("d, c"), qPrintable(button->text()));
    QCOMPARE(m_bar->focusPolicy(), Qt::NoFocus);
    Q_EMIT button->menu()->aboutToShow();
    const QList<QAction*> values = button->menu()->actions();
    QCOMPARE(values.size(), 4);
    QVERIFY2(values[0]->text().contains("500 rows"), qPrintable(values[0]->text()));
    QVERIFY(!values[0]->isChecked());
    QVERIFY(values[3]->isChecked());
    values[3]->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.split.by_column.eval_values"), "c", kPatience);
    QCOMPARE(document().undoStack()->count(), 2);
}

void TstSplitPanel::seedAndStratificationStandBesideTheBar()
{
    open(preview());
    choose(SplitWay::Random);
    auto* seed = m_page->findChild<QLineEdit*>("field.split_seed");
    auto* stratify = m_page->findChild<QAbstractButton*>("field.split_stratify");
    QVERIFY(seed->isVisible() && stratify->isVisible());
    seed->setText("7");
    Q_EMIT seed->editingFinished();
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.split.fraction.seed"), "7", kPatience);
    stratify->click();
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.split.fraction.stratify"), "true", kPatience);
    QCOMPARE(document().value("data.split.fraction.eval_fraction"), "0.2");
}

void TstSplitPanel::theFoldIsChosenBesideTheBar()
{
    open(preview());
    choose(SplitWay::Fold);
    QCOMPARE(m_bar->focusPolicy(), Qt::NoFocus);
    const std::pair<const char*, const char*> edits[]{
        {"folds", "4"}, {"fold", "3"}, {"seed", "17"}};
    for (const auto& [name, text] : edits) {
        auto* field = m_page->findChild<QLineEdit*>(QString("field.split_%1").arg(name));
        QVERIFY2(field->isVisible(), name);
        field->setText(text);
        Q_EMIT field->editingFinished();
        QTRY_COMPARE_WITH_TIMEOUT(document().value(QString("data.split.fold.%1").arg(name)), text,
                                  kPatience);
    }
    m_page->findChild<QAbstractButton*>("field.split_stratify")->click();
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.split.fold.stratify"), "true", kPatience);
    QVERIFY(document().value("data.split.fraction.seed") != "17");
}

void TstSplitPanel::aSecondFileIsChosen()
{
    open(preview());
    choose(SplitWay::None);
    choose(SplitWay::File);
    auto* chooser = m_page->findChild<QFileDialog*>("dialog.split_file");
    QVERIFY(chooser != nullptr);
    QCOMPARE(m_ways->currentData().toInt(), int(SplitWay::None)); // until there is a file
    Q_EMIT chooser->fileSelected(m_bench->session().project().folder() + "/titanic_eval.csv");
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.eval.csv.files[0]"), "titanic_eval.csv",
                              kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(m_page->findChild<QLabel*>("label.split_file")->text(),
                              "titanic_eval.csv", kPatience);
}

/// It is read as its name says, and one of the training rows' kind as they are.
void TstSplitPanel::aSecondFileIsReadAsItsKind()
{
    open(preview());
    QVERIFY(document().setValue("data.train.csv.encoding", "latin1"));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QVERIFY(document().apply("Evaluate", splitEdits(document(), SplitWay::File, {}, "eval.tsv")));
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.eval.csv.files[0]"), "eval.tsv", kPatience);
    QCOMPARE(document().value("data.eval.csv.encoding"), QString("latin1"));
    QVERIFY(document().apply("Evaluate", splitEdits(document(), SplitWay::File, {}, "eval.jsonl")));
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.eval.json_lines.files[0]"), "eval.jsonl",
                              kPatience);
    QVERIFY(document().field("data.eval.csv") == nullptr);
    QVERIFY(document().apply("Evaluate", splitEdits(document(), SplitWay::File, {}, "eval.db")));
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.eval.sqlite.file"), "eval.db", kPatience);
    QVERIFY(document().apply("Evaluate", splitEdits(document(), SplitWay::File, {}, "noname")));
    QTRY_COMPARE_WITH_TIMEOUT(document().value("data.eval.csv.files[0]"), "noname", kPatience);
}

CANNERY_TEST(TstSplitPanel)
#include "tst_split_panel.moc"
