// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

namespace cannery::tests {

/// Whole trainings of Keras models: of folders with `training/<case>/model.json`.
class TrainingGoldens : public QObject
{
    Q_OBJECT

public:
    explicit TrainingGoldens(const std::vector<std::filesystem::path>& folders);

    /// Whether a folder has such a case.
    static bool isFor(const std::filesystem::path& folder);

private Q_SLOTS:
    void followsKeras_data();
    void followsKeras();

private:
    std::vector<std::filesystem::path> m_cases;
};

} // namespace cannery::tests
