// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/warm_start.h"

#include "core/base/catalog.h"
#include "core/base/pattern.h"
#include "core/spec/experiment_file.h"
#include "core/train/checkpoints/vocabulary_remap.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/checkpoints/object_graph.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <algorithm>
#include <map>

namespace cannery::train {
namespace {

constexpr ErrorKind kSource{
    "train.warm_start_source",
    "{} is neither a checkpoint nor a folder with checkpoints nor a SavedModel; correct "
    "warm_start.ckpt_to_initialize_from."};
constexpr ErrorKind kMissing{
    "train.warm_start_missing",
    "{} has no {} to warm start {} from.{} Select fewer variables, or map the name with "
    "var_name_to_prev_var_name."};
constexpr ErrorKind kShape{
    "train.warm_start_shape",
    "{} is {} in {} and {} here; leave it out of vars_to_warm_start, or map its vocabulary."};
constexpr ErrorKind kUnused{
    "train.warm_start_unused",
    "The warm start refers to {}, which is not among the variables it restores.{}"};
constexpr ErrorKind kPattern{"train.warm_start_pattern", "{} Correct the pattern of warm_start."};

constexpr std::string_view kGlobalStep = "global_step";

Result<std::string> sourcePrefix(const std::string& path)
{
    // The path may lead into a run that somebody else made.
    storage::confineRunAt(path);
    if (storage::checkpointExists(path)) {
        return path;
    }
    const std::string savedModel = storage::joinPath(path, "variables/variables");
    if (storage::isSavedModel(path) && storage::checkpointExists(savedModel)) {
        return savedModel;
    }
    if (storage::isFolder(path)) {
        CANNERY_TRY_ASSIGN(std::optional<std::string> latest, storage::latestCheckpoint(path));
        if (latest) {
            return *std::move(latest);
        }
    }
    return fail(ErrorCode::NotFound, kSource, path);
}

/// Where a name is found in the checkpoint.
class Source
{
public:
    static Result<Source> open(const std::string& path)
    {
        CANNERY_TRY_ASSIGN(const std::string prefix, sourcePrefix(path));
        CANNERY_TRY_ASSIGN(storage::CheckpointReader reader,
                           storage::CheckpointReader::open(prefix));
        Source source(std::move(reader));
        // Such a checkpoint keys its values by the path of objects; users know the name of the
        // variable, too.
        if (storage::isObjectBased(source.m_reader)) {
            CANNERY_TRY_ASSIGN(const storage::ObjectGraph graph,
                               storage::readObjectGraph(source.m_reader));
            for (const storage::ObjectVariable& variable : storage::objectVariables(graph)) {
                source.m_keys.emplace(variable.path, variable.checkpointKey);
                // The full name wins if it is another variable's path.
                source.m_keys.insert_or_assign(variable.fullName, variable.checkpointKey);
            }
        }
        return source;
    }

    const storage::CheckpointReader& reader() const { return m_reader; }

    const storage::CheckpointEntry* find(const std::string& name) const
    {
        if (const storage::CheckpointEntry* entry = m_reader.find(name)) {
            return entry;
        }
        const auto key = m_keys.find(name);
        return key == m_keys.end() ? nullptr : m_reader.find(key->second);
    }

    std::vector<std::string> names() const
    {
        std::vector<std::string> all;
        for (const storage::CheckpointEntry& entry : m_reader.entries()) {
            all.push_back(entry.name);
        }
        return all;
    }

private:
    explicit Source(storage::CheckpointReader reader) : m_reader(std::move(reader)) {}

    storage::CheckpointReader m_reader;
    std::map<std::string, std::string> m_keys; ///< of an object-based checkpoint
};

/// Which variables the settings select.
class Selection
{
public:
    static Result<Selection> of(const spec::WarmStart& settings)
    {
        Selection selection(settings);
        std::vector<std::string> patterns;
        if (settings.has_pattern()) {
            patterns.push_back(settings.pattern());
        } else if (settings.has_variables()) {
            patterns.assign(settings.variables().pattern().begin(),
                            settings.variables().pattern().end());
        } else if (!settings.has_none()) {
            // Neither patterns nor "none": everything that is trainable, as in TensorFlow.
            patterns.emplace_back(".*");
        }
        for (const std::string& pattern : patterns) {
            Result<Pattern> compiled = Pattern::compile(pattern);
            if (!compiled) {
                return tl::make_unexpected(patternError(compiled.error()));
            }
            selection.m_patterns.push_back(*std::move(compiled));
        }
        return selection;
    }

