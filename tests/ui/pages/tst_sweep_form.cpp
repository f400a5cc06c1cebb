// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/sweep_fields.h"
#include "ui/editors/form_part.h"
#include "ui/pages/page.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QRegularExpression>
#include <QTest>
#include <QUndoStack>

using namespace cannery::ui;
using cannery::tests::kPatience;
using cannery::tests::PageBench;

/// The form of the sweep: which field varies.
class TstSweepForm : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }
    void fieldsOfTheModelAreOffered();
    void aChosenFieldIsWritten();
    void aFieldThatDoesNotExistIsNamed();
    void onlyTheSweptFieldHasOffers();
    void offersAreCalledByTheirLabels();
    void aFieldIsSweptFromItsMenu();
    void valuesAreReadLikeTheField();
    void labelsHaveRoomWhenTheTextGrows();

private:
    ExperimentDocument& document() const { return m_bench->session().document(); }
    QLineEdit* field() const;
    QAbstractButton* offers() const;

    std::unique_ptr<PageBench> m_bench;
    Page* m_page = nullptr;
};

void TstSweepForm::init()
{
    m_bench = std::make_unique<PageBench>();
    m_bench->script("plan", "{}");
    m_bench->script("preview", "{}");
    m_bench->script("sweep", R"({"trials": 2, "decided": []})");
    m_bench->script("check", R"({"problems": []})");
    m_page = m_bench->page("model");
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    m_page->findChild<QAbstractButton*>("fold.sweep")->click();
    QVERIFY(document().setValue("sweep", "{ parameter { choice { value: [\"8\"] } } grid {} }"));
    QTRY_VERIFY_WITH_TIMEOUT(field() != nullptr && field()->isVisible(), kPatience);
}

QLineEdit* TstSweepForm::field() const
{
    return m_page->findChild<QLineEdit*>("field.sweep.parameter[0].field");
}

QAbstractButton* TstSweepForm::offers() const
{
    return m_page->findChild<QAbstractButton*>("offers.sweep.parameter[0].field");
}

void TstSweepForm::fieldsOfTheModelAreOffered()
{
    const QStringList fields = sweepableFields(document().root());
    const QString model = "estimator.dnn_linear_combined_classifier.";
    for (const QString& path :
         {model + "dnn_hidden_units", model + "dnn_dropout", model + "dnn_optimizer",
          model + "dnn_optimizer.adagrad.learning_rate", QString("train_spec.input.batch_size"),
          QString("train_spec.max_steps"), QString("run_config.tf_random_seed")}) {
        QVERIFY2(fields.contains(path), qPrintable(path));
    }
    for (const QString& path : fields) {
        QVERIFY2(document().field("sweep") != nullptr && !path.startsWith("sweep") &&
                     !path.startsWith("data") && !path.endsWith(".name") && !path.endsWith(".key"),
                 qPrintable(path));
    }
}

void TstSweepForm::aChosenFieldIsWritten()
{
    QVERIFY(offers() != nullptr);
    QVERIFY(offers()->accessibleName().startsWith("Choose"));
    offers()->click();
    QAbstractItemView* list = field()->completer()->popup();
    QTRY_VERIFY_WITH_TIMEOUT(list->isVisible(), kPatience);
    QVERIFY(list->model()->rowCount() > 20);
    QTest::keyClicks(field(), "batch_si");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, kPatience);
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(document().value("sweep.parameter[0].field"),
                              QString("train_spec.input.batch_size"), kPatience);
}

