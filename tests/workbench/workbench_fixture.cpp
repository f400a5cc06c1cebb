// SPDX-License-Identifier: GPL-3.0-only
#include "tests/workbench/workbench_fixture.h"

#include "storage/runs/run_lock.h"
#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/sample_library.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>

#include <csignal>

namespace cannery::tests {

using namespace cannery::ui;

namespace {

constexpr const char* kEndless = "1000000000";

QString settingsFile(const QTemporaryDir& home)
{
    return home.filePath("settings.ini");
}

/// Ends every engine below a folder.
void killEngines(const QString& folder)
{
    QDirIterator locks(folder, {"run.lock"}, QDir::Files, QDirIterator::Subdirectories);
    while (locks.hasNext()) {
        const QString run = QFileInfo(locks.next()).absolutePath();
        for (int attempt = 0; attempt < 3; ++attempt) {
            const auto owner = storage::RunLock::owner(run.toStdString());
            if (!owner) {
                break;
            }
            ::kill(static_cast<pid_t>(owner->processId), attempt == 0 ? SIGTERM : SIGKILL);
            if (QTest::qWaitFor([&] { return !storage::RunLock::owner(run.toStdString()); },
                                20000)) {
                break;
            }
        }
    }
}

} // namespace

WorkbenchFixture::WorkbenchFixture()
{
    QDir(m_home.path()).mkpath("runtime");
    QFile::setPermissions(path("runtime"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("HOME", m_home.path().toUtf8());
    qputenv("XDG_RUNTIME_DIR", path("runtime").toUtf8());
    qputenv("XDG_CACHE_HOME", path("cache").toUtf8());
    qputenv("XDG_STATE_HOME", path("state").toUtf8());
    qputenv("CANNERY_EXAMPLES", CANNERY_SOURCE_DIR "/resources/examples");
}

WorkbenchFixture::~WorkbenchFixture()
{
    close();
    killEngines(m_home.path());
}

void WorkbenchFixture::open(bool restoreLast)
{
    m_session = std::make_unique<ProjectSession>(nullptr, settingsFile(m_home));
    m_session->setProgram(CANNERY_PROGRAM);
    m_session->settings().setProjectsFolder(path("projects"));
    m_theme = std::make_unique<ThemeControl>(*qApp, m_session->settings());
    m_window = std::make_unique<MainWindow>(*m_session, *m_theme);
    m_window->restoreWindow();
    m_window->resize(1280, 800);
    m_window->show();
    m_window->activateWindow();
    if (restoreLast) {
        m_session->recovery().restoreLast();
    }
    if (!QTest::qWaitForWindowActive(m_window.get(), kPatience)) {
        qFatal("the window does not come up");
    }
}

void WorkbenchFixture::close()
{
    m_window.reset();
    m_theme.reset();
    m_session.reset();
}

QString WorkbenchFixture::writeTable(const QString& name) const
{
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("cannot write %s", qPrintable(name));
    }
    file.write("age,income,city,bought\n");
    for (int row = 0; row < 400; ++row) {
        const int age = 18 + row * 7 % 60;
        const int income = 900 + row * 37 % 4000;
        const char* city = row % 3 == 0 ? "Bergen" : (row % 3 == 1 ? "Oslo" : "Tromso");
        const int bought = age + income / 100 + row % 3 * 5 > 80 ? 1 : 0;
        file.write(QString("%1,%2,%3,%4\n").arg(age).arg(income).arg(city).arg(bought).toUtf8());
    }
    return file.fileName();
}

QAction* WorkbenchFixture::action(const QString& id) const
{
    return m_window->actions().find(id);
}

bool WorkbenchFixture::click(const QString& name) const
{
    QWidget* widget = find(name);
    if (!widget || !widget->isEnabled()) {
        return false;
    }
    QTest::mouseClick(widget, Qt::LeftButton, {}, widget->rect().center());
    return true;
}

bool WorkbenchFixture::trigger(const QString& actionId) const
{
    QAction* wanted = action(actionId);
    if (!wanted || !wanted->isEnabled()) {
        return false;
    }
    wanted->trigger();
    return true;
}

bool WorkbenchFixture::openSample(const QString& sample)
{
    m_session->samples().make(sample, m_session->settings().projectsFolder());
    return waitFor([&] {
        return m_session->project().isOpen() && !m_session->document().isLoading() &&
               m_session->starter().hindrance().isEmpty();
    });
}

bool WorkbenchFixture::setField(const QString& fieldPath, const QString& text) const
{
    return m_session->document().setValue(fieldPath, text) &&
           waitFor([&] { return m_session->document().value(fieldPath) == text; });
}

const RunRow* WorkbenchFixture::newestRun() const
{
    const ProjectSnapshotPtr snapshot = m_session->runs().snapshot();
    return snapshot->runs.isEmpty() ? nullptr : &snapshot->runs.first();
}

bool WorkbenchFixture::waitFor(const std::function<bool()>& condition, int milliseconds) const
{
    return QTest::qWaitFor(condition, milliseconds);
}

bool WorkbenchFixture::waitForState(RunState state) const
{
    return waitFor([&] {
        const RunRow* run = newestRun();
        if (run == nullptr || run->state != state) {
            return false;
        }
        const std::optional<EngineStatus> reported = m_session->engines().status(run->name);
        return isLive(state) ? reported && reported->state == state : !reported;
    });
}

qint64 WorkbenchFixture::latestCheckpoint() const
{
    qint64 latest = -1;
    if (const RunRow* run = newestRun()) {
        for (const CheckpointRow& checkpoint : run->checkpoints) {
            latest = std::max(latest, checkpoint.step);
        }
    }
    return latest;
}

qint64 WorkbenchFixture::engineProcess(const QString& run) const
{
    const RunRow* row = m_session->runs().snapshot()->find(run);
    if (!row) {
        return 0;
    }
    const auto owner = storage::RunLock::owner(row->folder.toStdString());
    return owner ? owner->processId : 0;
}

bool WorkbenchFixture::startEndlessTraining()
{
    if (!setField("train_spec.max_steps", kEndless) ||
        !setField("run_config.save_checkpoints_steps", "500")) {
        return false;
    }
    return waitFor([&] { return m_session->starter().hindrance().isEmpty(); }) &&
           trigger("action.train") && waitForState(RunState::Running) &&
           waitFor([&] { return latestCheckpoint() > 0; });
}

void WorkbenchFixture::picture(const QString& name) const
{
    const QDir folder(CANNERY_BINARY_DIR "/screenshots");
    folder.mkpath(".");
    QCoreApplication::processEvents();
    m_window->grab().save(folder.filePath(name + ".png"));
}

} // namespace cannery::tests
