// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/charts/steps/step_canvas.h"
#include "ui/document/estimator_switch.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/experiment_facts.h"
#include "ui/pages/model/estimator_choice.h"
#include "ui/widgets/toaster.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <memory>
#include <utility>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// The Model page and what stands beside Train, as editors.
class TstModelPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void anotherEstimatorKeepsWhatItCan_data();
    void anotherEstimatorKeepsWhatItCan();
    void whatDoesNotCarryOverIsTold();
    void D14_anEstimatorWithoutColumnsForItSaysSo();
    void everyKindOfModelHasItsSketch();
    void theKeyboardChoosesAnEstimator();
    void assistiveTechnologyChoosesAnEstimator();
    void D15_aWrongRateStopsTraining();
    void theStrategyIsPicked();
    void aFieldOrATileIsShownOnRequest();
    void stepsAreChangedBesideTrain();
    void theRateOfTheScheduleIsChangedBesideTrain();
    void theScheduleIsDrawnOverThePlannedSteps();
    void aConstantRateIsNotDrawn();
    void allArgumentsAreResetInOneStep();
    void anEstimateSaysThatItIsOne();
    void aWarmStartIsChosenAmongTheRuns();
    void theSweepSaysHowManyRunsItMakes();

private:
    void open();
    QAbstractButton* tile(Page* page, const char* name) const;
    ExperimentDocument& document() { return m_bench->session().document(); }

    std::unique_ptr<cannery::tests::PageBench> m_bench;
};

void TstModelPage::init()
{
    m_bench = std::make_unique<cannery::tests::PageBench>();
    m_bench->script("preview", "{}");
    m_bench->script("plan", "{}");
    m_bench->script("check", R"({"problems": []})");
}

