// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/parameters/served_share.h"
#include "core/spec/optimizers.pb.h"
#include "storage/io/files.h"
#include "tests/storage/io/faulty_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace cannery;
using namespace cannery::parameters;

/// The files of a server whose one variable, of 1,000 rows of 100, is trained by plain SGD with a
/// rate of 1.
class TstServedShare : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyTouchedRowsAreWritten();
    void nothingIsWrittenWithoutChanges();
    void longChangesBecomeASnapshot();
    void aTornLastChangeIsIgnoredWithASentence();
    void aSnapshotIsWholeAlthoughOthersTrainMeanwhile();
    void aFailedWriteIsMadeUpForByASnapshot();
    void aDurableServerCompactsItsLogBetweenRounds();
    void whoIsAwayForLongLosesItsBatch();
    void aNewSessionDoesNotContinueAnOldOne();
};

namespace {

constexpr std::int64_t kRows = 1000;
constexpr std::int64_t kCols = 100;

wire::Setup setupIn(const std::string& folder, double snapshotSeconds, int tasks = 1)
{
    spec::Optimizer sgd;
    sgd.mutable_sgd()->set_learning_rate(1);
    wire::Setup setup;
    setup.set_session(7);
    setup.set_folder(folder);
    setup.set_tasks(tasks);
    setup.set_snapshot_secs(snapshotSeconds);
    wire::Optimizer& optimizer = *setup.add_optimizer();
    optimizer.set_message(sgd.SerializeAsString());
    optimizer.set_owns_global_step(true);
    for (const float scalar : {0.0F, 1.0F, 0.0F}) { // decay, learning_rate, momentum
        optimizer.add_scalar(scalar);
    }
    wire::Part& table = *setup.add_part();
    table.set_count(kRows * kCols);
    table.set_cols(kCols);
    return setup;
}

/// A server's process: destroyed, it was killed.
class Process
{
public:
    explicit Process(storage::FileSystem& system = storage::realFileSystem(),
                     std::uint64_t longestLog = std::uint64_t{1} << 30U)
        : m_share({.tasks = {"worker:0", "worker:1"},
                   .onNote = [this](const coordinator::Note& note) { notes.push_back(note.id); },
                   .system = &system,
                   .longestAbsence = std::chrono::milliseconds(0),
                   .longestLog = longestLog})
    {}

    void fill(const wire::Setup& setup)
    {
        CANNERY_CHECK(!m_share.resume(setup).value_or(true));
        auto store = ParameterStore::create(setup, 1);
        CANNERY_CHECK(store.has_value());
        m_share.install(*std::move(store));
        enterAll(setup);
    }
    bool resume(wire::Setup setup)
    {
        setup.set_resumes(true);
        const bool isThere = m_share.resume(setup).value_or(false);
        if (isThere) {
            enterAll(setup);
        }
        return isThere;
    }

    /// A gradient of 1 for a row, or for all of them: a step makes every one less by 1.
    PushOutcome push(std::int64_t sequence, int row, int rank = 0)
    {
        wire::Push push;
        push.set_sequence(sequence);
        wire::Segment& segment = *push.add_segment();
        segment.set_count(kRows * kCols);
        segment.set_rows(row < 0 ? -1 : 1);
        std::vector<std::byte> payload;
        const auto add = [&](const auto& value) {
            const auto bytes = std::as_bytes(std::span(&value, 1));
            payload.insert(payload.end(), bytes.begin(), bytes.end());
        };
        if (row >= 0) {
            add(row);
        }
        for (std::int64_t i = 0; i < kCols * (row < 0 ? kRows : 1); ++i) {
            add(1.0F);
        }
        return m_share.push(rank, 1, std::move(push), payload, [] { return true; });
    }
    qint64 lease(int rank)
    {
        const auto leased = m_share.lease(rank, 1);
        return leased && leased->has_batch() ? leased->batch() : -1;
    }
    void giveBack(int rank) { m_share.giveBack(rank, 1); }
    void leave(int rank) { m_share.leave(rank, 1); }
    void save() { m_share.saveChanges(); }
    /// All values of a row are the same; this.
    float valueOf(std::int64_t row)
    {
        const auto values = m_share.store()->parts().values(0).subspan(
            static_cast<std::size_t>(row * kCols), static_cast<std::size_t>(kCols));
        CANNERY_CHECK(std::ranges::count(values, values.front()) == kCols);
        return values.front();
    }
    std::int64_t step() { return m_share.store()->step(); }

    std::vector<std::string> notes;

private:
    void enterAll(const wire::Setup& setup)
    {
        for (int rank = 0; rank < setup.tasks(); ++rank) {
            m_share.enter(rank, 1);
        }
    }

