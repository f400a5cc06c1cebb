// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_name.h"
#include "storage/runs/run_overview.h"
#include "storage/runs/run_store.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>

using namespace cannery;
using namespace cannery::storage;
namespace fs = std::filesystem;

namespace {

const RunStatus kFinished{.state = RunState::Finished, .globalStep = 5};

const std::string kOutside = "../../important";

} // namespace

/// A malicious project.
class TstPreparedProject : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void namesOfRunsAreNamesOfFolders();
    void aNameThatLeadsOutsideIsDamage();
    void purgeDeletesNothingOutside();
    void rescanForgetsNamesThatLeadOutside();
    void exportsThatLeadOutsideAreLeftOut();
    void viewsAndTriggersAreDamage();
    void textsThatAreNotUtf8AreRefused();
    void textsThatAreNotUtf8AreReplacedWhenRead();
    void aFolderWhoseNameIsNotUtf8IsToldByRescan();

private:
    std::string project() const { return m_folder->filePath("project").toStdString(); }
    void makeRun(const std::string& name) const;
    /// A store whose row and annotation name something outside; every checksum is correct.
    void prepare() const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstPreparedProject::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    fs::create_directories(project() + "/runs");
    fs::create_directories(m_folder->filePath("important").toStdString());
    std::ofstream(m_folder->filePath("important/thesis.txt").toStdString()) << "years";
}

void TstPreparedProject::makeRun(const std::string& name) const
{
    const std::string folder = project() + "/runs/" + name;
    fs::create_directories(folder);
    RunFiles files(folder);
    VERIFY_OK(files.writeInfo({.name = name, .estimator = "dnn_classifier"}));
    VERIFY_OK(files.writeStatus(kFinished));
}

void TstPreparedProject::prepare() const
{
    makeRun("good");
    VERIFY_OK(RunStore::rescan(project()));
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(AnnotationStore(store->database()).moveToTrash("good", 1));
    VERIFY_OK(AnnotationStore(store->database()).addTag("good", "kept"));
    for (const std::string_view change : {"UPDATE runs SET name = '../../important'",
                                          "UPDATE annotations SET run = '../../important'",
                                          "UPDATE annotation_tags SET run = '../../important'"}) {
        VERIFY_OK(store->database().execute(change));
    }
    fs::remove_all(project() + "/annotations");
}

void TstPreparedProject::namesOfRunsAreNamesOfFolders()
{
    for (const std::string& name : {std::string("run-001"), std::string("größer"),
                                    std::string(".hidden"), std::string(240, 'x')}) {
        QVERIFY2(isRunName(name), name.c_str());
    }
    for (const std::string& name :
         {std::string(), std::string("."), std::string(".."), std::string("a/b"), kOutside,
          std::string("/etc"), std::string("a\0b", 3), std::string("a\x1b[2J"), std::string("a\n"),
          std::string("caf\xE9"), std::string(256, 'x')}) {
        QVERIFY2(!isRunName(name), name.c_str());
    }
}

void TstPreparedProject::aNameThatLeadsOutsideIsDamage()
{
    prepare();
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    const auto listed = store->list({.trashed = true});
    VERIFY_ERROR(listed, "sqlite.corrupt");
    QCOMPARE(listed.error().message(),
             project() + "/cannery.db is damaged or is not a run store ('../../important' is not "
                         "the name of a run); 'cannery runs rescan' repairs it.");
    VERIFY_ERROR(store->find(kOutside), "sqlite.corrupt");
    VERIFY_ERROR(store->find("latest"), "sqlite.corrupt");
    VERIFY_ERROR(readOverview(*store, true), "sqlite.corrupt");
    VERIFY_ERROR(store->show(kOutside), "runs.bad_name");
    VERIFY_ERROR(store->putRun({.name = kOutside}, kFinished), "runs.bad_name");
}

void TstPreparedProject::purgeDeletesNothingOutside()
{
    prepare();
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_ERROR(store->deleteForever(kOutside), "runs.bad_name");
    VERIFY_ERROR(store->moveToTrash(kOutside, 1), "runs.bad_name");
    VERIFY_ERROR(store->refresh(kOutside), "runs.bad_name");
    VERIFY_ERROR(AnnotationStore(store->database()).setTitle(kOutside, "x"), "runs.bad_name");
    QCOMPARE(readWholeFile(m_folder->filePath("important/thesis.txt").toStdString()),
             std::string("years"));
}