void TstSweepForm::aFieldThatDoesNotExistIsNamed()
{
    field()->setFocus();
    QTest::keyClicks(field(), "train_spec.input.batch_sise");
    auto* words = m_page->findChild<QLabel*>("words.sweep.parameter[0].field");
    QVERIFY(words != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(words->text().contains("batch_size"), kPatience); // the nearest
}

void TstSweepForm::onlyTheSweptFieldHasOffers()
{
    for (const QAbstractButton* button : m_page->findChildren<QAbstractButton*>()) {
        QVERIFY2(!button->objectName().startsWith("offers.") ||
                     isSweptField(button->objectName().mid(7)),
                 qPrintable(button->objectName()));
    }
}

void TstSweepForm::offersAreCalledByTheirLabels()
{
    offers()->click();
    QAbstractItemView* list = field()->completer()->popup();
    QTRY_VERIFY_WITH_TIMEOUT(list->isVisible(), kPatience);
    QStringList names;
    for (int row = 0; row < list->model()->rowCount(); ++row) {
        names << list->model()->index(row, 0).data().toString();
        QVERIFY2(!names.last().contains("estimator.") && !names.last().contains("train_spec."),
                 qPrintable(names.last())); // a column may be called age_buckets
    }
    QVERIFY(names.contains("Batch size, Input"));
    QCOMPARE(names.removeDuplicates(), 0); // two rates differ
}

void TstSweepForm::aFieldIsSweptFromItsMenu()
{
    QVERIFY(document().setValue("sweep", QString()));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    const QString path = "train_spec.input.batch_size";
    auto* box = m_page->findChild<QWidget*>("field." + path);
    QVERIFY(box != nullptr);
    const auto sweepIt = [&] {
        QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(4, 4),
                                box->mapToGlobal(QPoint(4, 4)));
        QApplication::sendEvent(box, &event);
        auto* menu = m_page->findChild<QMenu*>("menu.field." + path);
        QVERIFY(menu != nullptr);
        auto* sweep = menu->findChild<QAction*>("action.sweep_this");
        QVERIFY(sweep != nullptr);
        sweep->trigger();
        menu->close();
    };
    sweepIt();
    QTRY_COMPARE_WITH_TIMEOUT(document().value("sweep.parameter[0].field"), path, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QVERIFY(document().field("sweep.parameter[0].choice.value")->children.size() >= 2);
    QCOMPARE(memberOf(document(), "sweep"), QString("grid"));
    QVERIFY(document().problems().at("sweep") == nullptr);
    auto* values = m_page->findChild<QLineEdit*>("field.sweep.parameter[0].choice.value");
    QTRY_VERIFY_WITH_TIMEOUT((values = m_page->findChild<QLineEdit*>(
                                  "field.sweep.parameter[0].choice.value")) != nullptr &&
                                 values->hasFocus(),
                             kPatience);
    const int steps = document().undoStack()->count();
    QTRY_VERIFY_WITH_TIMEOUT(m_page->findChild<QMenu*>("menu.field." + path) == nullptr, kPatience);
    sweepIt(); // again: it is shown, not added
    QCOMPARE(document().undoStack()->count(), steps);
}

void TstSweepForm::valuesAreReadLikeTheField()
{
    const QString place = "sweep.parameter[0].";
    QVERIFY(document().setValue(place + "field", "train_spec.input.batch_size"));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    auto* values = m_page->findChild<QLineEdit*>("field." + place + "choice.value");
    QVERIFY(values != nullptr);
    values->setFocus();
    values->selectAll();
    QTest::keyClicks(values, "16, 32, 6x");
    QTRY_VERIFY_WITH_TIMEOUT(document().problems().at(place + "choice.value") != nullptr,
                             kPatience);
    QTest::keyClick(values, Qt::Key_Backspace);
    QTest::keyClicks(values, "4");
    QTRY_COMPARE_WITH_TIMEOUT(document().edits().written(place + "choice.value"),
                              QString(R"(["16", "32", "64"])"), kPatience);
}

void TstSweepForm::labelsHaveRoomWhenTheTextGrows()
{
    QList<QPointer<QLabel>> labels;
    for (const QWidget* row : m_page->findChildren<QWidget*>(QRegularExpression("^row\\.sweep"))) {
        labels << row->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly).first();
    }
    QVERIFY(labels.size() > 3);
    QApplication& application = *qobject_cast<QApplication*>(qApp);
    for (const double scale : {2.0, 1.0}) {
        applyTheme(application, {.textScale = scale});
        for (const QPointer<QLabel>& label : labels) {
            QVERIFY(label);
            for (const QString& word : label->text().split(' ')) {
                QVERIFY2(label->fontMetrics().horizontalAdvance(word) <= label->width(),
                         qPrintable(label->text()));
            }
            QCOMPARE(label->width(), scaled(kLabelWidth));
        }
    }
}

CANNERY_TEST(TstSweepForm)
#include "tst_sweep_form.moc"
