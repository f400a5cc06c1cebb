// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/annotation_files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>

using namespace cannery;
using namespace cannery::storage;
namespace fs = std::filesystem;

/// The copies of annotations, next to the store.
class TstAnnotationFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void everythingSaidIsCopied();
    void rescanBringsBackWhatWasSaidAfterTheStoreIsLost();
    void theStoreCountsWhereItCanBeRead();
    void aCopyThatCannotBeWrittenIsToldAndTheStoreKeepsIt();
    void aDamagedStoreTakesItsTextsFromTheCopies();
    void copiesThatSomebodyPreparedAreReadWithCare();
    void whatIsDeletedForEverIsNotInherited();
    void nothingSaidLeavesNoCopy();

private:
    std::string project() const { return m_folder->path().toStdString(); }
    void makeRun(const std::string& name) const;
    void annotate() const;
    void loseStore() const;
    Result<RunAnnotations> said(const std::string& run) const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

const RunAnnotations kSaid{.title = "A title",
                           .notes = "Größer\nis **better**",
                           .tags = {"good", "kept"},
                           .star = true,
                           .colour = "#1d99f3",
                           .trashedAt = 1234.5,
                           .colourSlot = 7};

} // namespace

void TstAnnotationFiles::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    makeRun("a");
    makeRun("b");
    VERIFY_OK(RunStore::rescan(project()));
}

void TstAnnotationFiles::makeRun(const std::string& name) const
{
    const std::string folder = project() + "/runs/" + name;
    fs::create_directories(folder);
    RunFiles files(folder);
    VERIFY_OK(files.writeInfo({.name = name, .estimator = "dnn_classifier"}));
    VERIFY_OK(files.writeStatus({.state = RunState::Finished, .globalStep = 5}));
}

void TstAnnotationFiles::annotate() const
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    AnnotationStore annotations(store->database());
    VERIFY_OK(annotations.setTitle("a", kSaid.title));
    VERIFY_OK(annotations.setNotes("a", kSaid.notes));
    VERIFY_OK(annotations.addTag("a", "kept"));
    VERIFY_OK(annotations.addTag("a", "gone"));
    VERIFY_OK(annotations.addTag("a", "good"));
    VERIFY_OK(annotations.removeTag("a", "gone"));
    VERIFY_OK(annotations.setStar("a", true));
    VERIFY_OK(annotations.setColour("a", kSaid.colour));
    VERIFY_OK(annotations.setColourSlot("a", *kSaid.colourSlot));
    VERIFY_OK(annotations.moveToTrash("a", *kSaid.trashedAt));
}

void TstAnnotationFiles::loseStore() const
{
    for (const char* end : {"", "-wal", "-shm"}) {
        fs::remove(project() + "/cannery.db" + end);
    }
}

Result<RunAnnotations> TstAnnotationFiles::said(const std::string& run) const
{
    CANNERY_TRY_ASSIGN(RunStore store, RunStore::open(project()));
    return AnnotationStore(store.database()).read(run);
}

void TstAnnotationFiles::everythingSaidIsCopied()
{
    annotate();
    QCOMPARE(*AnnotationFiles(project()).read("a"), std::optional(kSaid));
    QCOMPARE(*AnnotationFiles(project()).read("b"), std::optional<RunAnnotations>());
    QCOMPARE(listFolder(project() + "/annotations"), std::vector<std::string>{"a.json"});
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(AnnotationStore(store->database()).restoreFromTrash("a"));
    QCOMPARE((*AnnotationFiles(project()).read("a"))->trashedAt, std::optional<double>());
}

void TstAnnotationFiles::rescanBringsBackWhatWasSaidAfterTheStoreIsLost()
{
    annotate();
    loseStore();
    const auto report = RunStore::rescan(project());
    VERIFY_OK(report);
    QVERIFY(report->damaged.empty());
    QCOMPARE(said("a"), kSaid);
    QCOMPARE(said("b"), RunAnnotations());
}

