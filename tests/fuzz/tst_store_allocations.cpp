// SPDX-License-Identifier: Apache-2.0
#include "core/base/memory_guard.h"
#include "core/data/dataset.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/spec/text/parsed_experiment.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "tests/fuzz/allocation_survival.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::storage;
using namespace cannery::tests;

namespace {

using cannery::tests::add;

const RunInfo kInfo{.name = "a_run_with_a_name",
                    .experimentName = "an experiment with a name of some length",
                    .experimentFile = "/data/titanic.cannery",
                    .estimator = "dnn_classifier",
                    .engine = "test",
                    .dataFingerprint = "f00d",
                    .trainRows = 10,
                    .evalRows = 3,
                    .createdAt = 1000.5,
                    .parameters = {{"train_spec.max_steps", "5"},
                                   {"name", "\"an experiment with a name of some length\""}}};
const RunStatus kStatus{.state = RunState::Finished,
                        .reason = "it had taken as many steps as it was to take",
                        .globalStep = 5,
                        .maxSteps = 5,
                        .updatedAt = 1002,
                        .startedAt = 1001,
                        .finishedAt = 1002};
const RunEvaluation kEvaluation{
    .globalStep = 5, .wallTime = 1001.5, .metrics = {{"loss", 0.25}, {"accuracy", 0.5}}};
const std::vector<RunCheckpoint> kCheckpoints{
    {.globalStep = 5, .bytes = 1000, .savedAt = 1001, .keptBecause = "latest"}};
const std::vector<TagStatistics> kTags{
    {.folder = "eval", .tag = "a tag of some length, loss", .count = 3, .lastStep = 5}};

template <typename T>
Digest add(Digest digest, const T& value) requires std::is_arithmetic_v<T>
{
    return crc32c(std::as_bytes(std::span(&value, 1)), digest);
}

Digest digestOf(const RunInfo& info, const RunStatus& status)
{
    Digest digest = add(0, info.name);
    digest = add(add(digest, info.experimentName), info.estimator);
    digest = add(add(digest, name(status.state)), status.reason);
    return add(digest, status.globalStep);
}

Result<Digest> listRuns(RunStore& store)
{
    CANNERY_TRY_ASSIGN(const std::vector<RunSummary> runs, store.list());
    Digest digest = 0;
    for (const RunSummary& run : runs) {
        digest ^= digestOf(run.info, run.status);
        digest = add(digest, run.annotations.title);
        digest = add(digest, run.lastEvaluation ? run.lastEvaluation->metrics.size() : 0);
    }
    return digest;
}

Result<Digest> showRun(RunStore& store)
{
    CANNERY_TRY_ASSIGN(const std::string found, store.find("a_run"));
    CANNERY_TRY_ASSIGN(const RunDetails run, store.show(found));
    Digest digest = digestOf(run.info, run.status);
    for (const RunParameter& parameter : run.info.parameters) {
        digest = add(add(digest, parameter.path), parameter.value);
    }
    for (const RunEvaluation& evaluation : run.evaluations) {
        for (const MetricValue& metric : evaluation.metrics) {
            digest = add(add(digest, metric.name), metric.value);
        }
    }
    for (const TagStatistics& tag : run.tags) {
        digest = add(digest, tag.tag);
    }
    return add(digest, run.checkpoints.size());
}

Result<Digest> writeRun(RunStore& store)
{
    CANNERY_TRY(store.putRun(kInfo, kStatus));
    CANNERY_TRY(store.addEvaluation(kInfo.name, kEvaluation));
    CANNERY_TRY(store.recordSave(kInfo.name, kCheckpoints, kTags, kStatus));
    return showRun(store);
}

constexpr const char* kExperiment = R"(
data { train { csv { files: "rows.csv" } } label { column: "y" } }
feature_column { name: "size" numeric_column { key: "size" } }
feature_column { name: "kind" categorical_column_with_vocabulary_list { key: "kind"
                 vocabulary_list: ["a kind of some length, one", "another"] num_oov_buckets: 1 } }
feature_column { name: "hashed" categorical_column_with_hash_bucket { key: "hashed" hash_bucket_size: 9 } }
feature_column { name: "crossed" crossed_column { key { feature: "hashed" } key { feature: "kind" }
                 hash_bucket_size: 7 } }
estimator { linear_classifier { feature_columns: ["size", "kind", "hashed", "crossed"] } }
)";

