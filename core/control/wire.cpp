// SPDX-License-Identifier: Apache-2.0
#include "core/control/wire.h"

#include "core/base/utf8.h"

namespace cannery::control {
namespace {

void fill(wire::Event& target, const EngineEvent& event)
{
    if (const auto* status = std::get_if<reports::EngineStatus>(&event)) {
        *target.mutable_status() = sendable(*status);
    } else if (const auto* grown = std::get_if<FileGrew>(&event)) {
        target.mutable_file_grew()->set_path(grown->path);
        target.mutable_file_grew()->set_bytes(grown->bytes);
    } else if (const auto* line = std::get_if<reports::LogLine>(&event)) {
        *target.mutable_log_line() = sendable(*line);
    } else {
        target.mutable_store_changed();
    }
}

} // namespace

reports::EngineStatus sendable(reports::EngineStatus status)
{
    status.set_reason(toUtf8(status.reason()));
    for (reports::TaskStatus& worker : *status.mutable_workers()) {
        worker.set_task(toUtf8(worker.task()));
    }
    return status;
}

reports::LogLine sendable(reports::LogLine line)
{
    line.set_sentence(toUtf8(line.sentence()));
    return line;
}

wire::Events toWire(std::span<const EngineEvent> events)
{
    wire::Events message;
    for (const EngineEvent& event : events) {
        fill(*message.add_event(), event);
    }
    return message;
}

std::vector<EngineEvent> fromWire(const wire::Events& message)
{
    std::vector<EngineEvent> events;
    for (const wire::Event& event : message.event()) {
        switch (event.kind_case()) {
        case wire::Event::kStatus:
            events.emplace_back(event.status());
            break;
        case wire::Event::kFileGrew:
            events.emplace_back(
                FileGrew{.path = event.file_grew().path(), .bytes = event.file_grew().bytes()});
            break;
        case wire::Event::kLogLine:
            events.emplace_back(event.log_line());
            break;
        case wire::Event::kStoreChanged:
            events.emplace_back(StoreChanged{});
            break;
        case wire::Event::KIND_NOT_SET:
            break;
        }
    }
    return events;
}

} // namespace cannery::control
