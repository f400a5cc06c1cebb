// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

namespace cannery::tests {

/// The networks of resources/networks against those of tf.keras.applications: names, numbers of
/// parameters, and what they make of a picture with weights that a rule gives. Of folders with
/// `applications/manifest.json` (see README.md); applications that we do not ship are left out.
class ApplicationGoldens : public QObject
{
    Q_OBJECT

public:
    explicit ApplicationGoldens(std::vector<std::filesystem::path> folders)
        : m_folders(std::move(folders))
    {}

    static bool isFor(const std::filesystem::path& folder)
    {
        return std::filesystem::is_directory(folder / "applications");
    }

private Q_SLOTS:
    void followsTheRuleOfWeights();
    void followsKeras_data();
    void followsKeras();

private:
    std::vector<std::filesystem::path> m_folders;
};

} // namespace cannery::tests
