// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/errors.h"
#include "kernels/cuda/cuda_plugin.h"
#include "tests/kernels/cuda/cuda_case.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::kernels;
using namespace cannery::kernels::cuda;
using namespace cannery::tests;

namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

/// A machine of the test's.
struct FakeMachine
{
    CallStatus listed;
    std::vector<DeviceEntry> devices;
    CallStatus opened;
    CallStatus grouped;
};

class FakeDriver : public Driver
{
public:
    FakeDriver(const FakeMachine& machine, RuntimeJournal& journal)
        : m_machine(machine), m_journal(journal)
    {}
    std::string_view name() const override { return "CUDA 13.0"; }
    std::string_view oldestArchitecture() const override { return "sm_80"; }
    CallStatus list(std::vector<DeviceEntry>& devices) override
    {
        devices = m_machine.devices;
        return m_machine.listed;
    }
    CallStatus open(std::int64_t /*index*/, std::unique_ptr<Runtime>& runtime) override
    {
        if (m_machine.opened.ok()) {
            runtime = std::make_unique<RecordingRuntime>(m_journal, RecordingOptions{});
        }
        return m_machine.opened;
    }
    CallStatus makeGroupId(GroupId& id) override
    {
        id = EmulatedGroup::makeId();
        return m_machine.grouped;
    }

private:
    FakeMachine m_machine;
    RuntimeJournal& m_journal;
};

DeviceEntry gpu(const char* name, const char* architecture = "sm_90", bool isSupported = true)
{
    return {.facts = {.name = name, .architecture = architecture}, .isSupported = isSupported};
}

} // namespace

/// Which GPUs a machine has, and why one cannot be opened.
class TstCudaPlugin : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { qunsetenv(kVisible); }
    void listsAndOpensDevices();
    void saysWhyThereIsNone_data();
    void saysWhyThereIsNone();
    void namesTheVariableThatHidesGpus();
    void saysWhyOneCannotBeOpened_data();
    void saysWhyOneCannotBeOpened();
    void refusesOthers();
    void saysWhyGpusCannotBeGrouped();

private:
    CudaPlugin plugin(const FakeMachine& machine)
    {
        return CudaPlugin(std::make_unique<FakeDriver>(machine, m_journal));
    }

    RuntimeJournal m_journal;
};

void TstCudaPlugin::listsAndOpensDevices()
{
    CudaPlugin two = plugin({.devices = {gpu("one"), gpu("two")}});
    QVERIFY(two.name() == "CUDA 13.0");
    const auto devices = two.devices();
    VERIFY_OK(devices);
    QCOMPARE(devices->size(), 2U);
    const auto opened = two.open(1);
    VERIFY_OK(opened);
    QCOMPARE((*opened)->facts().name, std::string("two"));
    QCOMPARE((*opened)->facts().architecture, std::string("sm_90"));
}

void TstCudaPlugin::saysWhyGpusCannotBeGrouped()
{
    VERIFY_OK(plugin({}).makeGroupId());
    const auto missing = plugin({.grouped = {Outcome::NoNccl, "no such file"}}).makeGroupId();
    QCOMPARE(missing.error(),
             error(ErrorCode::FailedPrecondition, kNoNccl, std::string("no such file")));
    VERIFY_ERROR(plugin({.grouped = {Outcome::Failed, "no network"}}).makeGroupId(),
                 "gpu.not_joined");
}

void TstCudaPlugin::saysWhyThereIsNone_data()
{
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("id");
    QTest::newRow("no driver") << Outcome::NoDevice << "gpu.none";
    QTest::newRow("none listed") << Outcome::Done << "gpu.none";
    QTest::newRow("old driver") << Outcome::DriverTooOld << "gpu.driver_too_old";
    QTest::newRow("broken driver") << Outcome::Failed << "gpu.not_listed";
}

void TstCudaPlugin::saysWhyThereIsNone()
{
    QFETCH(Outcome, outcome);
    QFETCH(QString, id);
    CudaPlugin none = plugin({.listed = {outcome, "it is for CUDA 11.8"}});
    const auto devices = none.devices();
    VERIFY_ERROR(devices, id);
    QVERIFY(devices.error().sentence.find("CUDA 13.0") != std::string::npos);
    VERIFY_ERROR(none.open(0), id);
}

void TstCudaPlugin::namesTheVariableThatHidesGpus()
{
    qputenv(kVisible, "");
    CudaPlugin none = plugin({.listed = {Outcome::NoDevice, "no device"}});
    QCOMPARE(none.devices().error().arguments,
             std::vector<std::string>{"CUDA 13.0 with CUDA_VISIBLE_DEVICES=\"\""});
}

void TstCudaPlugin::saysWhyOneCannotBeOpened_data()
{
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("id");
    QTest::newRow("another program has it") << Outcome::Unavailable << "gpu.busy";
    QTest::newRow("no memory") << Outcome::OutOfMemory << "gpu.full";
    QTest::newRow("anything else") << Outcome::Failed << "gpu.not_opened";
}

void TstCudaPlugin::saysWhyOneCannotBeOpened()
{
    QFETCH(Outcome, outcome);
    QFETCH(QString, id);
    CudaPlugin busy = plugin({.devices = {gpu("one")}, .opened = {outcome, "because"}});
    VERIFY_OK(busy.devices());
    const auto opened = busy.open(0);
    VERIFY_ERROR(opened, id);
    QVERIFY(opened.error().sentence.starts_with("GPU:0 (one) "));
}

void TstCudaPlugin::refusesOthers()
{
    CudaPlugin old = plugin({.devices = {gpu("Tesla T4", "sm_75", false), gpu("two")}});
    const auto refused = old.open(0);
    VERIFY_ERROR(refused, "gpu.too_old");
    QCOMPARE(refused.error().arguments,
             (std::vector<std::string>{"0", "Tesla T4", "sm_75", "sm_80"}));
    VERIFY_OK(old.open(1));
    for (const std::int64_t index : {2, -1}) {
        const auto missing = old.open(index);
        VERIFY_ERROR(missing, "gpu.no_such_device");
        QCOMPARE(missing.error().arguments[1], std::string("2 GPUs"));
    }
}

CANNERY_TEST(TstCudaPlugin)
#include "tst_cuda_plugin.moc"
