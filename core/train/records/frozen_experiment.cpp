// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/frozen_experiment.h"

#include "core/spec/normalized_columns.h"
#include "core/spec/text/parsed_experiment.h"
#include "storage/io/files.h"
#include "storage/io/text_checksum.h"
#include "storage/runs/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace cannery::train {
namespace {

constexpr ErrorKind kDamaged{"train.frozen_damaged",
                             "The experiment that {} was trained with cannot be read: {}. Restore "
                             "the file, or train in another model_dir."};
constexpr ErrorKind kOther{
    "train.other_experiment",
    "{} belongs to another experiment; {}. Choose another model_dir, or undo these changes."};

constexpr std::size_t kNamedAtMost = 6;

/// May change between one training and the next.
constexpr std::array<std::string_view, 14> kFreeFields{
    "name",
    "description",
    "data.eval",
    "data.key_column",
    "data.bad_rows",
    "data.unlabelled_rows",
    "train_spec.max_steps",
    "train_spec.hook",
    "train_spec.input.num_epochs",
    "eval_spec",
    "run_config",
    "warm_start",
    "strategy.one_device.device",
    // Of tables, which earlier versions did not freeze; columns have other names without it.
    "data.train.csv.header",
};

bool isBelow(std::string_view path, std::string_view field)
{
    // Below the field, and not beside one whose name only begins like it.
    return path.starts_with(field) &&
           (path.size() == field.size() || path[field.size()] == '.' || path[field.size()] == '[');
}

bool isFree(const std::string& path)
{
    // The seed is the one setting of the run that changes its numbers.
    return !isBelow(path, "run_config.tf_random_seed") &&
           std::any_of(kFreeFields.begin(), kFreeFields.end(),
                       [&](std::string_view field) { return isBelow(path, field); });
}

/// Elements by name; there may be thousands.
template <typename Element>
std::unordered_map<std::string_view, const Element*>
byName(const google::protobuf::RepeatedPtrField<Element>& elements)
{
    std::unordered_map<std::string_view, const Element*> index;
    for (const Element& element : elements) {
        index.emplace(element.name(), &element);
    }
    return index;
}

/// What a normalizer takes from the data.
void adopt(const spec::Normalizer& before, spec::Normalizer& now)
{
    if (now.has_z_score() && before.has_z_score()) {
        // What the experiment spells out wins over what was taken from the data.
        spec::ZScore numbers = before.z_score();
        numbers.MergeFrom(now.z_score());
        *now.mutable_z_score() = std::move(numbers);
    } else if (now.has_min_max() && before.has_min_max()) {
        spec::MinMax numbers = before.min_max();
        numbers.MergeFrom(now.min_max());
        *now.mutable_min_max() = std::move(numbers);
    }
}

} // namespace

Result<AnsweredExperiment> openAnswered(spec::Experiment written, const std::string& folder,
                                        const spec::Experiment* frozen)
{
    const auto open = [&] {
        return data::Dataset::open(written.data(), folder, data::DataPart::Train,
                                   data::ColumnKinds::Unknown);
    };
    CANNERY_TRY_ASSIGN(data::Dataset trainData, open());
    // A first training answers for itself.
    if (frozen == nullptr) {
        return AnsweredExperiment{std::move(written), std::move(trainData)};
    }
    const std::vector<spec::Column> table = trainData.resolvedColumns();
    written = withFrozenAnswers(std::move(written), *frozen, table);
    // Answers may change how columns are read, and then the table is opened with them.
    const auto& pinned = written.data().column();
    const auto isSame = [](const spec::Column& left, const spec::Column& right) {
        return left.SerializeAsString() == right.SerializeAsString();
    };
    if (!std::equal(table.begin(), table.end(), pinned.begin(), pinned.end(), isSame)) {
        CANNERY_TRY_ASSIGN(trainData, open());
    }
    return AnsweredExperiment{std::move(written), std::move(trainData)};
}

