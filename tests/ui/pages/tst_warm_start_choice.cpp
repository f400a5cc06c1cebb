// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/models/runs/warm_start_model.h"
#include "ui/widgets/strip.h"

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QTableView>
#include <QTest>

#include <algorithm>

using cannery::tests::kPatience;
using cannery::ui::Page;
using cannery::ui::WarmStartFacts;
using cannery::ui::WarmStartModel;

namespace {

constexpr const char* kPlanned = R"({"parameters": 42, "warm_start": {
  "checkpoint": "/r/model.ckpt-200", "restored": [], "fresh": [], "problem": "The kernel is 5 × 8.",
  "patterns": ["dnn/.*", "nothing", "linear"], "variables": [
   {"name": "dnn/bias", "shape": [8], "patterns": [0], "selected": true, "moves_words": false,
    "previous_name": "old/bias", "previous_shape": [8], "problem": ""},
   {"name": "dnn/kernel", "shape": [4, 8], "patterns": [0], "selected": true, "moves_words": false,
    "previous_name": "dnn/kernel", "previous_shape": [5, 8], "problem": "The kernel is 5 × 8."},
   {"name": "dnn/lost", "shape": [1], "patterns": [0], "selected": true, "moves_words": false,
    "previous_name": "dnn/lost", "previous_shape": null, "problem": "There is no dnn/lost."},
   {"name": "linear/bias", "shape": [1], "patterns": [2], "selected": true, "moves_words": true,
    "previous_name": "linear/bias", "previous_shape": [], "problem": ""},
   {"name": "logits", "shape": [8, 1], "patterns": [], "selected": false, "moves_words": false,
    "previous_name": "logits", "previous_shape": [8, 2], "problem": ""}]}})";

} // namespace

/// What the filters of a warm start catch, before training.
class TstWarmStartChoice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyVariableTellsItsShapesAndItsOutcome();
    void aPatternIsFollowedAsItIsTyped();
    void whatDoesNotFitIsSaidAtTheTopOfThePage();
    void theRealEngineTellsWhatAPatternCatches();

private:
    static QStringList row(const QAbstractItemModel& model, int row);
};

QStringList TstWarmStartChoice::row(const QAbstractItemModel& model, int row)
{
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column) {
        cells << model.index(row, column).data().toString();
    }
    return cells;
}

void TstWarmStartChoice::everyVariableTellsItsShapesAndItsOutcome()
{
    WarmStartModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    const WarmStartFacts facts =
        cannery::ui::planFactsFromJson(QJsonDocument::fromJson(kPlanned).object()).warmStart;
    model.setFacts(facts);
    QCOMPARE(model.rowCount(), 5);
    // What does not fit comes first.
    QCOMPARE(row(model, 0), (QStringList{"dnn/kernel", "4 × 8", "5 × 8", "does not fit"}));
    QCOMPARE(row(model, 1), (QStringList{"dnn/lost", "1", "–", "not in the checkpoint"}));
    QCOMPARE(row(model, 2), (QStringList{"dnn/bias", "8", "8", "taken over"}));
    QCOMPARE(row(model, 3), (QStringList{"linear/bias", "1", "1", "taken over by words"}));
    QCOMPARE(row(model, 4), (QStringList{"logits", "8 × 1", "8 × 2", "keeps its initial values"}));
    QCOMPARE(model.index(2, 0).data(Qt::ToolTipRole).toString(),
             "dnn/bias\nCalled old/bias in the checkpoint\nCaught by dnn/.*");
    QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().endsWith("The kernel is 5 × 8."));
    QCOMPARE(WarmStartModel::patternsText(facts),
             "dnn/.* catches 3 variables, nothing catches nothing, linear catches one variable.");
    QCOMPARE(WarmStartModel::patternsText({}), QString());
}

