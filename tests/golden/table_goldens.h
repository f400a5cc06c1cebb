// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

namespace cannery::tests {

/// Penalties, constraints and initial values of weights against those of Keras: of folders with
/// `tables/regularizers.json`, `constraints.json` and `initializers.json`.
class TableGoldens : public QObject
{
    Q_OBJECT

public:
    explicit TableGoldens(std::vector<std::filesystem::path> folders)
        : m_folders(std::move(folders))
    {}

    /// Whether a folder has one of these files.
    static bool isFor(const std::filesystem::path& folder);

private Q_SLOTS:
    void followsKeras_data();
    void followsKeras();

private:
    std::vector<std::filesystem::path> m_folders;
};

} // namespace cannery::tests
