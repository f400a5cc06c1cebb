// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/application_goldens.h"
#include "tests/golden/case_comparison.h"
#include "tests/golden/case_export.h"
#include "tests/golden/image_goldens.h"
#include "tests/golden/layer_goldens.h"
#include "tests/golden/loss_goldens.h"
#include "tests/golden/optimizer_goldens.h"
#include "tests/golden/table_goldens.h"
#include "tests/golden/training_goldens.h"
#include "tests/support/emulated_device/emulated_device.h"
#include "tests/support/result_compare.h"

#include <QCoreApplication>
#include <QTest>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>

using namespace cannery;
using namespace cannery::tests;
namespace fs = std::filesystem;

namespace {

const fs::path kGoldens = CANNERY_SOURCE_DIR "/tests/golden";
const fs::path kTraining = kGoldens / "training";
const fs::path kStrategies = kGoldens / "strategies";
const fs::path kNetworks = kGoldens / "networks";

void addFoldersBelow(const fs::path& root, std::vector<fs::path>& folders)
{
    const auto known = static_cast<std::ptrdiff_t>(folders.size());
    for (const auto& entry : fs::directory_iterator(root)) {
        if (fs::exists(entry.path() / "case.json")) {
            folders.push_back(entry.path());
        }
    }
    std::sort(folders.begin() + known, folders.end());
}

/// Parts of the names of folders whose cases no GPU trains; strategies with several replicas begin
/// with m.
constexpr std::array<std::string_view, 4> kOnlyForCpus{"/strategies/m", "/boosted_trees_", "/bt_",
                                                       "/sdca_"};

/// From TensorFlow's results, one a line.
QString differences(const GoldenCase& golden, CaseRun& run)
{
    QStringList lines;
    for (const auto& sentences :
         {compareWarmStart(golden, run), compareLosses(golden, run), compareState(golden, run),
          compareImportances(golden, run), compareEvaluation(golden, run),
          comparePredictions(golden, run), compareExports(golden, run)}) {
        for (const std::string& sentence : sentences) {
            lines << QString::fromStdString(sentence);
        }
    }
    return lines.join("\n");
}

/// A class that compares files of folders such as golden/networks, and which of them have such
/// files.
struct NetworkGoldens
{
    bool (*isFor)(const fs::path& folder);
    std::unique_ptr<QObject> (*make)(std::vector<fs::path> folders);
};

template <typename Test>
std::unique_ptr<QObject> makeGoldens(std::vector<fs::path> folders)
{
    return std::make_unique<Test>(std::move(folders));
}

constexpr auto kNetworkGoldens = std::to_array<NetworkGoldens>({
    {LayerGoldens::isFor, makeGoldens<LayerGoldens>},
    {LossGoldens::isFor, makeGoldens<LossGoldens>},
    {ApplicationGoldens::isFor, makeGoldens<ApplicationGoldens>},
    {TableGoldens::isFor, makeGoldens<TableGoldens>},
    {OptimizerGoldens::isFor, makeGoldens<OptimizerGoldens>},
    {TrainingGoldens::isFor, makeGoldens<TrainingGoldens>},
    {ImageGoldens::isFor, makeGoldens<ImageGoldens>},
});

bool isForNetworks(const fs::path& folder)
{
    return std::ranges::any_of(
        kNetworkGoldens, [&](const NetworkGoldens& goldens) { return goldens.isFor(folder); });
}

} // namespace

/// Trains golden cases of real TensorFlow from its first checkpoint and compares everything with
/// TensorFlow's results. `tst_golden FOLDER...` takes other cases, or folders of cases; one with a
/// folder for one of kNetworkGoldens is for their classes.
class TstGolden : public QObject
{
    Q_OBJECT

public:
    explicit TstGolden(std::vector<fs::path> folders) : m_folders(std::move(folders)) {}

private Q_SLOTS:
    void followsTensorFlow_data();
    void followsTensorFlow();
    void followsTensorFlowOnAGpu_data() { followsTensorFlow_data(); }
    void followsTensorFlowOnAGpu();

private:
    std::vector<fs::path> m_folders;
};

void TstGolden::followsTensorFlow_data()
{
    QTest::addColumn<QString>("folder");
    for (const fs::path& folder : m_folders) {
        QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
}

void TstGolden::followsTensorFlow()
{
    QFETCH(QString, folder);
    const Result<GoldenCase> golden = readGoldenCase(folder.toStdString());
    VERIFY_OK(golden);
    Result<CaseRun> run = runGoldenCase(*golden, 2);
    VERIFY_OK(run);
    QCOMPARE(differences(*golden, *run), QString());
}

void TstGolden::followsTensorFlowOnAGpu()
{
    QFETCH(QString, folder);
    const Result<GoldenCase> golden = readGoldenCase(folder.toStdString());
    VERIFY_OK(golden);
    EmulatedDevice device;
    Result<CaseRun> run = runGoldenCase(*golden, 2, &device);
    const bool isOnlyForCpus = std::ranges::any_of(kOnlyForCpus, [&](std::string_view kind) {
        return golden->folder.string().find(kind) != std::string::npos;
    });
    if (isOnlyForCpus) {
        QVERIFY(!run.has_value());
        const std::string& id = run.error().id;
        QVERIFY2(id == "plan.not_on_gpu", id.c_str());
        return;
    }
    VERIFY_OK(run);
    QCOMPARE(differences(*golden, *run), QString());
}

int main(int argc, char** argv)
{
    qputenv("QTEST_DISABLE_STACK_DUMP", "1");
    QCoreApplication application(argc, argv);
    std::vector<fs::path> folders;
    std::vector<fs::path> networks;
    std::vector<fs::path> pictures;
    std::vector<char*> arguments{argv[0]};
    for (int i = 1; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            arguments.push_back(argv[i]);
        } else if (isForNetworks(argv[i])) {
            networks.emplace_back(argv[i]);
        } else if (fs::exists(fs::path(argv[i]) / "case.json")) {
            folders.emplace_back(argv[i]);
        } else {
            addFoldersBelow(argv[i], folders);
        }
    }
    if (folders.empty() && networks.empty()) {
        addFoldersBelow(kTraining, folders);
        addFoldersBelow(kStrategies, folders);
        networks.push_back(kNetworks);
        pictures.push_back(kGoldens); // its tables are of another form
    }
    const auto run = [&](QObject& test) {
        return QTest::qExec(&test, static_cast<int>(arguments.size()), arguments.data());
    };
    int failed = 0;
    // A test function without a row is a failure, so a class without cases does not run.
    if (!folders.empty()) {
        TstGolden training(std::move(folders));
        failed += run(training);
    }
    for (const auto& [isFor, make] : kNetworkGoldens) {
        std::vector<fs::path> some;
        std::ranges::copy_if(networks, std::back_inserter(some), isFor);
        failed += some.empty() ? 0 : run(*make(std::move(some)));
    }
    if (!pictures.empty()) {
        ImageGoldens images(std::move(pictures));
        failed += run(images);
    }
    return failed;
}

#include "tst_golden.moc"
