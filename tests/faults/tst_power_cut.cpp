// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_recovery.h"
#include "core/train/checkpoints/checkpoint_sidecar.h"
#include "core/train/checkpoints/state_snapshot.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/graphs/saved_model_writer.h"
#include "tests/core/train/training_fixture.h"
#include "tests/faults/fault_project.h"
#include "tests/faults/recording_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <filesystem>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

namespace fs = std::filesystem;

namespace {

/// Everything about a training, in the order in which it was reported as safe.
class CommitRecorder final : public TrainingObserver
{
public:
    CommitRecorder(const RecordingFileSystem& disk, std::string modelDir)
        : m_disk(&disk), m_modelDir(std::move(modelDir))
    {}

    void checkpointSaved(std::int64_t globalStep, const std::string& prefix) override
    {
        for (const char* end : {".index", ".data-00000-of-00001", ".cannery"}) {
            contents[globalStep] += storage::readWholeFile(prefix + end).value_or("missing");
        }
        saves.emplace_back(m_disk->count(), globalStep);
    }
    void evaluated(const EvaluationResult&) override { evaluations.push_back(m_disk->count()); }
    void dataLoaded(const DataSummary&) override { described = m_disk->count(); }

    /// The newest checkpoint that was safe after this many operations; -1: none.
    int savedBy(int operation) const
    {
        int step = -1;
        for (const auto& [when, saved] : saves) {
            step = when <= operation ? static_cast<int>(saved) : step;
        }
        return step;
    }
    std::size_t evaluatedBy(int operation) const
    {
        return static_cast<std::size_t>(std::count_if(evaluations.begin(), evaluations.end(),
                                                      [&](int when) { return when <= operation; }));
    }

    std::vector<std::pair<int, std::int64_t>> saves; ///< after which operation, which step
    std::map<std::int64_t, std::string> contents;    ///< of the files of a checkpoint
    std::vector<int> evaluations;
    int described = 0;

private:
    const RecordingFileSystem* m_disk;
    std::string m_modelDir;
};

constexpr const char* kTraining =
    "train_spec { max_steps: 6 } eval_spec { throttle_secs: 0 } "
    "run_config { save_checkpoints_steps: 1 keep_checkpoint_max: 2 save_summary_steps: 2 }";

} // namespace

/// The power fails after any operation of the protocols by which files are published, and the disk
/// has lost, torn or reordered what was not synced: what was committed exists.
class TstPowerCut : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("TMPDIR", inMemoryFolder().toUtf8()); }
    void modelOfTheDiskLosesWhatWasNotSynced();
    void trainingLosesNothingCommitted_data();
    void trainingLosesNothingCommitted();
    void atomicFileIsOldOrNew();
    void appendedLinesStay();
    void savedModelIsWholeOrAbsent();

private:
    static QByteArray problemOf(const std::string& modelDir, const CommitRecorder& commits,
                                int operation);
};

void TstPowerCut::modelOfTheDiskLosesWhatWasNotSynced()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    RecordingFileSystem disk(folder.path().toStdString());
    {
        const auto file = disk.create(path);
        VERIFY_OK(file);
        VERIFY_OK((*file)->append(std::string_view("content")));
    }
    std::size_t possible = 0;
    std::set<std::string> seen;
    for (const CrashImage& image : crashImages(disk, 100, possible)) {
        const auto found = image.files.find("a");
        seen.insert(found == image.files.end() ? "none" : found->second->bytes);
    }
    QCOMPARE(seen, (std::set<std::string>{"none", "", "content", std::string(7, '\0')}));
}

