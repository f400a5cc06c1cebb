// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/parsed_experiment.h"
#include "core/train/loop/training_device.h"
#include "core/train/records/engine_name.h"
#include "kernels/accelerator/errors.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/emulated_device/emulated_machine.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

namespace {

constexpr const char* kToy =
    R"(linear_classifier { feature_columns: "x" optimizer { sgd { learning_rate: 0.1 } } })";
const std::string kGpuName = EmulatedDevice::factsOf({}).name;

/// One question to chooseDevice(), and what came of it.
struct Asked
{
    std::int64_t gpus = 1;
    std::int64_t rankOnHost = 0;
    std::string before = {};
    double gpuRate = 20;
    double cpuRate = 10;
    std::optional<Error> refusal = {}; ///< of the GPU, for batches of more rows than `fitting`
    std::int64_t fitting = 0;
    int models = 0; ///< made so far
    int tried = 0;  ///< of them, measured

    Result<ChosenDevice> choose(const std::string& strategy)
    {
        const spec::Experiment experiment =
            spec::parseExperiment("train_spec { input { batch_size: 100 } } strategy { " +
                                  strategy + " }")
                .experiment;
        EmulatedMachine machine(gpus);
        bool isOnGpu = false;
        return chooseDevice(
            {.experiment = experiment,
             .rankOnHost = rankOnHost,
             .before = before,
             .plugin = [&]() -> Result<kernels::AcceleratorPlugin*> { return &machine; },
             .make = [&](std::span<kernels::Accelerator* const> accelerators,
                         std::int64_t batch) -> Result<std::unique_ptr<plan::Model>> {
                 isOnGpu = !accelerators.empty();
                 if (isOnGpu && refusal && batch > fitting) {
                     return tl::make_unexpected(*refusal);
                 }
                 ++models;
                 return toyModel(kToy);
             },
             .rate = [&](plan::Model&) -> Result<double> {
                 ++tried;
                 return isOnGpu ? gpuRate : cpuRate;
             }});
    }
};

Error outOfMemory()
{
    return error(ErrorCode::ResourceExhausted, kernels::kGpuMemory, "The model", "2 GiB", "1 GiB",
                 "1 GiB");
}

} // namespace

class TstTrainingDevice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void strategiesTakeTheirDevice_data();
    void strategiesTakeTheirDevice();
    void tasksOfAHostShareItsGpus();
    void theFasterDeviceTrains_data();
    void theFasterDeviceTrains();
    void triedModelsAreThrownAway();
    void cpuTrainsWhatNoGpuCan();
    void aNamedGpuIsNotReplaced();
    void aRunStaysWhereItWas();
    void aRunWhoseGpuIsGoneGoesOnOnTheCpu();
    void tooLargeABatchIsAnsweredWithOneThatFits();
    void theEngineNamesTheModelOfItsGpu();
};

void TstTrainingDevice::strategiesTakeTheirDevice_data()
{
    QTest::addColumn<std::string>("strategy");
    QTest::addColumn<std::string>("device");
    QTest::addColumn<std::string>("choice");
    const std::string first = "GPU:0 (" + kGpuName + ")";
    const std::string second = "GPU:1 (" + kGpuName + ")";
    const auto row = [](const char* strategy, const std::string& device,
                        const std::string& choice) {
        QTest::newRow(strategy) << std::string(strategy) << device << choice;
    };
    row("one_device {}", "CPU", "CPU");
    row("one_device { device: \"CPU:0\" }", "CPU", "CPU");
    row("multi_worker_mirrored {}", "CPU", "CPU");
    row("mirrored { devices: [\"CPU:0\", \"CPU:1\"] }", "CPU", "CPU");
    row("one_device { device: \"/gpu:1\" }", second, second + ", float32");
    row("one_device { device: \"GPU:0\" } precision: mixed_bfloat16", first,
        first + ", mixed_bfloat16");
    row("mirrored { devices: \"GPU:1\" }", second, second + ", float32");
    row("mirrored {}", first, first + ", float32");
    const std::string both = "GPU:1, GPU:0 (" + kGpuName + ")";
    row("mirrored { devices: [\"GPU:1\", \"GPU:0\"] }", both, both + ", float32");
}

void TstTrainingDevice::strategiesTakeTheirDevice()
{
    QFETCH(const std::string, strategy);
    Asked asked{.gpus = 2};
    const auto chosen = asked.choose(strategy);
    VERIFY_OK(chosen);
    QTEST(chosen->device.name, "device");
    QTEST(chosen->device.choice, "choice");
    QCOMPARE(!chosen->device.accelerators.empty(), chosen->device.name != "CPU");
    QVERIFY(chosen->model != nullptr);
    QCOMPARE(asked.tried, 0);
    QVERIFY(chosen->device.notes.empty());
}

void TstTrainingDevice::tasksOfAHostShareItsGpus()
{
    const std::string strategy =
        "multi_worker_mirrored { communication_options { implementation: NCCL } }";
    for (const auto& [rank, gpus, device] :
         {std::tuple(0, 2, "GPU:0"), std::tuple(1, 2, "GPU:1"), std::tuple(3, 1, "GPU:0")}) {
        Asked asked{.gpus = gpus, .rankOnHost = rank};
        const auto chosen = asked.choose(strategy);
        VERIFY_OK(chosen);
        QCOMPARE(chosen->device.name, std::string(device) + " (" + kGpuName + ")");
    }
    Asked without{.gpus = 0};
    VERIFY_ERROR(without.choose(strategy), "gpu.none");
}

