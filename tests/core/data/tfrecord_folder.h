// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/record_file.h"

#include <QTemporaryDir>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cannery::tests {

using Integers = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

/// A temporary folder of TFRecord files.
class TfrecordFolder
{
public:
    /// Their path. A failure ends the test program.
    std::string write(const std::string& name, const std::vector<std::string>& records,
                      storage::Compression compression = storage::Compression::None);
    std::string writeExamples(const std::string& name,
                              const std::vector<storage::Example>& examples,
                              storage::Compression compression = storage::Compression::None);
    /// The source of a message such as "files: 'name'"; relative files are of this folder.
    Result<std::unique_ptr<data::DataSource>> open(const std::string& text,
                                                   const data::SourceOptions& more = {}) const;
    std::string path(const std::string& name) const;
    const QTemporaryDir& folder() const { return m_folder; }

private:
    QTemporaryDir m_folder;
};

/// Records with a number, a word and sometimes a count, which differ.
std::vector<storage::Example> manyExamples(int count);

} // namespace cannery::tests
