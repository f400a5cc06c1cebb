// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/console/options.h"
#include "core/base/exit_code.h"
#include "core/control/control_client.h"

#include <optional>
#include <string>

namespace cannery::app {

/// A running training that a command talks to.
struct EngineChoice
{
    std::string run;
    std::optional<std::string> project;
    bool json = false;

    void declare(OptionSet& options);
};

/// A request to an engine, and what is printed once it is granted.
struct EngineRequest
{
    Result<void> (control::ControlClient::*ask)() = nullptr;
    const char* asked = nullptr;    ///< for scripts: "stop_and_keep"
    const char* sentence = nullptr; ///< {} is the run
};

/// Finds the engine and sends the request. It is acknowledged at once, before it is carried out.
ExitCode askEngine(Console& console, const EngineChoice& choice, const EngineRequest& request);

} // namespace cannery::app
