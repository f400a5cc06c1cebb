// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source_catalog.h"

#include <QFile>
#include <QTemporaryDir>

#include <string>

namespace cannery::tests {

/// Writes a file for a test; its path.
inline std::string textFile(const QTemporaryDir& folder, const char* name, const std::string& text)
{
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) ||
        file.write(text.data(), qint64(text.size())) != qint64(text.size())) {
        qFatal("cannot write the test's file");
    }
    return file.fileName().toStdString();
}

/// Opens a file by its content.
inline Result<std::unique_ptr<data::DataSource>>
openByContent(const std::string& path, const data::SourceOptions& options = {})
{
    return data::openDataSource(data::sourceOfFile(path), options);
}

} // namespace cannery::tests
