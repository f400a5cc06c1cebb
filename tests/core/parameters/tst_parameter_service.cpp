// SPDX-License-Identifier: Apache-2.0
#include "core/base/fingerprint.h"
#include "core/coordinator/wire.h"
#include "core/parameters/server_group.h"
#include "core/parameters/server_link.h"
#include "tests/core/parameters/served_model.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <fmt/core.h>

#include <algorithm>
#include <future>

using namespace cannery;
using namespace cannery::parameters;
using namespace cannery::tests;

/// Server and tasks in one process, over loopback.
class TstParameterService : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tasksShareWhatTheyPush();
    void onlyTheRowsOfAStepTravel();
    void aPushWhoseAnswerWasLostIsAppliedOnce();
    void aRestartedWorkerReplacesTheOldOne();
    void aSyncRoundIsTheMeanOfTwoWorkers();
    void aKilledServerComesBackWithEveryUpdate();
    void aStoppedServerComesBackWithItsChanges();
    void aServerWithoutFilesIsFilledAgain();
    void aJobIsNotJoinedByATaskThatIsToldToStop();
    void tasksAreGivenEveryBatchOnce();
    void foreignersAreRefused();
    void whatDoesNotFitIsRefused_data();
    void whatDoesNotFitIsRefused();
};

namespace {

bool all(std::span<const float> values, float expected)
{
    return std::ranges::all_of(values, [&](float value) { return value == expected; });
}

/// A task with its copy of the model: a table of 6 rows of 2, and 3 dense elements.
struct Task
{
    Task(const std::string& server, int tasks, int rank, std::uint64_t incarnation = 1)
        : options(clientOptions(server, tasks, rank, incarnation))
    {}

    /// A chief also lets others in.
    Result<void> attach(const std::string& folder = {})
    {
        client = std::make_unique<ParameterClient>(options);
        CANNERY_TRY(client->attach(model.attachment(folder)));
        if (client->isChief()) {
            CANNERY_TRY(client->others());
        }
        return {};
    }
    Result<bool> push(float gradient) { return client->push(model.denseStep(gradient)); }
    /// All dense elements are this.
    bool has(float value)
    {
        const auto pulled = client->pull(model.denseStep(0));
        return pulled && *pulled && all(model.dense(), value);
    }

    ParameterClient::Options options;
    ServedModel model{6, 2, 3};
    std::unique_ptr<ParameterClient> client;
};

/// A task's connection by hand.
class Hand
{
public:
    explicit Hand(const std::string& address) { QVERIFY(m_link.open(address)); }

    /// As rank 1.
    void greet(std::uint64_t incarnation)
    {
        coordinator::MemberIdentity identity = taskIdentity(1, incarnation);
        identity.digest =
            fmt::format("{:016x}", fingerprint64(ServedModel(1, 1, 1).attachment().experiment));
        wire::Request request;
        *request.mutable_hello()->mutable_identity() = coordinator::toWire(identity, false);
        QVERIFY(m_link.send(request));
        QVERIFY(receiveReply().has_welcome());
    }

    void push(const wire::Push& push, std::span<const float> payload)
    {
        wire::Request request;
        *request.mutable_push() = push;
        const auto bytes = std::as_bytes(payload);
        QVERIFY(m_link.send(request, {&bytes, 1}));
    }

    wire::Reply receiveReply()
    {
        wire::Reply reply;
        m_link.receiveReply(reply);
        return reply;
    }

    std::int64_t step()
    {
        wire::Request request;
        request.mutable_look();
        m_link.send(request);
        return receiveReply().status().step();
    }

    void close() { m_link.close(); }

private:
    ServerLink m_link;
};

wire::Push pushOf(std::int64_t sequence, int part, std::int64_t count, std::int64_t rows = -1)
{
    wire::Push push;
    push.set_sequence(sequence);
    wire::Segment& segment = *push.add_segment();
    segment.set_part(part);
    segment.set_count(count);
    segment.set_rows(rows);
    return push;
}

/// The server goes away and the task is told to stop just before it fills the server.
class StoppedFiller : public ServerGroup::Filler
{
public:
    StoppedFiller() : m_server(std::make_unique<RunningServer>(serverOptions(1))) {}

