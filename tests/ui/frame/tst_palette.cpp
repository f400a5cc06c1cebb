// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/fuzzy_match.h"
#include "ui/frame/palette/palette_model.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <cmath>

using namespace cannery::ui;
using cannery::tests::kPatience;

class TstPalette : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fuzzyFindsLettersInTheirOrder_data();
    void fuzzyFindsLettersInTheirOrder();
    void fuzzyPrefersStartsOfWords();
    void modelGroupsAndSortsResults();
    void wordsOfTheMeaningFindIt();
    void keysMoveChooseAndClose();
    void disabledEntriesStayAndSayWhy();
    void manyTagsAreFilteredInOneFrame();
    void itGrowsAndShrinksWithTheText();
};

namespace {

QList<PaletteEntry> someEntries()
{
    using Group = PaletteEntry::Group;
    return {{Group::Actions,
             "Checkpoint Now",
             {},
             "device-floppy",
             {"Ctrl", "Shift", "S"},
             "action.checkpoint_now",
             true},
            {Group::Actions,
             "Resume Run",
             "run-012 is running; pause it first",
             "player-play",
             {},
             "action.resume_run",
             false},
            {Group::Actions, "Check Project Files", {}, "checks", {}, "action.check", true},
            {Group::Pages, "Train", {}, "player-play", {}, "page:train", true},
            {Group::Runs,
             "run-012 checkpoint 3,250",
             "best AUC 0.8388",
             "star",
             {},
             "run:run-012",
             true},
            {Group::Settings, "Chart memory", {}, "adjustments", {}, "setting:charts", true}};
}

QStringList titles(const PaletteModel& model)
{
    QStringList result;
    for (int row = 0; row < model.rowCount(); ++row) {
        result += model.index(row).data().toString();
    }
    return result;
}

} // namespace

void TstPalette::fuzzyFindsLettersInTheirOrder_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("found");
    QTest::newRow("start") << "check"
                           << "Checkpoint Now" << true;
    QTest::newRow("initials") << "cn"
                              << "Checkpoint Now" << true;
    QTest::newRow("apart") << "chnow"
                           << "Checkpoint Now" << true;
    QTest::newRow("with space") << "check now"
                                << "Checkpoint Now" << true;
    QTest::newRow("greed for starts would miss") << "cet"
                                                 << "c-xet e" << true;
    QTest::newRow("wrong order") << "wonc"
                                 << "Checkpoint Now" << false;
    QTest::newRow("missing letter") << "checkz"
                                    << "Checkpoint Now" << false;
    QTest::newRow("empty") << ""
                           << "anything" << true;
}

void TstPalette::fuzzyFindsLettersInTheirOrder()
{
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(bool, found);
    const auto match = fuzzyMatch(pattern, text);
    QCOMPARE(match.has_value(), found);
    if (found) {
        QCOMPARE(match->positions.size(), QString(pattern).remove(' ').size());
    }
}

void TstPalette::fuzzyPrefersStartsOfWords()
{
    QVERIFY(fuzzyMatch("cn", "Checkpoint Now")->score > fuzzyMatch("cn", "Accent")->score);
    QVERIFY(fuzzyMatch("run", "Runs")->score > fuzzyMatch("run", "Prune")->score);
    QCOMPARE(fuzzyMatch("cn", "Checkpoint Now")->positions, QList<int>({0, 11}));
}

void TstPalette::modelGroupsAndSortsResults()
{
    PaletteModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setEntries(someEntries());
    QVERIFY(!titles(model).contains("Chart memory"));
    model.setPattern("check");
    QCOMPARE(titles(model), QStringList({"Actions", "Checkpoint Now", "Check Project Files",
                                         "Runs and checkpoints", "run-012 checkpoint 3,250"}));
    QCOMPARE(model.resultCount(), 3);
    QCOMPARE(model.nextRow(0, 1), 1);
    QCOMPARE(model.nextRow(3, 1), 4);
    QCOMPARE(model.nextRow(5, 1), -1);
    model.setPattern("zzz");
    QCOMPARE(model.rowCount(), 0);
}

