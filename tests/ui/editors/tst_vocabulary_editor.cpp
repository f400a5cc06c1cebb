// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/shown_numbers.h"
#include "tests/support/test_main.h"
#include "ui/editors/vocabulary_editor.h"
#include "ui/widgets/button.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>

using namespace cannery::ui;

namespace {

/// Three words, one of which the data does not list, shown.
struct WordStage
{
    VocabularyEditor editor;
    QSignalSpy changes{&editor, &VocabularyEditor::wordsChanged};

    WordStage()
    {
        editor.setWords({"Third", "First", "Second"});
        editor.setCounts({{"First", 200}, {"Second", 100}, {"Third", 400}, {"Crew", 300}}, true);
        editor.resize(300, 400);
        editor.show();
    }
    QListWidget& list() const { return *editor.findChild<QListWidget*>("list.words"); }
    QStringList last() const { return changes.last().at(0).toStringList(); }
    bool wasTyping() const { return changes.last().at(1).toBool(); }
    void press(const char* button) const
    {
        QTest::mouseClick(editor.findChild<Button*>(button), Qt::LeftButton);
    }
};

} // namespace

class TstVocabularyEditor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void wordsMoveWithAltAndArrows();
    void wordsAreAddedAndRemoved();
    void wordsAreSortedByCount();
    void missingWordsOfTheDataAreAddedMostFrequentFirst();
    void aWordIsEditedInPlaceButNeverTwice();
    void theSentenceSaysWhatIsNotListed();
};

void TstVocabularyEditor::wordsMoveWithAltAndArrows()
{
    WordStage stage;
    stage.list().setCurrentRow(0);
    QTest::keyClick(&stage.list(), Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(stage.last(), QStringList({"First", "Third", "Second"}));
    QVERIFY(stage.wasTyping());
    QCOMPARE(stage.list().currentRow(), 1);
    QTest::keyClick(&stage.list(), Qt::Key_Down, Qt::AltModifier);
    QTest::keyClick(&stage.list(), Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(stage.last(), QStringList({"First", "Second", "Third"}));
    QCOMPARE(stage.changes.size(), 2);
    QTest::keyClick(&stage.list(), Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(stage.last(), QStringList({"First", "Third", "Second"}));
}

void TstVocabularyEditor::wordsAreAddedAndRemoved()
{
    WordStage stage;
    auto* field = stage.editor.findChild<QLineEdit*>("field.word");
    auto* add = stage.editor.findChild<Button*>("button.add_word");
    QVERIFY(!add->isEnabled());
    QTest::keyClicks(field, "First");
    QVERIFY(!add->isEnabled());
    QTest::keyClicks(field, " class");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(stage.last(), QStringList({"Third", "First", "Second", "First class"}));
    QVERIFY(!stage.wasTyping());
    QVERIFY(field->text().isEmpty());
    stage.list().setCurrentRow(1);
    QTest::keyClick(&stage.list(), Qt::Key_Delete);
    QCOMPARE(stage.last(), QStringList({"Third", "Second", "First class"}));
    stage.press("button.remove_word");
    stage.press("button.remove_word");
    // One stays.
    stage.press("button.remove_word");
    QCOMPARE(stage.last(), QStringList({"Third"}));
    QVERIFY(!stage.editor.findChild<Button*>("button.remove_word")->isEnabled());
}

void TstVocabularyEditor::wordsAreSortedByCount()
{
    WordStage stage;
    stage.editor.setWords({"Second", "Third", "First"});
    stage.press("button.sort_words");
    QCOMPARE(stage.last(), QStringList({"Third", "First", "Second"}));
    QVERIFY(!stage.editor.findChild<Button*>("button.sort_words")->isEnabled());
}

void TstVocabularyEditor::missingWordsOfTheDataAreAddedMostFrequentFirst()
{
    WordStage stage;
    stage.editor.setWords({"Second"});
    stage.press("button.all_words");
    QCOMPARE(stage.last(), QStringList({"Second", "Third", "Crew", "First"}));
    QVERIFY(stage.editor.findChild<Button*>("button.all_words")->isHidden());
}

void TstVocabularyEditor::aWordIsEditedInPlaceButNeverTwice()
{
    WordStage stage;
    stage.list().item(1)->setText("Upper");
    QCOMPARE(stage.last(), QStringList({"Third", "Upper", "Second"}));
    stage.list().item(1)->setText("Third");
    QCOMPARE(stage.changes.size(), 1);
    QCOMPARE(stage.list().item(1)->text(), QString("Upper"));
    stage.list().item(1)->setText("");
    QCOMPARE(stage.changes.size(), 1);
    QCOMPARE(stage.editor.words(), QStringList({"Third", "Upper", "Second"}));
}

void TstVocabularyEditor::theSentenceSaysWhatIsNotListed()
{
    WordStage stage;
    auto* words = stage.editor.findChild<QLabel*>("words.vocabulary");
    QCOMPARE(words->text(), cannery::tests::shownNumbers(QStringLiteral(
                                u"30.0\u2009% of the values have a word that is not listed.")));
    stage.editor.setWords({"Third", "First", "Second", "Crew"});
    QCOMPARE(words->text(), QString("Every value has a word that is listed."));
    stage.editor.setCounts({}, false);
    QVERIFY(words->isHidden());
}

CANNERY_TEST(TstVocabularyEditor)
#include "tst_vocabulary_editor.moc"
