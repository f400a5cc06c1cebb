// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/events/summary_builder.h"
#include "storage/tf/record_file.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The status of a session log event.
enum class SessionStatus
{
    Start = 1,
    Stop = 2,
    Checkpoint = 3,
};

struct EventWriterOptions
{
    std::string fileNameSuffix;
    std::string hostName;          ///< this machine's if empty
    std::function<double()> clock; ///< seconds since 1970; the system's if empty
};

/// Writes one event file, `events.out.tfevents.<seconds>.<host><suffix>`, which TensorBoard reads
/// while it grows. Its first record is the file version. Events reach the file with flush(); each
/// call returns the size of the file after its event, so that a reader can be notified how far to
/// read. Used by one thread.
class EventWriter
{
public:
    /// Creates the folder if it is missing. A second writer in the same second gets a later number,
    /// never the same file.
    static Result<EventWriter> create(const std::string& folder, EventWriterOptions options = {},
                                      FileSystem& system = realFileSystem());

    Result<std::uint64_t> writeSummary(std::int64_t step, const SummaryBuilder& summary);
    /// A serialised GraphDef, for the Graphs panel.
    Result<std::uint64_t> writeGraph(std::string_view serializedGraph);
    Result<std::uint64_t> writeMetaGraph(std::string_view serializedMetaGraph);
    /// `checkpointPath` only for Checkpoint: TensorFlow names the prefix without the step. Start
    /// makes TensorBoard discard everything at this step and later, so write it before the step.
    Result<std::uint64_t> writeSessionLog(std::int64_t step, SessionStatus status,
                                          std::string_view checkpointPath = {});

    Result<void> flush() { return m_records.flush(); }
    Result<void> sync() { return m_records.sync(); }
    Result<void> close() { return m_records.close(); }

    const std::string& path() const { return m_path; }
    /// Bytes in the file after everything written so far.
    std::uint64_t position() const { return m_records.position(); }

private:
    EventWriter(RecordWriter records, std::string path, std::function<double()> clock);

    RecordWriter m_records;
    std::string m_path;
    std::function<double()> m_clock;
    std::string m_event; ///< the last summary in wire format; kept for its memory
};

} // namespace cannery::storage
