// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/pages/page_bench.h"

#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/ui/services/event_files.h"
#include "ui/actions/standard_actions.h"
#include "ui/pages/page_catalog.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::tests {

namespace {

void writeFile(const QString& path, const QByteArray& bytes, bool executable = false)
{
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(bytes);
    }
    if (executable) {
        file.setPermissions(file.permissions() | QFileDevice::ExeOwner | QFileDevice::ExeUser);
    }
}

/// Answers from files of its own folder: <verb>.out, <verb>.err, <verb>.rc; waits for <verb>.wait;
/// becomes the program named in <verb>.real.
constexpr const char* kProgram = R"sh(#!/bin/sh
here="$(dirname "$0")"
echo "$*" >> "$here/calls"
if test -f "$here/$1.wait"; then
  cat "$here/$1.wait" >&2
  exec sleep 600
fi
test -f "$here/$1.real" && exec "$(cat "$here/$1.real")" "$@"
test -f "$here/$1.err" && cat "$here/$1.err" >&2
test -f "$here/$1.out" && cat "$here/$1.out"
test -f "$here/$1.rc" && exit "$(cat "$here/$1.rc")"
exit 0
)sh";

} // namespace

PageBench::PageBench()
{
    QDir(m_folder.path()).mkpath("program");
    QDir(m_folder.path()).mkpath("projects");
    writeProgram();
    script("check", R"({"problems": [], "facts": {"train_rows": 627}})");
    m_session = std::make_unique<ui::ProjectSession>(nullptr, m_folder.filePath("settings.ini"));
    m_session->setProgram(m_folder.filePath("program/cannery"));
    m_session->settings().setProjectsFolder(m_folder.filePath("projects"));
    m_actions = std::make_unique<ui::ActionRegistry>(m_session->settings());
    ui::addStandardActions(*m_actions);
    ui::addPageActions(*m_actions);
    m_toaster = std::make_unique<ui::Toaster>(&m_window);
    m_toasts = std::make_unique<ui::EditToasts>(
        m_session->document(), *m_toaster,
        [this]() -> const ui::Page* {
            const QList<ui::Page*> pages =
                m_window.findChildren<ui::Page*>(QString(), Qt::FindDirectChildrenOnly);
            const auto shown = std::find_if(pages.begin(), pages.end(),
                                            [](const ui::Page* page) { return page->isVisible(); });
            return shown == pages.end() ? nullptr : *shown;
        },
        nullptr);
    ui::applyTheme(*qApp, {});
    auto* layout = new QVBoxLayout(&m_window);
    layout->setContentsMargins(0, 0, 0, 0);
    m_window.resize(1192, 730);
}

PageBench::~PageBench()
{
    qDeleteAll(m_window.findChildren<ui::Page*>(QString(), Qt::FindDirectChildrenOnly));
    m_session->project().close();
}

void PageBench::writeProgram() const
{
    writeFile(m_folder.filePath("program/cannery"), kProgram, true);
}

ui::PageContext PageBench::context()
{
    return {.session = m_session.get(), .actions = m_actions.get(), .toaster = m_toaster.get()};
}

QString PageBench::copyExample(const QString& name) const
{
    const QString target = m_folder.filePath("projects/" + name);
    QDir().mkpath(target);
    const QDir source(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/") + name);
    for (const QString& file : source.entryList(QDir::Files)) {
        QFile::copy(source.filePath(file), target + '/' + file);
    }
    return target;
}

void PageBench::script(const QString& verb, const QByteArray& output, int exitCode) const
{
    const QString stem = m_folder.filePath("program/" + verb);
    writeFile(stem + ".out", output);
    writeFile(stem + ".rc", QByteArray::number(exitCode));
    QFile::remove(stem + ".wait");
    QFile::remove(stem + ".real");
}

void PageBench::scriptWait(const QString& verb, const QByteArray& said) const
{
    writeFile(m_folder.filePath("program/" + verb + ".wait"), said);
}

void PageBench::scriptReal(const QString& verb) const
{
    writeFile(m_folder.filePath("program/" + verb + ".real"), CANNERY_PROGRAM);
}

QStringList PageBench::calls() const
{
    QFile file(m_folder.filePath("program/calls"));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    return QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts);
}

