// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/command_listener.h"

#include "core/train/checkpoints/checkpoint_store.h"
#include "core/train/loop/training_loop.h"
#include "core/train/records/program_run.h"

#include <fmt/core.h>

#include <filesystem>
#include <sstream>
#include <utility>

namespace cannery::train {
namespace {

void replaceAll(std::string& text, std::string_view placeholder, const std::string& value)
{
    for (std::size_t at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + value.size())) {
        text.replace(at, placeholder.size(), value);
    }
}

/// Why a program counts as failed; empty if it has succeeded.
std::string failureOf(const Result<ProgramOutcome>& outcome, const std::string& program,
                      std::int64_t timeout)
{
    if (!outcome) {
        return outcome.error().sentence;
    }
    switch (outcome->ending) {
    case ProgramEnding::Exited:
        return outcome->code == 0
                   ? ""
                   : fmt::format("The program {} ended with exit code {}.", program, outcome->code);
    case ProgramEnding::Signalled:
        return fmt::format("Signal {} ended the program {}.", outcome->code, program);
    case ProgramEnding::TimedOut:
        return fmt::format("The program {} was killed: it had not ended within {} seconds.",
                           program, timeout);
    case ProgramEnding::Abandoned:
        return fmt::format("The program {} was killed, because the training was told to stop.",
                           program);
    }
    return {};
}

} // namespace

CommandListener::CommandListener(spec::SavingListener listener, std::string folder,
                                 std::string modelDir)
    : m_listener(std::move(listener)), m_folder(folder.empty() ? "." : std::move(folder)),
      m_modelDir(std::filesystem::absolute(modelDir).lexically_normal().string())
{}

Result<void> CommandListener::begin(TrainingLoop& loop)
{
    runAt(spec::SavingListener::begin, loop);
    return {};
}

Result<void> CommandListener::beforeSave(TrainingLoop& loop)
{
    runAt(spec::SavingListener::before_save, loop);
    return {};
}

Result<void> CommandListener::afterSave(TrainingLoop& loop, BegunCheckpoint checkpoint)
{
    if (m_listener.when() == spec::SavingListener::after_save) {
        CANNERY_TRY(checkpoint.commit());
        runAt(spec::SavingListener::after_save, loop);
    }
    return {};
}

Result<void> CommandListener::end(TrainingLoop& loop)
{
    runAt(spec::SavingListener::end, loop);
    return {};
}

void CommandListener::runAt(spec::SavingListener::Moment moment, TrainingLoop& loop)
{
    if (m_listener.when() != moment || loop.isCancelled()) {
        return;
    }
    ProgramRun run{.words = {m_listener.command().begin(), m_listener.command().end()},
                   .folder = m_folder,
                   .timeout = std::chrono::seconds(m_listener.timeout_secs()),
                   .mustEnd = [&] { return loop.isCancelled(); }};
    for (std::string& word : run.words) {
        replaceAll(word, "{checkpoint}", checkpointPrefix(m_modelDir, loop.globalStep()));
        replaceAll(word, "{model_dir}", m_modelDir);
        replaceAll(word, "{global_step}", fmt::format("{}", loop.globalStep()));
    }
    loop.observer().activityChanged("Running " + run.words.front());
    const Result<ProgramOutcome> outcome = runProgram(run);
    if (outcome) {
        std::istringstream lines(outcome->output);
        for (std::string line; std::getline(lines, line);) {
            loop.observer().logged(LogLevel::Info, run.words.front() + ": " + line);
        }
        loop.observer().logged(LogLevel::Info,
                               fmt::format("The program {} ran for {:.1f} s at step {} ({}).",
                                           run.words.front(), outcome->seconds, loop.globalStep(),
                                           spec::SavingListener::Moment_Name(moment)));
    }
    report(loop, failureOf(outcome, run.words.front(), m_listener.timeout_secs()));
    loop.observer().activityChanged("");
}

void CommandListener::report(TrainingLoop& loop, const std::string& failure)
{
    if (failure.empty()) {
        return;
    }
    loop.observer().logged(LogLevel::Warning, failure);
    if (m_listener.stop_on_failure()) {
        loop.requestStop(StopReason::EarlyStopping,
                         failure + " It is a saving listener with stop_on_failure.");
    }
}

} // namespace cannery::train
