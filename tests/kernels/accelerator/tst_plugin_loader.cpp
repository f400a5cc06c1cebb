// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/plugin.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::kernels;

/// Files that are plug-ins, and others.
class TstPluginLoader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void loadsAPluginOfThisBuild();
    void aMissingFileIsNotInstalled();
    void refusesAFileThatIsNotALibrary();
    void refusesALibraryThatIsNotAPlugin();
    void refusesAnotherBuild_data();
    void refusesAnotherBuild();
};

void TstPluginLoader::loadsAPluginOfThisBuild()
{
    const auto plugin = loadPlugin(CANNERY_EMULATED_PLUGIN);
    VERIFY_OK(plugin);
    QVERIFY((*plugin)->name() == "the emulation");
}

void TstPluginLoader::aMissingFileIsNotInstalled()
{
    const auto plugin = loadPlugin("/nowhere/libcannery_cuda.so");
    VERIFY_ERROR(plugin, "gpu.no_plugin");
    QCOMPARE(plugin.error().arguments,
             (std::vector<std::string>{"/nowhere/libcannery_cuda.so", "CANNERY_CUDA_PLUGIN"}));
}

void TstPluginLoader::refusesAFileThatIsNotALibrary()
{
    const QTemporaryDir folder;
    QFile file(folder.filePath("libcannery_cuda.so"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not a library") > 0);
    file.close();
    const auto plugin = loadPlugin(file.fileName().toStdString());
    VERIFY_ERROR(plugin, "gpu.plugin_not_loaded");
    QCOMPARE(plugin.error().arguments,
             (std::vector<std::string>{file.fileName().toStdString(), "file too short"}));
}

void TstPluginLoader::refusesALibraryThatIsNotAPlugin()
{
    const auto plugin = loadPlugin(CANNERY_OTHER_LIBRARY);
    VERIFY_ERROR(plugin, "gpu.plugin_not_loaded");
    QVERIFY(plugin.error().sentence.find("canneryAcceleratorPlugin") != std::string::npos);
}

void TstPluginLoader::refusesAnotherBuild_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("build");
    QTest::newRow("version") << CANNERY_OTHER_VERSION << "0.1.0 by another compiler";
    QTest::newRow("nothing said") << CANNERY_NO_VERSION << "none";
}

void TstPluginLoader::refusesAnotherBuild()
{
    QFETCH(QString, file);
    QFETCH(QString, build);
    const auto plugin = loadPlugin(file.toStdString());
    VERIFY_ERROR(plugin, "gpu.plugin_version");
    QCOMPARE(plugin.error().arguments,
             (std::vector<std::string>{file.toStdString(), build.toStdString(), pluginBuild()}));
}

CANNERY_TEST(TstPluginLoader)
#include "tst_plugin_loader.moc"
