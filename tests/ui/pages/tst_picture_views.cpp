// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/models/pictures/mistaken_pictures.h"
#include "ui/models/pictures/picture_role.h"
#include "ui/pages/data/table_views.h"
#include "ui/pages/predict_dialog.h"
#include "ui/pages/runs/run_inspect.h"
#include "ui/pages/runs/run_mistakes.h"
#include "ui/services/job_runner.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/pictures/picture_grid.h"
#include "ui/widgets/pictures/thumbnails.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace cannery::ui;
using namespace cannery::tests;

/// Folders of pictures on the Data page, and those that a run mistakes, by the real program.
class TstPictureViews : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void aFolderShowsItsPictures();
    void aTableHasNoneToShow();
    void theViewComesBackWithTheProject();
    void whatIsNoPictureSaysSo();
    void mistakesAreThoseOfTheLastCheckpoint();
    void aRunOfATableSaysThatItHasNone();
    void aFolderOfPicturesIsPredicted();
    void pictures_data();
    void pictures();

private:
    /// Circles and squares, twelve of each.
    QString copyShapes() const;
    void openShapes();
    /// A run of the shapes in the project that is open, trained on all of them; then three circles
    /// are moved among the squares.
    RunRow trainedRun() const;
    TableViews& views() const { return *m_page->findChild<TableViews*>(); }
    PictureGrid& grid() const { return *m_page->findChild<PictureGrid*>("grid.pictures"); }
    bool shows(const QString& words) const
    {
        const QList<QLabel*> labels = m_page->findChildren<QLabel*>();
        return std::ranges::any_of(labels, [&](const QLabel* label) {
            return label->isVisible() && label->text() == words;
        });
    }
    int viewCount() const
    {
        return m_page->findChild<Segmented*>("segmented.table_views")->count();
    }

    std::unique_ptr<PageBench> m_bench;
    Page* m_page = nullptr;
};

namespace {

void run(const QString& folder, const QStringList& words)
{
    QProcess program;
    program.setWorkingDirectory(folder);
    program.start(CANNERY_PROGRAM, words);
    QVERIFY(program.waitForFinished(kPatience));
    QVERIFY2(program.exitCode() == 0, program.readAllStandardError().constData());
}

} // namespace

void TstPictureViews::init()
{
    m_bench = std::make_unique<PageBench>();
    m_bench->scriptReal("preview");
    m_bench->scriptReal("browse");
    m_page = m_bench->page("data");
}

void TstPictureViews::cleanup()
{
    m_bench.reset();
    applyTheme(*qApp, {});
}

QString TstPictureViews::copyShapes() const
{
    const QDir source(CANNERY_SOURCE_DIR "/tests/golden/images/shapes/train");
    const QString folder = m_bench->folder() + "/projects/shapes";
    QDirIterator files(source.path(), QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString place = folder + "/pictures/" + source.relativeFilePath(files.next());
        QDir().mkpath(QFileInfo(place).path());
        QFile::copy(files.filePath(), place);
    }
    run(folder, {"new", "pictures", "--output", "shapes.cannery"});
    return folder;
}

void TstPictureViews::openShapes()
{
    m_bench->open(copyShapes());
    QTRY_VERIFY_WITH_TIMEOUT(views().isVisible(), kPatience);
}

RunRow TstPictureViews::trainedRun() const
{
    const QString folder = m_bench->folder() + "/projects/shapes";
    run(folder, {"train", "shapes.cannery", "--quiet", "--set", "train_spec.max_steps=200"});
    const QDir circles(folder + "/pictures/circle");
    for (const QString& name : circles.entryList(QDir::Files).first(3)) {
        QFile::rename(circles.filePath(name), folder + "/pictures/square/moved-" + name);
    }
    RunRow row;
    row.name = "run-001";
    row.folder = folder + "/runs/run-001";
    row.checkpoints = {{.step = 200}};
    return row;
}

