// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/pages/data/column_inspector.h"
#include "ui/pages/home/sample_card.h"
#include "ui/pages/page_dialogs.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/runs/notes_editor.h"
#include "ui/pages/train/train_charts.h"
#include "ui/pages/what_now.h"
#include "ui/services/projects/recent_projects.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

QList<Button*> primaryButtons(const QWidget& page)
{
    QList<Button*> found;
    for (Button* button : page.findChildren<Button*>()) {
        if (button->isVisible() && button->kind() == Button::Kind::Primary) {
            found.append(button);
        }
    }
    return found;
}

} // namespace

class TstPages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_bench = std::make_unique<tests::PageBench>(); }
    void cleanup() { m_bench.reset(); }

    void D03_everyPageHasItsEmptyState_data();
    void D03_everyPageHasItsEmptyState();
    void D04_marksFollowReadiness();
    void D05_trainSaysWhatIsMissingAndLinksThere();
    void D02_aSampleTrainsInOnePress();
    void aFinishedRunShowsItsCurvesAndWhatIsNext();
    void whatNowFollowsARunThatHasEnded();
    void aProjectThatIsNotOpenTellsWhenItsRunEnds();
    void resumeOnAFinishedRunAsksForMoreSteps();
    void rowsThatStayAreNotMadeAnew();
    void everySampleHasItsOwnPicture();
    void selectedColumnsAreNamed();
    void aContextMenuLeavesTheNotesOpen();

private:
    std::unique_ptr<tests::PageBench> m_bench;
};

void TstPages::D03_everyPageHasItsEmptyState_data()
{
    QTest::addColumn<QString>("id");
    for (const char* id : {"data", "features", "model", "train", "export"}) {
        QTest::newRow(id) << QString::fromLatin1(id);
    }
}

void TstPages::D03_everyPageHasItsEmptyState()
{
    QFETCH(QString, id);
    Page* page = m_bench->page(id);
    auto* empty = page->findChild<EmptyState*>("empty." + id);
    QVERIFY(empty && empty->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(primaryButtons(*page).size(), 1, kPatience);
    QCOMPARE(page->mark().kind, RailMark::Kind::Empty);
    QVERIFY(!page->mark().tip.isEmpty());
}

void TstPages::D04_marksFollowReadiness()
{
    Page* data = m_bench->page("data");
    QCOMPARE(data->mark().kind, RailMark::Kind::Empty);
    const QString folder = m_bench->openTitanic(false);
    QTRY_COMPARE_WITH_TIMEOUT(data->mark().kind, RailMark::Kind::Ready, kPatience);
    QVERIFY(!data->mark().tip.isEmpty());
    QVERIFY(QFile::remove(folder + "/titanic_train.csv"));
    Q_EMIT m_bench->session().document().saved(); // checks the files again
    QTRY_COMPARE_WITH_TIMEOUT(data->mark().kind, RailMark::Kind::Error, kPatience);
    QVERIFY(data->mark().tip.contains("titanic_train.csv"));
}

void TstPages::D05_trainSaysWhatIsMissingAndLinksThere()
{
    const QString folder = m_bench->folder() + "/projects/unlabelled";
    QVERIFY(QDir().mkpath(folder));
    QFile file(folder + "/a.cannery");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("data { train { csv { files: \"a.csv\" } } }\n"
               "estimator { linear_regressor { } }\n");
    file.close();
    Page* page = m_bench->page("train");
    m_bench->open(folder);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().starter().hindrance().contains("page:data"),
                             kPatience);
    auto* empty = page->findChild<EmptyState*>("empty.train");
    QTRY_VERIFY_WITH_TIMEOUT(empty->isVisible(), kPatience);
    QSignalSpy navigated(page, &Page::navigate);
    LinkLabel* sentence = nullptr;
    for (LinkLabel* label : empty->findChildren<LinkLabel*>()) {
        sentence = label->text().contains("page:data") ? label : sentence;
    }
    QVERIFY(sentence);
    Q_EMIT sentence->linkActivated("page:data");
    QCOMPARE(navigated.value(0).value(0).toString(), "data");
}

void TstPages::D02_aSampleTrainsInOnePress()
{
    Page* home = m_bench->page("home");
    QSignalSpy navigated(home, &Page::navigate);
    QTRY_VERIFY_WITH_TIMEOUT(home->findChild<QAbstractButton*>("sample.titanic"), kPatience);
    home->findChild<QAbstractButton*>("sample.titanic")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->wasCalled("train"), kPatience);
    QCOMPARE(navigated.value(0).value(0).toString(), "train");
    QVERIFY(m_bench->session().project().folder().startsWith(m_bench->folder()));
    QVERIFY(!m_bench->window().findChild<QDialog*>());
}

