// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/edit_toasts.h"

#include <QTest>
#include <QUndoStack>

#include <memory>

using cannery::tests::kPatience;
using cannery::tests::PageBench;
using cannery::ui::ExperimentDocument;
using cannery::ui::FieldEdit;
using cannery::ui::Page;

/// Which edits are told of with Undo.
class TstEditToasts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void theRule_data();
    void theRule();
    void undoIsOfThatStepOnly();
    void typingAndHistoryAreNotTold();
    void aRemarkIsTold();
    void formsOfAnotherPageAreInSight();

private:
    QString shownText() { return m_bench->context().toaster->text(); }
    ExperimentDocument& document() { return m_bench->session().document(); }

    std::unique_ptr<PageBench> m_bench;
};

void TstEditToasts::init()
{
    m_bench = std::make_unique<PageBench>();
    m_bench->script("preview", "{}");
    m_bench->script("plan", "{}");
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

void TstEditToasts::theRule_data()
{
    QTest::addColumn<QString>("page");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value"); // empty: removed
    QTest::addColumn<bool>("isShown");
    const QString steps = "train_spec.max_steps";
    QTest::newRow("seen where it was made") << "model" << steps << "7" << false;
    QTest::newRow("seen on another page only") << "data" << steps << "7" << true;
    QTest::newRow("a value reset in its row") << "model" << steps << "" << false;
    QTest::newRow("a message is gone") << "data"
                                       << "data.label"
                                       << "" << true;
    QTest::newRow("an element is gone") << "features"
                                        << "feature_column[age]"
                                        << "" << true;
    QTest::newRow("nothing was there") << "model"
                                       << "train_spec.input.num_epochs"
                                       << "" << false;
}

void TstEditToasts::theRule()
{
    QFETCH(QString, page);
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(bool, isShown);
    QVERIFY(m_bench->page(page));
    const QString before = document().text();
    const FieldEdit edit = value.isEmpty() ? FieldEdit::remove(path) : FieldEdit::set(path, value);
    document().apply("A step", {edit});
    QCOMPARE(shownText(), isShown ? QString("A step") : QString());
    if (isShown) {
        m_bench->context().toaster->undo();
        QCOMPARE(document().text(), before);
    }
}

void TstEditToasts::undoIsOfThatStepOnly()
{
    QVERIFY(m_bench->page("model"));
    QVERIFY(document().apply("Remove", {FieldEdit::remove("feature_column[age]")}));
    QCOMPARE(shownText(), QString("Remove"));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QVERIFY(document().setValue("train_spec.max_steps", "7")); // in sight
    QCOMPARE(shownText(), QString());
    document().undoStack()->undo();
    QCOMPARE(shownText(), QString());
}

void TstEditToasts::typingAndHistoryAreNotTold()
{
    QVERIFY(m_bench->page("data"));
    QVERIFY(document().edits().typeValue("train_spec.max_steps", "7"));
    document().edits().endTyping();
    QCOMPARE(shownText(), QString());
    document().undoStack()->undo();
    document().undoStack()->redo();
    QCOMPARE(shownText(), QString());
}

void TstEditToasts::aRemarkIsTold()
{
    QVERIFY(m_bench->page("model"));
    QVERIFY(document().apply("Change", {FieldEdit::set("train_spec.max_steps", "7")},
                             "Not part of it: Dropout"));
    QCOMPARE(shownText(), QString("Change. Not part of it: Dropout"));
}

void TstEditToasts::formsOfAnotherPageAreInSight()
{
    QVERIFY(m_bench->page("train"));
    QVERIFY(document().setValue("train_spec.max_steps", "7")); // beside the Train button
    QCOMPARE(shownText(), QString());
    QVERIFY(document().setValue("run_config.save_summary_steps", "7"));
    QVERIFY(!shownText().isEmpty());
}

CANNERY_TEST(TstEditToasts)
#include "tst_edit_toasts.moc"
