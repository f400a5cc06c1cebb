// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <string>

namespace cannery::tests {

/// Pictures of the goldens under other names, in a folder that is deleted at the end.
class PictureFolder
{
public:
    static std::string golden(const std::string& file)
    {
        return CANNERY_SOURCE_DIR "/tests/golden/images/files/" + file;
    }
    /// Circles and squares in train/ and validation/.
    static std::string shapes() { return CANNERY_SOURCE_DIR "/tests/golden/images/shapes"; }

    void put(const std::string& name, const std::string& file) const
    {
        const QString path = QString::fromStdString(pathOf(name));
        QDir().mkpath(QFileInfo(path).path());
        if (!QFile::copy(QString::fromStdString(golden(file)), path)) {
            qFatal("the test's picture is not copied");
        }
    }
    bool link(const std::string& to, const std::string& name) const
    {
        return QFile::link(QString::fromStdString(pathOf(to)),
                           QString::fromStdString(pathOf(name)));
    }
    std::string root() const { return m_folder.path().toStdString(); }
    std::string pathOf(const std::string& name) const { return root() + "/" + name; }

private:
    QTemporaryDir m_folder;
};

} // namespace cannery::tests
