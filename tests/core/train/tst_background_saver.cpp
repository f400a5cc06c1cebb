// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/background_saver.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "tests/core/train/training_fixture.h"
#include "tests/storage/io/faulty_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::FaultyFileSystem;
using cannery::tests::RecordingObserver;
using cannery::tests::TrainingFixture;

namespace {

/// Tensors of a state, with different values for each seed.
class FakeState
{
public:
    explicit FakeState(std::size_t megabytes = 3)
        : m_weights(megabytes << 18U), m_slots(12345), m_cells(kCell * megabytes * 100'001)
    {
        fill(1);
    }

    void fill(std::uint32_t seed)
    {
        for (std::vector<std::uint32_t>* values : {&m_weights, &m_slots, &m_cells}) {
            for (std::size_t i = 0; i < values->size(); ++i) {
                (*values)[i] = (static_cast<std::uint32_t>(i) * 2654435761U) ^ seed;
            }
        }
    }

    std::vector<plan::StateTensor> tensors()
    {
        const auto tensor = [](const char* name, std::vector<std::uint32_t>& values) {
            return plan::StateTensor{.name = name,
                                     .dtype = DType::Float32,
                                     .shape = {{static_cast<std::int64_t>(values.size())}},
                                     .bytes = std::as_writable_bytes(std::span(values))};
        };
        const auto cells = [this](const char* name, std::size_t place) {
            const auto rows = static_cast<std::int64_t>(m_cells.size() / kCell);
            return plan::StateTensor{
                .name = name,
                .shape = {{rows, 1}},
                .cells = {reinterpret_cast<float*>(m_cells.data()) + place, rows, 1, kCell}};
        };
        return {cells("table", 0), cells("table/Ftrl", 1), cells("table/Ftrl_1", 2),
                tensor("weights", m_weights), tensor("weights/Adagrad", m_slots)};
    }

private:
    static constexpr std::int64_t kCell = 3;
    std::vector<std::uint32_t> m_weights;
    std::vector<std::uint32_t> m_slots;
    std::vector<std::uint32_t> m_cells;
};

CheckpointSidecar sidecar(std::int64_t step)
{
    return {.globalStep = step, .dataFingerprint = "f", .engine = "e", .input = "i\n"};
}

CheckpointStore openStore(const std::string& folder, storage::FileSystem& system)
{
    std::filesystem::create_directories(folder);
    return *CheckpointStore::open(folder, {.system = &system});
}

QByteArray filesOf(const std::string& folder, std::int64_t step)
{
    const std::string prefix = checkpointPrefix(folder, step);
    std::string all;
    for (const char* part : {".index", ".data-00000-of-00001", ".cannery"}) {
        all += TrainingFixture::bytes(prefix + part);
    }
    return QByteArray::fromStdString(all + TrainingFixture::bytes(folder + "/checkpoint"));
}

std::vector<std::string> namesIn(const std::string& folder)
{
    auto names = storage::listFolder(folder).value_or(std::vector<std::string>());
    std::sort(names.begin(), names.end());
    return names;
}

/// The real disk, which creates no new file before the gate is opened, and on which some syncs
/// fail.
class GatedFileSystem final : public storage::FileSystem
{
public:
    explicit GatedFileSystem(bool isOpen, int badSyncs = 0) : m_isOpen(isOpen), m_badSyncs(badSyncs)
    {}

