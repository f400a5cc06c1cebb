// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_store.h"

#include "core/train/checkpoints/checkpoint_recovery.h"
#include "core/train/records/eval_history.h"
#include "storage/io/files.h"
#include "storage/runs/decision_metric.h"
#include "storage/runs/run_files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoCheckpoint{"train.no_checkpoint", "There is no checkpoint{} in {}.{}"};
constexpr ErrorKind kNoEvaluation{
    "train.no_evaluated_checkpoint",
    "No existing checkpoint in {} has been evaluated; choose 'latest' or a step ({})."};
constexpr ErrorKind kBadChoice{"train.bad_checkpoint_choice",
                               "'{}' is not a checkpoint; write latest, best or a step."};

/// Reasons in the list of a run's checkpoints.
constexpr std::string_view kLatest = "latest";
constexpr std::string_view kKeptByTheHour = "kept every n hours";
constexpr std::string_view kBest = "best ";

double modificationTime(const std::string& path)
{
    std::error_code failure;
    const auto time = std::filesystem::last_write_time(path, failure);
    if (failure) {
        return 0;
    }
    // The clock of files is not the wall clock; only differences of its times are comparable.
    const auto sinceNow = time - std::filesystem::file_time_type::clock::now();
    return systemClock().wallTime() + std::chrono::duration<double>(sinceNow).count();
}

/// Steps of all checkpoints in a folder, ascending, including those that the state file does not
/// name.
std::vector<std::int64_t> stepsIn(const std::string& modelDir)
{
    std::vector<std::int64_t> steps;
    for (const std::string& name :
         storage::listFolder(modelDir).value_or(std::vector<std::string>())) {
        if (name.starts_with("model.ckpt-") && name.ends_with(".index")) {
            const std::string stem =
                name.substr(0, name.size() - std::string_view(".index").size());
            if (const auto step = storage::checkpointStep(stem)) {
                steps.push_back(*step);
            }
        }
    }
    std::sort(steps.begin(), steps.end());
    return steps;
}

/// Whether a file of this name belongs to a checkpoint without an index: its save or its deletion
/// was killed.
bool isLeftOver(const std::string& modelDir, std::string_view name)
{
    for (const std::string_view part : {".cannery", ".data-00000-of-00001"}) {
        // Among its parts, the index is written last and deleted first.
        if (name.starts_with("model.ckpt-") && name.ends_with(part)) {
            const std::string_view stem = name.substr(0, name.size() - part.size());
            return !storage::exists(storage::joinPath(modelDir, std::string(stem) + ".index"));
        }
    }
    return false;
}

std::string describe(const std::vector<std::int64_t>& steps)
{
    return fmt::format("there are {}", fmt::join(steps, ", "));
}

/// The folder's known evaluations: from the run's own list, or from TensorFlow's event files.
Result<std::vector<storage::RunEvaluation>> evaluationsOf(const std::string& modelDir)
{
    CANNERY_TRY_ASSIGN(std::vector<storage::RunEvaluation> evaluations,
                       storage::RunFiles(modelDir).readEvaluations());
    if (!evaluations.empty()) {
        return evaluations;
    }
    CANNERY_TRY_ASSIGN(const EvalHistory history, readAllEvaluations(modelDir));
    for (const auto& [step, metrics] : history) {
        storage::RunEvaluation& evaluation = evaluations.emplace_back();
        evaluation.globalStep = step;
        for (const auto& [name, value] : metrics) {
            evaluation.metrics.push_back({name, value});
        }
    }
    return evaluations;
}

Result<std::string> bestCheckpoint(const std::string& modelDir,
                                   const std::vector<std::int64_t>& steps)
{
    // A best that is already deleted cannot be chosen.
    CANNERY_TRY_ASSIGN(const std::vector<storage::RunEvaluation> evaluations,
                       evaluationsOf(modelDir));
    // A model_dir of TensorFlow's has no description.
    const Result<storage::RunInfo> info = storage::RunFiles(modelDir).readInfo();
    const auto best = storage::bestEvaluation(
        info ? info->parameters : std::vector<storage::RunParameter>(), evaluations,
        [&](std::int64_t step) { return std::binary_search(steps.begin(), steps.end(), step); });
    if (!best) {
        return fail(ErrorCode::NotFound, kNoEvaluation, modelDir, describe(steps));
    }
    return checkpointPrefix(modelDir, best->globalStep);
}