void TstWarmStartChoice::aPatternIsFollowedAsItIsTyped()
{
    cannery::tests::PageBench bench;
    bench.script("preview", "{}");
    bench.script("check", R"({"problems": []})");
    bench.script("plan", kPlanned);
    Page* page = bench.page("model");
    bench.openTitanic(true);
    cannery::ui::ExperimentDocument& document = bench.session().document();
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    page->findChild<QAbstractButton*>("fold.warm_start")->click();
    auto* table = page->findChild<QTableView*>("table.warm_start");
    QTRY_VERIFY_WITH_TIMEOUT(table->isVisible() && table->model()->rowCount() == 5, kPatience);
    QVERIFY(page->findChild<QLabel*>("words.warm_start_patterns")->text().startsWith("dnn/.*"));
    bench.script("plan", R"({"parameters": 42, "warm_start": {"checkpoint": "/r/model.ckpt-200",
        "restored": [], "fresh": ["a"], "problem": "", "patterns": ["b"], "variables": [
        {"name": "a", "shape": [2], "patterns": [], "selected": false, "moves_words": false,
         "previous_name": "a", "previous_shape": [2], "problem": ""}]}})");
    QVERIFY(document.setValue("warm_start.pattern", "\"b\""));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 1, kPatience);
    QCOMPARE(row(*table->model(), 0), (QStringList{"a", "2", "2", "keeps its initial values"}));
    QCOMPARE(page->findChild<QLabel*>("words.warm_start_patterns")->text(), "b catches nothing.");
    // Without a warm start there is nothing to list.
    bench.script("plan", R"({"parameters": 42})");
    QVERIFY(document.setValue("train_spec.max_steps", "77"));
    QTRY_VERIFY_WITH_TIMEOUT(!table->isVisible(), kPatience);
}

void TstWarmStartChoice::whatDoesNotFitIsSaidAtTheTopOfThePage()
{
    cannery::tests::PageBench bench;
    bench.script("preview", "{}");
    bench.script("check", R"({"problems": []})");
    bench.script("plan", kPlanned);
    Page* page = bench.page("model");
    bench.openTitanic(false);
    auto* strip = page->findChild<cannery::ui::Strip*>("strip.model");
    QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible(), kPatience);
    QVERIFY(strip->accessibleName().startsWith("The warm start does not fit."));
    QVERIFY(strip->accessibleName().contains("5 × 8"));
    QCOMPARE(page->mark().kind, cannery::ui::RailMark::Kind::Error);
    auto* checkpoint = page->findChild<QWidget*>("field.warm_start.ckpt_to_initialize_from");
    QVERIFY(checkpoint == nullptr || !checkpoint->isVisible()); // folded
    const auto buttons = strip->findChildren<QAbstractButton*>();
    const auto go = std::find_if(buttons.begin(), buttons.end(), [](const QAbstractButton* button) {
        return button->text() == "Go There";
    });
    QVERIFY(go != buttons.end());
    (*go)->click();
    checkpoint = page->findChild<QWidget*>("field.warm_start.ckpt_to_initialize_from");
    QVERIFY(checkpoint != nullptr && checkpoint->isVisible());
    bench.script("plan", R"({"parameters": 42})");
    QVERIFY(bench.session().document().setValue("train_spec.max_steps", "77"));
    QTRY_VERIFY_WITH_TIMEOUT(!strip->isVisible(), kPatience);
    QCOMPARE(page->mark().kind, cannery::ui::RailMark::Kind::Ready);
}

void TstWarmStartChoice::theRealEngineTellsWhatAPatternCatches()
{
    cannery::tests::PageBench bench;
    bench.script("preview", "{}");
    bench.script("check", R"({"problems": []})");
    bench.scriptReal("plan");
    Page* page = bench.page("model");
    const QString project = bench.openTitanic(false);
    cannery::ui::ExperimentDocument& document = bench.session().document();
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    QProcess train;
    train.setWorkingDirectory(project);
    train.start(CANNERY_PROGRAM, {"train", "titanic.cannery", "--set", "train_spec.max_steps=2"});
    QVERIFY(train.waitForFinished() && train.exitCode() == 0);
    page->findChild<QAbstractButton*>("fold.warm_start")->click();
    QVERIFY(document.setValue("warm_start.ckpt_to_initialize_from", "\"runs/run-001\""));
    QVERIFY(document.setValue("warm_start.pattern", "\"dnn/hiddenlayer_0\""));
    auto* words = page->findChild<QLabel*>("words.warm_start_patterns");
    QTRY_COMPARE_WITH_TIMEOUT(words->text(), "dnn/hiddenlayer_0 catches 2 variables.", kPatience);
    QVERIFY(
        document.setValue("estimator.dnn_linear_combined_classifier.dnn_hidden_units", "[60, 32]"));
    const auto* model = page->findChild<QTableView*>("table.warm_start")->model();
    QTRY_COMPARE_WITH_TIMEOUT(model->index(0, WarmStartModel::Outcome).data().toString(),
                              "does not fit", kPatience);
    QCOMPARE(model->index(0, WarmStartModel::Here).data().toString().section(' ', -1), "60");
    QCOMPARE(model->index(0, WarmStartModel::There).data().toString().section(' ', -1), "64");
}

CANNERY_TEST(TstWarmStartChoice)
#include "tst_warm_start_choice.moc"