    ServedShare m_share;
};

class ShareFiles
{
public:
    std::string path() const { return m_folder.path().toStdString(); }
    qint64 snapshot() const { return QFileInfo(file("ps-0.snapshot")).size(); }
    /// Of the only log.
    QString log() const
    {
        const QDir dir(m_folder.filePath("parameters"));
        const QStringList logs = dir.entryList({"*.log"}, QDir::Files);
        return logs.size() == 1 ? dir.filePath(logs.front()) : "not one log";
    }
    qint64 logSize() const { return QFileInfo(log()).size(); }
    QString file(const char* name) const { return m_folder.filePath("parameters/") + name; }

private:
    QTemporaryDir m_folder;
};

constexpr int kAllRows = -1;
constexpr qint64 kWhole = kRows * kCols * 4;
constexpr qint64 kLittle = 2000; ///< a row, and what describes it

} // namespace

void TstServedShare::onlyTouchedRowsAreWritten()
{
    const ShareFiles folder;
    const wire::Setup setup = setupIn(folder.path(), 30);
    {
        Process process;
        process.fill(setup);
        QVERIFY(folder.snapshot() > kWhole && folder.snapshot() < kWhole + kLittle);
        const QDateTime before = QFileInfo(folder.file("ps-0.snapshot")).lastModified();
        QCOMPARE(process.push(1, 5), (PushOutcome{.step = 1}));
        process.save();
        QVERIFY(folder.logSize() > kCols * 4 && folder.logSize() < kLittle);
        QCOMPARE(process.push(2, 5), (PushOutcome{.step = 2}));
        QCOMPARE(process.push(3, 900), (PushOutcome{.step = 3}));
        process.save();
        QVERIFY(folder.logSize() < 3 * kLittle);
        QCOMPARE(process.push(4, 6), (PushOutcome{.step = 4})); // is lost
        QCOMPARE(QFileInfo(folder.file("ps-0.snapshot")).lastModified(), before);
    }
    Process next;
    QVERIFY(next.resume(setup));
    QVERIFY(next.notes.empty());
    QCOMPARE(next.step(), std::int64_t{3});
    QCOMPARE(next.valueOf(5), -2.0F);
    QCOMPARE(next.valueOf(900), -1.0F);
    QCOMPARE(next.valueOf(6), 0.0F);
    QCOMPARE(next.push(3, 900), (PushOutcome{.step = 3})); // known
    QCOMPARE(next.push(4, 6), (PushOutcome{.step = 4}));
}

void TstServedShare::nothingIsWrittenWithoutChanges()
{
    const ShareFiles folder;
    Process process;
    process.fill(setupIn(folder.path(), 30));
    QCOMPARE(process.push(1, 5), (PushOutcome{.step = 1}));
    process.save();
    const qint64 size = folder.logSize();
    process.save();
    QCOMPARE(folder.logSize(), size);
}

void TstServedShare::longChangesBecomeASnapshot()
{
    const ShareFiles folder;
    const wire::Setup setup = setupIn(folder.path(), 30);
    {
        Process process;
        process.fill(setup);
        const QString first = folder.log();
        QCOMPARE(process.push(1, 5), (PushOutcome{.step = 1}));
        process.save();
        QCOMPARE(process.push(2, kAllRows), (PushOutcome{.step = 2}));
        process.save();
        QVERIFY(folder.log() != first);
        QCOMPARE(folder.logSize(), 0LL);
        QCOMPARE(process.push(3, 7), (PushOutcome{.step = 3}));
        process.save();
        QVERIFY(folder.logSize() > 0 && folder.logSize() < kLittle);
    }
    Process next;
    QVERIFY(next.resume(setup));
    QCOMPARE(next.step(), std::int64_t{3});
    QCOMPARE(next.valueOf(0), -1.0F);
    QCOMPARE(next.valueOf(5), -2.0F);
    QCOMPARE(next.valueOf(7), -2.0F);
}

void TstServedShare::aTornLastChangeIsIgnoredWithASentence()
{
    const ShareFiles folder;
    const wire::Setup setup = setupIn(folder.path(), 30);
    {
        Process process;
        process.fill(setup);
        QCOMPARE(process.push(1, 5), (PushOutcome{.step = 1}));
        process.save();
        QCOMPARE(process.push(2, 5), (PushOutcome{.step = 2}));
        process.save();
    }
    QVERIFY(QFile::resize(folder.log(), folder.logSize() - 1));
    Process next;
    QVERIFY(next.resume(setup));
    QCOMPARE(next.notes, (std::vector<std::string>{"parameters.note_torn_log"}));
    QCOMPARE(next.step(), std::int64_t{1});
    QCOMPARE(next.valueOf(5), -1.0F);
    QCOMPARE(next.push(2, 5), (PushOutcome{.step = 2}));
    next.save();
    Process third; // the torn end is gone
    QVERIFY(third.resume(setup));
    QVERIFY(third.notes.empty());
    QCOMPARE(third.valueOf(5), -2.0F);
}

