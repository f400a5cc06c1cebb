// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/cluster/tf_config.h"
#include "core/strategies/worker_group.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"
#include "tests/support/thread_checks.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <thread>

using namespace cannery;
using namespace cannery::strategies;

/// Processes of a cluster as threads of this one, over real connections.
class TstWorkerGroup : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesUpIfTheOthersDoNotCome();
    void sumsDenseAndSparseGradients_data();
    void sumsDenseAndSparseGradients();
    void sumsInPacks();
    void gathersBeforeItSums();
    void saysIfSumsAreNotExact();
    void sharesTheStateOfTheFurthest();
    void formsAnewWithARestartedTask_data();
    void formsAnewWithARestartedTask();
    void refusesAnotherExperiment();
    void waitingEndsWhenAsked();
};

namespace {

/// Ports that are free now.
std::vector<int> freePorts(int count)
{
    std::vector<int> sockets;
    std::vector<int> ports;
    for (int i = 0; i < count; ++i) {
        const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{.sin_family = AF_INET};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof(address);
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        CANNERY_CHECK(::bind(socket, any, length) == 0);
        CANNERY_CHECK(::getsockname(socket, any, &length) == 0);
        sockets.push_back(socket);
        ports.push_back(ntohs(address.sin_port));
    }
    for (const int socket : sockets) {
        ::close(socket);
    }
    return ports;
}

class TestCluster
{
public:
    explicit TestCluster(int size)
    {
        const std::vector<int> ports = freePorts(size);
        for (int rank = 0; rank < size; ++rank) {
            m_tasks.push_back(
                {.type = rank == 0 ? cluster::TaskType::Chief : cluster::TaskType::Worker,
                 .index = rank == 0 ? 0 : rank - 1,
                 .address = "127.0.0.1:" + std::to_string(ports[static_cast<std::size_t>(rank)])});
        }
    }

    std::unique_ptr<WorkerGroup> group(std::size_t rank, const SumOptions& sums = {},
                                       const std::atomic<bool>* stop = nullptr,
                                       double startSeconds = 7200) const
    {
        const cluster::Task& task = m_tasks[rank];
        const auto spec =
            cluster::readTfConfig(cluster::writeTfConfig(m_tasks, task.type, task.index));
        CANNERY_CHECK(spec && *spec);
        return std::make_unique<WorkerGroup>(WorkerGroup::Options{.cluster = **spec,
                                                                  .version = "test",
                                                                  .sums = sums,
                                                                  .startSeconds = startSeconds,
                                                                  .stop = stop});
    }

private:
    std::vector<cluster::Task> m_tasks;
};

kernels::SparseGradient sparseOf(std::vector<std::int32_t> rows)
{
    kernels::SparseGradient gradient;
    gradient.cols = 2;
    for (const std::int32_t row : rows) {
        gradient.values.push_back(static_cast<float>(row));
        gradient.values.push_back(1);
    }
    gradient.rows = std::move(rows);
    return gradient;
}

Result<void> summed(WorkerGroup& group, std::span<float> dense,
                    std::span<const plan::SparsePart> sparse)
{
    group.exchange().begin(dense, true);
    return group.exchange().finish(sparse);
}

/// Joins, then runs the function, one thread per rank, where THREAD_VERIFY() takes the place of
/// QVERIFY().
void runCluster(int size, const std::function<void(WorkerGroup&)>& function)
{
    const TestCluster cluster(size);
    std::barrier finished(size); // whoever leaves first breaks the others' last call
    const ThreadReport report;
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(size); ++rank) {
        threads.emplace_back([&, rank] {
            const auto group = cluster.group(rank);
            runChecked([&] {
                THREAD_REQUIRE(group->open("same"));
                THREAD_REQUIRE(group->join());
                function(*group);
            });
            finished.arrive_and_wait();
            group->leave(coordinator::Outcome::Done, "");
        });
    }
}

} // namespace

void TstWorkerGroup::givesUpIfTheOthersDoNotCome()
{
    const TestCluster cluster(2);
    const auto chief = cluster.group(0, {}, nullptr, 0.3);
    VERIFY_OK(chief->open("same"));
    const Result<void> joined = chief->join();
    VERIFY_ERROR(joined, "strategies.not_joined_in_time");
    QVERIFY(joined.error().sentence.find("session_creation_timeout_secs") != std::string::npos);
    QVERIFY(!WorkerGroup::isLoss(joined.error()));
    chief->leave(coordinator::Outcome::Failed, joined.error().message());
}

void TstWorkerGroup::sumsDenseAndSparseGradients_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {2, 3, 4}) {
        QTest::newRow(qPrintable(QString::number(size))) << size;
    }
}

void TstWorkerGroup::sumsDenseAndSparseGradients()
{
    QFETCH(int, size);
    runCluster(size, [&](WorkerGroup& group) {
        const auto rank = static_cast<std::int32_t>(group.process().rank);
        for (int step = 0; step < 3; ++step) {
            std::vector<float> dense(40000, static_cast<float>(rank + 1));
            // Row 5 in every process, one more in each, nothing at all in the second table.
            kernels::SparseGradient some = sparseOf({5, 10 + rank});
            kernels::SparseGradient none = sparseOf({});
            const std::vector<plan::SparsePart> parts{{&some, 100}, {&none, 100}};
            THREAD_VERIFY(summed(group, dense, parts));
            THREAD_VERIFY(dense.front() == static_cast<float>(size * (size + 1) / 2));
            THREAD_VERIFY(dense.back() == dense.front());
            THREAD_VERIFY(none.rowCount() == 0);
            THREAD_REQUIRE(some.rowCount() == size + 1);
            THREAD_VERIFY(some.rows[0] == 5 && some.values[0] == static_cast<float>(5 * size));
            for (std::int32_t other = 0; other < size; ++other) {
                const auto place = static_cast<std::size_t>(other) + 1;
                THREAD_VERIFY(some.rows[place] == 10 + other && some.values[2 * place + 1] == 1);
            }
        }
    });
}

