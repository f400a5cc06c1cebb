#include "core/train/checkpoint_store.h"

#include "core/train/eval_history.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoint_reader.h"
#include "storage/tf/checkpoint_state.h"
#include "storage/tf/checkpoint_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoCheckpoint{"train.no_checkpoint", "There is no checkpoint{} in {}.{}"};
constexpr ErrorKind kNoEvaluation{
    "train.no_evaluated_checkpoint",
    "No checkpoint that is still in {} has been evaluated; choose 'latest' or a step ({})."};
constexpr ErrorKind kBadChoice{"train.bad_checkpoint_choice",
                               "'{}' names no checkpoint; write latest, best or a step."};

double modificationTime(const std::string& path)
{
    std::error_code failure;
    const auto time = std::filesystem::last_write_time(path, failure);
    if (failure) {
        return 0;
    }
    const auto sinceNow = time - std::filesystem::file_time_type::clock::now();
    return systemClock().wallTime() + std::chrono::duration<double>(sinceNow).count();
}

/// Steps of all checkpoints in a folder, rising; those too that the state file does not name.
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

/// Whether a file of this name is a part of a checkpoint whose index never came: its save was
/// killed, or its deletion.
bool isLeftOver(const std::string& modelDir, std::string_view name)
{
    for (const std::string_view part : {".cannery", ".data-00000-of-00001"}) {
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

Result<std::string> bestCheckpoint(const std::string& modelDir,
                                   const std::vector<std::int64_t>& steps)
{
    CANNERY_TRY_ASSIGN(const EvalHistory history, readAllEvaluations(modelDir));
    double least = std::numeric_limits<double>::infinity();
    std::optional<std::int64_t> best;
    for (const auto& [step, metrics] : history) {
        const auto loss = metrics.find("loss");
        if (loss != metrics.end() && loss->second < least &&
            std::binary_search(steps.begin(), steps.end(), step)) {
            least = loss->second;
            best = step;
        }
    }
    if (!best) {
        return fail(ErrorCode::NotFound, kNoEvaluation, modelDir, describe(steps));
    }
    return checkpointPrefix(modelDir, *best);
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
            const auto step = storage::checkpointStep(prefix);
            if (step && storage::checkpointExists(prefix)) {
                existing.push_back({*step, modificationTime(prefix + ".index")});
            }
        }
    }
    for (const std::string& name :
         storage::listFolder(modelDir).value_or(std::vector<std::string>())) {
        if (isLeftOver(modelDir, name)) {
            // What cannot be deleted costs room, nothing else.
            (void)options.system->removeFile(storage::joinPath(modelDir, name));
        }
    }
    CheckpointRetention retention(options.retention, std::move(existing),
                                  options.clock->wallTime());
    return CheckpointStore(modelDir, options, std::move(retention));
}

Result<std::string> CheckpointStore::save(std::span<const plan::StateTensor> state,
                                          const CheckpointSidecar& sidecar, double savedAt)
{
    std::vector<storage::NamedTensor> tensors;
    tensors.reserve(state.size() + 1);
    for (const plan::StateTensor& tensor : state) {
        storage::TensorView view;
        view.dtype = tensor.dtype;
        view.shape = tensor.shape;
        view.bytes = tensor.bytes;
        tensors.push_back({tensor.name, std::move(view)});
    }
    const std::int64_t step = sidecar.globalStep;
    tensors.push_back(
        {"global_step", storage::TensorView::of(std::span<const std::int64_t>(&step, 1), Shape{})});

    const std::string prefix = checkpointPrefix(m_modelDir, step);
    CANNERY_TRY(writeSidecar(prefix, sidecar, *m_options.system));
    CANNERY_TRY(storage::writeCheckpoint(prefix, tensors, *m_options.system));
    m_sizes.erase(step);
    const std::optional<std::int64_t> old = m_retention.add({.step = step, .savedAt = savedAt});
    CANNERY_TRY(publishState(
        m_retention.preserved().empty() ? 0.0 : m_retention.preserved().back().savedAt));
    if (old) {
        remove(*old);
    }
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

void CheckpointStore::remove(std::int64_t step)
{
    m_sizes.erase(step);
    // What cannot be deleted costs room, nothing else; the state file no longer names it.
    const std::string prefix = checkpointPrefix(m_modelDir, step);
    if (storage::removeCheckpoint(prefix, *m_options.system) &&
        storage::exists(sidecarPath(prefix))) {
        (void)m_options.system->removeFile(sidecarPath(prefix));
    }
}

std::uint64_t CheckpointStore::sizeOf(std::int64_t step)
{
    const auto [size, isNew] = m_sizes.try_emplace(step, 0);
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
                               .keptBecause = std::string(why)});
    };
    for (const CheckpointRetention::Entry& entry : m_retention.preserved()) {
        add(entry, "kept every n hours");
    }
    for (const CheckpointRetention::Entry& entry : m_retention.recent()) {
        add(entry, &entry == &m_retention.recent().back() ? "latest" : "recent");
    }
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

Result<std::string> findCheckpoint(const std::string& modelDir, const CheckpointChoice& choice)
{
    const std::vector<std::int64_t> steps = stepsIn(modelDir);
    if (choice.kind == CheckpointChoice::Kind::Latest) {
        CANNERY_TRY_ASSIGN(std::optional<std::string> latest, storage::latestCheckpoint(modelDir));
        if (latest) {
            return *std::move(latest);
        }
    }
    if (steps.empty() || choice.kind == CheckpointChoice::Kind::Latest) {
        return fail(ErrorCode::NotFound, kNoCheckpoint, "", modelDir, " Train first.");
    }
    if (choice.kind == CheckpointChoice::Kind::Best) {
        return bestCheckpoint(modelDir, steps);
    }
    if (!std::binary_search(steps.begin(), steps.end(), choice.step)) {
        return fail(ErrorCode::NotFound, kNoCheckpoint, fmt::format(" of step {}", choice.step),
                    modelDir, " Choose another: " + describe(steps) + ".");
    }
    return checkpointPrefix(modelDir, choice.step);
}

} // namespace cannery::train
