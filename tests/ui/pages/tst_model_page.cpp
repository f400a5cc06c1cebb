// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/estimator_switch.h"
#include "ui/document/experiment_document.h"
#include "ui/widgets/toaster.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QFile>
#include <QLineEdit>
#include <QTest>
#include <QUndoStack>

#include <memory>

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
    void theKeyboardChoosesAnEstimator();
    void assistiveTechnologyChoosesAnEstimator();
    void D15_aWrongRateStopsTraining();
    void theStrategyIsPicked();
    void aFieldIsFoundFromAnIssue();
    void stepsAreChangedBesideTrain();

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
    QCOMPARE(document().member("estimator"), estimator);
    for (const ProblemRow& problem : document().problems()) {
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
    QVERIFY2(!document().hasErrors() || estimator.startsWith("baseline"),
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
    const QString told = m_bench->context().toaster->text();
    QVERIFY2(told.contains("Hidden units") || told.contains("hidden units"), qPrintable(told));
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
    QVERIFY(network->isVisible());
    network->click();
    QCOMPARE(document().undoStack()->count(), 0);
    QVERIFY(!tile(page, "linear_classifier")->accessibleDescription().startsWith("Needs"));
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
    QTest::keyClick(present, Qt::Key_Left);
    auto* network = tile(page, "dnn_classifier");
    QVERIFY(network->hasFocus());
    QCOMPARE(document().undoStack()->count(), 0);
    QTest::keyClick(network, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(network->isChecked(), kPatience);
    QCOMPARE(document().member("estimator"), "dnn_classifier");
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
    QTRY_COMPARE_WITH_TIMEOUT(document().member("estimator"), "dnn_classifier", kPatience);
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
    QVERIFY(!m_bench->session().trainHindrance().isEmpty());
    rate->selectAll();
    QTest::keyClicks(rate, "0.1");
    QTRY_VERIFY_WITH_TIMEOUT(!rate->property("problem").toBool(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().trainHindrance().isEmpty(), kPatience);
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
    device->click();
    QTRY_VERIFY_WITH_TIMEOUT(document().text().contains("one_device"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QVERIFY(!document().hasErrors());
    QVERIFY(device->isChecked());
}

void TstModelPage::aFieldIsFoundFromAnIssue()
{
    Page* page = m_bench->page("model");
    open();
    auto* name = [&]() -> QWidget* { return page->findChild<QWidget*>("field.eval_spec.name"); }();
    QVERIFY(name == nullptr); // folded
    page->reveal("field:eval_spec.name");
    name = page->findChild<QWidget*>("field.eval_spec.name");
    QVERIFY(name != nullptr && name->isVisible());
    QVERIFY(name->hasFocus());
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
    m_bench->session().train();
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

CANNERY_TEST(TstModelPage)
#include "tst_model_page.moc"