    const std::vector<Pattern>& patterns() const { return m_patterns; }
    /// Whether a variable that is not trainable can be selected: as in TensorFlow, by a list of
    /// patterns, but not by a single one.
    bool takesAny() const { return m_settings.has_variables(); }

    /// The places of the patterns that match.
    Result<std::vector<std::size_t>> matching(const std::string& name, bool trainable) const
    {
        // A single pattern selects among trainable variables only.
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < m_patterns.size() && (trainable || takesAny()); ++i) {
            // From the start, as Python's re.match.
            const Result<bool> matches = m_patterns[i].matchesStart(name);
            if (!matches) {
                return tl::make_unexpected(patternError(matches.error()));
            }
            if (*matches) {
                found.push_back(i);
            }
        }
        return found;
    }

private:
    explicit Selection(const spec::WarmStart& settings) : m_settings(settings) {}

    static Error patternError(const Error& cause)
    {
        return error(cause.code, kPattern, cause.sentence);
    }

    const spec::WarmStart& m_settings;
    std::vector<Pattern> m_patterns;
};

class WarmStarter
{
public:
    WarmStarter(const spec::WarmStart& settings, std::string folder, std::uint64_t seed,
                const Source& source)
        : m_folder(std::move(folder)), m_seed(seed), m_source(source)
    {
        for (const spec::WarmStartName& entry : settings.var_name_to_prev_var_name()) {
            m_previous[entry.var_name()] = entry.prev_var_name();
        }
        for (const spec::WarmStartVocabulary& entry : settings.var_name_to_vocab_info()) {
            m_vocabularies[entry.var_name()] = &entry;
        }
    }

    bool hasVocabulary(const std::string& name) const { return m_vocabularies.contains(name); }

    /// What the checkpoint has for a variable: a survey shows those that are not selected, too.
    void look(WarmStartVariable& variable) const
    {
        const auto previous = m_previous.find(variable.name);
        variable.previousName = previous == m_previous.end() ? variable.name : previous->second;
        if (const storage::CheckpointEntry* entry = m_source.find(variable.previousName)) {
            variable.previousShape = entry->shape;
        }
    }

    /// Takes the entries that belong to a variable out of the maps, so that what is left is unused.
    Result<void> restore(const plan::StateTensor& variable)
    {
        const std::string previous = take(m_previous, variable.name).value_or(variable.name);
        const auto vocabulary = take(m_vocabularies, variable.name);
        CANNERY_TRY_ASSIGN(const storage::CheckpointEntry* entry, find(variable.name, previous));
        if (vocabulary) {
            // Mapping words moves rows, so the whole old tensor is read.
            CANNERY_TRY_ASSIGN(const storage::HostTensor old, m_source.reader().read(entry->name));
            return remapVocabulary(**vocabulary, m_folder, old, variable, m_seed);
        }
        // Unlike a restored checkpoint's, other shapes are never adapted.
        if (entry->shape != variable.shape) {
            return fail(ErrorCode::InvalidArgument, kShape, variable.name, entry->shape.toString(),
                        m_source.reader().prefix(), variable.shape.toString());
        }
        return variable.write([&](std::span<std::byte> bytes) {
            return m_source.reader().readInto(entry->name, variable.dtype, variable.shape, bytes);
        });
    }

    Result<std::int64_t> globalStep()
    {
        const std::string name(kGlobalStep);
        CANNERY_TRY_ASSIGN(const storage::CheckpointEntry* entry,
                           find(name, take(m_previous, name).value_or(name)));
        return m_source.reader().readInt64(entry->name);
    }

    // The first that is left is enough: each is a mistake in the settings.
    Result<void> checkUsed(const std::vector<std::string>& restored) const
    {
        for (const auto& [name, previous] : m_previous) {
            return fail(ErrorCode::InvalidArgument, kUnused, name, suggestion(name, restored));
        }
        for (const auto& [name, vocabulary] : m_vocabularies) {
            return fail(ErrorCode::InvalidArgument, kUnused, name, suggestion(name, restored));
        }
        return {};
    }

private:
    template <typename Value>
    static std::optional<Value> take(std::map<std::string, Value>& map, const std::string& name)
    {
        const auto node = map.extract(name);
        return node.empty() ? std::nullopt : std::optional<Value>(node.mapped());
    }