Result<FoundCheckpoint> latestOf(const std::string& modelDir)
{
    CANNERY_TRY_ASSIGN(const std::optional<storage::CheckpointState> state,
                       storage::readCheckpointState(modelDir));
    // The state file can name a checkpoint that was deleted by hand.
    if (state && storage::checkpointExists(state->latest)) {
        return FoundCheckpoint{.prefix = state->latest};
    }
    CANNERY_TRY_ASSIGN(const std::optional<std::string> newest, newestWholeCheckpoint(modelDir));
    if (!newest) {
        return fail(ErrorCode::NotFound, kNoCheckpoint, "", modelDir, " Train first.");
    }
    const std::string why =
        state ? fmt::format("{} no longer exists.", state->latest) : noStateFile(modelDir);
    return FoundCheckpoint{.prefix = *newest,
                           .warning = fmt::format("{} Taking {} instead.", why, *newest)};
}

} // namespace

std::string checkpointPrefix(const std::string& modelDir, std::int64_t step)
{
    return storage::joinPath(modelDir, fmt::format("model.ckpt-{}", step));
}

CheckpointStore::CheckpointStore(std::string modelDir, const Options& options,
                                 CheckpointRetention retention)
    : m_modelDir(std::move(modelDir)), m_options(options), m_retention(std::move(retention))
{}

Result<CheckpointStore> CheckpointStore::open(const std::string& modelDir, const Options& options)
{
    CANNERY_TRY_ASSIGN(const auto state, storage::readCheckpointState(modelDir));
    std::vector<CheckpointRetention::Entry> existing;
    if (state) {
        for (const std::string& prefix : state->all) {
            // The state file does not keep the time of each; that of the index is close to it.
            const auto step = storage::checkpointStep(prefix);
            if (step && storage::checkpointExists(prefix)) {
                existing.push_back({*step, modificationTime(prefix + ".index")});
            }
        }
    }
    for (const std::string& name :
         storage::listFolder(modelDir).value_or(std::vector<std::string>())) {
        if (isLeftOver(modelDir, name)) {
            // A file that cannot be deleted only wastes space.
            (void)options.system->removeFile(storage::joinPath(modelDir, name));
        }
    }
    CheckpointRetention retention(options.retention, std::move(existing),
                                  options.clock->wallTime());
    CheckpointStore store(modelDir, options, std::move(retention));
    // A damaged list is rewritten by the first save.
    const auto recorded = storage::RunFiles(modelDir).readCheckpoints();
    if (state && recorded) {
        store.takeOver(*recorded, state->lastPreserved);
        // Checkpoints that an earlier start could not delete are tried again.
        store.clearAway();
    }
    return store;
}

bool CheckpointStore::lists(std::int64_t step) const
{
    const auto isIt = [&](const CheckpointRetention::Entry& entry) { return entry.step == step; };
    return std::any_of(m_retention.recent().begin(), m_retention.recent().end(), isIt) ||
           std::any_of(m_retention.preserved().begin(), m_retention.preserved().end(), isIt) ||
           std::any_of(m_older.begin(), m_older.end(), isIt);
}

/// Those that the state file does not name: kept for a reason, or not deleted before a kill. The
/// state file says which was the last one to be kept by the hour.
void CheckpointStore::takeOver(std::span<const storage::RunCheckpoint> recorded,
                               double lastPreserved)
{
    for (const storage::RunCheckpoint& checkpoint : recorded) {
        if (lists(checkpoint.globalStep) ||
            !storage::checkpointExists(prefix(checkpoint.globalStep))) {
            continue;
        }
        const CheckpointRetention::Entry entry{checkpoint.globalStep, checkpoint.savedAt};
        // The exact time identifies it: the state file was written with the same number.
        const bool isPreserved = lastPreserved > 0 && checkpoint.savedAt == lastPreserved;
        if (isPreserved || checkpoint.keptBecause.find(kKeptByTheHour) != std::string::npos) {
            m_retention.preserve(entry);
            continue;
        }
        m_older.push_back(entry);
        // Until the best checkpoints are known again.
        if (const std::size_t best = checkpoint.keptBecause.find(kBest);
            best != std::string::npos) {
            m_best[entry.step] = checkpoint.keptBecause.substr(best + kBest.size());
        }
    }
}