void TstPages::aFinishedRunShowsItsCurvesAndWhatIsNext()
{
    Page* page = m_bench->page("train");
    m_bench->openTitanic(true);
    page->reveal("run:run-1");
    QCOMPARE(page->currentRun(), "run-1");
    auto* header = page->findChild<PageHeader*>("header.train");
    QTRY_VERIFY_WITH_TIMEOUT(header->isVisible(), kPatience);
    QCOMPARE(header->pill().text(), "Finished");
    auto* charts = page->findChild<TrainCharts*>();
    QTRY_COMPARE_WITH_TIMEOUT(charts->loss().curves().size(), 2, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(charts->decision().curves().size(), 2, kPatience);
    QCOMPARE(charts->decision().header().title(), "AUC");
    QVERIFY(!charts->loss().curves()[0].dashed);
    QVERIFY(charts->loss().curves()[1].dashed);
    QTRY_COMPARE_WITH_TIMEOUT(primaryButtons(*page).size(), 1, kPatience);
    QVERIFY(page->inspector()->findChild<QWidget*>("checkpoint.100"));
}

void TstPages::whatNowFollowsARunThatHasEnded()
{
    connectPageDialogs(m_bench->context(), &m_bench->window());
    Page* page = m_bench->page("train");
    const QString folder = m_bench->openTitanic(true);
    m_bench->addFinishedRun(folder, "run-2");
    page->reveal("run:run-1");
    auto* card = page->findChild<WhatNow*>();
    QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kPatience);
    const QString words = card->findChild<QLabel*>("label.what_now")->text();
    QVERIFY2(words.contains("84 of 100") && words.contains("AUC"), qPrintable(words));
    QVERIFY2(words.endsWith("export it for other programs."), qPrintable(words));
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().runs().snapshot()->runs.size(), 2, kPatience);
    QTest::mouseClick(card->findChild<Button*>("button.export_predictions"), Qt::LeftButton);
    auto* dialog = m_bench->window().findChild<QDialog*>("dialog.predict");
    QVERIFY(dialog);
    QCOMPARE(dialog->findChild<QComboBox*>("field.run")->currentData().toString(), "run-1");
    dialog->reject();
    auto* exporting = card->findChild<Button*>("button.export_savedmodel");
    QSignalSpy exported(exporting->action(), &QAction::triggered);
    exporting->setFocus();
    QTest::keyClick(exporting, Qt::Key_Space);
    QCOMPARE(exported.size(), 1);
    RunRow run = *m_bench->session().runs().snapshot()->find("run-1");
    for (const RunState state : {RunState::Running, RunState::Failed, RunState::Interrupted}) {
        card->showRun(run, state);
        QVERIFY(!card->isVisibleTo(page));
    }
    card->showRun(run, RunState::Stopped);
    QVERIFY(card->isVisible());
    run.checkpoints.clear(); // nothing to predict with
    card->showRun(run, RunState::Stopped);
    QVERIFY(!card->isVisible());
}

void TstPages::aProjectThatIsNotOpenTellsWhenItsRunEnds()
{
    const QString folder = m_bench->copyExample("titanic");
    m_bench->addFinishedRun(folder, "run-1");
    auto store = storage::RunStore::open(folder.toStdString());
    VERIFY_OK(store);
    const auto run = store->show("run-1");
    VERIFY_OK(run);
    const auto be = [&](storage::RunState state, std::int64_t step) {
        storage::RunStatus status = run->status;
        status.state = state;
        status.globalStep = step;
        VERIFY_OK(storage::RunFiles(store->folderOf("run-1")).writeStatus(status));
        VERIFY_OK(store->putRun(run->info, status));
    };
    auto lock = storage::RunLock::acquire(store->folderOf("run-1"));
    VERIFY_OK(lock);
    be(storage::RunState::Running, 144); // of 200
    Page* home = m_bench->page("home");
    m_bench->session().recents().noteOpened(folder, folder + "/titanic.cannery", "Other");
    const auto shown = [&] {
        const auto* row = home->findChild<QWidget*>("recent.Other");
        return row ? row->accessibleName() : QString();
    };
    const QString running = "Running " + formatPercent(0.72, 0);
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(running), qPrintable(shown()), kPatience);
    be(storage::RunState::Finished, 200);
    lock = tl::unexpected(Error());
    QTRY_VERIFY2_WITH_TIMEOUT(!shown().contains("Running"), qPrintable(shown()), kPatience);
    QVERIFY(shown().startsWith("Other"));
    QVERIFY(!m_bench->session().project().isOpen());
}

