// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/shown_numbers.h"
#include "tests/support/test_main.h"
#include "ui/editors/hash_editor.h"
#include "ui/widgets/button.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace cannery::ui;

namespace {

/// Four of six combinations occur; two of them, with three of ten rows, are in one bucket.
HashedFacts observedPairs()
{
    HashedFacts facts;
    facts.column = "sex_x_class";
    facts.inputs = QStringList{"sex", "class"};
    facts.buckets = 10;
    facts.occurrences = 10;
    facts.distinct = 4;
    facts.bucketsUsed = 3;
    facts.shared = 2;
    facts.sharedOccurrences = 3;
    facts.labelName = "survived";
    facts.targets = QStringList{"1"};
    facts.areShares = true;
    facts.values = {
        {.values = {"male", "Third"}, .count = 5, .bucket = 7, .isShared = false, .label = {0.2}},
        {.values = {"female", "First"}, .count = 2, .bucket = 3, .isShared = true, .label = {1.0}},
        {.values = {"male", "First"}, .count = 2, .bucket = 9, .isShared = false, .label = {0.5}},
        {.values = {"male", QString()}, .count = 1, .bucket = 3, .isShared = true, .label = {0.0}}};
    return facts;
}

QString cellText(const QTableView& table, int row, int column)
{
    return table.model()->index(row, column).data().toString();
}

} // namespace

class TstHashEditor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void whatCouldOccurIsExpectedToShare();
    void whatOccursIsToldBesideWhatIsExpected();
    void theTableSortsByAHeader();
    void aSharedBucketNamesWhatIsInIt();
    void oneOfSeveralClassesIsChosen();
    void aMeanIsNotAShare();
    void moreThanCouldBeCountedIsAtLeast();
};

void TstHashEditor::whatCouldOccurIsExpectedToShare()
{
    HashEditor editor;
    editor.setSize(212, 1000, true);
    auto* words = editor.findChild<QLabel*>("words.sharing");
    QVERIFY2(words->text().contains(QStringLiteral(u"19\u2009%")), qPrintable(words->text()));
    QVERIFY(editor.findChild<QLabel*>("words.observed_sharing")->isHidden());
    QVERIFY(editor.findChild<QTableView*>("table.hashed_values")->isHidden());
    const QSignalSpy asked(&editor, &HashEditor::bucketsRequested);
    QTest::mouseClick(editor.findChild<Button*>("button.more_buckets"), Qt::LeftButton);
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.first().first().toInt(), 5000);
    editor.setSize(212, 5000, true);
    QVERIFY(editor.findChild<Button*>("button.more_buckets")->isHidden());
    editor.setSize(0, 100, true);
    QVERIFY(words->isHidden());
}

void TstHashEditor::whatOccursIsToldBesideWhatIsExpected()
{
    HashEditor editor;
    editor.setSize(6, 10, true);
    const HashedFacts facts = observedPairs();
    editor.setObserved(&facts);
    // 1 − (1 − 1/10)³ = 27 %
    QCOMPARE(editor.findChild<QLabel*>("words.sharing")->text().section('.', 0, 0),
             QStringLiteral(u"4 combinations in 10 buckets: about 27\u2009% of them are expected "
                            "to share a bucket"));
    QCOMPARE(editor.findChild<QLabel*>("words.observed_sharing")->text(),
             QStringLiteral(u"Observed: 4 of 6 combinations occur; 50\u2009% of these share a "
                            "bucket, in 30\u2009% of the rows."));
    QVERIFY(!editor.findChild<Button*>("button.more_buckets")->isHidden());
    // Without a collision more buckets would do nothing for these rows.
    HashedFacts apart = facts;
    apart.shared = 0;
    editor.setObserved(&apart);
    QVERIFY(editor.findChild<Button*>("button.more_buckets")->isHidden());
    editor.setObserved(nullptr);
    QVERIFY(editor.findChild<QLabel*>("words.observed_sharing")->isHidden());
}

