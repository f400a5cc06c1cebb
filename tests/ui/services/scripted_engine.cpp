// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/services/scripted_engine.h"

namespace cannery::tests {
namespace {

constexpr ErrorKind kNotRunning{"control.not_running", "Nobody trains in {}."};

} // namespace

class ScriptedLink : public ui::EngineLink
{
public:
    ScriptedLink(ScriptedEngines& engines, std::string folder)
        : m_engines(engines), m_folder(std::move(folder))
    {}

    Result<void> call(Call what) override
    {
        const std::lock_guard lock(m_engines.m_mutex);
        engine().calls.push_back(what);
        return {};
    }

    Result<void> watch(const std::function<void(const control::EngineEvent&)>& listener) override
    {
        std::unique_lock lock(m_engines.m_mutex);
        std::size_t heard = 0;
        ++engine().watchers;
        while (!m_isCancelled && engine().isOpen) {
            while (heard < engine().said.size()) {
                listener(engine().said[heard++]);
            }
            m_engines.m_news.wait(lock);
        }
        --engine().watchers;
        return {};
    }

    void cancelWatch() override
    {
        const std::lock_guard lock(m_engines.m_mutex);
        m_isCancelled = true;
        m_engines.m_news.notify_all();
    }

private:
    ScriptedEngines::Engine& engine() { return m_engines.m_engines[m_folder]; }

    ScriptedEngines& m_engines;
    std::string m_folder;
    bool m_isCancelled = false;
};

Result<std::unique_ptr<ui::EngineLink>> ScriptedEngines::connect(const std::string& runFolder)
{
    const std::lock_guard lock(m_mutex);
    if (!m_engines[runFolder].isOpen) {
        return fail(ErrorCode::NotFound, kNotRunning, runFolder);
    }
    return std::make_unique<ScriptedLink>(*this, runFolder);
}

void ScriptedEngines::say(const std::string& runFolder, const control::EngineEvent& event)
{
    const std::lock_guard lock(m_mutex);
    m_engines[runFolder].said.push_back(event);
    m_news.notify_all();
}

void ScriptedEngines::openDoor(const std::string& runFolder)
{
    const std::lock_guard lock(m_mutex);
    m_engines[runFolder].isOpen = true;
    m_engines[runFolder].said.clear();
}

void ScriptedEngines::closeDoor(const std::string& runFolder)
{
    const std::lock_guard lock(m_mutex);
    m_engines[runFolder].isOpen = false;
    m_news.notify_all();
}

std::vector<ui::EngineLink::Call> ScriptedEngines::calls(const std::string& runFolder)
{
    const std::lock_guard lock(m_mutex);
    return m_engines[runFolder].calls;
}

int ScriptedEngines::watchers(const std::string& runFolder)
{
    const std::lock_guard lock(m_mutex);
    return m_engines[runFolder].watchers;
}

} // namespace cannery::tests