QByteArray TstPowerCut::problemOf(const std::string& modelDir, const CommitRecorder& commits,
                                  int operation)
{
    const int saved = commits.savedBy(operation);
    if (!storage::isFolder(modelDir)) {
        return saved < 0 ? QByteArray() : QByteArray("the folder is lost");
    }
    if (QByteArray problem = checkpointProblem(modelDir, saved); !problem.isEmpty()) {
        return problem;
    }
    const auto recovered = recoverLatestCheckpoint(modelDir, storage::realFileSystem());
    // Before the first state file, the checkpoint exists without it.
    if (!recovered || (saved >= 0 && !recovered->warnings.empty())) {
        return "the newest checkpoint had to be given up";
    }
    if (recovered->latest) {
        const std::int64_t step = storage::checkpointStep(*recovered->latest).value_or(-1);
        std::string content;
        for (const char* end : {".index", ".data-00000-of-00001", ".cannery"}) {
            content += storage::readWholeFile(*recovered->latest + end).value_or("missing");
        }
        if (const auto known = commits.contents.find(step);
            known == commits.contents.end() || content != known->second) {
            return "the newest checkpoint is not what was saved";
        }
        if (!readSidecar(*recovered->latest).value_or(std::nullopt)) {
            return "the newest checkpoint has no input position";
        }
    }
    const storage::RunFiles files(modelDir);
    const auto evaluations = files.readEvaluations();
    if (!evaluations || evaluations->size() < commits.evaluatedBy(operation)) {
        return "an evaluation is lost";
    }
    if (!files.readCheckpoints() ||
        (operation >= commits.described && (!files.readInfo() || !files.readStatus()))) {
        return "the description of the run is lost";
    }
    return {};
}

void TstPowerCut::trainingLosesNothingCommitted_data()
{
    QTest::addColumn<QString>("more");
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("limit");
    QTest::newRow("saves at once") << QString() << 6 << 3000;
    QTest::newRow("saves behind")
        << QString("estimator { dnn_linear_combined_classifier { dnn_hidden_units: [370, 370] } }")
        << 2 << 300;
}

void TstPowerCut::trainingLosesNothingCommitted()
{
    QFETCH(QString, more);
    QFETCH(int, steps);
    QFETCH(int, limit);
    TrainingFixture fixture;
    const std::string root = fixture.path("disk");
    fs::create_directories(root);
    RecordingFileSystem disk(root);
    TrainRequest request = fixture.request(kTraining, more.toStdString());
    request.experiment.mutable_train_spec()->set_max_steps(steps);
    const TrainRequest undisturbed = request;
    request.modelDir = root + "/model";
    CommitRecorder commits(disk, request.modelDir);
    request.observer = &commits;
    request.system = &disk;
    VERIFY_OK(trainAndEvaluate(request));
    QCOMPARE(commits.saves.size(), static_cast<std::size_t>(steps) + 1);
    const std::string last = fmt::format("/model/model.ckpt-{}.data-00000-of-00001", steps);
    const std::string whole = TrainingFixture::bytes(root + last);
    QCOMPARE(static_cast<std::int64_t>(whole.size()) > kLeastBytesBehind, !more.isEmpty());

    std::size_t possible = 0;
    const std::vector<CrashImage> images =
        crashImages(disk, static_cast<std::size_t>(limit), possible);
    const std::string image = fixture.path("image");
    int resumed = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        images[i].writeTo(image);
        const QByteArray problem = problemOf(image + "/model", commits, images[i].operation);
        QVERIFY2(problem.isEmpty(), qPrintable(QString("image %1, after operation %2 of %3: %4")
                                                   .arg(i)
                                                   .arg(images[i].operation)
                                                   .arg(disk.count())
                                                   .arg(problem)));
        if (i % 50 == 0) {
            TrainRequest again = undisturbed;
            again.modelDir = image + "/model";
            VERIFY_OK(trainAndEvaluate(again));
            QVERIFY(TrainingFixture::bytes(image + last) == whole);
            const QStringList strays = straysIn(QString::fromStdString(image));
            QVERIFY2(strays.isEmpty(), qPrintable(strays.join(' ')));
            ++resumed;
        }
    }
    qInfo("%d passed: images (of %d possible) of a disk without power while training saves; %d "
          "of them resumed to the same bits",
          int(images.size()), int(possible), resumed);
}