void TstPages::resumeOnAFinishedRunAsksForMoreSteps()
{
    Page* page = m_bench->page("train");
    m_bench->openTitanic(true);
    page->reveal("run:run-1");
    QAction* resume = m_bench->actions().find("action.resume_run");
    QTRY_VERIFY_WITH_TIMEOUT(resume->isEnabled(), kPatience);
    resume->trigger();
    auto* dialog = m_bench->window().findChild<QDialog*>("dialog.continue");
    QVERIFY(dialog);
    QVERIFY(!m_bench->wasCalled("resume"));
    dialog->findChild<QSpinBox*>("field.more_steps")->setValue(300);
    dialog->accept();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->wasCalled("resume"), kPatience);
    QVERIFY2(m_bench->lastCall("resume").contains("--max-steps 500"),
             qPrintable(m_bench->lastCall("resume")));
}

void TstPages::rowsThatStayAreNotMadeAnew()
{
    InspectorSection section("Events");
    QStringList made;
    const auto show = [&](const QStringList& names) {
        QList<InspectorSection::Row> rows;
        for (const QString& name : names) {
            rows.append({.key = name,
                         .accessibleName = name,
                         .objectName = name,
                         .fill = [&made, name](QHBoxLayout&) { made << name; }});
        }
        section.showRows(rows, "Nothing yet.");
        section.resize(section.sizeHint());
        section.layout()->activate();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QList<QWidget*> shown;
        for (const QString& name : names) {
            shown << section.findChild<QWidget*>(name);
        }
        return shown;
    };
    const QList<QWidget*> first = show({"a", "b"});
    const QList<QWidget*> second = show({"c", "b", "a"});
    QCOMPARE(made, (QStringList{"a", "b", "c"}));
    QCOMPARE(second.mid(1), (QList<QWidget*>{first[1], first[0]}));
    QVERIFY(second[0]->y() < second[1]->y() && second[1]->y() < second[2]->y());
    show({"b"});
    QVERIFY(!section.findChild<QWidget*>("a") && !section.findChild<QWidget*>("c"));
    show({});
    QVERIFY(!section.findChild<QWidget*>("b"));
    show({"a", "a"});
    QCOMPARE(made, (QStringList{"a", "b", "c", "a", "a"}));
}

void TstPages::everySampleHasItsOwnPicture()
{
    const QDir examples(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples"));
    QStringList samples = examples.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QVERIFY(samples.size() >= 9);
    QImage all(220 * int(samples.size()), 92, QImage::Format_RGB32);
    all.fill(Qt::white);
    QList<QImage> drawn;
    for (int i = 0; i < samples.size(); ++i) {
        QImage picture(220, 92, QImage::Format_RGB32);
        picture.fill(Qt::white);
        QPainter painter(&picture);
        paintSampleThumbnail(painter, picture.rect(), samples.at(i));
        painter.end();
        QVERIFY2(!drawn.contains(picture), qPrintable(samples.at(i)));
        drawn << picture;
        QPainter(&all).drawImage(220 * i, 0, picture);
    }
    const QString folder = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/widgets");
    QVERIFY(QDir().mkpath(folder) && all.save(folder + "/samples.png"));
}

void TstPages::selectedColumnsAreNamed()
{
    ColumnInspector inspector;
    const auto says = [&](const char* words) {
        const auto labels = inspector.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text() == QLatin1String(words);
        });
    };
    QVERIFY(says("No column selected"));
    inspector.setColumns({}, {"age", "fare"});
    QVERIFY(says("2 columns selected") && says("age, fare") && !says("No column selected"));
}

void TstPages::aContextMenuLeavesTheNotesOpen()
{
    NotesEditor notes;
    const QSignalSpy edited(&notes, &NotesEditor::notesEdited);
    notes.show();
    QVERIFY(QTest::qWaitForWindowActive(&notes));
    notes.edit();
    auto* field = notes.findChild<QPlainTextEdit*>("field.notes");
    QTRY_VERIFY(field->hasFocus());
    QGuiApplication::clipboard()->setText("calibrated");
    const QPoint place(5, 5);
    QContextMenuEvent event(QContextMenuEvent::Mouse, place, field->mapToGlobal(place));
    QApplication::sendEvent(field->viewport(), &event);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu && notes.isEditing());
    menu->findChild<QAction*>("edit-paste")->trigger();
    menu->close();
    QCOMPARE(field->toPlainText(), "calibrated");
    QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(!notes.isEditing());
    QCOMPARE(edited.size(), 1);
    QCOMPARE(edited[0][0].toString(), "calibrated");
}

CANNERY_TEST(TstPages)

#include "tst_pages.moc"
