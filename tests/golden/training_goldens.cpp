// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/training_goldens.h"

#include "tests/golden/keras_training.h"
#include "tests/support/result_compare.h"

#include <QTest>

#include <algorithm>

namespace cannery::tests {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> casesIn(const fs::path& folder)
{
    std::vector<fs::path> cases;
    if (fs::is_directory(folder / "training")) {
        for (const auto& entry : fs::directory_iterator(folder / "training")) {
            if (fs::exists(entry.path() / "model.json")) {
                cases.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(cases);
    return cases;
}

} // namespace

TrainingGoldens::TrainingGoldens(const std::vector<fs::path>& folders)
{
    for (const fs::path& folder : folders) {
        const std::vector<fs::path> cases = casesIn(folder);
        m_cases.insert(m_cases.end(), cases.begin(), cases.end());
    }
}

bool TrainingGoldens::isFor(const fs::path& folder)
{
    return !casesIn(folder).empty();
}

void TrainingGoldens::followsKeras_data()
{
    QTest::addColumn<QString>("folder");
    for (const fs::path& folder : m_cases) {
        QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
}

void TrainingGoldens::followsKeras()
{
    QFETCH(QString, folder);
    const auto differences = compareKerasTraining(folder.toStdString(), 2);
    VERIFY_OK(differences);
    QStringList lines;
    for (const std::string& sentence : *differences) {
        lines << QString::fromStdString(sentence);
    }
    QVERIFY2(lines.isEmpty(), qPrintable(lines.join("\n")));
}

} // namespace cannery::tests
