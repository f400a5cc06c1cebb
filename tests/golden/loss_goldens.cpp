// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/loss_goldens.h"

#include "tests/golden/loss_case.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

namespace cannery::tests {

namespace fs = std::filesystem;

namespace {

nlohmann::json casesOf(const fs::path& file)
{
    std::ifstream stream(file);
    return nlohmann::json::parse(stream)["cases"];
}

} // namespace

void LossGoldens::followsKeras_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("lossClass");
    for (const fs::path& folder : m_folders) {
        const fs::path file = folder / "tables" / "losses.json";
        std::map<std::string, int> classes;
        for (const nlohmann::json& lossCase : casesOf(file)) {
            ++classes[lossCase["class"].get<std::string>()];
        }
        for (const auto& [name, count] : classes) {
            QTest::newRow(name.c_str())
                << QString::fromStdString(file.string()) << QString::fromStdString(name);
        }
    }
}

void LossGoldens::followsKeras()
{
    QFETCH(QString, file);
    QFETCH(QString, lossClass);
    QStringList differences;
    int index = -1;
    for (const nlohmann::json& lossCase : casesOf(file.toStdString())) {
        ++index;
        if (lossCase["class"] != lossClass.toStdString()) {
            continue;
        }
        for (const std::string& sentence : compareLossCase(lossCase)) {
            differences << QStringLiteral("case %1: %2").arg(index).arg(sentence.c_str());
        }
    }
    QVERIFY2(differences.isEmpty(), qPrintable(differences.join("\n")));
}

} // namespace cannery::tests
