// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

namespace cannery::tests {

/// Layers against those of Keras: outputs, gradients and statistics of single calls. Of folders
/// with `layers/<group>.json`; cases of layers that we do not have are counted and left out.
class LayerGoldens : public QObject
{
    Q_OBJECT

public:
    explicit LayerGoldens(std::vector<std::filesystem::path> folders)
        : m_folders(std::move(folders))
    {}

    static bool isFor(const std::filesystem::path& folder)
    {
        return std::filesystem::is_directory(folder / "layers");
    }

private Q_SLOTS:
    void followsKeras_data();
    void followsKeras();

private:
    std::vector<std::filesystem::path> m_folders;
};

} // namespace cannery::tests
