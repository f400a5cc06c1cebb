// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/editors/cross_chips.h"
#include "ui/widgets/button.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

using namespace cannery::ui;

class TstCrossChips : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void aClickOnAChipAsksToRemoveIt();
    void aCrossKeepsTwoInputs();
    void theMenuOffersWhatIsNotCrossedYet();
};

void TstCrossChips::aClickOnAChipAsksToRemoveIt()
{
    CrossChips chips;
    chips.setInputs({"sex", "class", "deck"});
    chips.resize(300, 60);
    chips.show();
    const QSignalSpy removed(&chips, &CrossChips::removeRequested);
    auto* deck = chips.findChild<QWidget*>("chip.cross.2");
    QVERIFY(deck);
    QTest::mouseClick(deck, Qt::LeftButton);
    QCOMPARE(removed.size(), 1);
    QCOMPARE(removed.first().first().toInt(), 2);
    auto* sex = chips.findChild<QWidget*>("chip.cross.0");
    sex->setFocus();
    QTest::keyClick(sex, Qt::Key_Space);
    QCOMPARE(removed.last().first().toInt(), 0);
}

void TstCrossChips::aCrossKeepsTwoInputs()
{
    CrossChips chips;
    chips.setInputs({"sex", "class"});
    const QSignalSpy removed(&chips, &CrossChips::removeRequested);
    auto* chip = chips.findChild<QWidget*>("chip.cross.0");
    QTest::mouseClick(chip, Qt::LeftButton);
    QCOMPARE(removed.size(), 0);
    QCOMPARE(chip->toolTip(), QString("A cross needs at least 2 inputs."));
}

void TstCrossChips::theMenuOffersWhatIsNotCrossedYet()
{
    CrossChips chips;
    chips.setInputs({"sex", "class"});
    chips.setOffered({"sex", "class", "a&b", "deck"});
    const QSignalSpy added(&chips, &CrossChips::addRequested);
    auto* add = chips.findChild<Button*>("button.add_cross_input");
    QCOMPARE(add->menu()->actions().size(), 2);
    QCOMPARE(add->menu()->actions().at(0)->text(), QString("a&&b"));
    add->menu()->actions().at(0)->trigger();
    QCOMPARE(added.size(), 1);
    QCOMPARE(added.first().first().toString(), QString("a&b"));
    chips.setOffered({"sex"});
    QVERIFY(add->isHidden());
}

CANNERY_TEST(TstCrossChips)
#include "tst_cross_chips.moc"