/// Killed between the store and the copy: the copy is out of date.
void TstAnnotationFiles::theStoreCountsWhereItCanBeRead()
{
    annotate();
    {
        auto store = RunStore::open(project());
        VERIFY_OK(store);
        VERIFY_OK(store->database().execute("UPDATE annotations SET title = 'A newer title'; "
                                            "DELETE FROM annotation_tags WHERE tag = 'kept'"));
    }
    QCOMPARE((*AnnotationFiles(project()).read("a"))->title, kSaid.title);
    VERIFY_OK(RunStore::rescan(project()));
    RunAnnotations newer = kSaid;
    newer.title = "A newer title";
    newer.tags = {"good"};
    QCOMPARE(said("a"), newer);
    QCOMPARE(*AnnotationFiles(project()).read("a"), std::optional(newer));
}

void TstAnnotationFiles::aCopyThatCannotBeWrittenIsToldAndTheStoreKeepsIt()
{
    std::ofstream(project() + "/annotations") << "a file where a folder should be";
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    const auto titled = AnnotationStore(store->database()).setTitle("a", "kept");
    VERIFY_ERROR(titled, "runs.not_copied");
    QVERIFY2(
        titled.error().message().starts_with("The annotations of a are saved in the run store, but "
                                             "their copy in annotations/ could not be written: "),
        titled.error().message().c_str());
    QVERIFY(titled.error().message().ends_with("'cannery runs rescan' writes it again."));
    QCOMPARE(said("a")->title, std::string("kept"));
    fs::remove(project() + "/annotations");
    VERIFY_OK(RunStore::rescan(project()));
    QCOMPARE((*AnnotationFiles(project()).read("a"))->title, std::string("kept"));
}

void TstAnnotationFiles::aDamagedStoreTakesItsTextsFromTheCopies()
{
    annotate();
    const std::string path = project() + "/cannery.db";
    std::string bytes = *readWholeFile(path);
    const std::size_t at = bytes.find("A title");
    QVERIFY(at != std::string::npos);
    bytes[at] = 'B';
    std::ofstream(path, std::ios::binary) << bytes;
    const auto report = RunStore::rescan(project());
    VERIFY_OK(report);
    QCOMPARE(said("a"), kSaid);
}

void TstAnnotationFiles::copiesThatSomebodyPreparedAreReadWithCare()
{
    annotate();
    loseStore();
    const std::string copy = project() + "/annotations/a.json";
    const std::string whole = *readWholeFile(copy);
    const std::string changed = [&] {
        std::string text = whole;
        return text.replace(text.find("A title"), 7, "B title");
    }();
    fs::create_directories(project() + "/elsewhere");
    std::ofstream(project() + "/elsewhere/a.json") << whole;
    for (const std::string& text :
         {changed, std::string("[]"), std::string("\"x\""), std::string(1000, '['),
          std::string("{\"title\": 5}"), std::string("{\"tags\": [{}]}"),
          std::string("{\"title\": \"caf\xE9\"}"), std::string()}) {
        std::ofstream(copy) << text;
        const auto report = RunStore::rescan(project());
        VERIFY_OK(report);
        QCOMPARE(report->runs, 2);
        QCOMPARE(report->damaged.size(), std::size_t{1});
        QCOMPARE(report->damaged[0].id, std::string("run.damaged"));
        QCOMPARE(said("a"), RunAnnotations());
        loseStore();
    }
    fs::remove(copy);
    fs::create_symlink("../elsewhere/a.json", copy);
    VERIFY_OK(RunStore::rescan(project()));
    QCOMPARE(said("a"), RunAnnotations());
}

void TstAnnotationFiles::whatIsDeletedForEverIsNotInherited()
{
    annotate();
    {
        auto store = RunStore::open(project());
        VERIFY_OK(store);
        VERIFY_OK(store->deleteForever("a"));
    }
    QVERIFY(!exists(project() + "/annotations/a.json"));
    makeRun("a");
    loseStore();
    VERIFY_OK(RunStore::rescan(project()));
    QCOMPARE(said("a"), RunAnnotations());
}

void TstAnnotationFiles::nothingSaidLeavesNoCopy()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    AnnotationStore annotations(store->database());
    VERIFY_OK(annotations.setTitle("a", "x"));
    QVERIFY(exists(project() + "/annotations/a.json"));
    VERIFY_OK(annotations.setTitle("a", ""));
    QVERIFY(!exists(project() + "/annotations/a.json"));
    VERIFY_OK(annotations.assignColourSlots());
    VERIFY_OK(RunStore::rescan(project()));
    QVERIFY(!exists(project() + "/annotations/a.json"));
}

CANNERY_TEST(TstAnnotationFiles)
#include "tst_annotation_files.moc"
