// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "tests/ui/pages/seeded_runs.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/runs/run_page.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// What a newcomer does wrong first, mended with the button beside the sentence: real clicks.
class TstProblemButtons : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void categoriesOfANetworkAreReadAsNumbers_data();
    void categoriesOfANetworkAreReadAsNumbers();
    void columnsOfANewLabelAreRemoved();
    void aNetworkGetsItsLayers();
    void aSweepGetsRowsToCompare();
    void aMisspeltColumnGetsItsName();
    void aWrongNumberIsShown();
    void eachOfSeveralProblemsHasItsButtons();
    void theRunOfANanOffersALowerRate();

private:
    /// Opens the Titanic example with `from` replaced by `to`, on a page.
    void open(const QString& page, const QByteArray& from, const QByteArray& to);
    Strip* strip() const;
    QAbstractButton* button(const QString& text) const;
    void press(const QString& text);
    ExperimentDocument& document() { return m_bench->session().document(); }

    std::unique_ptr<cannery::tests::PageBench> m_bench;
    Page* m_page = nullptr;
};

void TstProblemButtons::init()
{
    m_bench = std::make_unique<cannery::tests::PageBench>();
    m_bench->script("preview", "{}");
    m_bench->script("plan", "{}");
    m_bench->script("check", R"({"problems": []})");
}

void TstProblemButtons::cleanup()
{
    m_bench.reset();
    applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), {});
}

void TstProblemButtons::open(const QString& page, const QByteArray& from, const QByteArray& to)
{
    m_page = m_bench->page(page);
    QVERIFY(m_page != nullptr);
    const QString folder = m_bench->copyExample("titanic");
    QFile file(folder + "/titanic.cannery");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    file.close();
    QVERIFY(text.contains(from));
    text.replace(text.indexOf(from), from.size(), to);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
    file.close();
    m_bench->open(folder);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(strip() != nullptr, kPatience);
}

/// The one that is shown.
Strip* TstProblemButtons::strip() const
{
    const QList<Strip*> strips = m_page->findChildren<Strip*>();
    const auto shown = std::find_if(strips.begin(), strips.end(),
                                    [](const Strip* strip) { return strip->isVisible(); });
    return shown == strips.end() ? nullptr : *shown;
}

QAbstractButton* TstProblemButtons::button(const QString& text) const
{
    const QList<QAbstractButton*> buttons = strip()->findChildren<QAbstractButton*>();
    const auto found =
        std::find_if(buttons.begin(), buttons.end(), [&](const QAbstractButton* button) {
            return button->isVisible() && button->text() == text;
        });
    return found == buttons.end() ? nullptr : *found;
}

void TstProblemButtons::press(const QString& text)
{
    QTRY_VERIFY_WITH_TIMEOUT(button(text) != nullptr, kPatience);
    QAbstractButton* wanted = button(text);
    QVERIFY(wanted->isEnabled());
    const int steps = document().undoStack()->count();
    QTest::mouseClick(wanted, Qt::LeftButton);
    QCOMPARE(document().undoStack()->count(), steps + 1);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(strip() == nullptr, kPatience);
}

void TstProblemButtons::categoriesOfANetworkAreReadAsNumbers_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TstProblemButtons::categoriesOfANetworkAreReadAsNumbers()
{
    QFETCH(bool, dark);
    applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), {.dark = dark});
    open("model", "\"sex_indicator\", \"class", "\"alone\", \"class");
    QVERIFY2(!strip()->text().contains("indicator_column"), qPrintable(strip()->text()));
    QTRY_VERIFY_WITH_TIMEOUT(button("Read “alone” as Numbers") != nullptr, kPatience);
    const QString folder = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/pages");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(m_bench->window().grab().save(folder + "/cure-" + QTest::currentDataTag() + ".png"));
    press("Read “alone” as Numbers");
    QVERIFY(document().text().contains("\"alone_indicator\""));
    QVERIFY(!document().problems().hasErrors());
    document().undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(strip() != nullptr, kPatience);
}

void TstProblemButtons::columnsOfANewLabelAreRemoved()
{
    open("features", "label { column: \"survived\" }", "label { column: \"sex\" }");
    QVERIFY(strip()->text().contains("is the label"));
    press("Remove the 4 Columns Made of “sex”");
    QVERIFY(!document().text().contains("\"sex_x_class\"") &&
            !document().text().contains("\"sex_indicator\""));
    QVERIFY(document().text().contains("\"age_scaled\""));
    QVERIFY(!document().problems().hasErrors());
}