    void open()
    {
        const std::lock_guard lock(m_mutex);
        m_isOpen = true;
        m_news.notify_all();
    }
    bool takeBadSync(const std::string& path)
    {
        const std::lock_guard lock(m_mutex);
        return path.find(".data-") != std::string::npos && m_badSyncs-- > 0;
    }

    Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
    Result<std::unique_ptr<storage::WritableFile>> openForAppend(const std::string& path) override
    {
        return storage::realFileSystem().openForAppend(path);
    }
    Result<void> rename(const std::string& from, const std::string& to) override
    {
        return storage::realFileSystem().rename(from, to);
    }
    Result<void> removeFile(const std::string& path) override
    {
        return storage::realFileSystem().removeFile(path);
    }
    Result<void> removeFolder(const std::string& path) override
    {
        return storage::realFileSystem().removeFolder(path);
    }
    Result<void> makeFolder(const std::string& path) override
    {
        return storage::realFileSystem().makeFolder(path);
    }
    Result<void> syncFolder(const std::string& path) override
    {
        return storage::realFileSystem().syncFolder(path);
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_news;
    bool m_isOpen;
    int m_badSyncs;
};

class FileOfBadSyncs final : public storage::WritableFile
{
public:
    FileOfBadSyncs(GatedFileSystem& system, std::unique_ptr<WritableFile> file, std::string path)
        : m_system(&system), m_file(std::move(file)), m_path(std::move(path))
    {}
    Result<void> append(std::span<const std::byte> bytes) override { return m_file->append(bytes); }
    Result<void> flush() override { return m_file->flush(); }
    Result<void> sync() override
    {
        if (m_system->takeBadSync(m_path)) {
            return tl::make_unexpected(storage::fileError("write to", m_path, EIO));
        }
        return m_file->sync();
    }
    Result<void> close() override { return m_file->close(); }
    std::uint64_t size() const override { return m_file->size(); }

private:
    GatedFileSystem* m_system;
    std::unique_ptr<WritableFile> m_file;
    std::string m_path;
};

Result<std::unique_ptr<storage::WritableFile>> GatedFileSystem::create(const std::string& path)
{
    {
        std::unique_lock lock(m_mutex);
        m_news.wait(lock, [this] { return m_isOpen; });
    }
    CANNERY_TRY_ASSIGN(auto file, storage::realFileSystem().create(path));
    return std::make_unique<FileOfBadSyncs>(*this, std::move(file), path);
}

/// Records the order of events, and requests checkpoints and pauses.
class OrderObserver : public TrainingObserver
{
public:
    void stepDone(std::int64_t globalStep, double) override
    {
        events.push_back("step " + std::to_string(globalStep));
        if (control != nullptr && globalStep == 3) {
            control->checkpointNow();
        }
    }
    void checkpointSaved(std::int64_t globalStep, const std::string& prefix) override
    {
        events.push_back("saved " + std::to_string(globalStep));
        isEachCommitted = isEachCommitted && storage::checkpointExists(prefix) &&
                          storage::exists(prefix + ".cannery");
    }
    void evaluated(const EvaluationResult& result) override
    {
        events.push_back("evaluated " + std::to_string(result.globalStep));
    }
    std::ptrdiff_t place(const std::string& event) const
    {
        return std::find(events.begin(), events.end(), event) - events.begin();
    }

