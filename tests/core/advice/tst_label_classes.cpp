// SPDX-License-Identifier: Apache-2.0
#include "core/advice/label_classes.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::advice;

namespace {

data::ColumnStatistics textsOf(const std::vector<data::ValueCount>& values)
{
    return {.distinct = values.size(), .top = values};
}

using Names = std::vector<std::string>;

} // namespace

class TstLabelClasses : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void spellingsOfANumberAreOneClass();
    void wordsAreTheirOwnClasses();
    void whatIsNoNumberAmongNumbersIsMissing();
    void onlyPlainNumbersAreClassIds();
    void moreValuesThanWereCountedAreIncomplete();
};

void TstLabelClasses::spellingsOfANumberAreOneClass()
{
    const LabelClasses classes =
        classesOf(textsOf({{"1.0", 5}, {"10", 4}, {"+1", 3}, {"-2", 2}, {"1e1", 1}}), true, false);
    QVERIFY(classes.areNumbers && classes.areComplete && !classes.areClassIds);
    QCOMPARE(classes.names, (Names{"-2", "1.0", "10"}));
    QCOMPARE(classesOf(textsOf({{"1", 2}, {"+1", 2}}), false, false).names, Names{"1"});
    QCOMPARE(classesOf(textsOf({{"0,5", 2}, {"1,5", 2}}), true, true).names, (Names{"0,5", "1,5"}));
}

void TstLabelClasses::wordsAreTheirOwnClasses()
{
    const LabelClasses classes =
        classesOf(textsOf({{"b", 3}, {"1", 2}, {"1.0", 2}, {"", 1}}), false, false);
    QVERIFY(!classes.areNumbers && !classes.areClassIds);
    QCOMPARE(classes.names, (Names{"1", "1.0", "b"}));
}

void TstLabelClasses::whatIsNoNumberAmongNumbersIsMissing()
{
    const LabelClasses classes =
        classesOf(textsOf({{"1.0", 3}, {"0.0", 2}, {"nan", 2}}), true, false);
    QCOMPARE(classes.names, (Names{"0.0", "1.0"}));
    QCOMPARE(classes.notNumbers, Names{"nan"});
}

void TstLabelClasses::onlyPlainNumbersAreClassIds()
{
    QVERIFY(classesOf(textsOf({{"1", 3}, {"0", 2}}), true, false).areClassIds);
    QVERIFY(!classesOf(textsOf({{"1", 3}, {"2", 2}}), true, false).areClassIds);
    QVERIFY(!classesOf(textsOf({{"1.0", 3}, {"0.0", 2}}), true, false).areClassIds);
}

void TstLabelClasses::moreValuesThanWereCountedAreIncomplete()
{
    data::ColumnStatistics texts = textsOf({{"1", 3}});
    texts.distinct = 7;
    QVERIFY(!classesOf(texts, true, false).areComplete);
}

CANNERY_TEST(TstLabelClasses)
#include "tst_label_classes.moc"