void TstWorkerGroup::sumsInPacks()
{
    runCluster(3, [&](WorkerGroup& group) {
        const auto rank = static_cast<float>(group.process().rank);
        for (int step = 0; step < 3; ++step) {
            std::vector<float> dense(50000, rank + 1);
            const std::span<float> all = dense;
            group.exchange().begin(all.subspan(40000), false);
            group.exchange().begin(all.subspan(10, 39990), false);
            group.exchange().begin(all.first(10), true);
            THREAD_VERIFY(group.exchange().finish({}));
            THREAD_VERIFY(std::ranges::all_of(dense, [](float value) { return value == 6; }));
        }
    });
}

void TstWorkerGroup::gathersBeforeItSums()
{
    runCluster(3, [&](WorkerGroup& group) {
        const auto rank = static_cast<std::size_t>(group.process().rank);
        for (int step = 0; step < 3; ++step) {
            for (const std::size_t count : {5, 3000}) {
                std::vector<double> all(3 * count, -1);
                std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(rank * count), count,
                            static_cast<double>(rank) + 0.1);
                THREAD_VERIFY(group.exchange().gather(all));
                for (std::size_t i = 0; i < all.size(); ++i) {
                    THREAD_VERIFY(all[i] == static_cast<double>(i / count) + 0.1);
                }
            }
            std::vector<float> dense(5000, 1);
            group.exchange().begin(std::span(dense).subspan(1000), false);
            group.exchange().begin(std::span(dense).first(1000), true);
            THREAD_VERIFY(group.exchange().finish({}));
            THREAD_VERIFY(std::ranges::all_of(dense, [](float value) { return value == 3; }));
        }
    });
}

void TstWorkerGroup::saysIfSumsAreNotExact()
{
    for (const bool isExact : {true, false}) {
        const TestCluster cluster(2);
        const auto chief = cluster.group(0, {.isExact = isExact});
        bool isSaid = false;
        chief->setNoteSink([&](const coordinator::Note& note) {
            isSaid = isSaid || note.id == "strategies.note_not_exact";
        });
        VERIFY_OK(chief->open("same"));
        chief->passNotes();
        QCOMPARE(isSaid, !isExact);
    }
}

void TstWorkerGroup::sharesTheStateOfTheFurthest()
{
    runCluster(3, [](WorkerGroup& group) {
        const std::int64_t rank = group.process().rank;
        std::vector<std::byte> state(1000, static_cast<std::byte>(rank));
        // Nobody is ahead: the chief's.
        THREAD_VERIFY(group.share(7, state));
        THREAD_VERIFY(state.back() == std::byte{0});
        state.assign(1000, static_cast<std::byte>(rank));
        THREAD_VERIFY(group.share(rank == 0 ? 7 : 8, state));
        THREAD_VERIFY(state.back() == std::byte{1});
    });
}

void TstWorkerGroup::formsAnewWithARestartedTask_data()
{
    QTest::addColumn<bool>("isInGather");
    QTest::newRow("lost in a sum") << false;
    QTest::newRow("lost in a gather") << true;
}

void TstWorkerGroup::formsAnewWithARestartedTask()
{
    QFETCH(bool, isInGather);
    const TestCluster cluster(3);
    std::barrier lost(3);
    const ThreadReport report;
    std::vector<std::jthread> threads;
    const auto oneSum = [](WorkerGroup& group) {
        std::vector<float> dense(100, 1);
        Result<void> done = summed(group, dense, {});
        THREAD_VERIFY(!done || dense[0] == 3);
        return done;
    };
    for (std::size_t rank = 0; rank < 3; ++rank) {
        threads.emplace_back([&, rank] {
            auto group = cluster.group(rank);
            THREAD_VERIFY(group->open("same"));
            THREAD_VERIFY(group->join());
            THREAD_VERIFY(oneSum(*group));
            lost.arrive_and_wait();
            if (rank == 2) { // gone, and started again
                group.reset();
                group = cluster.group(rank);
                THREAD_VERIFY(group->open("same"));
            } else {
                std::vector<double> all(3);
                const Result<void> failed =
                    isInGather ? group->exchange().gather(all) : oneSum(*group);
                THREAD_VERIFY(!failed && WorkerGroup::isLoss(failed.error()));
            }
            THREAD_VERIFY(group->join());
            THREAD_VERIFY(oneSum(*group));
            lost.arrive_and_wait();
            group->leave(coordinator::Outcome::Done, "");
        });
    }
}

void TstWorkerGroup::refusesAnotherExperiment()
{
    const TestCluster cluster(2);
    const auto chief = cluster.group(0);
    VERIFY_OK(chief->open("name: \"one\"\n"));
    const auto worker = cluster.group(1);
    VERIFY_ERROR(worker->open("name: \"two\"\n"), "coordinator.other_experiment");
}

void TstWorkerGroup::waitingEndsWhenAsked()
{
    const TestCluster cluster(2);
    std::atomic<bool> stop = false;
    auto chief = cluster.group(0, {}, &stop);
    VERIFY_OK(chief->open("same"));
    std::jthread asking([&stop] { stop = true; });
    VERIFY_ERROR(chief->join(), "base.interrupted");
    chief.reset(); // nobody listens
    const auto worker = cluster.group(1, {}, &stop);
    VERIFY_ERROR(worker->open("same"), "base.interrupted");
}

CANNERY_TEST(TstWorkerGroup)
#include "tst_worker_group.moc"