void TstHashEditor::theTableSortsByAHeader()
{
    HashEditor editor;
    editor.setSize(6, 10, true);
    const HashedFacts facts = observedPairs();
    editor.setObserved(&facts);
    editor.resize(320, 400);
    editor.show();
    auto* table = editor.findChild<QTableView*>("table.hashed_values");
    QCOMPARE(table->model()->rowCount(), 4);
    QCOMPARE(cellText(*table, 0, 0), QString("male × Third"));
    QCOMPARE(cellText(*table, 0, 1), QString("5"));
    QCOMPARE(cellText(*table, 0, 2), QStringLiteral(u"20\u2009%"));
    QCOMPARE(cellText(*table, 0, 3), QString("7"));
    QHeaderView* header = table->horizontalHeader();
    QCOMPARE(editor.findChild<QLabel*>("words.label_of_values")->text(),
             QString("Share of survived = 1 in each"));
    const QPoint label(header->sectionViewportPosition(2) + header->sectionSize(2) / 2,
                       header->height() / 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, label);
    const QString first = cellText(*table, 0, 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, label);
    QCOMPARE(QSet<QString>({first, cellText(*table, 0, 2)}),
             QSet<QString>({QStringLiteral(u"0\u2009%"), QStringLiteral(u"100\u2009%")}));
}

void TstHashEditor::aSharedBucketNamesWhatIsInIt()
{
    HashEditor editor;
    const HashedFacts facts = observedPairs();
    editor.setObserved(&facts);
    const auto* model = editor.findChild<QTableView*>("table.hashed_values")->model();
    const QModelIndex bucket = model->index(1, 3);
    QCOMPARE(bucket.data(Qt::AccessibleTextRole).toString(), QString("3, shared"));
    QCOMPARE(bucket.data(Qt::ToolTipRole).toString(),
             QString("female × First shares bucket 3 with male × (none)."));
    QCOMPARE(model->index(0, 3).data(Qt::AccessibleTextRole).toString(), QString("7"));
}

void TstHashEditor::oneOfSeveralClassesIsChosen()
{
    HashEditor editor;
    HashedFacts facts = observedPairs();
    auto* choice = editor.findChild<QComboBox*>("choice.label_class");
    editor.setObserved(&facts);
    QVERIFY(choice->isHidden());
    facts.targets = QStringList{"a", "b"};
    for (HashedValueFacts& value : facts.values) {
        value.label = {0.25, 0.75};
    }
    editor.setObserved(&facts);
    QVERIFY(!choice->isHidden());
    const auto* table = editor.findChild<QTableView*>("table.hashed_values");
    QCOMPARE(cellText(*table, 0, 2), QStringLiteral(u"25\u2009%"));
    choice->setCurrentIndex(1);
    QCOMPARE(cellText(*table, 0, 2), QStringLiteral(u"75\u2009%"));
    QCOMPARE(editor.findChild<QLabel*>("words.label_of_values")->text(),
             QString("Share of survived = b in each"));
    // The choice stays while the table is counted again.
    editor.setObserved(&facts);
    QCOMPARE(cellText(*table, 0, 2), QStringLiteral(u"75\u2009%"));
}

void TstHashEditor::aMeanIsNotAShare()
{
    HashEditor editor;
    HashedFacts facts = observedPairs();
    facts.areShares = false;
    facts.labelName = "price";
    facts.targets = QStringList{QString()};
    facts.values.first().label = {1234};
    editor.setObserved(&facts);
    const auto* table = editor.findChild<QTableView*>("table.hashed_values");
    QCOMPARE(editor.findChild<QLabel*>("words.label_of_values")->text(),
             QString("Mean of price in each"));
    QCOMPARE(table->model()->headerData(2, Qt::Horizontal).toString(), QString("Mean"));
    QCOMPARE(cellText(*table, 0, 2), cannery::tests::shownNumbers("1,234"));
    // Without a label there is no column of it.
    facts.targets.clear();
    editor.setObserved(&facts);
    QVERIFY(table->isColumnHidden(2));
}

void TstHashEditor::moreThanCouldBeCountedIsAtLeast()
{
    HashEditor editor;
    HashedFacts facts = observedPairs();
    facts.isExact = false;
    editor.setSize(0, 10, false);
    editor.setObserved(&facts);
    const QString words = editor.findChild<QLabel*>("words.observed_sharing")->text();
    QVERIFY2(words.startsWith("Observed: at least 4 occur; "), qPrintable(words));
    facts.problem = "The table has no feature 'sex'.";
    editor.setObserved(&facts);
    QCOMPARE(editor.findChild<QLabel*>("words.observed_sharing")->text(), facts.problem);
    QVERIFY(editor.findChild<QTableView*>("table.hashed_values")->isHidden());
}

CANNERY_TEST(TstHashEditor)
#include "tst_hash_editor.moc"
