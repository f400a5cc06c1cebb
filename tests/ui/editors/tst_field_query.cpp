// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/editors/field_query.h"

#include <QTest>

using cannery::ui::FieldQuery;

/// The text typed into find-in-form, and the fields that match it.
class TstFieldQuery : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFieldIsFoundByItsWords_data();
    void aFieldIsFoundByItsWords();
};

void TstFieldQuery::aFieldIsFoundByItsWords_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<bool>("found");
    QTest::newRow("label") << "learning" << true;
    QTest::newRow("within the label") << "earn" << true;
    QTest::newRow("any case, any blanks") << "  RATE   Learning " << true;
    QTest::newRow("the group's label") << "linear rate" << true;
    QTest::newRow("name in the file") << "learning_rate" << true;
    QTest::newRow("a word of the help") << "step" << true;
    QTest::newRow("no end of a word of the help") << "verse" << false;
    QTest::newRow("no name further out") << "adagrad" << false;
    QTest::newRow("part of the path") << "adagrad.learn" << true;
    QTest::newRow("another path") << "adam.learn" << false;
    QTest::newRow("one word is missing") << "learning momentum" << false;
}

void TstFieldQuery::aFieldIsFoundByItsWords()
{
    QFETCH(QString, typed);
    QFETCH(bool, found);
    QVERIFY(!FieldQuery(typed).isEmpty());
    QCOMPARE(FieldQuery(typed).matches("Linear optimizer, Learning rate",
                                       "estimator.x.optimizer.adagrad.learning_rate",
                                       "How far a step goes: the universe is the limit."),
             found);
    QVERIFY(FieldQuery("  ").isEmpty());
}

CANNERY_TEST(TstFieldQuery)
#include "tst_field_query.moc"
