// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "tests/ui/widgets/parts_gallery.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/toaster.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFontInfo>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include <cstdlib>

using namespace cannery::ui;
using namespace cannery::tests;

class TstParts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup();
    void D35_nothingIsClippedOrNameless_data();
    void D35_nothingIsClippedOrNameless();
    void segmentedIsOneTabStopWithArrows();
    void headerActionsOverflowIntoTheMenu();
    void flowWrapsIntoColumns();
    void toastOffersUndoAndOneReplacesAnother();
    void stripSaysLeadAndSentence();
    void stripThatSaysTheSameIsNotLaidOutAgain();
    void buttonFollowsItsAction();
    void elidedTextIsInTheToolTip();
    void aMenuHasNoCornersToPaint();
};

namespace {

QApplication& application()
{
    return *qobject_cast<QApplication*>(qApp);
}

void savePicture(QWidget& widget, const QString& name)
{
    const QString folder = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/widgets");
    QDir().mkpath(folder);
    widget.grab().save(folder + '/' + name + ".png");
}

} // namespace

void TstParts::cleanup()
{
    QApplication::setLayoutDirection(Qt::LeftToRight);
    applyTheme(application(), {});
}

void TstParts::D35_nothingIsClippedOrNameless_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::addColumn<bool>("mirrored");
    QTest::newRow("light") << false << 1.0 << false;
    QTest::newRow("dark") << true << 1.0 << false;
    QTest::newRow("light-200") << false << 2.0 << false;
    QTest::newRow("dark-mirrored") << true << 1.0 << true;
}

void TstParts::D35_nothingIsClippedOrNameless()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    QFETCH(bool, mirrored);
    QApplication::setLayoutDirection(mirrored ? Qt::RightToLeft : Qt::LeftToRight);
    applyTheme(application(), {.dark = dark, .textScale = scale});
    const auto page = makePartsGallery();
    page->resize(1280, scale > 1 ? 1900 : 1000);
    page->show();
    QVERIFY(QTest::qWaitForWindowExposed(page.get(), kPatience));
    savePicture(*page, QString("parts-") + QTest::currentDataTag());
    const QStringList found = walkWidgets(*page);
    QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
}

void TstParts::segmentedIsOneTabStopWithArrows()
{
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* before = new Button(Button::Kind::Plain, "Before");
    auto* segmented = new Segmented({"ROC", "PR", "Lift"});
    auto* after = new Button(Button::Kind::Plain, "After");
    column->addWidget(before);
    column->addWidget(segmented);
    column->addWidget(after);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window, kPatience));
    before->setFocus();
    QSignalSpy changed(segmented, &Segmented::currentChanged);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QVERIFY(segmented->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
    QCOMPARE(segmented->currentIndex(), 1);
    QCOMPARE(changed.size(), 1);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget(), after);
}

void TstParts::headerActionsOverflowIntoTheMenu()
{
    PageHeader header("Runs");
    QList<QAction*> actions;
    for (const char* text : {"Checkpoint Now", "Pause", "Stop and Keep"}) {
        actions += new QAction(text, &header);
        header.addAction(actions.last());
    }
    header.resize(900, 56);
    header.show();
    auto* more = header.findChild<QAbstractButton*>("button.more_actions");
    QVERIFY(!more->isVisible());
    header.resize(300, 56);
    QVERIFY(more->isVisible());
    const auto* menu = header.findChild<QMenu*>();
    QVERIFY(menu->actions().contains(actions.first()));
    QVERIFY(!menu->actions().contains(actions.last()));
}

void TstParts::flowWrapsIntoColumns()
{
    QWidget window;
    auto* flow = new FlowLayout(&window, 10);
    flow->setColumns(200);
    QList<QWidget*> cards;
    for (int i = 0; i < 4; ++i) {
        cards += new QWidget(&window);
        cards.last()->setMinimumHeight(50);
        flow->addWidget(cards.last());
    }
    window.resize(640, 300);
    window.show();
    QCOMPARE(cards[0]->y(), cards[2]->y());
    QVERIFY(cards[3]->y() > cards[0]->y());
    QVERIFY(std::abs(cards[0]->width() - cards[1]->width()) <= 1);
    window.resize(300, 600);
    QTRY_VERIFY_WITH_TIMEOUT(cards[1]->y() > cards[0]->y(), kPatience);
    QCOMPARE(flow->heightForWidth(300), 4 * 50 + 3 * 10);
}

