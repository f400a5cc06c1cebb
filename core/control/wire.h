// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control/control.pb.h"
#include "core/control/control_client.h"

#include <span>

namespace cannery::control {

/// Converts between the interface types and the socket's messages. Events of a newer peer that are
/// unknown here are dropped.
wire::Events toWire(std::span<const EngineEvent> events);
std::vector<EngineEvent> fromWire(const wire::Events& events);

/// The texts as UTF-8, without which a message cannot be read.
reports::EngineStatus sendable(reports::EngineStatus status);
reports::LogLine sendable(reports::LogLine line);

} // namespace cannery::control
