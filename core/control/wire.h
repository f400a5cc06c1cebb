// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control/control.pb.h"
#include "core/control/control_client.h"

#include <span>

namespace cannery::control {

/// Converts between the interface types and the socket's messages. Unknown content from a newer
/// peer is dropped.
wire::Status toWire(const EngineStatus& status);
EngineStatus fromWire(const wire::Status& status);

wire::Events toWire(std::span<const EngineEvent> events);
std::vector<EngineEvent> fromWire(const wire::Events& events);

} // namespace cannery::control