void TstServedShare::aSnapshotIsWholeAlthoughOthersTrainMeanwhile()
{
    const ShareFiles folder;
    const wire::Setup setup = setupIn(folder.path(), 30);
    {
        Process process;
        process.fill(setup);
        std::atomic<std::int64_t> sequence = 0;
        std::atomic<bool> isOver = false;
        std::thread worker([&] {
            while (!isOver) {
                process.push(++sequence, kAllRows);
            }
        });
        for (int snapshots = 0; snapshots < 5; ++snapshots) { // as all rows change
            for (const std::int64_t seen = sequence; sequence < seen + 2;) {
                std::this_thread::yield();
            }
            process.save();
        }
        isOver = true;
        worker.join();
    }
    Process next;
    QVERIFY(next.resume(setup));
    QVERIFY(next.step() > 0);
    for (std::int64_t row = 0; row < kRows; ++row) {
        QCOMPARE(next.valueOf(row), -static_cast<float>(next.step()));
    }
}

void TstServedShare::aFailedWriteIsMadeUpForByASnapshot()
{
    const ShareFiles folder;
    const wire::Setup setup = setupIn(folder.path(), 30);
    tests::FaultyFileSystem trial;
    Process(trial).fill(setup);
    const auto calls = static_cast<int>(trial.calls().size());
    const ShareFiles other;
    tests::FaultyFileSystem full(calls + 1);
    Process process(full);
    process.fill(setupIn(other.path(), 30));
    QVERIFY(process.notes.empty());
    QCOMPARE(process.push(1, 5), (PushOutcome{.step = 1}));
    process.save();
    process.save();
    QCOMPARE(process.notes, (std::vector<std::string>{"parameters.note_no_snapshot"}));
    QCOMPARE(process.push(2, 5), (PushOutcome{.step = 2}));
    process.save();
    QCOMPARE(process.notes.size(), std::size_t{1}); // once
    Process next;
    QVERIFY(next.resume(setupIn(other.path(), 30)));
    QCOMPARE(next.step(), std::int64_t{0}); // what was complete is intact
}

void TstServedShare::aDurableServerCompactsItsLogBetweenRounds()
{
    const ShareFiles folder;
    wire::Setup setup = setupIn(folder.path(), 0, 2);
    setup.set_has_rounds(true);
    setup.mutable_part(0)->set_is_sync(true);
    constexpr int kSteps = 5; // of half a snapshot each
    {
        Process process(storage::realFileSystem(), 1);
        process.fill(setup);
        for (int step = 1; step <= kSteps; ++step) {
            QCOMPARE(process.push(step, kAllRows, 1).kind, PushOutcome::Kind::Waiting);
            QCOMPARE(process.push(step, kAllRows, 0), (PushOutcome{.step = step}));
        }
        process.leave(1);
        for (int step = kSteps + 1; step <= 2 * kSteps; ++step) { // nobody waits for who has gone
            QCOMPARE(process.push(step, kAllRows, 0), (PushOutcome{.step = step}));
        }
        QVERIFY(folder.logSize() < 4 * kWhole);
    }
    Process next;
    QVERIFY(next.resume(setup));
    QCOMPARE(next.step(), std::int64_t{2 * kSteps});
    QCOMPARE(next.valueOf(3), -2.0F * kSteps);
}

void TstServedShare::whoIsAwayForLongLosesItsBatch()
{
    const ShareFiles folder;
    wire::Setup setup = setupIn(folder.path(), 0, 2);
    setup.mutable_leases()->set_batches(3);
    {
        Process process;
        process.fill(setup);
        QCOMPARE(process.lease(0), 0LL);
        QCOMPARE(process.lease(1), 1LL);
        process.leave(0);
        QCOMPARE(process.push(1, 5, 1), (PushOutcome{.step = 1})); // of no batch
        QCOMPARE(process.lease(1), 1LL);
    }
    Process next; // from its log
    QVERIFY(next.resume(setup));
    QCOMPARE(next.lease(1), 1LL);
    QCOMPARE(next.lease(0), 0LL);
    next.leave(0);
    next.giveBack(1);
    QCOMPARE(next.lease(1), 1LL);
    next.leave(1);
    QCOMPARE(next.lease(0), 0LL);
}

void TstServedShare::aNewSessionDoesNotContinueAnOldOne()
{
    const ShareFiles folder;
    wire::Setup setup = setupIn(folder.path(), 30);
    Process().fill(setup);
    setup.set_session(8);
    QVERIFY(!Process().resume(setup));
}

CANNERY_TEST(TstServedShare)
#include "tst_served_share.moc"
