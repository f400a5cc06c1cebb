// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/layer_goldens.h"

#include "tests/golden/layer_case.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace cannery::tests {

namespace fs = std::filesystem;

void LayerGoldens::followsKeras_data()
{
    QTest::addColumn<QString>("file");
    for (const fs::path& folder : m_folders) {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder / "layers")) {
            files.push_back(entry.path());
        }
        std::ranges::sort(files);
        for (const fs::path& file : files) {
            QTest::newRow(file.stem().c_str()) << QString::fromStdString(file.string());
        }
    }
}

void LayerGoldens::followsKeras()
{
    QFETCH(QString, file);
    std::ifstream stream(file.toStdString());
    const nlohmann::json cases = nlohmann::json::parse(stream)["cases"];
    QStringList differences;
    QStringList leftOut;
    int compared = 0;
    for (const nlohmann::json& layerCase : cases) {
        const auto name = QString::fromStdString(layerCase["name"].get<std::string>());
        const auto sentences = compareLayerCase(layerCase);
        if (!sentences) {
            leftOut << name;
            continue;
        }
        ++compared;
        for (const std::string& sentence : *sentences) {
            differences << name + ": " + QString::fromStdString(sentence);
        }
    }
    qInfo("%d cases compared; without a layer of ours: %s", compared,
          qPrintable(leftOut.join(", ")));
    QVERIFY2(differences.isEmpty(), qPrintable(differences.join("\n")));
    QVERIFY(compared > 0 || !leftOut.isEmpty());
}

} // namespace cannery::tests