void CheckpointStore::keepBest(std::map<std::int64_t, std::string> best)
{
    m_best = std::move(best);
    // One of ours that no list names any more.
    for (const auto& [step, what] : m_best) {
        if (!lists(step) && storage::exists(sidecarPath(prefix(step)))) {
            m_older.push_back({step, modificationTime(prefix(step) + ".index")});
        }
    }
    clearAway();
}

/// Deletes checkpoints that are neither recent nor best; retries later if that fails.
void CheckpointStore::clearAway()
{
    std::erase_if(m_older, [&](const CheckpointRetention::Entry& entry) {
        return !m_best.contains(entry.step) && remove(entry.step);
    });
}

Result<std::string> CheckpointStore::save(std::span<const plan::StateTensor> state,
                                          const CheckpointSidecar& sidecar, double savedAt)
{
    std::vector<storage::NamedTensor> tensors;
    tensors.reserve(state.size() + 1);
    // Both are deques, as growing must not move what the views point to.
    std::deque<std::string> texts;             // which the views show
    std::deque<std::vector<std::byte>> copies; // the same
    for (const plan::StateTensor& tensor : state) {
        // A part that the model does not have yet would be read back as an empty tensor.
        if (tensor.isOptional && tensor.byteCount() == 0) {
            continue;
        }
        storage::TensorView view;
        view.dtype = tensor.dtype;
        view.shape = tensor.shape;
        if (tensor.dtype == DType::String) {
            view.strings = {&texts.emplace_back(reinterpret_cast<const char*>(tensor.bytes.data()),
                                                tensor.bytes.size()),
                            1};
        } else {
            view.bytes = tensor.content(copies.emplace_back());
        }
        tensors.push_back({tensor.name, std::move(view)});
    }
    const std::int64_t step = sidecar.globalStep;
    tensors.push_back(
        {"global_step", storage::TensorView::of(std::span<const std::int64_t>(&step, 1), Shape{})});

    const std::string prefix = checkpointPrefix(m_modelDir, step);
    // The sidecar first: a checkpoint is complete with its index, which is written last.
    CANNERY_TRY(writeSidecar(prefix, sidecar, *m_options.system));
    CANNERY_TRY_ASSIGN(m_sizes[step], storage::writeCheckpoint(prefix, tensors, *m_options.system));
    // A step that is saved again is no longer one of the old ones.
    std::erase_if(m_older, [&](const auto& entry) { return entry.step == step; });
    const auto old = m_retention.add({.step = step, .savedAt = savedAt});
    // Before the old checkpoint is deleted: the state file must never name one that is gone.
    CANNERY_TRY(publishState(
        m_retention.preserved().empty() ? 0.0 : m_retention.preserved().back().savedAt));
    if (old) {
        m_older.push_back(*old);
    }
    clearAway();
    return prefix;
}

Result<void> CheckpointStore::publishState(double lastPreserved)
{
    storage::CheckpointState state;
    for (const CheckpointRetention::Entry& entry : m_retention.recent()) {
        state.all.push_back(checkpointPrefix(m_modelDir, entry.step));
    }
    state.latest = state.all.back();
    state.lastPreserved = lastPreserved;
    return storage::writeCheckpointState(m_modelDir, state, *m_options.system);
}

bool CheckpointStore::remove(std::int64_t step)
{
    // Its size is computed again if it cannot be deleted.
    m_sizes.erase(step);
    // A file that cannot be deleted only wastes space; the state file no longer names it.
    const std::string prefix = checkpointPrefix(m_modelDir, step);
    // The sidecar stays as long as the checkpoint does, which is recognized as ours by it.
    if (storage::removeCheckpoint(prefix, *m_options.system) &&
        storage::exists(sidecarPath(prefix))) {
        (void)m_options.system->removeFile(sidecarPath(prefix));
    }
    return !storage::checkpointExists(prefix);
}