void TstPictureViews::aFolderShowsItsPictures()
{
    openShapes();
    QCOMPARE(viewCount(), 3);
    views().setView(TableViews::Pictures);
    QVERIFY(grid().isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(grid().model()->rowCount(), 24, kPatience);
    const QModelIndex first = grid().model()->index(0, 0);
    QTRY_COMPARE_WITH_TIMEOUT(first.data().toString(), QStringLiteral("circle"), kPatience);
    const QString file = first.data(PictureRole::File).toString();
    QVERIFY2(QFile::exists(file), qPrintable(file));
    QTRY_COMPARE_WITH_TIMEOUT(grid().thumbnails().stateOf(file), Thumbnails::State::Ready,
                              kPatience);
    QVERIFY(!grid().thumbnails().image(file).isNull());
    // Pictures are filtered as rows are, and counted.
    QVERIFY(m_page->findField() != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(shows("24 rows"), kPatience);
}

void TstPictureViews::aTableHasNoneToShow()
{
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(views().isVisible(), kPatience);
    QCOMPARE(viewCount(), 2);
    views().setView(TableViews::Pictures);
    QCOMPARE(views().view(), TableViews::Rows);
}

void TstPictureViews::theViewComesBackWithTheProject()
{
    openShapes();
    views().setView(TableViews::Pictures);
    const QByteArray state = m_page->saveState();
    views().setView(TableViews::Rows);
    m_page->restoreState(state);
    QCOMPARE(views().view(), TableViews::Pictures);
}

void TstPictureViews::whatIsNoPictureSaysSo()
{
    Thumbnails thumbnails({64, 64});
    QSignalSpy settled(&thumbnails, &Thumbnails::settled);
    const QString missing = m_bench->folder() + "/missing.jpg";
    QCOMPARE(thumbnails.stateOf(missing), Thumbnails::State::Coming);
    QVERIFY(settled.wait(kPatience));
    QCOMPARE(thumbnails.stateOf(missing), Thumbnails::State::Broken);
    QVERIFY(thumbnails.image(missing).isNull());
    const QString wide = CANNERY_SOURCE_DIR "/tests/golden/images/files/half.jpg";
    QCOMPARE(thumbnails.stateOf(wide), Thumbnails::State::Coming);
    QVERIFY(settled.wait(kPatience));
    QVERIFY(thumbnails.stateOf(wide) != Thumbnails::State::Coming);
}

void TstPictureViews::mistakesAreThoseOfTheLastCheckpoint()
{
    openShapes();
    const RunRow row = trainedRun();
    JobRunner jobs;
    jobs.setProgram(CANNERY_PROGRAM);
    RunMistakes mistakes(jobs);
    mistakes.resize(900, 500);
    mistakes.show();
    mistakes.showRun(row);
    auto* state = mistakes.findChild<QLabel*>("label.mistakes_state");
    QTRY_VERIFY_WITH_TIMEOUT(state->text().contains("24 pictures"), kPatience);
    QStringList files;
    for (int i = 0; i < mistakes.model().rowCount(); ++i) {
        const QModelIndex index = mistakes.model().index(i);
        files << QFileInfo(index.data(PictureRole::File).toString()).fileName();
        QVERIFY(QFile::exists(index.data(PictureRole::File).toString()));
        QVERIFY(index.data().toString().startsWith("circle") ==
                (index.data(PictureRole::SecondLine).toString() == "is square"));
    }
    QVERIFY(state->text().startsWith(QString::number(files.size()) + " of the 24"));
    QVERIFY2(files.size() >= 3 && files.filter("moved-").size() == 3, qPrintable(files.join(' ')));
}

void TstPictureViews::aRunOfATableSaysThatItHasNone()
{
    JobRunner jobs;
    jobs.setProgram(CANNERY_PROGRAM);
    RunMistakes mistakes(jobs);
    mistakes.show();
    RunRow row;
    row.folder = m_bench->folder() + "/none";
    mistakes.showRun(row);
    auto* state = mistakes.findChild<QLabel*>("label.mistakes_state");
    QTRY_VERIFY_WITH_TIMEOUT(state->text().contains("reads a table"), kPatience);
    QVERIFY(jobs.jobs().isEmpty());
}

void TstPictureViews::aFolderOfPicturesIsPredicted()
{
    openShapes();
    const RunRow row = trainedRun();
    m_bench->scriptReal("predict");
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().runs().snapshot()->find(row.name) != nullptr,
                             kPatience);
    PredictDialog dialog(m_bench->session());
    dialog.chooseRun(row.name);
    dialog.show();
    auto* choose = dialog.findChild<QAbstractButton*>("button.choose_predict_input");
    QCOMPARE(choose->accessibleName(), QString("Choose Pictures from"));
    choose->click();
    auto* folders = dialog.findChild<QFileDialog*>("dialog.predict_file");
    QVERIFY(folders != nullptr);
    QCOMPARE(folders->fileMode(), QFileDialog::Directory);
    folders->reject();
    const QString pictures = m_bench->folder() + "/projects/shapes/pictures";
    dialog.setInput(pictures);
    auto* predict = dialog.findChild<QAbstractButton*>("button.predict");
    QTRY_VERIFY_WITH_TIMEOUT(predict->isEnabled(), kPatience);
    predict->click();
    auto* words = dialog.findChild<QLabel*>("label.predict");
    QTRY_COMPARE_WITH_TIMEOUT(words->text(), QString("Rows predicted: 24."), kPatience);
    QFile written(pictures + "_predictions.csv");
    QVERIFY(written.open(QIODevice::ReadOnly));
    QVERIFY(written.readLine().startsWith("path,"));
    QVERIFY(written.readLine().startsWith("circle/"));
}

void TstPictureViews::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::newRow("light") << false << 1.0;
    QTest::newRow("dark") << true << 1.0;
    QTest::newRow("large") << false << 2.0;
}

void TstPictureViews::pictures()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    openShapes();
    applyTheme(*qApp, {.dark = dark, .textScale = scale});
    QPalette canvas = m_bench->window().palette();
    canvas.setColor(QPalette::Window, tokens().canvas);
    m_bench->window().setPalette(canvas);
    views().setView(TableViews::Pictures);
    QTRY_COMPARE_WITH_TIMEOUT(grid().model()->rowCount(), 24, kPatience);
    QTest::qWait(300);
    QDir().mkpath("screenshots");
    const QStringList faults = walkWidgets(m_bench->window());
    QVERIFY(m_bench->window().grab().save(
        QString("screenshots/data-pictures-%1.png").arg(QTest::currentDataTag())));
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));

    const RunRow row = trainedRun();
    JobRunner jobs;
    jobs.setProgram(CANNERY_PROGRAM);
    RunInspect inspect(jobs);
    inspect.setPalette(canvas);
    inspect.setAutoFillBackground(true);
    inspect.resize(1180, 720);
    inspect.showRun(row);
    inspect.setView(RunInspect::Mistakes);
    inspect.show();
    QTRY_VERIFY_WITH_TIMEOUT(inspect.mistakes().model().rowCount() > 0, kPatience);
    QTest::qWait(300);
    const QStringList others = walkWidgets(inspect);
    QVERIFY(inspect.grab().save(
        QString("screenshots/inspect-mistakes-%1.png").arg(QTest::currentDataTag())));
    QVERIFY2(others.isEmpty(), qPrintable(others.join('\n')));
}

CANNERY_TEST(TstPictureViews)
#include "tst_picture_views.moc"
