// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/exit_code.h"
#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// Where a command talks to: results to stdout, everything else to stderr. What is shown passes
/// printable(), whoever wrote it: no name, cell or message of a file commands a terminal. A stream
/// that cannot be written never ends the process: of stderr what is lost is lost, and what the
/// result lacks is told by finish(). One thread.
class Console
{
public:
    Console();

    /// A line of the result: a line break in it is shown as one.
    void result(std::string_view line) const;
    /// A part of the result with line breaks of its own (JSON, help), and one more at its end.
    void document(std::string_view text) const;
    /// A file's text as the result: byte for byte, unless a terminal shows it.
    void content(std::string_view text) const;
    /// Brings what was printed so far to whoever reads along.
    void flush() const;
    /// A line for the person, on stderr; nothing when quiet.
    void note(std::string_view line) const;
    /// A line on stderr, always.
    void diagnostic(std::string_view line) const;
    /// "error: sentence", on stderr, always.
    void problem(const Error& error) const;
    /// The same, and with --json the error as one JSON object on stdout: what ends a command.
    void failure(const Error& error) const;
    /// A progress line that the next one replaces, on a terminal; nothing elsewhere or when quiet.
    void progress(std::string_view line);
    /// How far a long command is, 0 … 1, below 0 when that is not known: a progress line on a
    /// terminal, JSON lines on stderr with `--progress json`. Ten times a second at most.
    void advance(double share, const std::string& message);
    /// Removes the progress line, so that other output begins in a clean line.
    void clearProgress();

    /// Once, when the command is over: the exit code, which is no success when the result could not
    /// be printed (and that is told). A reader that went away is not told, and is no failure of a
    /// command that does more than print.
    ExitCode finish(ExitCode code) const;

    /// Whether a part of the result could not be printed: there is no sense in making more of it.
    bool isResultLost() const { return m_resultFailure != 0; }
    bool isQuiet() const { return m_quiet; }
    void setQuiet(bool quiet) { m_quiet = quiet; }
    /// Whether the command was asked for JSON.
    bool isJson() const { return m_json; }
    void setJson(bool json) { m_json = json; }
    void setJsonProgress(bool json) { m_jsonProgress = json; }
    /// For a command that works while it talks, as training does: a reader of stderr that takes
    /// nothing for a second misses lines, and nobody need read the result.
    void setNobodysHostage() { m_nobodysHostage = true; }

private:
    void print(std::string_view text) const;
    void tell(std::string_view text) const;
    bool mayTell() const;

    bool m_isTerminal = false; ///< stderr
    bool m_isResultTerminal = false;
    bool m_quiet = false;
    bool m_hasProgress = false;
    bool m_json = false;
    bool m_jsonProgress = false;
    bool m_nobodysHostage = false;
    double m_lastAdvance = -1;           ///< on the steady clock, in seconds
    mutable int m_resultFailure = 0;     ///< errno of the first part of the result that was lost
    mutable bool m_isReaderSlow = false; ///< of stderr: the last line was not taken in time
};

/// A table of text with aligned columns: the first column to the left, the others to the right.
/// `rows` all have as many cells as `header`. Its lines are printable().
std::vector<std::string> alignedTable(const std::vector<std::string>& header,
                                      const std::vector<std::vector<std::string>>& rows);

} // namespace cannery::app