/// "best auc", or else what keeps it; both for the newest.
std::string CheckpointStore::reasonOf(std::int64_t step, std::string_view otherwise) const
{
    const auto best = m_best.find(step);
    if (best == m_best.end()) {
        return std::string(otherwise);
    }
    const bool hasOther = otherwise == kLatest || otherwise == kKeptByTheHour;
    return fmt::format("{}{}{}{}", hasOther ? otherwise : "", hasOther ? ", " : "", kBest,
                       best->second);
}

std::uint64_t CheckpointStore::sizeOf(std::int64_t step)
{
    const auto [size, isNew] = m_sizes.try_emplace(step, 0);
    // The size of a checkpoint never changes, and listing its files after every save would be
    // wasted.
    if (isNew) {
        const auto reader = storage::CheckpointReader::open(checkpointPrefix(m_modelDir, step));
        for (const std::string& file : reader ? reader->files() : std::vector<std::string>()) {
            size->second += storage::fileSize(file).value_or(0);
        }
    }
    return size->second;
}

std::vector<storage::RunCheckpoint> CheckpointStore::list()
{
    std::vector<storage::RunCheckpoint> checkpoints;
    const auto add = [&](const CheckpointRetention::Entry& entry, std::string_view why) {
        checkpoints.push_back({.globalStep = entry.step,
                               .bytes = sizeOf(entry.step),
                               .savedAt = entry.savedAt,
                               .keptBecause = reasonOf(entry.step, why)});
    };
    for (const CheckpointRetention::Entry& entry : m_retention.preserved()) {
        add(entry, kKeptByTheHour);
    }
    for (const CheckpointRetention::Entry& entry : m_older) {
        add(entry, "could not be deleted");
    }
    for (const CheckpointRetention::Entry& entry : m_retention.recent()) {
        add(entry, &entry == &m_retention.recent().back() ? kLatest : "recent");
    }
    // The lists are separate, and users see one by step.
    std::sort(checkpoints.begin(), checkpoints.end(), [](const auto& left, const auto& right) {
        return left.globalStep < right.globalStep;
    });
    return checkpoints;
}

Result<CheckpointChoice> CheckpointChoice::parse(std::string_view text)
{
    if (text == "latest") {
        return CheckpointChoice{.kind = Kind::Latest};
    }
    if (text == "best") {
        return CheckpointChoice{.kind = Kind::Best};
    }
    CheckpointChoice choice{.kind = Kind::Step};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), choice.step);
    if (code != std::errc() || end != text.data() + text.size() || choice.step < 0) {
        return fail(ErrorCode::InvalidArgument, kBadChoice, text);
    }
    return choice;
}

Result<FoundCheckpoint> findCheckpoint(const std::string& modelDir, const CheckpointChoice& choice)
{
    const std::vector<std::int64_t> steps = stepsIn(modelDir);
    if (choice.kind == CheckpointChoice::Kind::Latest) {
        return latestOf(modelDir);
    }
    if (steps.empty()) {
        return fail(ErrorCode::NotFound, kNoCheckpoint, "", modelDir, " Train first.");
    }
    if (choice.kind == CheckpointChoice::Kind::Best) {
        CANNERY_TRY_ASSIGN(std::string best, bestCheckpoint(modelDir, steps));
        return FoundCheckpoint{.prefix = std::move(best)};
    }
    if (!std::binary_search(steps.begin(), steps.end(), choice.step)) {
        // All that can be chosen are named, as the sentence is all that a command line shows.
        return fail(ErrorCode::NotFound, kNoCheckpoint, fmt::format(" of step {}", choice.step),
                    modelDir, " Choose another: " + describe(steps) + ".");
    }
    return FoundCheckpoint{.prefix = checkpointPrefix(modelDir, choice.step)};
}

} // namespace cannery::train