void TstModelPage::open()
{
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

QAbstractButton* TstModelPage::tile(Page* page, const char* name) const
{
    return page->findChild<QAbstractButton*>(QStringLiteral("tile.") + QString::fromLatin1(name));
}

void TstModelPage::anotherEstimatorKeepsWhatItCan_data()
{
    QTest::addColumn<QString>("estimator");
    for (const char* name :
         {"linear_classifier", "dnn_classifier", "baseline_classifier", "linear_regressor",
          "dnn_regressor", "dnn_linear_combined_regressor", "baseline_regressor"}) {
        QTest::newRow(name) << QString::fromLatin1(name);
    }
}

void TstModelPage::anotherEstimatorKeepsWhatItCan()
{
    QFETCH(QString, estimator);
    open();
    const QString before = document().text();
    QVERIFY(document().apply("Switch", switchEstimator(document(), estimator).edits));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QCOMPARE(memberOf(document(), "estimator"), estimator);
    for (const ProblemRow& problem : document().problems().all()) {
        QVERIFY2(problem.level != ProblemRow::Level::Error, qPrintable(problem.sentence));
    }
    if (estimator == "dnn_classifier") {
        QCOMPARE(document().value("estimator.dnn_classifier.hidden_units"), "64, 32");
        QCOMPARE(document().value("estimator.dnn_classifier.optimizer.adagrad.learning_rate"),
                 "0.05");
    }
    if (estimator == "linear_classifier") {
        QCOMPARE(document().value("estimator.linear_classifier.optimizer.ftrl.learning_rate"),
                 "0.1");
    }
    QVERIFY(document().apply("And back",
                             switchEstimator(document(), "dnn_linear_combined_classifier").edits));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QVERIFY2(!document().problems().hasErrors() || estimator.startsWith("baseline"),
             qPrintable(document().text()));
    document().undoStack()->undo();
    document().undoStack()->undo();
    QCOMPARE(document().text(), before);
}

void TstModelPage::whatDoesNotCarryOverIsTold()
{
    Page* page = m_bench->page("model");
    open();
    const QString before = document().text();
    QTRY_VERIFY_WITH_TIMEOUT(tile(page, "linear_classifier") != nullptr, kPatience);
    tile(page, "linear_classifier")->click();
    QCOMPARE(document().undoStack()->count(), 1);
    const QString shown = m_bench->context().toaster->text();
    QVERIFY2(shown.contains("Hidden units") || shown.contains("hidden units"), qPrintable(shown));
    QTRY_VERIFY_WITH_TIMEOUT(tile(page, "linear_classifier")->isChecked(), kPatience);
    m_bench->context().toaster->undo();
    QCOMPARE(document().text(), before);
}

void TstModelPage::D14_anEstimatorWithoutColumnsForItSaysSo()
{
    Page* page = m_bench->page("model");
    const QString file = m_bench->folder() + "/words.cannery";
    QFile experiment(file);
    QVERIFY(experiment.open(QIODevice::WriteOnly));
    experiment.write("data { train { csv { files: \"a.csv\" } } label { column: \"y\" } }\n"
                     "feature_column { name: \"w\" categorical_column_with_hash_bucket { key: "
                     "\"w\" hash_bucket_size: 10 } }\n"
                     "estimator { linear_classifier { feature_columns: \"w\" } }\n");
    experiment.close();
    m_bench->open(file);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QAbstractButton* network = tile(page, "dnn_classifier");
    QTRY_VERIFY_WITH_TIMEOUT(network != nullptr &&
                                 network->accessibleDescription().startsWith("Needs a column"),
                             kPatience);
    QTest::mouseClick(tile(page, "linear_classifier"), Qt::LeftButton); // shows the others
    QVERIFY(network->isVisible());
    QTest::mouseClick(network, Qt::LeftButton);
    QCOMPARE(document().undoStack()->count(), 0);
    QVERIFY(!tile(page, "linear_classifier")->accessibleDescription().startsWith("Needs"));
}

void TstModelPage::everyKindOfModelHasItsSketch()
{
    using Sketch = TileGallery::Sketch;
    for (const auto& [estimator, sketch] : {std::pair{"baseline_regressor", Sketch::Average},
                                            {"linear_classifier", Sketch::Line},
                                            {"dnn_estimator", Sketch::Network},
                                            {"dnn_linear_combined_regressor", Sketch::Both},
                                            {"boosted_trees_classifier", Sketch::Trees},
                                            {"boosted_trees_estimator", Sketch::Trees},
                                            {"kmeans", Sketch::Groups},
                                            {"rnn_classifier", Sketch::Steps}}) {
        QVERIFY2(EstimatorChoice::sketchOf(estimator) == sketch, estimator);
    }
}

void TstModelPage::theKeyboardChoosesAnEstimator()
{
    Page* page = m_bench->page("model");
    open();
    QTRY_VERIFY_WITH_TIMEOUT(tile(page, "dnn_linear_combined_classifier") != nullptr &&
                                 tile(page, "dnn_linear_combined_classifier")->isChecked(),
                             kPatience);
    auto* present = tile(page, "dnn_linear_combined_classifier");
    present->setFocus();
    QTest::keyClick(present, Qt::Key_Space);
    QTest::keyClick(present, Qt::Key_Left);
    auto* network = tile(page, "dnn_classifier");
    QVERIFY(network->hasFocus());
    QCOMPARE(document().undoStack()->count(), 0);
    QTest::keyClick(network, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(network->isChecked(), kPatience);
    QCOMPARE(memberOf(document(), "estimator"), "dnn_classifier");
}

void TstModelPage::assistiveTechnologyChoosesAnEstimator()
{
    Page* page = m_bench->page("model");
    open();
    auto* network = tile(page, "dnn_classifier");
    QTRY_VERIFY_WITH_TIMEOUT(tile(page, "dnn_linear_combined_classifier")->isChecked(), kPatience);
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(network);
    QVERIFY(accessible != nullptr && accessible->actionInterface() != nullptr);
    accessible->actionInterface()->doAction(QAccessibleActionInterface::toggleAction());
    QTRY_VERIFY_WITH_TIMEOUT(network->isChecked(), kPatience);
    QVERIFY(!tile(page, "dnn_linear_combined_classifier")->isChecked());
    QTRY_COMPARE_WITH_TIMEOUT(memberOf(document(), "estimator"), "dnn_classifier", kPatience);
    QCOMPARE(document().undoStack()->count(), 1);
}

void TstModelPage::D15_aWrongRateStopsTraining()
{
    Page* page = m_bench->page("model");
    open();
    const QString path =
        "estimator.dnn_linear_combined_classifier.dnn_optimizer.adagrad.learning_rate";
    QAbstractSpinBox* rate = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT(
        (rate = page->findChild<QAbstractSpinBox*>("field." + path)) != nullptr, kPatience);
    rate->selectAll();
    QTest::keyClicks(rate, "-1");
    QTRY_VERIFY_WITH_TIMEOUT(rate->property("problem").toBool(), kPatience);
    QVERIFY(!m_bench->session().starter().hindrance().isEmpty());
    rate->selectAll();
    QTest::keyClicks(rate, "0.1");
    QTRY_VERIFY_WITH_TIMEOUT(!rate->property("problem").toBool(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().starter().hindrance().isEmpty(), kPatience);
    auto* reset = page->findChild<QAbstractButton*>("button." + path);
    reset->click();
    QTRY_VERIFY_WITH_TIMEOUT(document().field(path)->isDefault, kPatience);
}

void TstModelPage::theStrategyIsPicked()
{
    Page* page = m_bench->page("model");
    open();
    QWidget* inspector = page->inspector();
    auto* device = inspector->findChild<QAbstractButton*>("tile.one_device");
    QVERIFY(device != nullptr && device->isChecked());
    device->click(); // shows the others
    QCOMPARE(document().undoStack()->count(), 0);
    device->click();
    QTRY_VERIFY_WITH_TIMEOUT(document().text().contains("one_device"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QVERIFY(!document().problems().hasErrors());
    QVERIFY(device->isChecked());
}

void TstModelPage::aFieldOrATileIsShownOnRequest()
{
    Page* page = m_bench->page("model");
    open();
    QVERIFY(page->findChild<QWidget*>("field.eval_spec.name") == nullptr); // folded
    page->reveal("field:eval_spec.name");
    auto* name = page->findChild<QWidget*>("field.eval_spec.name");
    QVERIFY(name != nullptr && name->isVisible());
    QVERIFY(name->hasFocus());
    QVERIFY(!name->visibleRegion().isEmpty());
    page->reveal("estimator:linear_regressor"); // its tile is among those that predict numbers
    QVERIFY(tile(page, "linear_regressor")->hasFocus());
}

void TstModelPage::stepsAreChangedBesideTrain()
{
    Page* page = m_bench->page("train");
    open();
    QAbstractSpinBox* steps = nullptr;
    for (auto* box : page->findChildren<QAbstractSpinBox*>("field.train_spec.max_steps")) {
        steps = box->isVisible() ? box : steps;
    }
    QVERIFY(steps != nullptr);
    steps->selectAll();
    QTest::keyClicks(steps, "2e3");
    QTRY_COMPARE_WITH_TIMEOUT(document().value("train_spec.max_steps"), "2000", kPatience);
    // Train takes what was typed, even if it is not in the file yet
    steps->selectAll();
    QTest::keyClicks(steps, "20000");
    m_bench->script("train", "{}");
    m_bench->session().starter().train();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->wasCalled("train"), kPatience);
    QFile file(document().file());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY2(file.readAll().contains("max_steps: 20000"), qPrintable(document().text()));
    int rates = 0;
    for (auto* box : page->findChildren<QAbstractSpinBox*>()) {
        rates += box->isVisible() && box->objectName().endsWith("learning_rate") ? 1 : 0;
    }
    QCOMPARE(rates, 2);
}

void TstModelPage::theRateOfTheScheduleIsChangedBesideTrain()
{
    Page* page = m_bench->page("train");
    open();
    const QString optimizer = "estimator.dnn_linear_combined_classifier.dnn_optimizer.";
    const auto rate = [&](const QString& path) {
        const auto boxes = page->findChildren<QAbstractSpinBox*>("field." + optimizer + path);
        const auto shown = std::find_if(boxes.begin(), boxes.end(), [](const QWidget* box) {
            return box->isVisibleTo(box->window());
        });
        return shown == boxes.end() ? nullptr : *shown;
    };
    QTRY_VERIFY_WITH_TIMEOUT(rate("adagrad.learning_rate") != nullptr, kPatience);
    QVERIFY(document().setValue(optimizer + "learning_rate_schedule",
                                "cosine_decay { learning_rate: 0.3 decay_steps: 100 }"));
    const QString decayed = "learning_rate_schedule.cosine_decay.learning_rate";
    QTRY_VERIFY_WITH_TIMEOUT(rate(decayed) != nullptr, kPatience);
    QCOMPARE(rate(decayed)->text(), "0.3");
    QVERIFY(rate("adagrad.learning_rate") == nullptr); // it would change nothing
    QVERIFY2(ExperimentFacts::of(document().root()).recipe.endsWith("lr 0.3"),
             qPrintable(ExperimentFacts::of(document().root()).recipe));
    QVERIFY(document().setValue(optimizer + "learning_rate_schedule",
                                "piecewise_constant { boundaries: 10 values: [0.2, 0.1] }"));
    QTRY_VERIFY_WITH_TIMEOUT(rate(decayed) == nullptr, kPatience);
    QVERIFY(rate("adagrad.learning_rate") == nullptr);
    document().undoStack()->undo();
    document().undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(rate("adagrad.learning_rate") != nullptr, kPatience);
}

void TstModelPage::theScheduleIsDrawnOverThePlannedSteps()
{
    m_bench->script("plan", R"({"learning_rates": [
        {"path": "estimator.dnn_linear_combined_classifier.linear_optimizer", "optimizer": "ftrl",
         "schedule": "", "steps": [0, 2000], "rates": [0.1, 0.1]},
        {"path": "estimator.dnn_linear_combined_classifier.dnn_optimizer", "optimizer": "adagrad",
         "schedule": "cosine_decay", "steps": [0, 500, 1000, 1500, 2000],
         "rates": [0.05, 0.043, 0.025, 0.007, 0]}]})");
    Page* page = m_bench->page("model");
    open();
    auto* card = page->findChild<QWidget*>("card.rates");
    QVERIFY(card != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kPatience);
    QVERIFY(!m_bench->calls().filter("--learning-rates").isEmpty());
    const QString shown = card->accessibleDescription();
    QVERIFY2(shown.contains("0.1 at every step"), qPrintable(shown));
    QVERIFY2(shown.contains("0.05 at the start, 0.025 at step 1,000, 0 at step 2,000"),
             qPrintable(shown));
    auto* canvas = card->findChild<StepCanvas*>();
    QTRY_VERIFY_WITH_TIMEOUT(canvas->paintCount() > 0, kPatience);
    // The keyboard reads out a step; leaving brings the summary back.
    card->setFocus();
    QTest::keyClick(card, Qt::Key_Left);
    QVERIFY(card->findChild<QLabel*>("words.rates")->text().contains("0 at step 2,000"));
    QVERIFY(!card->findChild<QLabel*>("words.rates")->text().contains("at the start"));
    // Another schedule, another curve, without a press of anything.
    m_bench->script("plan", R"({"learning_rates": [
        {"path": "estimator.dnn_linear_combined_classifier.dnn_optimizer", "optimizer": "adagrad",
         "schedule": "constant", "steps": [0, 2000], "rates": [0.3, 0.3]}]})");
    QVERIFY(document().setValue("train_spec.max_steps", "3000"));
    QTRY_VERIFY_WITH_TIMEOUT(card->accessibleDescription().contains("0.3 at every step"),
                             kPatience);
}

