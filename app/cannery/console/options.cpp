// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/console/options.h"

#include "core/base/catalog.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace cannery::app {

namespace {

constexpr ErrorKind kUsage{"command.usage", "{}{} Try 'cannery help {}'."};
/// As many as an experiment may have in run_config.threads.
constexpr int kMostThreads = 1024;

std::string suggestionFor(const std::vector<std::string>& words,
                          const std::vector<OptionInfo>& infos)
{
    std::vector<std::string> names;
    for (const OptionInfo& info : infos) {
        names.push_back(info.name);
    }
    for (const std::string& word : words) {
        const std::string name = word.substr(0, word.find('='));
        const bool known = std::find(names.begin(), names.end(), name) != names.end();
        if (name.starts_with("--") && !known) {
            return suggestion(name, names);
        }
    }
    return {};
}

/// `name`: "--workers" or "-n,--workers", as CLI11 has it.
OptionInfo infoOf(const std::string& name, const std::string& valueName, const std::string& help)
{
    const std::size_t comma = name.find(',');
    return {.name = name.substr(comma == std::string::npos ? 0 : comma + 1),
            .shortName = comma == std::string::npos ? "" : name.substr(0, comma),
            .valueName = valueName,
            .help = help};
}

} // namespace

struct OptionSet::Parser
{
    CLI::App app;
};

OptionSet::OptionSet() : m_parser(std::make_unique<Parser>())
{
    // 'cannery help' explains the commands; this would be a second way.
    m_parser->app.set_help_flag();
    m_parser->app.allow_windows_style_options(false);
}

OptionSet::~OptionSet() = default;

void OptionSet::argument(const std::string& valueName, std::string& target, const std::string& help,
                         bool required)
{
    m_infos.push_back({.name = valueName, .help = help, .required = required});
    m_parser->app.add_option(valueName, target)->required(required);
}

void OptionSet::arguments(const std::string& valueName, std::vector<std::string>& target,
                          const std::string& help, bool required)
{
    m_infos.push_back({.name = valueName, .help = help, .required = required, .repeats = true});
    m_parser->app.add_option(valueName, target)->required(required);
}

void OptionSet::option(const std::string& name, const std::string& valueName,
                       std::optional<std::string>& target, const std::string& help)
{
    m_infos.push_back(infoOf(name, valueName, help));
    m_parser->app.add_option(name, target);
}

void OptionSet::option(const std::string& name, const std::string& valueName,
                       std::optional<std::int64_t>& target, const std::string& help)
{
    m_infos.push_back(infoOf(name, valueName, help));
    m_parser->app.add_option(name, target);
}

void OptionSet::option(const std::string& name, const std::string& valueName,
                       std::vector<std::string>& target, const std::string& help)
{
    m_infos.push_back({.name = name, .valueName = valueName, .help = help, .repeats = true});
    m_parser->app.add_option(name, target)
        ->expected(1)
        ->allow_extra_args(false) // what follows its value belongs to others
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void OptionSet::threads(std::optional<std::int64_t>& target, const std::string& help)
{
    m_infos.push_back({.name = "--threads", .valueName = "N", .help = help});
    m_parser->app.add_option("--threads", target)->check([](const std::string& text) {
        int count = -1;
        const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), count);
        const bool isCount = code == std::errc() && rest == text.data() + text.size();
        return isCount && count >= 0 && count <= kMostThreads
                   ? std::string()
                   : "'" + text + "' is not a number of threads, 0 to " +
                         std::to_string(kMostThreads) + " (0: as if it was not given).";
    });
}

void OptionSet::choice(const std::string& name, const std::vector<std::string>& choices,
                       std::optional<std::string>& target, const std::string& help)
{
    std::string valueName;
    for (const std::string& choice : choices) {
        valueName += (valueName.empty() ? "" : "|") + choice;
    }
    m_infos.push_back({.name = name, .valueName = valueName, .help = help, .choices = choices});
    m_parser->app.add_option(name, target)
        ->check([choices](const std::string& text) -> std::string {
            if (std::find(choices.begin(), choices.end(), text) != choices.end()) {
                return {};
            }
            return "'" + text + "' is not one of its choices." + suggestion(text, choices);
        });
}

void OptionSet::flag(const std::string& name, bool& target, const std::string& help)
{
    m_infos.push_back({.name = name, .help = help});
    m_parser->app.add_flag(name, target);
}

void OptionSet::formerFlag(const std::string& name, const std::string& now)
{
    m_formerFlags.emplace(name, now);
}

std::string OptionSet::hintFor(const std::vector<std::string>& words) const
{
    for (const std::string& word : words) {
        if (const auto former = m_formerFlags.find(word); former != m_formerFlags.end()) {
            return fmt::format(" {} without a value is called {} now.", word, former->second);
        }
    }
    return suggestionFor(words, m_infos);
}

Result<void> OptionSet::parse(const std::string& command, const std::vector<std::string>& words)
{
    // CLI11 takes the words in reverse order and reports errors by exception.
    try {
        m_parser->app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& parseError) {
        std::string sentence = parseError.what();
        if (!sentence.empty() && sentence.back() != '.') {
            sentence += '.';
        }
        return fail(ErrorCode::InvalidArgument, kUsage, sentence, hintFor(words), command);
    }
    return {};
}

void declareProgress(OptionSet& options, std::optional<std::string>& target)
{
    options.choice("--progress", {"json"}, target,
                   "report progress as JSON lines on standard error");
}

} // namespace cannery::app
