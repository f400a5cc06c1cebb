// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/completion_command.h"

#include "app/cannery/commands/command_catalog.h"
#include "core/base/catalog.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>

namespace cannery::app {

namespace {

constexpr ErrorKind kUnknownShell{"command.usage.unknown_shell",
                                  "No completions for the shell '{}'.{}"};

struct Words
{
    std::vector<std::string> commands;
    /// "train:--model-dir --set ..." for each command
    std::vector<std::pair<std::string, std::vector<OptionInfo>>> options;
};

Words wordsOfCatalog()
{
    Words words;
    // The commands declare their options themselves, so the script cannot lack any.
    for (const CommandRow& row : commandCatalog()) {
        OptionSet options;
        row.make()->declare(options);
        words.commands.emplace_back(row.key);
        words.options.emplace_back(row.key, options.infos());
    }
    return words;
}

std::string optionNames(const std::vector<OptionInfo>& infos)
{
    std::string names;
    for (const OptionInfo& info : infos) {
        if (info.name.starts_with("--")) {
            names += names.empty() ? "" : " ";
            names += info.name;
        }
    }
    return names;
}

std::string bashScript()
{
    const Words words = wordsOfCatalog();
    std::string script = "_cannery() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n"
                         "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
    script += fmt::format("        COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n        return\n"
                          "    fi\n    case ${{COMP_WORDS[1]}} in\n",
                          fmt::join(words.commands, " "));
    for (const auto& [command, infos] : words.options) {
        script += fmt::format("        {}) COMPREPLY=($(compgen -f -W '{}' -- \"$word\")) ;;\n",
                              command, optionNames(infos));
    }
    return script + "    esac\n}\ncomplete -o filenames -F _cannery cannery";
}

std::string zshScript()
{
    const Words words = wordsOfCatalog();
    std::string script =
        "#compdef cannery\n_cannery() {\n    if (( CURRENT == 2 )); then\n        compadd --";
    for (const std::string& command : words.commands) {
        script += ' ';
        script += command;
    }
    script += "\n        return\n    fi\n    case $words[2] in\n";
    for (const auto& [command, infos] : words.options) {
        script += fmt::format("        {}) compadd -- {} ;;\n", command, optionNames(infos));
    }
    return script + "    esac\n    _files\n}\ncompdef _cannery cannery";
}

std::string escapedForFish(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '\'') {
            escaped.push_back('\\');
        }
        escaped.push_back(c);
    }
    return escaped;
}

std::string fishScript()
{
    std::string script;
    for (const CommandRow& row : commandCatalog()) {
        script += fmt::format("complete -c cannery -n __fish_use_subcommand -a {} -d '{}'\n",
                              row.key, escapedForFish(row.summary));
        OptionSet options;
        row.make()->declare(options);
        for (const OptionInfo& info : options.infos()) {
            if (info.name.starts_with("--")) {
                script += fmt::format(
                    "complete -c cannery -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n",
                    row.key, info.name.substr(2), info.valueName.empty() ? "" : " -r",
                    escapedForFish(info.help));
            }
        }
    }
    // The end of the last line, which document() adds.
    script.pop_back();
    return script;
}

struct ShellRow
{
    std::string_view key;
    std::string (*script)();
};

constexpr std::array kShells{ShellRow{"bash", bashScript}, ShellRow{"zsh", zshScript},
                             ShellRow{"fish", fishScript}};

} // namespace

void CompletionCommand::declare(OptionSet& options)
{
    options.argument("SHELL", m_shell, "bash, zsh or fish");
}

ExitCode CompletionCommand::run(Console& console)
{
    const ShellRow* row = findRow(kShells, std::string_view(m_shell));
    if (row == nullptr) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kUnknownShell, m_shell,
                                            suggestion(m_shell, {"bash", "zsh", "fish"})));
    }
    console.document(row->script());
    return ExitCode::Done;
}

} // namespace cannery::app