/// As train::loadRows() does on one thread.
Result<Digest> loadRows(const spec::Experiment& experiment, const std::string& folder)
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(experiment.data(), folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, folder));
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream, dataset.read({}));
    features::EncodedDataset rows(encoder.layout(), {});
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, stream->next());
        if (!batch) {
            return add(add(0, rows.rowCount()), rows.byteCount());
        }
        CANNERY_TRY_ASSIGN(const features::EncodedRows encoded,
                           encoder.encode(*batch, features::Labels::Needed, dataset.files()));
        CANNERY_TRY(rows.append(encoded));
    }
}

} // namespace

/// As TstAllocationFailures, for the run store and the encoded rows.
class TstStoreAllocations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theStoreSurvives_data();
    void theStoreSurvives();
    void aFailedTransactionIsNotTheNextOnes();
    void theRowsSurvive();

private:
    FuzzFolder m_folder;
    std::string m_run;
};

void TstStoreAllocations::initTestCase()
{
    m_folder.makeFolder("runs/" + kInfo.name);
    m_run = m_folder.path() + "/runs/" + kInfo.name;
    RunFiles files(m_run);
    VERIFY_OK(files.writeInfo(kInfo));
    VERIFY_OK(files.writeStatus(kStatus));
    VERIFY_OK(files.addEvaluation(kEvaluation));
    VERIFY_OK(files.writeCheckpoints(kCheckpoints));
    auto store = RunStore::open(m_folder.path());
    VERIFY_OK(store);
    VERIFY_OK(writeRun(*store));
    VERIFY_OK(AnnotationStore(store->database()).setTitle(kInfo.name, "a title"));
}

void TstStoreAllocations::theStoreSurvives_data()
{
    QTest::addColumn<Load>("load");
    const auto row = [](const char* name, Load load) { QTest::newRow(name) << std::move(load); };
    const std::string project = m_folder.path();
    const auto opened = [&](const char* name, Result<Digest> (*use)(RunStore&)) {
        row(name, [project, use]() -> Result<Digest> {
            CANNERY_TRY_ASSIGN(RunStore store, RunStore::open(project));
            return use(store);
        });
    };
    opened("listed", listRuns);
    opened("shown", showRun);
    opened("written", writeRun);
    row("read only", [project]() -> Result<Digest> {
        CANNERY_TRY_ASSIGN(RunStore store, RunStore::openReadOnly(project));
        return listRuns(store);
    });
    // Neither the rescan, nor the files of a run and of its annotations: the JSON library needs
    // memory to free memory, and aborts if there is none.
}

void TstStoreAllocations::theStoreSurvives()
{
    QFETCH(Load, load);
    QCOMPARE(faultOf(load), QString());
}

/// What is written after memory ran out is committed, and nothing else.
void TstStoreAllocations::aFailedTransactionIsNotTheNextOnes()
{
    auto store = RunStore::open(m_folder.path());
    VERIFY_OK(store);
    const auto fails = [&](bool byException) {
        return store->database().transaction([&]() -> Result<void> {
            CANNERY_TRY(store->database().execute("DELETE FROM runs"));
            if (byException) {
                throw std::bad_alloc();
            }
            return fail(ErrorCode::Internal, ErrorKind{"test.fails", "It fails."});
        });
    };
    VERIFY_ERROR(fails(false), "test.fails");
    QVERIFY_EXCEPTION_THROWN((void)fails(true), std::bad_alloc);
    RunStatus later = kStatus;
    later.globalStep = 77;
    VERIFY_OK(store->setStatus(kInfo.name, later));
    auto other = RunStore::open(m_folder.path());
    VERIFY_OK(other);
    const auto seen = other->show(kInfo.name);
    VERIFY_OK(seen);
    QCOMPARE(seen->status.globalStep, std::int64_t{77});
    VERIFY_OK(store->setStatus(kInfo.name, kStatus));
}

void TstStoreAllocations::theRowsSurvive()
{
    std::string text = "y,size,kind,hashed\n";
    for (int row = 0; row < 50; ++row) {
        text += std::to_string(row % 2) + ",0.5,another,word " + std::to_string(row) + "\n";
    }
    m_folder.write("rows.csv", text);
    const spec::ParsedExperiment parsed = spec::parseExperiment(kExperiment);
    QVERIFY(parsed.problems.empty());
    const Load load = [&] {
        return guardMemory("the test",
                           [&] { return loadRows(parsed.experiment, m_folder.path()); });
    };
    QCOMPARE(faultOf(load, LostBlocks::OfProtobuf), QString());
}

CANNERY_TEST(TstStoreAllocations)
#include "tst_store_allocations.moc"