void TstProblemButtons::aNetworkGetsItsLayers()
{
    open("model", "dnn_hidden_units: [64, 32]", "");
    QVERIFY2(!strip()->text().contains("dnn_"), qPrintable(strip()->text()));
    press("Set Hidden units to 64, 32");
    QCOMPARE(document().value("estimator.dnn_linear_combined_classifier.dnn_hidden_units"),
             "64, 32");
}

void TstProblemButtons::aSweepGetsRowsToCompare()
{
    open("model", "  eval { csv { files: \"titanic_eval.csv\" } }\n", "");
    // Nothing to evaluate on is the matter of two pages: what the page of the model has is told.
    QVERIFY2(!strip()->text().contains("eval_spec"), qPrintable(strip()->text()));
    press("Hold Back 20 % for Evaluation");
    QCOMPARE(document().value("data.split.fraction.eval_fraction"), "0.2");
}

void TstProblemButtons::aMisspeltColumnGetsItsName()
{
    open("model", "\"sex_indicator\", \"class", "\"sex_indicater\", \"class");
    press("Use “sex_indicator” Instead");
    QVERIFY(!document().text().contains("indicater"));
    QVERIFY(!document().problems().hasErrors());
}

/// Nobody knows the right number of buckets but the person: the field is shown.
void TstProblemButtons::aWrongNumberIsShown()
{
    open("features", "hash_bucket_size: 50", "hash_bucket_size: 0");
    QTRY_VERIFY_WITH_TIMEOUT(button("Show") != nullptr, kPatience);
    QTest::mouseClick(button("Show"), Qt::LeftButton);
    const auto* table = m_page->findChild<QAbstractItemView*>("table.features");
    QTRY_COMPARE_WITH_TIMEOUT(table->currentIndex().siblingAtColumn(0).data().toString(),
                              "sex × class → hash 0", kPatience);
}

/// In the list, *Show* leads to a problem's field, and its row has the button of its cure.
void TstProblemButtons::eachOfSeveralProblemsHasItsButtons()
{
    open("features", "hash_bucket_size: 50 } }",
         "hash_bucket_size: 0 } }\nfeature_column { name: \"other\" indicator_column { "
         "categorical_column: \"sexx\" } }");
    const auto* list = m_page->findChild<QWidget*>("problems");
    QTRY_VERIFY_WITH_TIMEOUT(list->isVisible(), kPatience);
    const QList<QAbstractButton*> shows =
        list->findChildren<QAbstractButton*>("button.show_problem");
    QCOMPARE(shows.size(), 2);
    const auto* table = m_page->findChild<QAbstractItemView*>("table.features");
    QTest::mouseClick(shows.first(), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(table->currentIndex().siblingAtColumn(0).data().toString(),
                              "sex × class → hash 0", kPatience);

    auto* fix = list->findChild<QAbstractButton*>("button.fix_problem");
    QVERIFY(fix != nullptr);
    QCOMPARE(fix->text(), "Use “sex” Instead");
    QTest::mouseClick(fix, Qt::LeftButton);
    QVERIFY(!document().text().contains("sexx"));
    QTRY_VERIFY_WITH_TIMEOUT(!list->isVisible(), kPatience); // one is left: the strip has it
}

/// Resuming at the same rate would end in the same way.
void TstProblemButtons::theRunOfANanOffersALowerRate()
{
    const QString folder = m_bench->openTitanic(false);
    cannery::tests::addSeededRuns(folder);
    m_bench->session().runs().rescan();
    const auto snapshot = [&] { return m_bench->session().runs().snapshot(); };
    QTRY_VERIFY_WITH_TIMEOUT(snapshot()->find("run-011") != nullptr, kPatience);
    RunPage page(m_bench->context());
    QVERIFY(page.setRun(snapshot(), "run-011"));
    page.show();
    const auto texts = [&] {
        QStringList shown;
        for (const QAbstractButton* one :
             page.findChild<Strip*>()->findChildren<QAbstractButton*>()) {
            if (one->isVisible()) {
                shown << one->text();
            }
        }
        return shown;
    };
    QTRY_VERIFY_WITH_TIMEOUT(!texts().isEmpty(), kPatience);
    QVERIFY2(texts().filter("Learning Rate").size() == 1 && !texts().contains("Resume"),
             qPrintable(texts().join(", ")));
}

CANNERY_TEST(TstProblemButtons)
#include "tst_problem_buttons.moc"
