// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/exit_code.h"
#include "core/launch/launch_output.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// The output of a command: results to stdout, everything else to stderr. All text passes
/// printable(), so no name, cell or message from a file can send control sequences to a terminal. A
/// stream that cannot be written never ends the process: output to stderr is dropped, lost results
/// are reported by finish(). One thread.
class Console final : public launch::LaunchOutput
{
public:
    Console();

    /// One line of the result; line breaks in it are made visible.
    void result(std::string_view line) const;
    /// A multi-line part of the result (JSON, help); a final line break is added.
    void document(std::string_view text) const;
    /// A file's text as the result: byte for byte, unless stdout is a terminal.
    void content(std::string_view text) const override;
    /// Flushes the result, for programs that read it as it is written.
    void flush() const;
    /// A line on stderr; not with --quiet.
    void note(std::string_view line) const;
    /// A line on stderr, always.
    void diagnostic(std::string_view line) const override;
    /// "error: sentence", on stderr, always.
    void problem(const Error& error) const override;
    /// With --json, the error as one JSON object on stdout.
    void errorResult(const Error& error) const override;
    /// A progress line that the next one replaces; only on a terminal, and not when quiet. What
    /// does not fit into a line of the terminal is cut off: a second line could not be replaced.
    void progress(std::string_view line) override;
    /// How many columns of the terminal a progress line may fill.
    static std::size_t progressColumns();
    /// The progress of a long command, 0 to 1, negative if unknown: a progress line on a terminal,
    /// JSON lines on stderr with `--progress json`. At most ten times a second.
    void advance(double share, const std::string& message);
    /// Removes the progress line, so that other output begins on a clean line.
    void clearProgress() override;

    /// Called once, at the end of the command. Returns the exit code: a failure if part of the
    /// result could not be printed, which is reported. A reader that went away is not reported, and
    /// is no failure for a command that does more than print.
    ExitCode finish(ExitCode code) const;

    /// Whether part of the result could not be printed: printing more is pointless.
    bool isResultLost() const { return m_resultFailure != 0; }
    /// Whether progress lines have a terminal to appear on.
    bool isOnTerminal() const { return m_isTerminal; }
    bool isQuiet() const { return m_quiet; }
    void setQuiet(bool quiet) { m_quiet = quiet; }
    /// Whether the command was asked for JSON.
    bool isJson() const { return m_json; }
    void setJson(bool json) { m_json = json; }
    void setJsonProgress(bool json) { m_jsonProgress = json; }
    /// For a command that works while it prints, such as training: if the reader of stderr blocks
    /// for a second, lines are dropped, and the result need not be read.
    void setMayDropLines() { m_mayDropLines = true; }

private:
    void print(std::string_view text) const;
    void notify(std::string_view text) const;
    bool mayNotify() const;

    bool m_isTerminal = false; ///< stderr
    bool m_isResultTerminal = false;
    bool m_quiet = false;
    bool m_hasProgress = false;
    bool m_json = false;
    bool m_jsonProgress = false;
    bool m_mayDropLines = false;
    double m_lastAdvance = -1;           ///< steady clock, in seconds
    mutable int m_resultFailure = 0;     ///< errno of the first part of the result that was lost
    mutable bool m_isReaderSlow = false; ///< stderr: the last line was not read in time
};

} // namespace cannery::app
