// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "core/base/result.h"
#include "core/control/control_client.h"

#include <functional>
#include <memory>
#include <string>

namespace cannery::ui {

/// One connection to an engine's door: what EngineService needs of control::ControlClient, so that
/// tests can put a scripted engine in its place. Used by one thread; cancelWatch() by any.
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

/// How engines are reached. connect() is called from worker threads, several at once.
class EngineLinks
{
public:
    virtual ~EngineLinks() = default;

    virtual Result<std::unique_ptr<EngineLink>> connect(const std::string& runFolder) = 0;
};

/// Over the local socket that belongs to a run.
class LocalEngineLinks : public EngineLinks
{
public:
    Result<std::unique_ptr<EngineLink>> connect(const std::string& runFolder) override;
};

} // namespace cannery::ui