    Result<const storage::CheckpointEntry*> find(const std::string& name,
                                                 const std::string& previous) const
    {
        const storage::CheckpointEntry* entry = m_source.find(previous);
        if (entry == nullptr) {
            return fail(ErrorCode::NotFound, kMissing, m_source.reader().prefix(), previous, name,
                        suggestion(previous, m_source.names()));
        }
        return entry;
    }

    std::string m_folder;
    std::uint64_t m_seed;
    const Source& m_source;
    std::map<std::string, std::string> m_previous;
    std::map<std::string, const spec::WarmStartVocabulary*> m_vocabularies;
};

std::optional<Error> problemOf(Result<void> done)
{
    return done ? std::nullopt : std::optional<Error>(std::move(done).error());
}

/// Tells of global_step and takes it over if a pattern selects it.
Result<void> surveyGlobalStep(const Selection& selection, WarmStarter& starter,
                              WarmStartSurvey& survey)
{
    WarmStartVariable step{.name = std::string(kGlobalStep)};
    CANNERY_TRY_ASSIGN(step.patterns, selection.matching(step.name, false));
    // The global step is not a trainable variable, so only a list of patterns can select it.
    step.isSelected = !step.patterns.empty();
    starter.look(step);
    if (step.isSelected) {
        Result<std::int64_t> value = starter.globalStep();
        if (value) {
            survey.globalStep = *value;
        } else {
            step.problem = std::move(value).error();
        }
    }
    survey.variables.push_back(std::move(step));
    return {};
}

} // namespace

Result<WarmStartSurvey> surveyWarmStart(const spec::WarmStart& settings, const std::string& folder,
                                        std::span<const plan::StateTensor> state,
                                        std::uint64_t seed)
{
    CANNERY_TRY_ASSIGN(
        const Source source,
        Source::open(spec::resolvePath(folder, settings.ckpt_to_initialize_from()).string()));
    CANNERY_TRY_ASSIGN(const Selection selection, Selection::of(settings));
    WarmStarter starter(settings, folder, seed, source);
    WarmStartSurvey survey{.checkpoint = source.reader().prefix()};
    for (const Pattern& pattern : selection.patterns()) {
        survey.patterns.push_back(pattern.text());
    }
    std::vector<std::string> restored;
    for (const plan::StateTensor& tensor : state) {
        WarmStartVariable variable{.name = tensor.name,
                                   .shape = tensor.shape,
                                   .movesWords = starter.hasVocabulary(tensor.name)};
        if (!tensor.trainable && !selection.takesAny() && !variable.movesWords) {
            continue;
        }
        // A mapped vocabulary selects its variable without any pattern.
        CANNERY_TRY_ASSIGN(variable.patterns, selection.matching(tensor.name, tensor.trainable));
        variable.isSelected = !variable.patterns.empty() || variable.movesWords;
        starter.look(variable);
        // Restored as part of the survey: only this finds what is wrong with it.
        if (variable.isSelected) {
            variable.problem = problemOf(starter.restore(tensor));
            restored.push_back(variable.name);
        }
        survey.variables.push_back(std::move(variable));
    }
    if (selection.takesAny()) {
        CANNERY_TRY(surveyGlobalStep(selection, starter, survey));
        if (survey.variables.back().isSelected) {
            restored.emplace_back(kGlobalStep);
        }
    }
    survey.unused = problemOf(starter.checkUsed(restored));
    return survey;
}

Result<WarmStartOutcome> warmStart(const spec::WarmStart& settings, const std::string& folder,
                                   std::span<const plan::StateTensor> state, std::uint64_t seed)
{
    CANNERY_TRY_ASSIGN(WarmStartSurvey survey, surveyWarmStart(settings, folder, state, seed));
    WarmStartOutcome outcome{.checkpoint = std::move(survey.checkpoint),
                             .globalStep = survey.globalStep};
    for (WarmStartVariable& variable : survey.variables) {
        // The survey collects problems; a warm start fails with the first.
        if (variable.problem) {
            return tl::make_unexpected(*std::move(variable.problem));
        }
        if (variable.isSelected) {
            outcome.variables.push_back(std::move(variable.name));
        }
    }
    if (survey.unused) {
        return tl::make_unexpected(*std::move(survey.unused));
    }
    return outcome;
}

} // namespace cannery::train
