// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

namespace cannery::tests {

/// Pictures against TensorFlow: how files are decoded, and what operations and layers make of
/// pictures. Of folders with `images/decoded.json`, `images/operations.json`, their archives and
/// `images/files`; calls that we have no counterpart of are counted by the reason.
class ImageGoldens : public QObject
{
    Q_OBJECT

public:
    explicit ImageGoldens(std::vector<std::filesystem::path> folders)
        : m_folders(std::move(folders))
    {}

    static bool isFor(const std::filesystem::path& folder)
    {
        return std::filesystem::exists(folder / "images" / "decoded.json");
    }

private Q_SLOTS:
    void decodes_data();
    void decodes();
    void operates_data();
    void operates();
    void layersOperate_data();
    void layersOperate();

private:
    void addRows(const char* file);

    std::vector<std::filesystem::path> m_folders;
};

} // namespace cannery::tests