void TstPalette::wordsOfTheMeaningFindIt()
{
    using Group = PaletteEntry::Group;
    PaletteModel model;
    model.setEntries({{.group = Group::Actions,
                       .title = "SavedModel…",
                       .target = "action.export",
                       .meaning = "Write a run's model so that TensorFlow Serving can load it."},
                      {.group = Group::Actions,
                       .title = "Move to Trash",
                       .target = "action.trash",
                       .meaning = "Move the selected runs to the Trash; Undo brings them back."},
                      {.group = Group::Actions,
                       .title = "Undo",
                       .target = "action.undo",
                       .meaning = "Undo the last change."}});
    const auto found = [&model](const char* pattern) {
        model.setPattern(pattern);
        return titles(model).mid(1);
    };
    QCOMPARE(found("serving"), QStringList("SavedModel…"));
    QCOMPARE(found("load tensor"), QStringList("SavedModel…"));
    QCOMPARE(found("UNDO"), QStringList({"Undo", "Move to Trash"})); // the title comes first
    QCOMPARE(found("erving"), QStringList());                        // not in the middle of a word
    QCOMPARE(found("lo"), QStringList());                            // too little to mean something
    QCOMPARE(found("serving runs"), QStringList());
    model.setPattern("serving");
    QVERIFY(model.index(1).data(PaletteModel::PositionsRole).value<QList<int>>().isEmpty());
}

void TstPalette::keysMoveChooseAndClose()
{
    QWidget host;
    host.resize(1000, 700);
    host.show();
    QVERIFY(QTest::qWaitForWindowActive(&host, kPatience));
    CommandPalette palette(&host);
    QSignalSpy chosen(&palette, &CommandPalette::chosen);
    QSignalSpy where(&palette, &CommandPalette::whereWanted);
    palette.open(someEntries());
    QTRY_VERIFY_WITH_TIMEOUT(palette.field()->hasFocus(), kPatience);
    QTest::keyClicks(palette.field(), "check");
    QTest::keyClick(palette.field(), Qt::Key_Down);
    QTest::keyClick(palette.field(), Qt::Key_Return);
    QCOMPARE(chosen.value(0).value(0).toString(), "action.check");
    QVERIFY(!palette.isOpen());
    palette.open(someEntries());
    QTest::keyClicks(palette.field(), "train");
    QTest::keyClick(palette.field(), Qt::Key_Tab);
    QCOMPARE(where.value(0).value(0).toString(), "page:train");
    palette.open(someEntries());
    QTest::keyClick(palette.field(), Qt::Key_Escape);
    QVERIFY(!palette.isOpen());
    QCOMPARE(chosen.size(), 1);
}

void TstPalette::disabledEntriesStayAndSayWhy()
{
    QWidget host;
    host.resize(1000, 700);
    host.show();
    CommandPalette palette(&host);
    QSignalSpy chosen(&palette, &CommandPalette::chosen);
    palette.open(someEntries());
    QTest::keyClicks(palette.field(), "resume");
    const QModelIndex row = palette.model().index(1);
    QCOMPARE(row.data(PaletteModel::DetailRole).toString(), "run-012 is running; pause it first");
    QTest::keyClick(palette.field(), Qt::Key_Return);
    QVERIFY(palette.isOpen());
    QCOMPARE(chosen.size(), 0);
}

void TstPalette::manyTagsAreFilteredInOneFrame()
{
    QList<PaletteEntry> entries;
    constexpr int kTags = 20000;
    for (int i = 0; i < kTags; ++i) {
        entries += {PaletteEntry::Group::Tags,
                    QString("dnn/layer_%1/weights_norm").arg(i),
                    {},
                    "tag",
                    {},
                    QString("tag:%1").arg(i),
                    true};
    }
    PaletteModel model;
    model.setEntries(entries);
    model.setPattern("lay77nor");
    QVERIFY(model.resultCount() > 0);
    // The time per key press is measured in tests/benchmarks; this only checks that few rows are
    // created.
    QVERIFY(model.rowCount() <= 31);
}

/// The palette is created once, and the text size changes later.
void TstPalette::itGrowsAndShrinksWithTheText()
{
    auto& application = *qobject_cast<QApplication*>(qApp);
    applyTheme(application, {.reduceMotion = true});
    QWidget host;
    host.resize(1280, 800);
    host.show();
    CommandPalette palette(&host);
    for (const double textScale : {1.0, 2.0, 1.0}) {
        applyTheme(application, {.textScale = textScale, .reduceMotion = true});
        palette.open(someEntries());
        QCoreApplication::processEvents();
        const QLineEdit& field = *palette.field();
        QCOMPARE(field.y(), 0);
        QCOMPARE(field.height(), scaled(58));
        const auto* glass = field.childAt(field.height() / 4, field.height() / 2);
        QVERIFY(qobject_cast<const QToolButton*>(glass));
        QVERIFY2(std::abs(glass->geometry().center().y() - field.rect().center().y()) <= 1,
                 qPrintable(QString("at %1 of %2").arg(glass->y()).arg(field.height())));
        const auto* results = palette.findChild<QListView*>("palette.results");
        QCOMPARE(results->y(), scaled(58) + 1 + scaled(8));
        QCOMPARE(results->x(), scaled(8));
        palette.close();
    }
    applyTheme(application, {});
}

CANNERY_TEST(TstPalette)
#include "tst_palette.moc"