void TstModelPage::aConstantRateIsNotDrawn()
{
    m_bench->script("plan", R"({"learning_rates": [
        {"path": "estimator.dnn_linear_combined_classifier.dnn_optimizer", "optimizer": "adagrad",
         "schedule": "", "steps": [0, 2000], "rates": [0.05, 0.05]}]})");
    Page* page = m_bench->page("model");
    open();
    QTRY_VERIFY_WITH_TIMEOUT(!m_bench->calls().filter("--learning-rates").isEmpty(), kPatience);
    QVERIFY(!page->findChild<QWidget*>("card.rates")->isVisible());
}

void TstModelPage::allArgumentsAreResetInOneStep()
{
    Page* page = m_bench->page("model");
    open();
    const QString estimator = "estimator.dnn_linear_combined_classifier.";
    QVERIFY(document().setValue(estimator + "n_classes", "3"));
    QVERIFY(document().setValue(estimator + "dnn_hidden_units", "[7]"));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    const QString before = document().text();
    const int steps = document().undoStack()->count();
    auto* reset = page->findChild<QAbstractButton*>("button.reset_all");
    QVERIFY(reset->isEnabled());
    reset->click();
    QCOMPARE(document().undoStack()->count(), steps + 1);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QVERIFY(document().field("train_spec.max_steps") == nullptr);
    QVERIFY(document().field(estimator + "dnn_optimizer.adagrad.learning_rate")->isDefault);
    QCOMPARE(document().value(estimator + "dnn_hidden_units"), "64, 32"); // as suggested
    QCOMPARE(document().value(estimator + "n_classes"), "3");             // what is predicted stays
    QVERIFY(!document().value(estimator + "dnn_feature_columns").isEmpty());
    QVERIFY2(!document().problems().hasErrors(), qPrintable(document().text()));
    QTRY_VERIFY_WITH_TIMEOUT(!reset->isEnabled(), kPatience);
    document().undoStack()->undo();
    QCOMPARE(document().text(), before);
    // A section alone
    auto* section = page->findChild<QAbstractButton*>("reset.train_spec");
    QTRY_VERIFY_WITH_TIMEOUT(section != nullptr && section->isVisible(), kPatience);
    section->click();
    QTRY_VERIFY_WITH_TIMEOUT(document().field("train_spec.max_steps") == nullptr, kPatience);
    QCOMPARE(document().value(estimator + "dnn_hidden_units"), "7");
}

