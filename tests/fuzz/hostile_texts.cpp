// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/pipeline.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/text_lexer.h"
#include "storage/runs/run_json.h"
#include "storage/runs/run_store.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/fuzz/hostile_files.h"

namespace cannery::tests {

using namespace cannery::storage;

namespace {

using Make = std::function<std::string()>;

template <typename Record>
HostileRead reader(Result<Record> (*read)(const std::string&))
{
    return [read](std::string_view text) { return nothingOf(read(std::string(text))); };
}

Result<void> readStore(std::string_view bytes)
{
    const FuzzFolder folder;
    folder.write(std::string(kRunStoreFile), bytes);
    CANNERY_TRY_ASSIGN(RunStore store, RunStore::open(folder.path()));
    return nothingOf(store.list());
}

/// The first bytes of a database with this many pages of this size.
std::string databaseHeader(const char* pageSize, const char* pages)
{
    return "SQLite format 3" + hex("00") + hex(pageSize) + hex("01010c402020") + hex("00000001") +
           hex(pages) + std::string(68, '\0');
}

} // namespace

Result<void> readHostileExperiment(std::string_view text, std::string_view wantedId)
{
    const spec::ParsedExperiment parsed = spec::checkExperiment(std::string(text), {});
    FUZZ_REQUIRE(parsed.problems.size() <= 2 * spec::kMostProblems + 2);
    const spec::Problem* found = nullptr;
    for (const spec::Problem& problem : parsed.problems) {
        const bool isWanted = problem.error.id == wantedId;
        if (problem.severity == spec::Severity::Error && (isWanted || found == nullptr)) {
            found = &problem;
        }
    }
    if (found != nullptr) {
        return tl::make_unexpected(found->error);
    }
    return {};
}

void addHostileExperiments(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, const char* id, Make make) {
        files.add(
            "experiment",
            [wanted = std::string(id)](std::string_view text) {
                return readHostileExperiment(text, wanted);
            },
            name, id, std::move(make));
    };
    row("seventeen megabytes", "spec.text_too_long",
        [] { return std::string(spec::kLargestText + 1, 'a'); });
    row("two million lines", "spec.text_too_long", [] { return times(2U << 20U, "#\n"); });
    row("colons", "spec.too_many_tokens", [] { return times(3U << 20U, ":"); });
    row("vocabulary of a million words", "spec.too_many_tokens", [] {
        return "feature_column { name: \"a\" categorical_column_with_vocabulary_list { key: \"a\" "
               "vocabulary_list: [" +
               times(1U << 20U, "\"a\",") + "] } }";
    });
    row("braces", "spec.too_deep", [] { return times(200000, "a {"); });
    row("closing braces", "spec.unopened_brace", [] { return times(200000, "}"); });
    row("lists in lists", "spec.expected_field", [] { return times(200000, "["); });
    row("zero bytes", "spec.bad_character", [] { return std::string(100000, '\0'); });
    row("text without end", "spec.text_not_closed",
        [] { return "name: \"" + std::string(1U << 20U, 'a'); });
    row("escapes", "spec.bad_escape", [] { return "name: \"" + times(100000, "\\q") + "\""; });
    row("digits", "spec.integer_range",
        [] { return "train_spec { max_steps: " + std::string(1000, '9') + " }"; });
    row("unknown fields", "spec.unknown_field", [] { return times(100000, "nobody: 1 "); });
    row("names given again", "spec.duplicate_field", [] { return times(100000, "name: \"a\" "); });
    row("names behind columns", "spec.duplicate_field",
        [] { return times(50000, "feature_column { } ") + times(50000, "name: \"a\" "); });
    row("bytes beyond ASCII", "spec.bad_character", [] { return times(100000, "\xff\xfe"); });
}

void addHostileRecordsOfRuns(HostileFiles& files)
{
    const std::vector<std::pair<std::string, HostileRead>> kinds{
        {"run.json", reader<RunInfo>(runInfoFromJson)},
        {"state.json", reader<RunStatus>(runStatusFromJson)},
        {"evaluations.jsonl", reader<RunEvaluation>(runEvaluationFromJson)},
        {"checkpoints.json", reader<std::vector<RunCheckpoint>>(runCheckpointsFromJson)},
        {"exports.jsonl", reader<RunExport>(runExportFromJson)}};
    const auto row = [&files](const std::pair<std::string, HostileRead>& kind, const char* name,
                              Make make) {
        files.add(kind.first, kind.second, name, "run.damaged", std::move(make));
    };
    for (const auto& kind : kinds) {
        row(kind, "nothing", [] { return std::string(); });
        row(kind, "zero bytes", [] { return std::string(100000, '\0'); });
        row(kind, "bytes beyond ASCII", [] { return times(100000, "\xff\xfe"); });
        row(kind, "lists in lists", [] { return times(200000, "["); });
        row(kind, "lists in lists, closed", [] { return times(200000, "[") + times(200000, "]"); });
        row(kind, "objects in objects", [] { return times(200000, "{\"a\":"); });
        row(kind, "text without end", [] { return "\"" + std::string(1U << 20U, 'a'); });
        row(kind, "a number of a million digits", [] { return std::string(1U << 20U, '9'); });
        row(kind, "another kind", [] { return std::string("\"text\""); });
    }
    const HostileRead position = [](std::string_view text) {
        return nothingOf(data::positionFromText(text, {.rows = 40}));
    };
    const auto place = [&](const char* name, const std::string& text) {
        files.add("input position", position, name, "data.position_unreadable",
                  [=] { return text; });
    };
    const std::string header = "cannery input position 1\n";
    place("nothing", "");
    place("binary", std::string(100000, '\xff'));
    place("header alone", header);
    place("a million lines", header + times(1U << 20U, "a 1\n"));
    place("a number beyond all", header + "epoch 99999999999999999999\n");
    place("beyond the rows", header + "epoch 0\noffset 40\nrows 40\nshuffle 0\nseed 0\n");
    place("before the rows",
          header + "epoch 0\noffset 18446744073709551615\nrows 40\nshuffle 0\nseed 0\n");
}

void addHostileStores(HostileFiles& files)
{
    const auto row = [&files](const char* name, Make make) {
        files.add("store", readStore, name, "sqlite.corrupt", std::move(make));
    };
    row("text", [] { return times(10000, "no database "); });
    row("zeros", [] { return std::string(8192, '\0'); });
    row("bytes beyond ASCII", [] { return std::string(8192, '\xff'); });
    row("a header alone", [] { return databaseHeader("1000", "00000001"); });
    row("two billion pages",
        [] { return databaseHeader("1000", "7fffffff") + std::string(3996, '\0'); });
    row("pages of three bytes",
        [] { return databaseHeader("0003", "00000001") + std::string(3996, '\0'); });
    row("a first page of noise",
        [] { return databaseHeader("1000", "00000001") + std::string(3996, '\x5a'); });
}

} // namespace cannery::tests
