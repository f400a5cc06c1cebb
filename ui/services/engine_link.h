// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "core/base/result.h"
#include "core/control/control_client.h"

#include <functional>
#include <memory>
#include <string>

namespace cannery::ui {

/// One connection to an engine: the part of control::ControlClient that EngineService needs, so
/// that tests can use a scripted engine. Used by one thread; cancelWatch() by any.
class EngineLink
{
public:
    enum class Call
    {
        Pause,
        Resume,
        StopAndKeep,
        StopWithoutSaving,
        CheckpointNow,
    };

    virtual ~EngineLink() = default;

    virtual Result<void> call(Call what) = 0;
    /// Blocks until the engine ends or cancelWatch().
    virtual Result<void>
    watch(const std::function<void(const control::EngineEvent&)>& listener) = 0;
    virtual void cancelWatch() = 0;
};

/// Connects to engines. connect() is called from worker threads, several at once.
class EngineLinks
{
public:
    virtual ~EngineLinks() = default;

    virtual Result<std::unique_ptr<EngineLink>> connect(const std::string& runFolder) = 0;
};

/// Connects by a run's local socket.
class LocalEngineLinks : public EngineLinks
{
public:
    Result<std::unique_ptr<EngineLink>> connect(const std::string& runFolder) override;
};

} // namespace cannery::ui