Result<std::optional<FrozenExperiment>> readFrozenExperiment(const std::string& modelDir)
{
    const std::string path = storage::joinPath(modelDir, storage::kFrozenExperimentFile);
    // The description comes second: without it the folder was never a run's.
    if (!storage::exists(path) || !storage::RunFiles(modelDir).isRun()) {
        return std::nullopt;
    }
    CANNERY_TRY_ASSIGN(std::string text, storage::readWholeFile(path));
    // Changed by hand, it may belong to another model than the checkpoints.
    if (text.empty() || !storage::hasSoundChecksum(text)) {
        return fail(ErrorCode::DataLoss, kDamaged, modelDir,
                    path + " has been changed (its checksum does not match)");
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

namespace {

/// How columns of the table are read, where the experiment does not say so.
void pinColumns(const spec::Experiment& frozen, const std::vector<spec::Column>& table,
                spec::Experiment& written)
{
    const spec::Data settings = written.data();
    const auto describedColumns = byName(settings.column());
    const auto frozenColumns = byName(frozen.data().column());
    for (const spec::Column& now : table) {
        const auto before = frozenColumns.find(now.name());
        // What the experiment does not describe stays as it was read before.
        if (before != frozenColumns.end() && !describedColumns.contains(now.name())) {
            *written.mutable_data()->add_column() = *before->second;
        }
    }
    for (spec::Column& column : *written.mutable_data()->mutable_column()) {
        const auto before = frozenColumns.find(column.name());
        if (before == frozenColumns.end()) {
            continue;
        }
        spec::Column answer = *before->second;
        // Lists are replaced, not merged.
        if (column.missing_token_size() > 0) {
            answer.clear_missing_token();
        }
        if (column.has_number_notation()) {
            answer.clear_number_notation();
        }
        answer.MergeFrom(column);
        column.Swap(&answer);
    }
}

} // namespace

spec::Experiment withFrozenAnswers(spec::Experiment written, const spec::Experiment& frozen,
                                   const std::vector<spec::Column>& table)
{
    spec::RunConfig& config = *written.mutable_run_config();
    // A seed that the experiment leaves open was drawn once, and stays.
    if (!config.has_tf_random_seed() && frozen.run_config().has_tf_random_seed()) {
        config.set_tf_random_seed(frozen.run_config().tf_random_seed());
    }
    spec::Input& input = *written.mutable_train_spec()->mutable_input();
    if (!input.has_shuffle_seed() && frozen.train_spec().input().has_shuffle_seed()) {
        input.set_shuffle_seed(frozen.train_spec().input().shuffle_seed());
    }
    const auto features = byName(frozen.feature_column());
    for (spec::FeatureColumn& column : *written.mutable_feature_column()) {
        // By name, as the order of columns may have changed.
        const auto before = features.find(column.name());
        spec::Normalizer* normalizer = spec::mutableNormalizer(column);
        if (before == features.end() || normalizer == nullptr) {
            continue;
        }
        if (const auto frozenColumn = spec::normalizedColumn(*before->second)) {
            adopt(frozenColumn->normalizer, *normalizer);
        }
    }
    pinColumns(frozen, table, written);
    return written;
}

std::vector<spec::FieldDifference> differencesThatMatter(const spec::Experiment& frozen,
                                                         const spec::Experiment& resolved,
                                                         Purpose purpose)
{
    // Compared without the free fields, so that a message present on one side only does not hide
    // that nothing in it matters.
    const auto strip = [&](spec::Experiment experiment, const spec::Experiment& other) {
        const std::int64_t seed = experiment.run_config().tf_random_seed();
        const bool hasSeed = experiment.run_config().has_tf_random_seed();
        experiment.clear_run_config();
        // What a model predicts does not depend on its seed.
        if (hasSeed && purpose == Purpose::Training) {
            experiment.mutable_run_config()->set_tf_random_seed(seed);
        }
        if (purpose == Purpose::Inference) {
            experiment.clear_train_spec();
            experiment.clear_strategy();
        }
        experiment.clear_name();
        // A run has no sweep of its own.
        experiment.clear_sweep();
        experiment.clear_eval_spec();
        experiment.clear_warm_start();
        const auto others = byName(other.data().column());
        auto& columns = *experiment.mutable_data()->mutable_column();
        columns.erase(std::remove_if(columns.begin(), columns.end(),
                                     [&](const spec::Column& column) {
                                         // A column that only one table has is read by no feature
                                         // of both.
                                         return !others.contains(column.name());
                                     }),
                      columns.end());
        return experiment;
    };
    std::vector<spec::FieldDifference> differences =
        spec::diff(strip(frozen, resolved), strip(resolved, frozen));
    std::erase_if(differences, [](const auto& difference) { return isFree(difference.path); });
    return differences;
}

Result<void> checkSameExperiment(const std::string& modelDir, const spec::Experiment& frozen,
                                 const spec::Experiment& resolved, Purpose purpose)
{
    const std::vector<spec::FieldDifference> differences =
        differencesThatMatter(frozen, resolved, purpose);
    if (differences.empty()) {
        return {};
    }
    std::vector<std::string> lines;
    for (const spec::FieldDifference& difference : differences) {
        // A long list would hide the first differences.
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
