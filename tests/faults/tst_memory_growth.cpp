// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "tests/core/train/training_fixture.h"
#include "tests/faults/fault_project.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

namespace {

struct Memory
{
    std::int64_t heap = 0;     ///< bytes that the program has allocated and not freed
    std::int64_t resident = 0; ///< bytes of its memory behind no file, in use or swapped out

    /// Pages of files do not count: whether they are the process's own or shared depends on which
    /// other programs map the same library at the moment.
    static Memory now()
    {
        Memory memory;
        const struct mallinfo2 info = mallinfo2();
        memory.heap = static_cast<std::int64_t>(info.uordblks + info.hblkhd);
        const std::string text = storage::readWholeFile("/proc/self/smaps_rollup").value_or("");
        for (const char* key : {"Anonymous:", "Swap:"}) {
            long long kilobytes = 0;
            const std::size_t place = text.find(key);
            if (place != std::string::npos &&
                std::sscanf(text.c_str() + place + std::string_view(key).size(), "%lld",
                            &kilobytes) == 1) {
                memory.resident += kilobytes * 1024;
            }
        }
        return memory;
    }
};

/// Samples the memory after steps that are far apart.
class MemoryObserver final : public TrainingObserver
{
public:
    explicit MemoryObserver(std::int64_t every) : m_every(every) {}

    void stepDone(std::int64_t globalStep, double) override
    {
        if (globalStep % m_every == 0) {
            seen.push_back(Memory::now());
        }
    }
    void evaluated(const EvaluationResult&) override { ++evaluations; }
    void checkpointSaved(std::int64_t, const std::string&) override { ++saves; }

    std::vector<Memory> seen;
    int evaluations = 0;
    int saves = 0;

private:
    std::int64_t m_every;
};

} // namespace

/// A long training takes no more memory than one that has just warmed up. `CANNERY_SOAK_STEPS`
/// makes it last for hours.
class TstMemoryGrowth : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("TMPDIR", inMemoryFolder().toUtf8()); }
    void trainingDoesNotGrow();
};

void TstMemoryGrowth::trainingDoesNotGrow()
{
    const qint64 steps = qEnvironmentVariableIsSet("CANNERY_SOAK_STEPS")
                             ? qEnvironmentVariableIntValue("CANNERY_SOAK_STEPS")
                             : 50000;
    const TrainingFixture fixture;
    TrainRequest request =
        fixture.request("eval_spec { throttle_secs: 0 } run_config { save_checkpoints_steps: 200 "
                        "keep_checkpoint_max: 3 save_summary_steps: 20 log_step_count_steps: 50 }");
    request.experiment.mutable_train_spec()->set_max_steps(steps);
    MemoryObserver observer(steps / 10);
    request.observer = &observer;
    VERIFY_OK(trainAndEvaluate(request));
    QCOMPARE(observer.seen.size(), std::size_t{10});
    QVERIFY(observer.saves >= steps / 200);
    QVERIFY(observer.evaluations >= steps / 200);
    // Warm: half of the way; before that, threads still touch pages for the first time. A leak
    // shows in each of the tenths that follow.
    constexpr std::size_t kWarm = 5;
    std::vector<std::int64_t> growths;
    for (std::size_t i = kWarm; i < observer.seen.size(); ++i) {
        growths.push_back(observer.seen[i].resident - observer.seen[i - 1].resident);
    }
    std::sort(growths.begin(), growths.end());
    const std::int64_t resident = growths[growths.size() / 2];
    const std::int64_t heap = observer.seen.back().heap - observer.seen[1].heap;
    qInfo("%lld steps, %d saves, %d evaluations: the heap grew by %lld bytes, the process by %lld "
          "in the median tenth",
          static_cast<long long>(steps), observer.saves, observer.evaluations,
          static_cast<long long>(heap), static_cast<long long>(resident));
    constexpr std::int64_t kPages = 64 << 10;
    QVERIFY2(heap < kPages, qPrintable(QString::number(heap)));
    QVERIFY2(resident < kPages, qPrintable(QString::number(resident)));
}

CANNERY_TEST(TstMemoryGrowth)
#include "tst_memory_growth.moc"