void TstParts::toastOffersUndoAndOneReplacesAnother()
{
    QWidget host;
    host.resize(800, 600);
    host.show();
    Toaster toaster(&host);
    int undone = 0;
    toaster.show("run-008 moved to Trash", "Undo", [&undone] { ++undone; });
    QCOMPARE(toaster.text(), "run-008 moved to Trash");
    savePicture(host, "toast");
    toaster.undo();
    QCOMPARE(undone, 1);
    toaster.show("run-009 moved to Trash");
    QCOMPARE(toaster.text(), "run-009 moved to Trash");
    toaster.hide();
    QVERIFY(toaster.text().isEmpty());
}

void TstParts::stripSaysLeadAndSentence()
{
    Strip strip;
    QVERIFY(strip.isHidden());
    strip.setMessageWithLinks(Strip::Level::Warning, "No label.",
                              "Choose one on the <a href=\"page:data\">Data page</a>.");
    QVERIFY(!strip.isHidden());
    QCOMPARE(strip.accessibleName(), "No label. Choose one on the Data page.");
}

/// A page sets the same text for a run a few times a second, next to numbers that change its
/// layout.
void TstParts::stripThatSaysTheSameIsNotLaidOutAgain()
{
    QWidget page;
    QAction cure("Stop and Keep");
    auto* column = new QVBoxLayout(&page);
    auto* number = new QLabel("1");
    auto* strip = new Strip;
    column->addWidget(number);
    column->addWidget(strip);
    const QString sentence = QString("The loss of the evaluation rises. ").repeated(8);
    const auto say = [&](const QString& words) {
        strip->setMessage(Strip::Level::Warning, "Overfitting.", words);
        strip->setActions({&cure});
    };
    say(sentence);
    page.resize(500, 300);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, kPatience));
    QCoreApplication::processEvents();
    auto* text = strip->findChild<Label*>();
    QVERIFY(text && text->layouts() > 0);
    const int before = text->layouts();
    auto* button = strip->findChild<Button*>();
    for (int i = 2; i < 50; ++i) {
        number->setText(QString::number(i * i * i));
        say(sentence);
        QCoreApplication::processEvents();
    }
    QCOMPARE(text->layouts(), before);
    QCOMPARE(strip->findChild<Button*>(), button);
    // Another text, width or font is laid out again.
    const int low = text->height();
    say(sentence + sentence);
    QTRY_VERIFY_WITH_TIMEOUT(text->height() > low, kPatience);
    QVERIFY(text->height() >= text->heightForWidth(text->width()));
    QVERIFY(text->layouts() > before);
    const int tall = text->heightForWidth(200);
    QVERIFY(tall > text->heightForWidth(400));
    QFont larger = text->font();
    larger.setPixelSize(2 * QFontInfo(larger).pixelSize());
    text->setFont(larger);
    QVERIFY(text->heightForWidth(200) > tall);
}

void TstParts::buttonFollowsItsAction()
{
    QAction action("Train");
    action.setObjectName("action.train");
    Button button(Button::Kind::Primary, &action);
    QCOMPARE(button.objectName(), "button.train");
    QSignalSpy triggered(&action, &QAction::triggered);
    button.click();
    QCOMPARE(triggered.size(), 1);
    action.setEnabled(false);
    action.setToolTip("Choose a label first.");
    QVERIFY(!button.isEnabled());
    QCOMPARE(button.toolTip(), "Choose a label first.");
}

void TstParts::elidedTextIsInTheToolTip()
{
    ElidedLabel label("A sentence that is far too long for its room");
    label.resize(60, 20);
    QVERIFY(label.isElided());
    label.resize(600, 20);
    QVERIFY(!label.isElided());
}

/// Without a compositor, what is transparent is black.
void TstParts::aMenuHasNoCornersToPaint()
{
    applyTheme(application(), {});
    QMenu menu;
    menu.addAction("Copy");
    menu.addAction("Paste");
    menu.popup(QPoint(10, 10));
    QVERIFY(QTest::qWaitForWindowExposed(&menu));
    const QRegion shape = menu.mask();
    for (const QPoint& corner : {menu.rect().topLeft(), menu.rect().topRight(),
                                 menu.rect().bottomLeft(), menu.rect().bottomRight()}) {
        QVERIFY(!shape.contains(corner));
    }
    QVERIFY(shape.contains(menu.rect().center()));
    QVERIFY(shape.contains(QPoint(menu.width() / 2, 0)));
}

CANNERY_TEST(TstParts)
#include "tst_parts.moc"