void TstModelPage::anEstimateSaysThatItIsOne()
{
    m_bench->script("plan", R"({"parameters": 42, "memory_bytes": 1000000, "measured_steps": 77,
        "may_train_on_gpu": true, "seconds_per_step": 0.01, "seconds_per_epoch": 0.5, "estimated_seconds": 20.0,
        "estimated_seconds_low": 18.0, "estimated_seconds_high": 25.0,
        "measured_bytes": 50000000, "program_bytes": 20000000, "measured_rows": 8192,
        "train_rows": 100000})");
    Page* page = m_bench->page("model");
    open();
    auto* words = page->findChild<QLabel*>("words.measured");
    QTRY_VERIFY_WITH_TIMEOUT(words->isVisible(), kPatience);
    for (const char* part :
         {"Estimates", "this machine", "77 steps", "of the CPU", "18", "25", "1\u2009MB estimated",
          "first 8,192 rows took 50\u2009MB", "20\u2009MB is the program"}) {
        QVERIFY2(words->text().contains(part), qPrintable(words->text()));
    }
    const qsizetype asked = m_bench->calls().size();
    page->findChild<QAbstractButton*>("button.measure")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->calls().size() > asked, kPatience);
    QVERIFY(m_bench->lastCall("plan").startsWith("plan titanic.cannery --json"));
}

