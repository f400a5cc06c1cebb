// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// The index of the form of Model, and the field that finds fields in it.
class TstFormBar : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void thePageScrollsAsOne();
    void theIndexGoesToASection();
    void theIndexFollowsTheScrollBar();
    void whatWillBeBuiltIsInTheIndex();
    void keysGoThroughTheIndex();
    void withoutRoomTheIndexIsAList();
    void fieldsAreFound_data();
    void fieldsAreFound();
    void escapeShowsAllAgain();
    void enterGoesToTheFirstFieldThatIsFound();
    void aFieldThatIsAskedForIsShown();
    void theTilesAreARowOnceOneIsChosen();

private:
    ExperimentDocument& document() { return m_bench->session().document(); }
    template <typename T>
    T* part(const QString& name) const
    {
        return m_page->findChild<T*>(name);
    }
    QScrollBar* bar() const { return part<QScrollArea>("scroll.model")->verticalScrollBar(); }
    QAbstractButton* segment(const char* title) const;
    QString currentTitle() const;
    /// From the top of the view.
    int placeOf(const QWidget* widget) const;
    void type(const QString& words);
    QStringList shownFields() const;

    std::unique_ptr<cannery::tests::PageBench> m_bench;
    Page* m_page = nullptr;
};

void TstFormBar::init()
{
    m_bench = std::make_unique<cannery::tests::PageBench>();
    m_bench->script("preview", "{}");
    m_bench->script("plan", "{}");
    m_bench->script("check", R"({"problems": []})");
    m_page = m_bench->page("model");
    m_bench->openTitanic(false);
    m_bench->window().resize(1100, 720);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(segment("Sweep") != nullptr, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(bar()->maximum() > 0, kPatience);
}

QAbstractButton* TstFormBar::segment(const char* title) const
{
    const auto buttons = part<QWidget>("index.sections")->findChildren<QAbstractButton*>();
    const auto found = std::find_if(buttons.begin(), buttons.end(), [&](const auto* button) {
        return button->text() == QLatin1String(title);
    });
    return found == buttons.end() ? nullptr : *found;
}

QString TstFormBar::currentTitle() const
{
    for (const auto* button : part<QWidget>("index.sections")->findChildren<QAbstractButton*>()) {
        if (button->isChecked()) {
            return button->text();
        }
    }
    return {};
}

int TstFormBar::placeOf(const QWidget* widget) const
{
    return widget->mapTo(part<QScrollArea>("scroll.model")->viewport(), QPoint()).y();
}

void TstFormBar::type(const QString& words)
{
    QWidget* field = m_page->findField();
    QVERIFY(field != nullptr);
    field->setFocus();
    QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(field, words);
}

/// The last names of the paths.
QStringList TstFormBar::shownFields() const
{
    QStringList names;
    for (const auto* row : part<QWidget>("form.model")->findChildren<QWidget*>()) {
        if (row->objectName().startsWith("row.") && row->isVisible()) {
            names << row->objectName().section('.', -1);
        }
    }
    return names;
}

void TstFormBar::thePageScrollsAsOne()
{
    const auto* area = part<QScrollArea>("scroll.model");
    int areas = 0;
    for (const QWidget* outer = part<QWidget>("form.model"); outer != m_page;
         outer = outer->parentWidget()) {
        areas += qobject_cast<const QScrollArea*>(outer) != nullptr ? 1 : 0;
    }
    QCOMPARE(areas, 1);
    QVERIFY(area->widget()->height() > area->viewport()->height());
    const auto* form = part<QWidget>("form.model");
    QVERIFY(form->height() >= form->sizeHint().height()); // nothing of it is cut off
}

void TstFormBar::theIndexGoesToASection()
{
    auto* head = part<QAbstractButton>("fold.eval_spec");
    QVERIFY(!head->isChecked());
    QTest::mouseClick(segment("Evaluation"), Qt::LeftButton);
    QVERIFY(head->isChecked());
    QCOMPARE(currentTitle(), "Evaluation");
    QVERIFY2(placeOf(head) >= 0 && placeOf(head) < head->height() * 2,
             qPrintable(QString::number(placeOf(head))));
    // Once more from elsewhere.
    bar()->setValue(0);
    QTest::mouseClick(segment("Evaluation"), Qt::LeftButton);
    QVERIFY(placeOf(head) >= 0 && placeOf(head) < head->height() * 2);
}

void TstFormBar::theIndexFollowsTheScrollBar()
{
    QCOMPARE(currentTitle(), "Estimator");
    bar()->setValue(bar()->maximum());
    QCOMPARE(currentTitle(), "Sweep");
    QStringList passed;
    for (int value = 0; value <= bar()->maximum(); value += 8) {
        bar()->setValue(value);
        if (passed.isEmpty() || passed.last() != currentTitle()) {
            passed << currentTitle();
        }
    }
    QCOMPARE(passed.first(), "Estimator");
    QVERIFY2(passed.contains("Training"), qPrintable(passed.join(", ")));
    QStringList once = passed;
    once.removeDuplicates();
    QCOMPARE(once, passed); // one after the other
}

/// Beside the form, and below it where there is no room.
void TstFormBar::whatWillBeBuiltIsInTheIndex()
{
    const auto* sketch = part<QWidget>("facts.model");
    const auto isInView = [&] {
        const int height = part<QScrollArea>("scroll.model")->viewport()->height();
        return placeOf(sketch) > 0 && placeOf(sketch) < height;
    };
    bar()->setValue(bar()->maximum());
    QTRY_VERIFY_WITH_TIMEOUT(!isInView(), kPatience);
    QTest::mouseClick(segment("What will be built"), Qt::LeftButton);
    QCOMPARE(currentTitle(), "What will be built");
    QVERIFY(isInView());
    m_bench->window().resize(620, 720);
    auto* list = part<QComboBox>("field.section");
    QTRY_VERIFY_WITH_TIMEOUT(list->isVisible(), kPatience);
    bar()->setValue(0);
    QTRY_VERIFY_WITH_TIMEOUT(!isInView(), kPatience);
    list->setFocus();
    QTest::keyClick(list, Qt::Key_End);
    QCOMPARE(list->currentText(), "What will be built");
    QTRY_VERIFY_WITH_TIMEOUT(isInView(), kPatience);
}

void TstFormBar::keysGoThroughTheIndex()
{
    QAbstractButton* first = segment("Estimator");
    first->setFocus();
    QVERIFY(first->hasFocus());
    QTest::keyClick(first, Qt::Key_Right);
    QCOMPARE(currentTitle(), "Feature columns");
    QVERIFY(part<QAbstractButton>("fold.eval_spec") != nullptr);
    QTest::keyClick(segment("Feature columns"), Qt::Key_Right);
    QCOMPARE(currentTitle(), "Training");
    const auto* head = part<QAbstractButton>("fold.train_spec");
    QVERIFY(placeOf(head) >= 0 && placeOf(head) < bar()->pageStep());
}

void TstFormBar::withoutRoomTheIndexIsAList()
{
    auto* list = part<QComboBox>("field.section");
    QVERIFY(!list->isVisible());
    m_bench->window().resize(600, 720);
    QTRY_VERIFY2_WITH_TIMEOUT(list->isVisible(),
                              qPrintable(QString::number(part<QWidget>("bar.form")->width())),
                              kPatience);
    QVERIFY(!part<QWidget>("index.sections")->isVisible());
    QCOMPARE(list->currentText(), "Estimator");
    list->setFocus();
    QTest::keyClick(list, Qt::Key_End);
    QTest::keyClick(list, Qt::Key_Up);
    QCOMPARE(list->currentText(), "Sweep");
    QVERIFY(part<QAbstractButton>("fold.sweep")->isChecked());
    QTest::keyClick(list, Qt::Key_Home);
    QVERIFY(placeOf(part<QWidget>("form.model")) >= 0);
    m_bench->window().resize(1100, 720);
    QTRY_VERIFY_WITH_TIMEOUT(!list->isVisible(), kPatience);
}

void TstFormBar::fieldsAreFound_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QStringList>("shown");
    QTest::addColumn<QString>("words");
    QTest::newRow("label, in a folded section")
        << "log_step_count" << QStringList{"log_step_count_steps"} << "One field";
    QTest::newRow("name, of experts")
        << "l2_shrinkage" << QStringList{"l2_shrinkage_regularization_strength"} << "One field";
    QTest::newRow("with the group")
        << "dnn learning_rate" << QStringList{"learning_rate"} << "One field";
    QTest::newRow("path") << "ftrl.learning" << QStringList{"learning_rate", "learning_rate_power"}
                          << "2 fields";
    QTest::newRow("none") << "no such thing" << QStringList{} << "No field matches";
}