void TstPreparedProject::rescanForgetsNamesThatLeadOutside()
{
    prepare();
    const auto report = RunStore::rescan(project());
    VERIFY_OK(report);
    QCOMPARE(report->runs, 1);
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    const auto runs = store->list();
    VERIFY_OK(runs);
    QCOMPARE(runs->size(), std::size_t{1});
    QCOMPARE(runs->at(0).info.name, std::string("good"));
    QCOMPARE(*store->database().queryInteger("SELECT count(*) FROM annotations"), 0);
    QCOMPARE(*store->database().queryInteger("SELECT count(*) FROM annotation_tags"), 0);
}

void TstPreparedProject::exportsThatLeadOutsideAreLeftOut()
{
    makeRun("good");
    RunFiles files(project() + "/runs/good");
    const std::string elsewhere = project() + "/served/1"; // as a user named it
    VERIFY_OK(makeFolders(elsewhere));
    VERIFY_OK(makeFolders(files.folder() + "/export/best/1"));
    for (const std::string& path : {std::string("export/best/1"), std::string("../../../important"),
                                    std::string("export/../../../../important"), elsewhere}) {
        VERIFY_OK(files.addExport({.exporter = "best", .path = path, .globalStep = 5}));
    }
    VERIFY_OK(RunStore::rescan(project()));
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(store->addExport("good", {.exporter = "best", .path = "../../../important"}));
    const auto details = store->show("good");
    VERIFY_OK(details);
    QCOMPARE(details->exports.size(), std::size_t{2});
    QCOMPARE(details->exports[0].path, elsewhere);
    QCOMPARE(details->exports[1].path, std::string("export/best/1"));
}

/// Reading the view would never end.
void TstPreparedProject::viewsAndTriggersAreDamage()
{
    prepare();
    {
        auto store = RunStore::open(project());
        VERIFY_OK(store);
        VERIFY_OK(store->database().execute(
            "DROP TABLE view_state; CREATE VIEW view_state AS WITH RECURSIVE n (page, json) AS "
            "(SELECT 'a', 'b' UNION ALL SELECT page, json FROM n) SELECT * FROM n"));
    }
    VERIFY_ERROR(RunStore::open(project()), "sqlite.corrupt");
    VERIFY_ERROR(RunStore::openReadOnly(project()), "sqlite.corrupt");
    VERIFY_OK(RunStore::rescan(project()));
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    QCOMPARE(store->list()->size(), std::size_t{1});
}

void TstPreparedProject::textsThatAreNotUtf8AreRefused()
{
    makeRun("good");
    VERIFY_OK(RunStore::rescan(project()));
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    AnnotationStore said(store->database());
    const auto title = said.setTitle("good", "caf\xE9");
    VERIFY_ERROR(title, "runs.not_utf8");
    QCOMPARE(title.error().message(),
             std::string("The title is not UTF-8 (byte 0xe9 at offset 4); write it in UTF-8."));
    VERIFY_ERROR(said.setNotes("good", "\xFF"), "runs.not_utf8");
    VERIFY_ERROR(said.addTag("good", "a\xC3"), "runs.not_utf8");
    VERIFY_ERROR(store->putRun({.name = "caf\xE9"}, kFinished), "runs.bad_name");
    QCOMPARE(*said.read("good"), RunAnnotations());
}

void TstPreparedProject::textsThatAreNotUtf8AreReplacedWhenRead()
{
    makeRun("good");
    VERIFY_OK(RunStore::rescan(project()));
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(store->database().execute(
        "INSERT INTO annotations (run, title, notes, colour, colour_slot) VALUES ('good', "
        "CAST(x'636166E9' AS TEXT), CAST(x'FF' AS TEXT), 'url(x)', 99); "
        "INSERT INTO annotation_tags VALUES ('good', CAST(x'C3' AS TEXT))"));
    const RunAnnotations expected{
        .title = "caf\xEF\xBF\xBD", .notes = "\xEF\xBF\xBD", .tags = {"\xEF\xBF\xBD"}};
    QCOMPARE(*AnnotationStore(store->database()).read("good"), expected);
    const auto overview = readOverview(*store, false);
    VERIFY_OK(overview);
    QCOMPARE(overview->at(0).annotations, expected);
}

void TstPreparedProject::aFolderWhoseNameIsNotUtf8IsToldByRescan()
{
    makeRun("good");
    makeRun("caf\xE9");
    const auto report = RunStore::rescan(project());
    VERIFY_OK(report);
    QCOMPARE(report->runs, 1);
    QCOMPARE(report->damaged.size(), std::size_t{1});
    QCOMPARE(report->damaged[0].id, std::string("runs.bad_name"));
    QCOMPARE(
        report->damaged[0].sentence,
        std::string(
            "'caf\xEF\xBF\xBD' cannot be the name of a run: it must be a folder name of at most "
            "240 bytes of UTF-8, without slashes or control characters. Rename the folder."));
}

CANNERY_TEST(TstPreparedProject)
#include "tst_prepared_project.moc"