void TstModelPage::theSweepSaysHowManyRunsItMakes()
{
    m_bench->script("sweep", R"({"trials": 1200, "decided": []})");
    Page* page = m_bench->page("model");
    open();
    page->findChild<QAbstractButton*>("fold.sweep")->click();
    auto* words = page->findChild<QLabel*>("words.sweep");
    QTRY_VERIFY_WITH_TIMEOUT(words->isVisible(), kPatience);
    QVERIFY(!m_bench->wasCalled("sweep"));
    QVERIFY(document().setValue("sweep", "{ grid {} }"));
    QTRY_VERIFY_WITH_TIMEOUT(words->text().startsWith("This makes 1,200 runs"), kPatience);
    QVERIFY(m_bench->lastCall("sweep").contains("--dry-run"));
    m_bench->script("sweep", R"({"error": {"id": "sweep.none", "sentence": "Nothing varies."}})",
                    3);
    QVERIFY(document().setValue("sweep", "{ random {} }"));
    QTRY_COMPARE_WITH_TIMEOUT(words->text(), QString("Nothing varies."), kPatience);
}

void TstModelPage::aWarmStartIsChosenAmongTheRuns()
{
    m_bench->script("plan", R"({"parameters": 42, "warm_start": {"checkpoint": "/r/model.ckpt-200",
        "restored": ["dnn/hiddenlayer_0/kernel", "dnn/hiddenlayer_0/bias"],
        "fresh": ["dnn/logits/kernel"], "problem": ""}})");
    Page* page = m_bench->page("model");
    m_bench->openTitanic(true);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    auto* use = page->findChild<QAbstractButton*>("button.warm_start");
    QVERIFY(use != nullptr && !use->isVisible()); // folded
    page->findChild<QAbstractButton*>("fold.warm_start")->click();
    QTRY_VERIFY_WITH_TIMEOUT(use->isVisible(), kPatience);
    use->click();
    QCOMPARE(document().undoStack()->count(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    const QString file = document().value("warm_start.ckpt_to_initialize_from");
    QVERIFY2(file.startsWith("runs/run-1/model.ckpt-"), qPrintable(file));
    auto* words = page->findChild<QLabel*>("words.warm_start");
    QTRY_VERIFY_WITH_TIMEOUT(words->isVisible(), kPatience);
    QVERIFY2(words->text().contains("2 variables from model.ckpt-200: dnn/hiddenlayer_0/kernel"),
             qPrintable(words->text()));
    QVERIFY2(words->text().contains("One keeps its initial values: dnn/logits/kernel"),
             qPrintable(words->text()));
    m_bench->script("plan", R"({"parameters": 42, "warm_start": {"checkpoint": "", "restored": [],
        "fresh": [], "problem": "The shapes differ."}})");
    QVERIFY(document().setValue("train_spec.max_steps", "77"));
    QTRY_COMPARE_WITH_TIMEOUT(words->text(), "The shapes differ.", kPatience);
}

CANNERY_TEST(TstModelPage)
#include "tst_model_page.moc"
