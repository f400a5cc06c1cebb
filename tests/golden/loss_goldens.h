// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

namespace cannery::tests {

/// Losses against those of Keras: per row and by both reductions, with the gradient. Of folders
/// with `tables/losses.json`.
class LossGoldens : public QObject
{
    Q_OBJECT

public:
    explicit LossGoldens(std::vector<std::filesystem::path> folders) : m_folders(std::move(folders))
    {}

    static bool isFor(const std::filesystem::path& folder)
    {
        return std::filesystem::exists(folder / "tables" / "losses.json");
    }

private Q_SLOTS:
    void followsKeras_data();
    void followsKeras();

private:
    std::vector<std::filesystem::path> m_folders;
};

} // namespace cannery::tests
