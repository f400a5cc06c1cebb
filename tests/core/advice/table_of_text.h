// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_source_catalog.h"

#include <QByteArray>
#include <QFile>
#include <QTemporaryDir>

#include <memory>

namespace cannery::tests {

/// A CSV file with a text, opened as `cannery new` opens one.
class TableOfText
{
public:
    Result<std::unique_ptr<data::DataSource>> open(const QByteArray& text) const
    {
        QFile file(m_folder.filePath("t.csv"));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) {
            qFatal("cannot write the test file");
        }
        file.write(text);
        file.close();
        spec::DataSource message;
        message.mutable_csv()->add_files(file.fileName().toStdString());
        return data::openDataSource(message, {});
    }

private:
    QTemporaryDir m_folder;
};

} // namespace cannery::tests