void TstFormBar::fieldsAreFound()
{
    QFETCH(QString, typed);
    QFETCH(QStringList, shown);
    QFETCH(QString, words);
    bar()->setValue(bar()->maximum());
    type(typed);
    QVERIFY2(shownFields() == shown, qPrintable(shownFields().join(", ")));
    const auto* said = part<QLabel>("words.find_field");
    QVERIFY(said->isVisible());
    QCOMPARE(said->text(), words);
    QCOMPARE(m_page->findField()->accessibleDescription(), words);
    if (!shown.isEmpty()) {
        const auto* form = part<QWidget>("form.model");
        QVERIFY(placeOf(form) < bar()->pageStep() && placeOf(form) >= 0);
    }
}

void TstFormBar::escapeShowsAllAgain()
{
    const QStringList before = shownFields();
    type("log_step_count");
    QVERIFY(part<QAbstractButton>("fold.run_config")->isChecked());
    QVERIFY(!part<QAbstractButton>("fold.train_spec")->isVisible());
    QTest::keyClick(m_page->findField(), Qt::Key_Escape);
    QCOMPARE(shownFields(), before);
    QVERIFY(!part<QAbstractButton>("fold.run_config")->isChecked());
    QVERIFY(part<QAbstractButton>("fold.train_spec")->isVisible());
    QVERIFY(!part<QLabel>("words.find_field")->isVisible());
    // Values that change meanwhile leave hidden what is hidden.
    type("log_step_count");
    QVERIFY(document().setValue("train_spec.max_steps", "77"));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QCOMPARE(shownFields(), QStringList{"log_step_count_steps"});
}

