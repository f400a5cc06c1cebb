// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cannery::app {

/// One option or argument of a command, for help and completions.
struct OptionInfo
{
    std::string name;      ///< "--model-dir", or "FILE" for an argument
    std::string shortName; ///< "-n"; most have none
    std::string valueName; ///< "DIR"; empty for a flag
    std::string help;
    bool required = false;
    bool repeats = false;
    std::vector<std::string> choices; ///< the allowed values; any if empty
};

/// The options of a command. A command declares them once, bound to its own members; parsing, help
/// and shell completion all read the declaration. Not copyable: it holds references.
class OptionSet
{
public:
    OptionSet();
    ~OptionSet();
    OptionSet(const OptionSet&) = delete;
    OptionSet& operator=(const OptionSet&) = delete;

    void argument(const std::string& valueName, std::string& target, const std::string& help,
                  bool required = true);
    void arguments(const std::string& valueName, std::vector<std::string>& target,
                   const std::string& help, bool required = true);
    /// `name`: "--workers", or with a short one "-n,--workers".
    void option(const std::string& name, const std::string& valueName,
                std::optional<std::string>& target, const std::string& help);
    void option(const std::string& name, const std::string& valueName,
                std::optional<std::int64_t>& target, const std::string& help);
    void option(const std::string& name, const std::string& valueName,
                std::vector<std::string>& target, const std::string& help);
    /// `--threads N`.
    void threads(std::optional<std::int64_t>& target, const std::string& help);
    void choice(const std::string& name, const std::vector<std::string>& choices,
                std::optional<std::string>& target, const std::string& help);
    void flag(const std::string& name, bool& target, const std::string& help);
    /// `name` was a flag that is called `now`: errors of words that hold it say so.
    void formerFlag(const std::string& name, const std::string& now);

    const std::vector<OptionInfo>& infos() const { return m_infos; }

    /// Parses the words after the command's name into the bound members. The error's sentence is
    /// for the user.
    Result<void> parse(const std::string& command, const std::vector<std::string>& words);

private:
    /// What may be meant by words that cannot be parsed, or nothing.
    std::string hintFor(const std::vector<std::string>& words) const;

    struct Parser;
    std::vector<OptionInfo> m_infos;
    std::map<std::string, std::string> m_formerFlags; ///< what they are called now
    std::unique_ptr<Parser> m_parser;
};

/// `--progress json`: see Console::advance().
void declareProgress(OptionSet& options, std::optional<std::string>& target);

} // namespace cannery::app
