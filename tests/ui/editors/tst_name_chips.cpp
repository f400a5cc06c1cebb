// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/editors/name_chips.h"
#include "ui/widgets/button.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QMenu>
#include <QPointer>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

using namespace cannery::ui;

namespace {

/// Counts how often it places what it holds.
class CountingLayout : public QVBoxLayout
{
public:
    using QVBoxLayout::QVBoxLayout;

    void setGeometry(const QRect& rectangle) override
    {
        ++placed;
        QVBoxLayout::setGeometry(rectangle);
    }
    int placed = 0;
};

} // namespace

class TstNameChips : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void aClickOnAChipAsksToRemoveIt();
    void asManyAsAreNeededStay();
    void chipsOfOtherNamesStayWhereOneLeaves();
    void manyNamesAreLaidOutOnce();
    void theMenuOffersWhatIsNotThereYet();
};

void TstNameChips::aClickOnAChipAsksToRemoveIt()
{
    NameChips chips;
    chips.setNames({"sex", "class", "deck"});
    chips.resize(300, 60);
    chips.show();
    const QSignalSpy removed(&chips, &NameChips::removeRequested);
    auto* deck = chips.findChild<QWidget*>("chip.name.2");
    QVERIFY(deck);
    QTest::mouseClick(deck, Qt::LeftButton);
    QCOMPARE(removed.size(), 1);
    QCOMPARE(removed.first().first().toInt(), 2);
    auto* sex = chips.findChild<QWidget*>("chip.name.0");
    sex->setFocus();
    QTest::keyClick(sex, Qt::Key_Space);
    QCOMPARE(removed.last().first().toInt(), 0);
}

void TstNameChips::asManyAsAreNeededStay()
{
    NameChips chips;
    chips.setNames({"sex", "class"});
    const QSignalSpy removed(&chips, &NameChips::removeRequested);
    auto* chip = chips.findChild<QWidget*>("chip.name.0");
    QTest::mouseClick(chip, Qt::LeftButton);
    QCOMPARE(removed.size(), 0);
    QCOMPARE(chip->toolTip(), QString("At least 2 are needed."));
}

void TstNameChips::chipsOfOtherNamesStayWhereOneLeaves()
{
    NameChips chips;
    chips.setNames({"sex", "class", "deck", "town"});
    chips.resize(300, 60);
    chips.show();
    QVERIFY(QTest::qWaitForWindowActive(&chips));
    const QPointer<QWidget> sex = chips.findChild<QWidget*>("chip.name.0");
    const QPointer<QWidget> deck = chips.findChild<QWidget*>("chip.name.2");
    chips.findChild<QWidget*>("chip.name.1")->setFocus();
    chips.setNames({"sex", "deck", "town"});
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QCOMPARE(chips.findChildren<Chip*>().size(), 3);
    QCOMPARE(chips.findChild<QWidget*>("chip.name.0"), sex.data());
    QCOMPARE(chips.findChild<QWidget*>("chip.name.1"), deck.data());
    QVERIFY(deck->hasFocus());
    const QSignalSpy removed(&chips, &NameChips::removeRequested);
    QTest::keyClick(deck, Qt::Key_Space);
    QCOMPARE(removed.last().first().toInt(), 1);

    chips.setNames({"sex", "class", "deck", "town"});
    QStringList texts;
    for (int i = 0; i < 4; ++i) {
        auto* chip = chips.findChild<Chip*>(QString("chip.name.%1").arg(i));
        QVERIFY(chip && chip->isVisible());
        texts << chip->text();
        if (i > 0) {
            QTest::keyClick(chips.focusWidget(), Qt::Key_Tab);
            QCOMPARE(chips.focusWidget(), chip);
        } else {
            chip->setFocus();
        }
    }
    QCOMPARE(texts, QStringList({"sex", "class", "deck", "town"}));
    QCOMPARE(chips.findChild<QWidget*>("chip.name.2"), deck.data());
    chips.setNames({"sex", "class"});
    QVERIFY(!chips.findChild<QWidget*>("chip.name.0")->isEnabled());
}

void TstNameChips::manyNamesAreLaidOutOnce()
{
    QWidget page;
    auto* column = new CountingLayout(&page);
    auto* chips = new NameChips;
    column->addWidget(chips);
    page.show();
    QCoreApplication::sendPostedEvents();
    column->placed = 0;
    QStringList names;
    for (int i = 0; i < 60; ++i) {
        names << QString("measurement_%1").arg(i);
    }
    chips->setNames(names);
    QCoreApplication::sendPostedEvents();
    QVERIFY(column->placed > 0);
    QVERIFY2(column->placed < 10, qPrintable(QString::number(column->placed)));
    QVERIFY(chips->findChild<QWidget*>("chip.name.59")->geometry().top() > 0);
}

void TstNameChips::theMenuOffersWhatIsNotThereYet()
{
    NameChips chips;
    chips.setNames({"sex", "class"});
    chips.setOffered({"sex", "class", "a&b", "deck"});
    const QSignalSpy added(&chips, &NameChips::addRequested);
    auto* add = chips.findChild<Button*>("button.add_name");
    QCOMPARE(add->menu()->actions().size(), 2);
    QCOMPARE(add->menu()->actions().at(0)->text(), QString("a&&b"));
    add->menu()->actions().at(0)->trigger();
    QCOMPARE(added.size(), 1);
    QCOMPARE(added.first().first().toString(), QString("a&b"));
    chips.setOffered({"sex"});
    QVERIFY(add->isHidden());
}

CANNERY_TEST(TstNameChips)
#include "tst_name_chips.moc"
