// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/observed_training.h"

#include "core/spec/spec_validator.h"
#include "core/train/train_and_evaluate.h"
#include "storage/tf/events/event_reader.h"

#include <QTemporaryDir>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace cannery::tests {

namespace {

namespace fs = std::filesystem;

/// Advances by a second per step, so time-based events are the same in every run.
class SteppedClock : public Clock
{
public:
    double wallTime() const override { return m_now; }
    double steadyTime() const override { return m_now; }
    void advance() { m_now = m_now + 1; }

private:
    std::atomic<double> m_now = 1'700'000'000;
};

/// Records what a training reports.
class Listener : public train::TrainingObserver
{
public:
    Listener(SteppedClock& clock, Observed& observed) : m_clock(&clock), m_observed(&observed) {}

    void stepDone(std::int64_t /*globalStep*/, double /*loss*/) override { m_clock->advance(); }
    void dataLoaded(const train::DataSummary& data) override
    {
        std::ostringstream text;
        text << data.trainRows << ' ' << data.evalRows << ' ' << data.skippedRows << ' '
             << data.threads;
        for (const std::string& warning : data.warnings) {
            text << '\n' << warning;
        }
        (*m_observed)["data"] = text.str();
    }
    void evaluated(const train::EvaluationResult& result) override
    {
        std::string& text = (*m_observed)["evaluations"];
        text += result.name + " at " + std::to_string(result.globalStep) + " of " +
                std::to_string(result.rows) + "\n";
        for (const storage::ResultTable& table : result.tables) {
            text += table.name;
            for (const double value : table.values) {
                text += " " + std::to_string(value);
            }
            text += "\n";
        }
    }

private:
    SteppedClock* m_clock;
    Observed* m_observed;
};

/// A file that never waits for the disk.
class UnsyncedFile : public storage::WritableFile
{
public:
    explicit UnsyncedFile(std::unique_ptr<storage::WritableFile> file) : m_file(std::move(file)) {}

    using WritableFile::append;
    Result<void> append(std::span<const std::byte> bytes) override { return m_file->append(bytes); }
    Result<void> flush() override { return m_file->flush(); }
    Result<void> sync() override { return m_file->flush(); }
    Result<void> close() override { return m_file->close(); }
    std::uint64_t size() const override { return m_file->size(); }

private:
    std::unique_ptr<storage::WritableFile> m_file;
};

/// The disk without syncs, which would dominate hundreds of small trainings.
class UnsyncedFileSystem : public storage::FileSystem
{
public:
    Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override
    {
        CANNERY_TRY_ASSIGN(auto file, m_disk->create(path));
        return std::make_unique<UnsyncedFile>(std::move(file));
    }
    Result<std::unique_ptr<storage::WritableFile>> openForAppend(const std::string& path) override
    {
        CANNERY_TRY_ASSIGN(auto file, m_disk->openForAppend(path));
        return std::make_unique<UnsyncedFile>(std::move(file));
    }
    Result<void> rename(const std::string& from, const std::string& to) override
    {
        return m_disk->rename(from, to);
    }
    Result<void> removeFile(const std::string& path) override { return m_disk->removeFile(path); }
    Result<void> removeFolder(const std::string& path) override
    {
        return m_disk->removeFolder(path);
    }
    Result<void> makeFolder(const std::string& path) override { return m_disk->makeFolder(path); }
    Result<void> syncFolder(const std::string& /*path*/) override { return {}; }

private:
    storage::FileSystem* m_disk = &storage::realFileSystem();
};

std::string bytesOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Properties of the machine instead of the training.
bool isMeasured(const std::string& tag)
{
    static const std::set<std::string> s_measured{"cannery/rows_per_second", "cannery/input_wait",
                                                  "cannery/device_busy", "cannery/memory_mb"};
    return s_measured.contains(tag);
}

std::string valueText(const storage::EventValue& value)
{
    std::ostringstream text;
    text.precision(17);
    if (const float* number = std::get_if<float>(&value.value)) {
        text << *number;
    } else if (const auto* histogram = std::get_if<storage::EventHistogram>(&value.value)) {
        text << histogram->min << ' ' << histogram->max << ' ' << histogram->sum << ' '
             << histogram->sumSquares << ' ' << histogram->count;
    }
    return text.str();
}

void observeEvents(const fs::path& file, const std::string& folder, Observed& observed)
{
    auto reader = storage::EventReader::open(file.string());
    while (reader) {
        const auto event = reader->next();
        if (!event || !*event) {
            return;
        }
        for (const storage::EventValue& value : (*event)->values) {
            observed[folder + " " + std::to_string((*event)->step) + " " + value.tag] =
                isMeasured(value.tag) ? "" : valueText(value);
        }
    }
}

void observeFolder(const fs::path& folder, Observed& observed)
{
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const fs::path relative = fs::relative(entry.path(), folder);
        const std::string name = relative.filename().string();
        if (!entry.is_regular_file()) {
            continue;
        }
        if (storage::isEventFile(name)) {
            observeEvents(entry.path(), "events " + relative.parent_path().string(), observed);
        } else if (name.starts_with("timeline-") || name == "graph.pbtxt") {
            observed[relative.string()] = ""; // times, and what the model is
        } else if (relative.begin()->string() == "export" || name.starts_with("program-") ||
                   (name.starts_with("model.ckpt-") && relative.extension() != ".cannery")) {
            observed[relative.string()] = bytesOf(entry.path());
        }
    }
}

} // namespace

Result<Observed> observeTraining(const spec::Experiment& experiment,
                                 const std::string& experimentFile)
{
    for (spec::Problem& problem : spec::validate(experiment)) {
        if (problem.severity == spec::Severity::Error) {
            return tl::make_unexpected(std::move(problem.error));
        }
    }
    const fs::path beside = fs::path(experimentFile).parent_path() / "observed-XXXXXX";
    const QTemporaryDir folder(QString::fromStdString(beside.string()));
    const std::string modelDir = folder.filePath("model").toStdString();
    Observed observed;
    SteppedClock clock;
    UnsyncedFileSystem system;
    Listener listener(clock, observed);
    CANNERY_TRY(train::trainAndEvaluate({.experiment = experiment,
                                         .experimentFile = experimentFile,
                                         .modelDir = modelDir,
                                         .allowsCommands = true,
                                         .observer = &listener,

                                         .clock = &clock,
                                         .system = &system}));
    observeFolder(modelDir, observed);
    return observed;
}

} // namespace cannery::tests
