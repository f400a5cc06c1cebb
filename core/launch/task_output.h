// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/launch_output.h"
#include "storage/io/file_system.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::launch {

/// The diagnostics of a task that its launcher shows: whole lines go to the console and the log,
/// progress lines (see LaunchOutput::progress()) to the console only. One thread.
class TaskOutput
{
public:
    /// A log that cannot be written is lost: there is nobody to report it to.
    TaskOutput(LaunchOutput& output, std::unique_ptr<storage::WritableFile> log)
        : m_output(output), m_log(std::move(log))
    {}

    /// Some bytes of stderr, as they were read.
    void takeDiagnostics(std::string_view bytes);
    /// Some bytes of stdout: kept, and written to the log.
    void takeResult(std::string_view bytes);
    /// Follows every progress line: "3 of 4 workers".
    void setNote(std::string note) { m_note = std::move(note); }
    /// The process has ended, perhaps within a line; another one may follow.
    void ended();

    /// The stdout of the last process, its first MiB.
    const std::string& result() const { return m_result; }
    /// Another process begins: what the one before has printed to stdout is forgotten.
    void began() { m_result.clear(); }

private:
    void show(std::string_view line);
    void log(std::string_view text);

    LaunchOutput& m_output;
    std::unique_ptr<storage::WritableFile> m_log;
    std::string m_note;
    std::string m_rest; ///< of stderr, without a line end yet
    std::string m_result;
};

/// The last lines of a log, at most `count`, from at most its last 16 KiB. Empty if it cannot be
/// read.
std::vector<std::string> lastLines(const std::string& file, std::size_t count);

} // namespace cannery::launch