bool PageBench::wasCalled(const QString& verb) const
{
    return !lastCall(verb).isEmpty();
}

QString PageBench::lastCall(const QString& verb) const
{
    const QStringList all = calls();
    const auto found = std::find_if(
        all.rbegin(), all.rend(), [&](const QString& call) { return call.startsWith(verb + ' '); });
    return found == all.rend() ? QString() : *found;
}

void PageBench::open(const QString& path)
{
    QSignalSpy opened(&m_session->project(), &ui::OpenProject::changed);
    m_session->project().open(path);
    QTRY_VERIFY_WITH_TIMEOUT(!opened.isEmpty(), kPatience);
}

QString PageBench::openTitanic(bool withRun)
{
    const QString folder = copyExample("titanic");
    if (withRun) {
        addFinishedRun(folder, "run-1");
    }
    open(folder);
    [&] {
        QTRY_COMPARE_WITH_TIMEOUT(m_session->runs().snapshot()->runs.size(), withRun ? 1 : 0,
                                  kPatience);
    }();
    return folder;
}

void PageBench::addFinishedRun(const QString& project, const QString& name) const
{
    auto opened = storage::RunStore::open(project.toStdString());
    VERIFY_OK(opened);
    storage::RunStore& store = *opened;
    const std::string run = name.toStdString();
    const storage::RunInfo info{.name = run,
                                .experimentName = "Titanic, wide and deep",
                                .estimator = "dnn_linear_combined_classifier",
                                .trainRows = 627,
                                .createdAt = 1'700'000'000};
    const storage::RunStatus status{.state = storage::RunState::Finished,
                                    .globalStep = 200,
                                    .maxSteps = 200,
                                    .updatedAt = 1'700'000'064,
                                    .startedAt = 1'700'000'000,
                                    .finishedAt = 1'700'000'064};
    VERIFY_OK(storage::makeFolders(store.folderOf(run)));
    storage::RunFiles files(store.folderOf(run));
    VERIFY_OK(files.writeInfo(info));
    VERIFY_OK(files.writeStatus(status));
    VERIFY_OK(store.putRun(info, status));
    for (const std::int64_t step : {100, 200}) {
        const storage::RunEvaluation evaluation{
            .globalStep = step,
            .wallTime = 1'700'000'000.0 + static_cast<double>(step),
            .metrics = {{"auc", step == 100 ? 0.84 : 0.83}, {"loss", 0.5}}};
        VERIFY_OK(files.addEvaluation(evaluation));
        VERIFY_OK(store.addEvaluation(run, evaluation));
    }
    const std::vector<storage::RunCheckpoint> checkpoints{
        {.globalStep = 100, .bytes = 212'000, .savedAt = 1'700'000'030, .keptBecause = "best"},
        {.globalStep = 200, .bytes = 212'000, .savedAt = 1'700'000'060, .keptBecause = "latest"}};
    VERIFY_OK(files.writeCheckpoints(checkpoints));
    VERIFY_OK(store.setCheckpoints(run, checkpoints));
    writeEvents(store.folderOf(run), 1, {"loss", "global_step/sec", "cannery/train/auc"}, 1, 200);
    writeEvents(store.folderOf(run) + "/eval", 1, {"loss", "auc"}, 100, 2);
}

void PageBench::show(ui::Page& page)
{
    m_window.layout()->addWidget(&page);
    page.show();
    m_window.show();
}

ui::Page* PageBench::page(const QString& id)
{
    for (const ui::PageRow& row : ui::pageCatalog()) {
        if (id == QLatin1String(row.id)) {
            ui::Page* made = row.make(context(), &m_window);
            show(*made);
            return made;
        }
    }
    return nullptr;
}

} // namespace cannery::tests
