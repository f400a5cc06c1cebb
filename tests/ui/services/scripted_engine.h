// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/runs/run_lock.h"
#include "ui/services/engine_link.h"

#include <QString>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace cannery::tests {

/// Engines controlled by a test, instead of processes behind sockets. An engine "runs" while a
/// ScriptedEngine for its folder lives: it holds the run's lock and accepts connections.
class ScriptedEngines : public ui::EngineLinks
{
public:
    Result<std::unique_ptr<ui::EngineLink>> connect(const std::string& runFolder) override;

    /// Every watcher of the engine receives it.
    void say(const std::string& runFolder, const control::EngineEvent& event);
    void openDoor(const std::string& runFolder);
    /// Breaks the connection for all watchers.
    void closeDoor(const std::string& runFolder);
    std::vector<ui::EngineLink::Call> calls(const std::string& runFolder);
    int watchers(const std::string& runFolder);

private:
    friend class ScriptedLink;
    struct Engine
    {
        bool isOpen = false;
        int watchers = 0;
        std::vector<control::EngineEvent> said;
        std::vector<ui::EngineLink::Call> calls;
    };

    std::mutex m_mutex;
    std::condition_variable m_news;
    std::map<std::string, Engine> m_engines;
};

} // namespace cannery::tests