    void describe(int /*server*/, wire::Setup& /*setup*/) override
    {
        m_server.reset();
        stop = true;
    }
    std::vector<std::span<const std::byte>> contents(int /*server*/) override { return {}; }
    std::string address() const { return m_server->address(); }

    std::atomic<bool> stop = false;

private:
    std::unique_ptr<RunningServer> m_server;
};

/// Of the three dense elements.
const std::vector<float> kOnes(3, 1.0F);
constexpr int kDensePart = 1;

} // namespace

void TstParameterService::tasksShareWhatTheyPush()
{
    const RunningServer server(serverOptions(2));
    Task chief(server.address(), 2, 0);
    Task worker(server.address(), 2, 1);
    std::ranges::fill(chief.model.dense(), 10.0F);
    VERIFY_OK(chief.attach());
    VERIFY_OK(worker.attach());
    QVERIFY(all(worker.model.dense(), 10.0F));
    VERIFY_OK(worker.push(1.0F));
    QCOMPARE(worker.client->globalStep(), std::int64_t{1});
    QVERIFY(chief.has(9.0F));
    QCOMPARE(chief.client->globalStep(), std::int64_t{1});
    VERIFY_OK(chief.push(2.0F));
    QVERIFY(worker.has(7.0F));
    const auto others = chief.client->others();
    VERIFY_OK(others);
    QCOMPARE(others->busy, 1);
    QCOMPARE(others->unseen, 0);
    chief.client->leave(coordinator::Outcome::Done, "");
    const auto pushed = worker.push(1.0F);
    VERIFY_OK(pushed);
    QVERIFY(!*pushed);
    QVERIFY(worker.client->jobEnd().has_value());
}

void TstParameterService::onlyTheRowsOfAStepTravel()
{
    const RunningServer server(serverOptions(1));
    Task chief(server.address(), 1, 0);
    VERIFY_OK(chief.attach());
    VERIFY_OK(chief.client->push(chief.model.tableStep({1, 4}, 0.5F)));
    std::ranges::fill(chief.model.table(), 7.0F);
    VERIFY_OK(chief.client->pull(chief.model.tableStep({0, 4}, 0)));
    const std::vector<float> expected{0, 0, 7, 7, 7, 7, 7, 7, -0.5F, -0.5F, 7, 7};
    QVERIFY(std::ranges::equal(chief.model.table(), expected));
    VERIFY_OK(chief.client->fetch());
    const std::vector<float> whole{0, 0, -0.5F, -0.5F, 0, 0, 0, 0, -0.5F, -0.5F, 0, 0};
    QVERIFY(std::ranges::equal(chief.model.table(), whole));
}

void TstParameterService::aPushWhoseAnswerWasLostIsAppliedOnce()
{
    const RunningServer server(serverOptions(2));
    Task chief(server.address(), 2, 0);
    VERIFY_OK(chief.attach());
    Hand cut(server.address());
    Hand again(server.address());
    cut.greet(5);
    again.greet(5);
    cut.push(pushOf(1, kDensePart, 3), kOnes);
    QTRY_COMPARE_WITH_TIMEOUT(again.step(), std::int64_t{1}, kPatience);
    cut.close(); // has not heard of it
    again.push(pushOf(1, kDensePart, 3), kOnes);
    QCOMPARE(again.receiveReply().pushed().step(), std::int64_t{1});
    QVERIFY(chief.has(-1.0F));
    again.push(pushOf(2, kDensePart, 3), kOnes);
    QCOMPARE(again.receiveReply().pushed().step(), std::int64_t{2});
    QVERIFY(chief.has(-2.0F));
}

