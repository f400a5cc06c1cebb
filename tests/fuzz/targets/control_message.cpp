// SPDX-License-Identifier: Apache-2.0
#include "core/control/wire.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::control;

/// A message from an engine's socket: its first byte selects status or events. What was parsed is
/// serialized to the same bytes.
void fuzzControlMessage(std::string_view bytes)
{
    const bool isStatus = takeByte(bytes) % 2 == 0;
    const auto size = static_cast<int>(bytes.size());
    if (isStatus) {
        reports::EngineStatus message;
        if (message.ParseFromArray(bytes.data(), size)) {
            const reports::EngineStatus said = sendable(message);
            FUZZ_REQUIRE(sendable(said).SerializeAsString() == said.SerializeAsString());
        }
        return;
    }
    wire::Events message;
    if (message.ParseFromArray(bytes.data(), size)) {
        const std::vector<EngineEvent> events = fromWire(message);
        const wire::Events said = toWire(events);
        FUZZ_REQUIRE(said.event_size() == static_cast<int>(events.size()));
        FUZZ_REQUIRE(toWire(fromWire(said)).SerializeAsString() == said.SerializeAsString());
    }
}

} // namespace cannery::tests
