// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/coordinator/coordinator.pb.h"
#include "core/coordinator/news.h"
#include "core/coordinator/types.h"

#include <optional>

namespace cannery::coordinator {

/// Converts between our types and the messages of the connection.
wire::Problem toWire(const Error& error);
Error fromWire(const wire::Problem& message);

wire::News toWire(const News& news);
/// Nothing for a kind that only a newer coordinator knows.
std::optional<News> fromWire(const wire::News& message);

wire::Hello toWire(const MemberIdentity& identity, bool isReturning);
MemberIdentity fromWire(const wire::Hello& message);

wire::End toWire(const JobEnd& end);
JobEnd fromWire(const wire::End& message);

wire::Beat toWire(const Stuck& stuck);
Stuck fromWire(const wire::Beat& message);

wire::Step toWire(const StepTimes& times);
StepTimes fromWire(const wire::Step& message);

} // namespace cannery::coordinator
