// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control/control.pb.h"
#include "core/control/control_client.h"

#include <span>

namespace cannery::control {

/// Between what is said and what goes through the socket. What a newer end says that this one does
/// not know is left out.
wire::Status toWire(const EngineStatus& status);
EngineStatus fromWire(const wire::Status& status);

wire::Events toWire(std::span<const EngineEvent> events);
std::vector<EngineEvent> fromWire(const wire::Events& events);

} // namespace cannery::control
