#include "core/train/frozen_experiment.h"

#include "core/spec/parsed_experiment.h"
#include "storage/io/files.h"
#include "storage/io/text_checksum.h"
#include "storage/runs/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cannery::train {
namespace {

constexpr ErrorKind kDamaged{
    "train.frozen_damaged",
    "The experiment that {} was trained with cannot be understood: {}. Restore the file, or train "
    "in another model_dir."};
constexpr ErrorKind kOther{
    "train.other_experiment",
    "{} belongs to another experiment; {}. Choose another model_dir, or take these changes back."};

constexpr std::size_t kNamedAtMost = 6;

/// May change between one session and the next.
constexpr std::array<std::string_view, 11> kFreeFields{
    "name",          "description",          "data.eval",       "data.key_column",
    "data.bad_rows", "train_spec.max_steps", "train_spec.hook", "train_spec.input.num_epochs",
    "eval_spec",     "run_config",           "warm_start",
};

bool isBelow(std::string_view path, std::string_view field)
{
    return path.starts_with(field) &&
           (path.size() == field.size() || path[field.size()] == '.' || path[field.size()] == '[');
}

bool isFree(const std::string& path)
{
    return !isBelow(path, "run_config.tf_random_seed") &&
           std::any_of(kFreeFields.begin(), kFreeFields.end(),
                       [&](std::string_view field) { return isBelow(path, field); });
}

} // namespace

Result<std::optional<FrozenExperiment>> readFrozenExperiment(const std::string& modelDir)
{
    const std::string path = storage::joinPath(modelDir, storage::kFrozenExperimentFile);
    // The description comes second: without it the folder was never a run's.
    if (!storage::exists(path) || !storage::RunFiles(modelDir).isRun()) {
        return std::nullopt;
    }
    CANNERY_TRY_ASSIGN(std::string text, storage::readWholeFile(path));
    if (text.empty() || !storage::hasSoundChecksum(text)) {
        return fail(ErrorCode::DataLoss, kDamaged, modelDir,
                    path + " is not as it was written (its checksum is another)");
    }
    spec::ParsedExperiment parsed = spec::parseExperiment(std::move(text));
    if (spec::hasErrors(parsed.problems)) {
        return fail(ErrorCode::DataLoss, kDamaged, modelDir,
                    spec::render(parsed.problems.front(), path));
    }
    CANNERY_TRY_ASSIGN(const storage::RunInfo info, storage::RunFiles(modelDir).readInfo());
    return FrozenExperiment{.experiment = std::move(parsed.experiment),
                            .folder = storage::parentFolder(info.experimentFile),
                            .file = info.experimentFile};
}

std::vector<spec::FieldDifference> differencesThatMatter(const spec::Experiment& frozen,
                                                         const spec::Experiment& resolved)
{
    // Compared without the free fields, so that a whole message that only one side has does not
    // hide that nothing in it matters.
    const auto strip = [](spec::Experiment experiment) {
        const std::int64_t seed = experiment.run_config().tf_random_seed();
        const bool hasSeed = experiment.run_config().has_tf_random_seed();
        experiment.clear_run_config();
        if (hasSeed) {
            experiment.mutable_run_config()->set_tf_random_seed(seed);
        }
        experiment.clear_name();
        experiment.clear_eval_spec();
        experiment.clear_warm_start();
        return experiment;
    };
    std::vector<spec::FieldDifference> differences = spec::diff(strip(frozen), strip(resolved));
    std::erase_if(differences, [](const auto& difference) { return isFree(difference.path); });
    return differences;
}

Result<void> checkSameExperiment(const std::string& modelDir, const spec::Experiment& frozen,
                                 const spec::Experiment& resolved)
{
    const std::vector<spec::FieldDifference> differences = differencesThatMatter(frozen, resolved);
    if (differences.empty()) {
        return {};
    }
    std::vector<std::string> lines;
    for (const spec::FieldDifference& difference : differences) {
        if (lines.size() == kNamedAtMost) {
            lines.push_back(fmt::format("{} more", differences.size() - kNamedAtMost));
            break;
        }
        lines.push_back(spec::render(difference));
    }
    return fail(ErrorCode::FailedPrecondition, kOther, modelDir,
                fmt::format("{}", fmt::join(lines, "; ")));
}

} // namespace cannery::train