void TstFormBar::enterGoesToTheFirstFieldThatIsFound()
{
    type("log_step_count");
    QTest::keyClick(m_page->findField(), Qt::Key_Return);
    QVERIFY(part<QWidget>("field.run_config.log_step_count_steps")->hasFocus());
    type("nothing has this");
    QTest::keyClick(m_page->findField(), Qt::Key_Return);
    QVERIFY(m_page->findField()->hasFocus());
}

void TstFormBar::aFieldThatIsAskedForIsShown()
{
    type("log_step_count");
    m_page->reveal("field:eval_spec.name");
    const auto* name = part<QWidget>("field.eval_spec.name");
    QVERIFY(name != nullptr && name->isVisible() && name->hasFocus());
    QVERIFY(part<QLineEdit>("field.find_field")->text().isEmpty());
}

void TstFormBar::theTilesAreARowOnceOneIsChosen()
{
    auto* tiles = part<QWidget>("tiles.estimator");
    auto* current = part<QAbstractButton>("tile.dnn_linear_combined_classifier");
    auto* tasks = part<QWidget>("field.task");
    QVERIFY(current->isVisible());
    QVERIFY(!part<QWidget>("tile.linear_classifier")->isVisible());
    QVERIFY(!tasks->isVisible());
    const int folded = tiles->height();
    QTest::mouseClick(current, Qt::LeftButton);
    QVERIFY(tasks->isVisible());
    QVERIFY(part<QWidget>("tile.linear_classifier")->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(tiles->height() > folded, kPatience);
    QCOMPARE(memberOf(document(), "estimator"), "dnn_linear_combined_classifier");
    // Among others the present one is not: folding returns to it.
    QTest::mouseClick(tasks->findChild<QAbstractButton*>("segment.1"), Qt::LeftButton);
    QVERIFY(part<QWidget>("tile.linear_regressor")->isVisible());
    QTest::mouseClick(part<QAbstractButton>("button.fold_estimators"), Qt::LeftButton);
    QVERIFY(!tasks->isVisible());
    current = part<QAbstractButton>("tile.dnn_linear_combined_classifier");
    QVERIFY(current->isVisible() && current->isChecked());
}

CANNERY_TEST(TstFormBar)
#include "tst_form_bar.moc"
