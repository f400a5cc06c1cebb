// SPDX-License-Identifier: Apache-2.0
#include "core/control/wire.h"

#include "core/base/utf8.h"

namespace cannery::control {
namespace {

LogLine::Level levelFromWire(int level)
{
    return level == static_cast<int>(LogLine::Level::Error)     ? LogLine::Level::Error
           : level == static_cast<int>(LogLine::Level::Warning) ? LogLine::Level::Warning
                                                                : LogLine::Level::Info;
}

void fill(wire::Event& target, const EngineEvent& event)
{
    if (const auto* status = std::get_if<EngineStatus>(&event)) {
        *target.mutable_status() = toWire(*status);
    } else if (const auto* grown = std::get_if<FileGrew>(&event)) {
        target.mutable_file_grew()->set_path(grown->path);
        target.mutable_file_grew()->set_bytes(grown->bytes);
    } else if (const auto* line = std::get_if<LogLine>(&event)) {
        target.mutable_log_line()->set_time(line->time);
        target.mutable_log_line()->set_level(static_cast<int>(line->level));
        target.mutable_log_line()->set_id(line->id);
        target.mutable_log_line()->set_sentence(toUtf8(line->sentence));
    } else {
        target.mutable_store_changed();
    }
}

void fill(wire::Worker& target, const WorkerStatus& worker)
{
    target.set_task(toUtf8(worker.task));
    target.set_state(worker.state);
    target.set_step(worker.step);
    if (worker.stepSeconds) {
        target.set_step_seconds(*worker.stepSeconds);
    }
    if (worker.waitSeconds) {
        target.set_wait_seconds(*worker.waitSeconds);
    }
    if (worker.networkSeconds) {
        target.set_network_seconds(*worker.networkSeconds);
    }
    target.set_restarts(worker.restarts);
}

WorkerStatus workerFromWire(const wire::Worker& worker)
{
    WorkerStatus status{.task = worker.task(),
                        .state = worker.state(),
                        .step = worker.step(),
                        .restarts = worker.restarts()};
    if (worker.has_step_seconds()) {
        status.stepSeconds = worker.step_seconds();
    }
    if (worker.has_wait_seconds()) {
        status.waitSeconds = worker.wait_seconds();
    }
    if (worker.has_network_seconds()) {
        status.networkSeconds = worker.network_seconds();
    }
    return status;
}

} // namespace

wire::Status toWire(const EngineStatus& status)
{
    wire::Status message;
    message.set_run_folder(status.runFolder);
    message.set_state(status.state);
    message.set_reason(toUtf8(status.reason));
    message.set_global_step(status.globalStep);
    if (status.maxSteps) {
        message.set_max_steps(*status.maxSteps);
    }
    message.set_loss(status.loss);
    message.set_steps_per_second(status.stepsPerSecond);
    message.set_rows_per_second(status.rowsPerSecond);
    message.set_epochs(status.epochs);
    if (status.secondsLeft) {
        message.set_seconds_left(*status.secondsLeft);
    }
    message.set_input_wait(status.inputWait);
    message.set_device_busy(status.deviceBusy);
    message.set_memory_bytes(status.memoryBytes);
    message.set_process_id(status.processId);
    message.set_threads(status.threads);
    message.set_device(status.device);
    message.set_started_at(status.startedAt);
    if (status.deviceMemoryBytes) {
        message.set_device_memory_bytes(*status.deviceMemoryBytes);
    }
    if (status.deviceMemoryTotal) {
        message.set_device_memory_total(*status.deviceMemoryTotal);
    }
    if (status.deviceLoad) {
        message.set_device_load(*status.deviceLoad);
    }
    for (const WorkerStatus& worker : status.workers) {
        fill(*message.add_workers(), worker);
    }
    return message;
}

EngineStatus fromWire(const wire::Status& message)
{
    EngineStatus status{.runFolder = message.run_folder(),
                        .state = message.state(),
                        .reason = message.reason(),
                        .globalStep = message.global_step(),
                        .loss = message.loss(),
                        .stepsPerSecond = message.steps_per_second(),
                        .rowsPerSecond = message.rows_per_second(),
                        .epochs = message.epochs(),
                        .inputWait = message.input_wait(),
                        .deviceBusy = message.device_busy(),
                        .memoryBytes = message.memory_bytes(),
                        .processId = message.process_id(),
                        .threads = message.threads(),
                        .device = message.device(),
                        .startedAt = message.started_at()};
    if (message.has_max_steps()) {
        status.maxSteps = message.max_steps();
    }
    if (message.has_seconds_left()) {
        status.secondsLeft = message.seconds_left();
    }
    if (message.has_device_memory_bytes()) {
        status.deviceMemoryBytes = message.device_memory_bytes();
    }
    if (message.has_device_memory_total()) {
        status.deviceMemoryTotal = message.device_memory_total();
    }
    if (message.has_device_load()) {
        status.deviceLoad = message.device_load();
    }
    for (const wire::Worker& worker : message.workers()) {
        status.workers.push_back(workerFromWire(worker));
    }
    return status;
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
            events.emplace_back(fromWire(event.status()));
            break;
        case wire::Event::kFileGrew:
            events.emplace_back(
                FileGrew{.path = event.file_grew().path(), .bytes = event.file_grew().bytes()});
            break;
        case wire::Event::kLogLine:
            events.emplace_back(LogLine{.time = event.log_line().time(),
                                        .level = levelFromWire(event.log_line().level()),
                                        .id = event.log_line().id(),
                                        .sentence = event.log_line().sentence()});
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
