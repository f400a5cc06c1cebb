// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

namespace cannery::tests {

/// Optimizers and schedules against those of Keras: variables after every step, what the optimizer
/// keeps after the first and the last, learning rates. Of folders with `tables/optimizers.json` or
/// `tables/schedules.json`.
class OptimizerGoldens : public QObject
{
    Q_OBJECT

public:
    explicit OptimizerGoldens(std::vector<std::filesystem::path> folders)
        : m_folders(std::move(folders))
    {}

    static bool isFor(const std::filesystem::path& folder)
    {
        return std::filesystem::exists(folder / "tables" / "optimizers.json") ||
               std::filesystem::exists(folder / "tables" / "schedules.json");
    }

private Q_SLOTS:
    void stepsAsKeras_data();
    void stepsAsKeras();
    void hasKerasRates_data();
    void hasKerasRates();

private:
    std::vector<std::filesystem::path> m_folders;
};

} // namespace cannery::tests
