// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/event_writer.h"

#include "storage/io/coding.h"
#include "storage/io/files.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/event.pb.h"

#include <fmt/core.h>

#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>

namespace cannery::storage {

namespace {

// From version 2 on, TensorBoard detects restarts by the session log instead of steps that go back.
constexpr const char* kFileVersion = "brain.Event:2";

// Field number and wire type of an event as one byte: number * 8 + type.
constexpr char kWallTimeField = 0x09;
constexpr char kStepField = 0x10;
constexpr char kGraphField = 0x22;
constexpr char kSummaryField = 0x2a;

double systemSeconds()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

std::string thisHost()
{
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) {
        return "localhost";
    }
    return name.data();
}

/// An event encoded by hand as protobuf does: zeros are omitted (a negative zero is not a zero).
void appendEvent(std::string& event, double wallTime, std::int64_t step, char field,
                 std::string_view content)
{
    if (std::bit_cast<std::uint64_t>(wallTime) != 0) {
        event.push_back(kWallTimeField);
        putFixed(event, wallTime);
    }
    if (step != 0) {
        event.push_back(kStepField);
        putVarint(event, static_cast<std::uint64_t>(step));
    }
    event.push_back(field);
    putVarint(event, content.size());
    event.append(content);
}

Result<void> write(RecordWriter& records, const tensorflow::Event& event)
{
    return records.write(detail::serializeDeterministically(event));
}

} // namespace

EventWriter::EventWriter(RecordWriter records, std::string path, std::function<double()> clock)
    : m_records(std::move(records)), m_path(std::move(path)), m_clock(std::move(clock))
{}

Result<EventWriter> EventWriter::create(const std::string& folder, EventWriterOptions options,
                                        FileSystem& system)
{
    CANNERY_TRY(makeFolders(folder, system));
    std::function<double()> clock = options.clock ? std::move(options.clock) : systemSeconds;
    const std::string host = options.hostName.empty() ? thisHost() : options.hostName;
    const auto now = static_cast<std::int64_t>(clock());
    std::string path;
    std::int64_t seconds = now;
    do {
        // TensorBoard reads files in the order of their names: a taken name becomes a later second.
        path = joinPath(folder, fmt::format("events.out.tfevents.{:010}.{}{}", seconds++, host,
                                            options.fileNameSuffix));
    } while (exists(path));
    CANNERY_TRY_ASSIGN(RecordWriter records, RecordWriter::create(path, Compression::None, system));
    tensorflow::Event version;
    version.set_wall_time(static_cast<double>(now));
    version.set_file_version(kFileVersion);
    CANNERY_TRY(write(records, version));
    // At once, so that a reader finds a valid file before the first summary.
    CANNERY_TRY(records.flush());
    return EventWriter(std::move(records), std::move(path), std::move(clock));
}

Result<std::uint64_t> EventWriter::writeSummary(std::int64_t step, const SummaryBuilder& summary)
{
    m_event.clear();
    appendEvent(m_event, m_clock(), step, kSummaryField, summary.serialized());
    CANNERY_TRY(m_records.write(m_event));
    return position();
}

Result<std::uint64_t> EventWriter::writeGraph(std::string_view serializedGraph)
{
    std::string event; // not the member, which would keep its memory
    // The fields before the graph take at most 1 + 8 + 1 + 10 + 1 + 10 bytes.
    constexpr std::size_t kMostBytesBefore = 32;
    event.reserve(kMostBytesBefore + serializedGraph.size());
    appendEvent(event, m_clock(), 0, kGraphField, serializedGraph);
    CANNERY_TRY(m_records.write(event));
    return position();
}

Result<std::uint64_t> EventWriter::writeMetaGraph(std::string_view serializedMetaGraph)
{
    tensorflow::Event event;
    event.set_wall_time(m_clock());
    event.set_meta_graph_def(std::string(serializedMetaGraph));
    CANNERY_TRY(write(m_records, event));
    return position();
}

Result<std::uint64_t> EventWriter::writeSessionLog(std::int64_t step, SessionStatus status,
                                                   std::string_view checkpointPath)
{
    tensorflow::Event event;
    event.set_wall_time(m_clock());
    event.set_step(step);
    event.mutable_session_log()->set_status(
        static_cast<tensorflow::SessionLog::SessionStatus>(status));
    event.mutable_session_log()->set_checkpoint_path(std::string(checkpointPath));
    CANNERY_TRY(write(m_records, event));
    return position();
}

} // namespace cannery::storage
