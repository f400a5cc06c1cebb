// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/pages/seeded_runs.h"

#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "storage/tf/events/event_writer.h"
#include "tests/support/result_compare.h"

#include <QFile>
#include <QTest>

#include <array>
#include <cmath>

namespace cannery::tests {
namespace {

using namespace storage;

struct Seed
{
    const char* name;
    const char* estimator;
    const char* units;
    const char* rate;
    const char* seed;
    storage::RunState state;
    double score; ///< the final auc
    double speed; ///< how fast the loss falls
    const char* reason;
};

constexpr std::array kSeeds{
    Seed{"run-007", "dnn_classifier", "[16]", "0.01", "1", RunState::Finished, 0.8366, 1.4, ""},
    Seed{"run-008", "dnn_classifier", "[16]", "0.08", "1", RunState::Stopped, 0.8312, 2.0, ""},
    Seed{"run-009", "dnn_classifier", "[32, 16]", "0.002", "1", RunState::Finished, 0.8312, 0.7,
         ""},
    Seed{"run-010", "linear_classifier", "", "0.06", "1", RunState::Finished, 0.8392, 5.0, ""},
    Seed{"run-011", "dnn_linear_combined_classifier", "[128, 64, 32]", "0.02", "1",
         RunState::Failed, 0.8358, 3.0, "Loss became NaN at step 1,204."},
    Seed{"run-012", "dnn_linear_combined_classifier", "[64, 32]", "0.0016", "2",
         RunState::Interrupted, 0.8388, 2.2, ""}};

constexpr int kSteps = 1200;
constexpr int kEvaluationSteps = 100;

double noise(int step, int salt)
{
    return std::sin(step * 12.9898 + salt * 78.233) * 0.5 + std::sin(step * 4.1 + salt) * 0.5;
}

double lossAt(const Seed& seed, int step)
{
    return 0.44 + 0.3 * std::exp(-seed.speed * step / 300.0);
}

double scoreAt(const Seed& seed, int step)
{
    return seed.score - 0.12 * std::exp(-seed.speed * step / 250.0) - 0.00002 * (kSteps - step);
}

RunInfo infoOf(const Seed& seed, int number)
{
    const std::string estimator = std::string("estimator.") + seed.estimator;
    RunInfo info{.name = seed.name,
                 .experimentName = "Titanic survival",
                 .estimator = seed.estimator,
                 .engine = "cannery 0.1.0 x86-64-v3",
                 .dataFingerprint = "b440fda93e402d3c",
                 .trainRows = 627,
                 .evalRows = 264,
                 .createdAt = 1'700'000'000.0 + 3600 * number};
    info.parameters = {{"name", "\"Titanic survival\""},
                       {"data.train.csv.files", "[\"titanic_train.csv\"]"},
                       {estimator + ".optimizer.adagrad.learning_rate", seed.rate},
                       {"train_spec.max_steps", "1200"},
                       {"train_spec.input.batch_size", "32"},
                       {"run_config.tf_random_seed", seed.seed}};
    if (*seed.units) {
        info.parameters.push_back({estimator + ".hidden_units", seed.units});
    }
    return info;
}

void writeCurves(const std::string& folder, const Seed& seed, int salt)
{
    double time = 1'700'000'000.0 + 3600 * salt;
    const EventWriterOptions options{.hostName = "host", .clock = [&time] { return time += 0.05; }};
    auto training = EventWriter::create(folder, options);
    auto evaluation = EventWriter::create(folder + "/eval", options);
    SummaryBuilder summary;
    for (int step = 1; step <= kSteps; step += 4) {
        summary.clear();
        summary.scalar("loss", static_cast<float>(lossAt(seed, step) + 0.02 * noise(step, salt)));
        summary.scalar(
            "cannery/gradient_norm",
            static_cast<float>(0.4 + 0.3 * std::exp(-step / 90.0) + 0.02 * noise(step, salt + 7)));
        summary.scalar("global_step/sec", static_cast<float>(900 + 40 * noise(step, salt + 3)));
        summary.scalar("dnn/hiddenlayer_0/fraction_of_zero_values",
                       static_cast<float>(0.4 + 0.05 * noise(step, salt + 5)));
        static_cast<void>(training->writeSummary(step, summary));
        if ((step - 1) % kEvaluationSteps == 0) {
            summary.clear();
            summary.scalar("auc", static_cast<float>(scoreAt(seed, step)));
            summary.scalar("accuracy", static_cast<float>(scoreAt(seed, step) - 0.04));
            summary.scalar("loss", static_cast<float>(lossAt(seed, step) + 0.02));
            static_cast<void>(evaluation->writeSummary(step, summary));
        }
    }
    static_cast<void>(training->close());
    static_cast<void>(evaluation->close());
}

void addRun(RunStore& store, const Seed& seed, int number)
{
    const RunInfo info = infoOf(seed, number);
    const RunStatus status{.state = seed.state,
                           .reason = seed.reason,
                           .globalStep = kSteps,
                           .maxSteps = kSteps,
                           .updatedAt = info.createdAt + 22,
                           .startedAt = info.createdAt,
                           .finishedAt = info.createdAt + 22};
    const std::string folder = store.folderOf(seed.name);
    VERIFY_OK(makeFolders(folder));
    RunFiles files(folder);
    VERIFY_OK(files.writeInfo(info));
    VERIFY_OK(files.writeStatus(status));
    VERIFY_OK(store.putRun(info, status));
    std::vector<RunCheckpoint> checkpoints;
    for (int step = 200; step <= kSteps; step += 200) {
        const RunEvaluation evaluation{.globalStep = step,
                                       .wallTime = info.createdAt + step / 60.0,
                                       .metrics = {{"accuracy", scoreAt(seed, step) - 0.04},
                                                   {"auc", scoreAt(seed, step)},
                                                   {"average_loss", lossAt(seed, step)},
                                                   {"loss", lossAt(seed, step) + 0.01}}};
        VERIFY_OK(files.addEvaluation(evaluation));
        VERIFY_OK(store.addEvaluation(seed.name, evaluation));
        checkpoints.push_back({.globalStep = step,
                               .bytes = 212'480,
                               .savedAt = info.createdAt + step / 60.0,
                               .keptBecause = step == kSteps ? "latest" : "recent"});
    }
    VERIFY_OK(files.writeCheckpoints(checkpoints));
    VERIFY_OK(store.setCheckpoints(seed.name, checkpoints));
    QFile experiment(QString::fromStdString(joinPath(folder, kFrozenExperimentFile)));
    QVERIFY(experiment.open(QFile::WriteOnly));
    experiment.write("name: \"Titanic survival\"\ntrain_spec {\n  max_steps: 1200\n}\n");
    writeCurves(folder, seed, number);
}

} // namespace

void addSeededRuns(const QString& project)
{
    auto store = RunStore::open(project.toStdString());
    VERIFY_OK(store);
    for (std::size_t i = 0; i < kSeeds.size(); ++i) {
        addRun(*store, kSeeds[i], static_cast<int>(i));
    }
    AnnotationStore said(store->database());
    VERIFY_OK(said.assignColourSlots());
    VERIFY_OK(said.setStar("run-010", true));
    VERIFY_OK(said.setNotes("run-010", "Best so far. *Simple*, well calibrated, easy to explain."));
    VERIFY_OK(said.addTag("run-010", "baseline"));
    VERIFY_OK(said.addTag("run-010", "v2"));
    VERIFY_OK(said.addTag("run-012", "v2"));
}

QStringList seededRuns()
{
    QStringList names;
    for (const Seed& seed : kSeeds) {
        names.prepend(QString::fromLatin1(seed.name));
    }
    return names;
}

} // namespace cannery::tests