    TrainingControl* control = nullptr;
    std::vector<std::string> events;
    bool isEachCommitted = true;
};

} // namespace

class TstBackgroundSaver : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesWhatTheForegroundWrites();
    void smallStatesAreWrittenAtOnce();
    void trainingGoesOnWhileItIsWritten();
    void whatIsLostInAFailedSyncIsWrittenAnew();
    void everyCallMayFailAndTheOldCheckpointStays();
    void leftOversOfKilledSavesAreClearedAway();
    void isCommittedBeforeAnybodyIsTold();
    void anySaveOfFiftyInARowGoesOnToTheSameBits();
};

void TstBackgroundSaver::writesWhatTheForegroundWrites()
{
    TrainingFixture fixture;
    FakeState state;
    kernels::ThreadPool pool(2);
    CheckpointStore first = openStore(fixture.path("a"), storage::realFileSystem());
    CheckpointStore second = openStore(fixture.path("b"), storage::realFileSystem());
    BackgroundSaver saver(second, {.pool = &pool});
    for (std::int64_t step = 1; step <= 8; ++step) {
        state.fill(static_cast<std::uint32_t>(step));
        VERIFY_OK(first.save(state.tensors(), sidecar(step), 1000.0));
        QCOMPARE(saver.save(state.tensors(), sidecar(step)),
                 checkpointPrefix(fixture.path("b"), step));
        state.fill(99); // as training does meanwhile
        auto outcome = saver.wait();
        QVERIFY(outcome.has_value());
        VERIFY_OK(*outcome);
        QVERIFY((*outcome)->wasBehind);
        QCOMPARE((*outcome)->globalStep, step);
        QCOMPARE(filesOf(fixture.path("b"), step), filesOf(fixture.path("a"), step));
        QCOMPARE((*outcome)->checkpoints.size(), first.list().size());
    }
    QCOMPARE(namesIn(fixture.path("b")), namesIn(fixture.path("a")));
    QVERIFY(!saver.wait().has_value());
}

void TstBackgroundSaver::smallStatesAreWrittenAtOnce()
{
    TrainingFixture fixture;
    FakeState state(0);
    CheckpointStore store = openStore(fixture.path("a"), storage::realFileSystem());
    BackgroundSaver saver(store, {});
    static_cast<void>(saver.save(state.tensors(), sidecar(7)));
    const auto outcome = saver.take();
    QVERIFY(outcome.has_value());
    VERIFY_OK(*outcome);
    QVERIFY(!(*outcome)->wasBehind);
    QVERIFY(!saver.take().has_value());
    QCOMPARE(*TrainingFixture::readNewest(fixture.path("a")), 7);
}

void TstBackgroundSaver::trainingGoesOnWhileItIsWritten()
{
    TrainingFixture fixture;
    FakeState state;
    GatedFileSystem system(false);
    CheckpointStore store = openStore(fixture.path("a"), system);
    BackgroundSaver saver(store, {});
    static_cast<void>(saver.save(state.tensors(), sidecar(7)));
    QVERIFY(!saver.take().has_value());
    QVERIFY(namesIn(fixture.path("a")).empty());
    system.open();
    const auto outcome = saver.wait();
    VERIFY_OK(*outcome);
    QCOMPARE(*TrainingFixture::readNewest(fixture.path("a")), 7);
}

void TstBackgroundSaver::whatIsLostInAFailedSyncIsWrittenAnew()
{
    for (const int badSyncs : {1, 2}) {
        TrainingFixture fixture;
        FakeState state;
        GatedFileSystem system(true, badSyncs);
        CheckpointStore store = openStore(fixture.path("a"), system);
        BackgroundSaver saver(store, {});
        static_cast<void>(saver.save(state.tensors(), sidecar(7)));
        const auto outcome = saver.wait();
        QCOMPARE(outcome->has_value(), badSyncs == 1);
        const std::vector<std::string> names = namesIn(fixture.path("a"));
        QVERIFY(std::none_of(names.begin(), names.end(), [](const std::string& name) {
            return name.find(".tmp-") != std::string::npos;
        }));
        if (badSyncs == 1) {
            QCOMPARE(*TrainingFixture::readNewest(fixture.path("a")), 7);
        } else {
            QVERIFY(outcome->error().message().find("checkpoint of step 7") != std::string::npos);
        }
    }
}

void TstBackgroundSaver::everyCallMayFailAndTheOldCheckpointStays()
{
    TrainingFixture fixture;
    FakeState state(1);
    const std::string folder = fixture.path("a");
    int failed = 0;
    for (int call = 1;; ++call) {
        std::filesystem::remove_all(folder);
        CheckpointStore kept = openStore(folder, storage::realFileSystem());
        VERIFY_OK(kept.save(state.tensors(), sidecar(5), 1000.0));
        FaultyFileSystem full(call);
        CheckpointStore store = openStore(folder, full);
        BackgroundSaver saver(store, {});
        static_cast<void>(saver.save(state.tensors(), sidecar(10)));
        const auto outcome = saver.wait();
        const auto newest = TrainingFixture::readNewest(folder);
        VERIFY_OK(newest);
        if (*outcome) {
            QCOMPARE(*newest, 10);
            break;
        }
        ++failed;
        QVERIFY2((*outcome).error().message().find("space") != std::string::npos,
                 (*outcome).error().message().c_str());
        QVERIFY((*outcome).error().message().find("checkpoints saved before are intact") !=
                std::string::npos);
        // The last calls sync the folder: the checkpoint survives a power failure.
        QVERIFY(*newest == 5 || *newest == 10);
    }
    QVERIFY(failed > 20);
}

void TstBackgroundSaver::leftOversOfKilledSavesAreClearedAway()
{
    TrainingFixture fixture;
    FakeState state(0);
    const std::string folder = fixture.path("a");
    CheckpointStore store = openStore(folder, storage::realFileSystem());
    VERIFY_OK(store.save(state.tensors(), sidecar(5), 1000.0));
    const std::vector<std::string> names = namesIn(folder);
    for (const char* name : {"model.ckpt-9.cannery", "model.ckpt-9.data-00000-of-00001"}) {
        VERIFY_OK(storage::writeFileAtomically(storage::joinPath(folder, name), "x",
                                               storage::realFileSystem()));
    }
    static_cast<void>(openStore(folder, storage::realFileSystem()));
    QCOMPARE(namesIn(folder), names);
}

void TstBackgroundSaver::isCommittedBeforeAnybodyIsTold()
{
    TrainingFixture fixture;
    OrderObserver observer;
    TrainingControl control;
    observer.control = &control;
    TrainRequest request = fixture.request(
        TrainingFixture::kLarge, "train_spec { max_steps: 9 } eval_spec { throttle_secs: 0 } "
                                 "run_config { save_checkpoints_steps: 5 keep_checkpoint_max: 0 }");
    request.observer = &observer;
    request.control = &control;
    VERIFY_OK(trainAndEvaluate(request));
    QVERIFY(observer.isEachCommitted);
    const auto isBefore = [&](const char* first, const char* second) {
        return observer.place(first) < observer.place(second) &&
               observer.place(second) < std::ssize(observer.events);
    };
    // If requested: before the next step. Evaluations and the end: before they are reported.
    QVERIFY(isBefore("step 3", "saved 3") && isBefore("saved 3", "step 4"));
    QVERIFY(isBefore("saved 5", "evaluated 5") && isBefore("evaluated 5", "step 6"));
    QVERIFY(isBefore("saved 9", "evaluated 9"));
    QVERIFY(isBefore("saved 0", "saved 3"));
    QCOMPARE(TrainingFixture::steps(fixture.modelDir()), (std::vector<std::int64_t>{0, 3, 5, 9}));
}

void TstBackgroundSaver::anySaveOfFiftyInARowGoesOnToTheSameBits()
{
    constexpr const char* kEachStep = "train_spec { max_steps: 50 } run_config { "
                                      "save_checkpoints_steps: 1 keep_checkpoint_max: 0 }";
    constexpr const char* kSeldom = "train_spec { max_steps: 50 } run_config { "
                                    "save_checkpoints_steps: 1000 keep_checkpoint_max: 0 }";
    TrainingFixture fixture;
    VERIFY_OK(trainAndEvaluate(fixture.request(TrainingFixture::kLarge, kEachStep)));
    std::vector<std::int64_t> all(51);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<std::int64_t>(i);
    }
    QCOMPARE(TrainingFixture::steps(fixture.modelDir()), all);
    const std::string wanted =
        TrainingFixture::bytes(fixture.modelDir() + "/model.ckpt-50.data-00000-of-00001");
    const std::string folder = fixture.path("resumed");
    for (const std::int64_t step : all) {
        if (step % 7 != 0) {
            continue;
        }
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        for (const char* part : {".index", ".data-00000-of-00001", ".cannery"}) {
            std::filesystem::copy(checkpointPrefix(fixture.modelDir(), step) + part,
                                  checkpointPrefix(folder, step) + part);
        }
        const std::string prefix = checkpointPrefix(folder, step);
        VERIFY_OK(storage::writeCheckpointState(folder, {.latest = prefix, .all = {prefix}},
                                                storage::realFileSystem()));
        TrainRequest request = fixture.request(TrainingFixture::kLarge, kSeldom);
        request.modelDir = folder;
        VERIFY_OK(trainAndEvaluate(request));
        const std::string last = checkpointPrefix(folder, 50) + ".data-00000-of-00001";
        QVERIFY2(TrainingFixture::bytes(last) == wanted, qPrintable(QString::number(step)));
    }
}

CANNERY_TEST(TstBackgroundSaver)
#include "tst_background_saver.moc"
