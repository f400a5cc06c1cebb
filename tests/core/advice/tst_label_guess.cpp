// SPDX-License-Identifier: Apache-2.0
#include "core/advice/label_guess.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::advice;

/// Which column a table is probably about.
class TstLabelGuess : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nameAndPlaceDecide_data();
    void nameAndPlaceDecide();
    void nothingFitsATableOfTexts();
    void aLabelsOwnNameIsSurerThanItsPlace();

private:
    LabelGuess guess(const QByteArray& text) const
    {
        const auto source = table(text);
        return source ? guessLabel((*source)->schema()) : LabelGuess{.column = "unreadable"};
    }

    Result<std::unique_ptr<data::DataSource>> table(const QByteArray& text) const
    {
        return tests::openByContent(tests::textFile(m_folder, "t.csv", text.toStdString()));
    }

    QTemporaryDir m_folder;
};

void TstLabelGuess::nameAndPlaceDecide_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<QByteArray>("label");
    QTest::newRow("named so, first of all")
        << QByteArray("survived,age,fare\n1,22,7.25\n0,38,71.3\n1,26,7.9\n0,35,8.1\n")
        << QByteArray("survived");
    QTest::newRow("the last one, by its place")
        << QByteArray("a,b,c\n1.5,2.5,3.5\n2.5,4.5,5.5\n3.5,1.5,7.5\n4.5,2.25,9.5\n")
        << QByteArray("c");
    QTest::newRow("its name hints at it, though another one is last")
        << QByteArray("median_house_value,rooms,age\n3.1,4,1.5\n2.2,5,2.5\n4.4,6,3.5\n")
        << QByteArray("median_house_value");
    QTest::newRow("not one with empty cells")
        << QByteArray("x,y,target\n1.5,2.5,1\n2.5,3.5,\n3.5,4.5,0\n1.25,2,1\n") << QByteArray("y");
    QTest::newRow("not one that never varies")
        << QByteArray("x,y,label\n1.5,2.5,1\n2.5,3.5,1\n3.5,4.5,1\n") << QByteArray("y");
}

void TstLabelGuess::nameAndPlaceDecide()
{
    QFETCH(QByteArray, table);
    QFETCH(QByteArray, label);
    const LabelGuess found = guess(table);
    QCOMPARE(QByteArray::fromStdString(found.column), label);
    QVERIFY(!found.reason.empty());
    QVERIFY(found.confidence > 0 && found.confidence < 1);
}

void TstLabelGuess::nothingFitsATableOfTexts()
{
    QByteArray text("title,body\n");
    for (int row = 0; row < 300; ++row) {
        text += "title " + QByteArray::number(row) + ",body of " + QByteArray::number(row) + "\n";
    }
    const LabelGuess found = guess(text);
    QVERIFY(found.column.empty());
    QCOMPARE(found.confidence, 0.0);
}

void TstLabelGuess::aLabelsOwnNameIsSurerThanItsPlace()
{
    const QByteArray rows("1.5,2.5,1\n2.5,3.5,0\n3.5,4.5,1\n4.5,1.5,0\n");
    QVERIFY(guess("a,b,label\n" + rows).confidence > guess("a,b,c\n" + rows).confidence);
}

CANNERY_TEST(TstLabelGuess)
#include "tst_label_guess.moc"