void TstTrainingDevice::theFasterDeviceTrains_data()
{
    QTest::addColumn<double>("gpuRate");
    QTest::addColumn<std::string>("choice");
    const std::string gpu = "GPU:0 (" + kGpuName + ")";
    QTest::newRow("GPU") << 1234.5 << gpu + ", float32: 1234 steps/s, 10 on the CPU";
    QTest::newRow("CPU") << 9.87 << "CPU: 10 steps/s, 9.87 on " + gpu;
}

void TstTrainingDevice::theFasterDeviceTrains()
{
    QFETCH(const double, gpuRate);
    Asked asked{.gpuRate = gpuRate};
    const auto chosen = asked.choose("one_device { device: \"auto\" }");
    VERIFY_OK(chosen);
    QTEST(chosen->device.choice, "choice");
    QCOMPARE(!chosen->device.accelerators.empty(), gpuRate > asked.cpuRate);
    QCOMPARE(chosen->device.notes.size(), std::size_t{1});
    const std::string& note = chosen->device.notes.front();
    QVERIFY2(note.find("10 on the CPU") != std::string::npos, note.c_str());
}

void TstTrainingDevice::triedModelsAreThrownAway()
{
    Asked asked;
    const auto chosen = asked.choose("one_device { device: \"auto\" }");
    VERIFY_OK(chosen);
    QCOMPARE(asked.tried, 2);
    QCOMPARE(asked.models, 3);
}

void TstTrainingDevice::cpuTrainsWhatNoGpuCan()
{
    for (const std::string strategy : {"one_device { device: \"auto\" }", "mirrored {}"}) {
        Asked none{.gpus = 0};
        const auto without = none.choose(strategy);
        VERIFY_OK(without);
        QCOMPARE(without->device.choice, std::string("CPU"));
        QCOMPARE(without->device.notes.size(), std::size_t{1});
        QVERIFY(without->device.notes.front().starts_with("The CPU trains: This machine has no"));
        Asked unplaced{.refusal = error(ErrorCode::Unimplemented, kernels::kNoGpuKernel, "trees",
                                        "they branch")};
        const auto refused = unplaced.choose(strategy);
        VERIFY_OK(refused);
        QCOMPARE(refused->device.name, std::string("CPU"));
        QCOMPARE(refused->device.notes.front(),
                 std::string("The CPU trains: No GPU kernel computes trees: they branch."));
    }
}

void TstTrainingDevice::aNamedGpuIsNotReplaced()
{
    Asked none{.gpus = 0};
    VERIFY_ERROR(none.choose("one_device { device: \"GPU:0\" }"), "gpu.none");
    Asked one;
    VERIFY_ERROR(one.choose("one_device { device: \"GPU:1\" }"), "gpu.no_such_device");
    VERIFY_ERROR(one.choose("mirrored { devices: \"GPU:7\" }"), "gpu.no_such_device");
}

void TstTrainingDevice::aRunStaysWhereItWas()
{
    const std::string before = "GPU:0 (" + kGpuName + "), float32: 7 steps/s, 3 on the CPU";
    Asked gpu{.before = before, .gpuRate = 1};
    const auto chosen = gpu.choose("one_device { device: \"auto\" }");
    VERIFY_OK(chosen);
    QVERIFY(!chosen->device.accelerators.empty());
    QCOMPARE(chosen->device.choice, before);
    QCOMPARE(gpu.tried, 0);
    Asked cpu{.before = "CPU: 30 steps/s, 20 on GPU:0 (Test card)", .gpuRate = 1e6};
    const auto stayed = cpu.choose("one_device { device: \"auto\" }");
    VERIFY_OK(stayed);
    QCOMPARE(stayed->device.choice, cpu.before);
    QCOMPARE(cpu.tried, 0);
}

void TstTrainingDevice::aRunWhoseGpuIsGoneGoesOnOnTheCpu()
{
    Asked asked{.gpus = 0, .before = "GPU:0 (Test card), float32"};
    const auto chosen = asked.choose("one_device { device: \"auto\" }");
    VERIFY_OK(chosen);
    QCOMPARE(chosen->device.choice, std::string("CPU"));
    QVERIFY(chosen->device.notes.front().starts_with(
        "This run was trained on GPU:0 (Test card), float32. The CPU goes on: This machine has"));
}

void TstTrainingDevice::tooLargeABatchIsAnsweredWithOneThatFits()
{
    Asked asked{.refusal = outOfMemory(), .fitting = 30};
    const auto refused = asked.choose("one_device { device: \"GPU:0\" }");
    VERIFY_ERROR(refused, "gpu.smaller_batch");
    QCOMPARE(refused.error().sentence,
             outOfMemory().sentence + " It fits with train_spec.input.batch_size: 25.");
    QCOMPARE(refused.error().path, std::string("train_spec.input.batch_size"));
    asked.fitting = 0;
    VERIFY_ERROR(asked.choose("one_device { device: \"GPU:0\" }"), "gpu.no_batch_fits");
}

void TstTrainingDevice::theEngineNamesTheModelOfItsGpu()
{
    Asked asked;
    const auto chosen = asked.choose("one_device { device: \"GPU:0\" }");
    VERIFY_OK(chosen);
    QCOMPARE(engineOf(chosen->device), engineName(kGpuName));
    QCOMPARE(engineOf(TrainingDevice()), engineName());
}

CANNERY_TEST(TstTrainingDevice)
#include "tst_training_device.moc"
