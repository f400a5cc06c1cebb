#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// Where a command talks to: results to stdout, everything else to stderr.
class Console
{
public:
    Console();

    /// A line of the result.
    void result(std::string_view line) const;
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

    bool isQuiet() const { return m_quiet; }
    void setQuiet(bool quiet) { m_quiet = quiet; }
    /// Whether the command was asked for JSON.
    bool isJson() const { return m_json; }
    void setJson(bool json) { m_json = json; }
    void setJsonProgress(bool json) { m_jsonProgress = json; }

private:
    bool m_isTerminal = false;
    bool m_quiet = false;
    bool m_hasProgress = false;
    bool m_json = false;
    bool m_jsonProgress = false;
    double m_lastAdvance = -1; ///< on the steady clock, in seconds
};

/// A table of text with aligned columns: the first column to the left, the others to the right.
/// `rows` all have as many cells as `header`.
std::vector<std::string> alignedTable(const std::vector<std::string>& header,
                                      const std::vector<std::vector<std::string>>& rows);

} // namespace cannery::app