void TstParameterService::aRestartedWorkerReplacesTheOldOne()
{
    const RunningServer server(serverOptions(2));
    Task chief(server.address(), 2, 0);
    Task old(server.address(), 2, 1, 1);
    Task restarted(server.address(), 2, 1, 2);
    VERIFY_OK(chief.attach());
    VERIFY_OK(old.attach());
    old.client->setPlace({.epoch = 3, .offset = 40});
    VERIFY_OK(old.push(1.0F));
    VERIFY_OK(restarted.attach());
    QVERIFY(restarted.client->place() == (Place{.epoch = 3, .offset = 40}));
    VERIFY_OK(restarted.push(1.0F)); // its first, as the other's was
    QVERIFY(chief.has(-2.0F));
    VERIFY_ERROR(old.push(1.0F), "parameters.replaced");
    QVERIFY(chief.has(-2.0F));
}

void TstParameterService::aSyncRoundIsTheMeanOfTwoWorkers()
{
    const RunningServer server(serverOptions(2));
    Task chief(server.address(), 2, 0);
    Task worker(server.address(), 2, 1);
    for (Task* task : {&chief, &worker}) {
        task->options.strategy.set_dense(spec::Consistency::sync);
        VERIFY_OK(task->attach());
    }
    auto pushed = std::async(std::launch::async, [&] { return worker.push(3.0F); });
    VERIFY_OK(chief.push(1.0F));
    VERIFY_OK(pushed.get());
    QCOMPARE(chief.client->globalStep(), std::int64_t{1});
    QCOMPARE(worker.client->globalStep(), std::int64_t{1});
    QVERIFY(chief.has(-2.0F));
    QVERIFY(worker.has(-2.0F));
}

void TstParameterService::aKilledServerComesBackWithEveryUpdate()
{
    const QTemporaryDir folder;
    auto server = ParameterServer::start(serverOptions(1)); // does not run: is never asked to save
    VERIFY_OK(server);
    Task chief((*server)->localAddress(), 1, 0);
    chief.options.strategy.set_snapshot_secs(0);
    VERIFY_OK(chief.attach(folder.path().toStdString()));
    for (const float gradient : {1.0F, 2.0F, 4.0F}) {
        VERIFY_OK(chief.push(gradient));
    }
    ParameterServer::Options options = serverOptions(1);
    options.port.reset();
    options.address = (*server)->localAddress();
    server->reset();
    std::ranges::fill(chief.model.dense(), 99.0F); // what it would be filled with
    const RunningServer next(options);
    VERIFY_OK(chief.push(8.0F));
    QCOMPARE(chief.client->globalStep(), std::int64_t{4});
    QVERIFY(chief.has(-15.0F));
}

void TstParameterService::aStoppedServerComesBackWithItsChanges()
{
    const QTemporaryDir folder;
    auto server = std::make_unique<RunningServer>(serverOptions(1));
    Task chief(server->address(), 1, 0);
    chief.options.strategy.set_snapshot_secs(3600);
    VERIFY_OK(chief.attach(folder.path().toStdString()));
    VERIFY_OK(chief.client->push(chief.model.tableStep({1, 4}, 0.5F)));
    ParameterServer::Options options = serverOptions(1);
    options.port.reset();
    options.address = server->address();
    server.reset();
    const RunningServer next(options);
    std::ranges::fill(chief.model.table(), 99.0F);
    VERIFY_OK(chief.client->pull(chief.model.tableStep({0, 4}, 0)));
    QCOMPARE(chief.model.table()[0], 0.0F);
    QCOMPARE(chief.model.table()[8], -0.5F);
}

void TstParameterService::aServerWithoutFilesIsFilledAgain()
{
    auto server = std::make_unique<RunningServer>(serverOptions(1));
    Task chief(server->address(), 1, 0);
    VERIFY_OK(chief.attach());
    VERIFY_OK(chief.push(1.0F));
    QVERIFY(chief.has(-1.0F));
    ParameterServer::Options options = serverOptions(1);
    options.port.reset();
    options.address = server->address();
    server.reset();
    const RunningServer next(options);
    VERIFY_OK(chief.push(1.0F));
    QCOMPARE(chief.client->globalStep(), std::int64_t{2});
    QVERIFY(chief.has(-2.0F));
}