void TstPowerCut::atomicFileIsOldOrNew()
{
    const QTemporaryDir folder;
    const std::string root = folder.filePath("disk").toStdString();
    fs::create_directories(root);
    const std::string old(9000, 'o');
    const std::string fresh(9001, 'n');
    VERIFY_OK(storage::writeFileAtomically(root + "/file", old));
    RecordingFileSystem disk(root);
    VERIFY_OK(storage::writeFileAtomically(root + "/file", fresh, disk));
    std::size_t possible = 0;
    const std::vector<CrashImage> images = crashImages(disk, 1000, possible);
    QVERIFY(images.size() > 4);
    for (const CrashImage& image : images) {
        const auto found = image.files.find("file");
        QVERIFY(found != image.files.end());
        const std::string& content = found->second->bytes;
        QVERIFY(content == fresh || (content == old && image.operation < disk.count()));
    }
    qInfo("%d passed: images of an atomic write", int(images.size()));
}

void TstPowerCut::appendedLinesStay()
{
    const QTemporaryDir folder;
    const std::string root = folder.filePath("disk").toStdString();
    fs::create_directories(root);
    RecordingFileSystem disk(root);
    std::vector<int> written;
    for (int i = 0; i < 4; ++i) {
        VERIFY_OK(storage::RunFiles(root, disk)
                      .addEvaluation({.globalStep = i, .metrics = {{"loss", 0.5 * i}}}));
        written.push_back(disk.count());
    }
    std::size_t possible = 0;
    const std::string image = folder.filePath("image").toStdString();
    const std::vector<CrashImage> images = crashImages(disk, 1000, possible);
    QVERIFY(images.size() > 4);
    for (const CrashImage& crash : images) {
        crash.writeTo(image);
        const auto before = storage::RunFiles(image).readEvaluations();
        VERIFY_OK(before);
        for (std::size_t i = 0; i < written.size(); ++i) {
            QVERIFY(written[i] > crash.operation || before->size() > i);
        }
        VERIFY_OK(
            storage::RunFiles(image).addEvaluation({.globalStep = 9, .metrics = {{"loss", 4.5}}}));
        const auto after = storage::RunFiles(image).readEvaluations();
        VERIFY_OK(after);
        QCOMPARE(after->size(), before->size() + 1);
        QCOMPARE(after->back().globalStep, 9);
    }
    qInfo("%d passed: images of appended lines", int(images.size()));
}

void TstPowerCut::savedModelIsWholeOrAbsent()
{
    const QTemporaryDir folder;
    const std::string root = folder.filePath("disk").toStdString();
    fs::create_directories(root);
    const std::string words = folder.filePath("words.txt").toStdString();
    VERIFY_OK(storage::writeFileAtomically(words, std::string(5000, 'w')));
    storage::MetaGraph graph;
    graph.saver = storage::SaverInfo{};
    graph.assets.push_back({.fileName = "words.txt", .sourcePath = words});
    const std::vector<float> values(1500, 0.5F);
    const std::vector<storage::NamedTensor> tensors{
        {"w", storage::TensorView::of(std::span<const float>(values), Shape({1500}))}};
    RecordingFileSystem disk(root);
    const auto made = storage::writeSavedModel(
        root + "/served", graph, tensors,
        {.timestamp = 1700000000, .assetsExtra = {{"deep/er/more.txt", words}}}, disk);
    VERIFY_OK(made);
    std::map<std::string, std::string> whole;
    for (const auto& entry : fs::recursive_directory_iterator(*made)) {
        if (entry.is_regular_file()) {
            whole[entry.path().lexically_relative(root).string()] =
                TrainingFixture::bytes(entry.path().string());
        }
    }
    QCOMPARE(whole.size(), std::size_t{6}); // including checksums
    std::size_t possible = 0;
    const std::vector<CrashImage> images = crashImages(disk, 1500, possible);
    int published = 0;
    for (const CrashImage& image : images) {
        const bool isThere = image.folders.count("served/1700000000") > 0;
        QVERIFY(isThere || image.operation < disk.count());
        published += isThere ? 1 : 0;
        for (const auto& [path, content] : whole) {
            const auto found = image.files.find(path);
            QVERIFY2(!isThere || (found != image.files.end() && found->second->bytes == content),
                     path.c_str());
        }
    }
    QVERIFY(published > 0);
    qInfo("%d passed: images (of %d possible) of an export", int(images.size()), int(possible));
}

CANNERY_TEST(TstPowerCut)
#include "tst_power_cut.moc"