void TstParameterService::aJobIsNotJoinedByATaskThatIsToldToStop()
{
    StoppedFiller filler;
    const std::chrono::milliseconds patience(kPatience);
    ServerGroup group({.servers = {filler.address()},
                       .identity = taskIdentity(0),
                       .onNote = [](const coordinator::Note&) {},
                       .stop = &filler.stop,
                       .longestWait = patience,
                       .startWait = patience,
                       .patience = patience},
                      filler);
    group.setExperiment("toy: 1\n", "1");
    const auto joined = group.join(5);
    QVERIFY(!joined);
    QVERIFY(joined.error().code == ErrorCode::Cancelled);
    QVERIFY(!group.jobEnd());
}

void TstParameterService::tasksAreGivenEveryBatchOnce()
{
    const RunningServer server(serverOptions(2));
    Task chief(server.address(), 2, 0);
    Task worker(server.address(), 2, 1);
    chief.client = std::make_unique<ParameterClient>(chief.options);
    auto attachment = chief.model.attachment();
    attachment.leasedBatches = 5;
    VERIFY_OK(chief.client->attach(std::move(attachment)));
    const auto leaseOf = [](Task& task) {
        const auto lease = task.client->lease();
        return lease && *lease ? (*lease)->batch.value_or((*lease)->isOver ? -1 : -2) : -3;
    };
    QCOMPARE(leaseOf(chief), 0LL);
    VERIFY_OK(worker.attach());
    QCOMPARE(leaseOf(worker), 1LL);
    VERIFY_OK(worker.push(1.0F));
    QCOMPARE(leaseOf(worker), 2LL);
    worker.client->leave(coordinator::Outcome::Stopping, ""); // does not compute it
    QCOMPARE(chief.client->firstOpenBatch(), 0LL);
    for (const std::int64_t batch : {0LL, 2LL, 3LL, 4LL}) {
        QCOMPARE(leaseOf(chief), batch);
        VERIFY_OK(chief.push(1.0F));
    }
    QCOMPARE(leaseOf(chief), -1LL);
    QCOMPARE(chief.client->firstOpenBatch(), 5LL);
    QVERIFY(chief.has(-5.0F));
    QCOMPARE(chief.client->globalStep(), 5LL);
}

void TstParameterService::foreignersAreRefused()
{
    const RunningServer server(serverOptions(2));
    Task thief(server.address(), 2, 0);
    thief.options.identity.token = "guessed";
    VERIFY_ERROR(thief.attach(), "coordinator.other_token");
    Task chief(server.address(), 2, 0);
    VERIFY_OK(chief.attach());
    thief.options.identity = taskIdentity(1);
    thief.options.identity.token = "guessed";
    VERIFY_ERROR(thief.attach(), "coordinator.other_token");
    Task other(server.address(), 2, 1);
    ParameterClient client(other.options);
    auto attachment = other.model.attachment();
    attachment.experiment = "toy: 2\n";
    VERIFY_ERROR(client.attach(std::move(attachment)), "coordinator.other_experiment");
}

void TstParameterService::whatDoesNotFitIsRefused_data()
{
    QTest::addColumn<int>("part");
    QTest::addColumn<qint64>("count");
    QTest::addColumn<qint64>("rows");
    QTest::newRow("no such part") << 7 << 3LL << -1LL;
    QTest::newRow("more elements") << kDensePart << 4LL << -1LL;
    QTest::newRow("more rows") << 0 << 12LL << 7LL;
    QTest::newRow("no such row") << 0 << 2LL << 1LL;
}

void TstParameterService::whatDoesNotFitIsRefused()
{
    QFETCH(const int, part);
    QFETCH(const qint64, count);
    QFETCH(const qint64, rows);
    const RunningServer server(serverOptions(2));
    Task chief(server.address(), 2, 0);
    VERIFY_OK(chief.attach());
    Hand hand(server.address());
    hand.greet(5);
    hand.push(pushOf(1, part, count, rows), kOnes);
    QCOMPARE(hand.receiveReply().refused().id(), std::string("parameters.misfit"));
    QVERIFY(chief.has(0.0F));
    QCOMPARE(chief.client->globalStep(), std::int64_t{0});
}

CANNERY_TEST(TstParameterService)
#include "tst_parameter_service.moc"
